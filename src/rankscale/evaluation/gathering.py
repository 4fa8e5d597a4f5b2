"""The one gathering of results: what units of work gave, counted for notices and put together as an evaluation.

A collection in memory is one block of topics; a data set that is larger than memory is many, whose tallies add up.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.names import SHOWN_NAMES
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.evaluation.batches import OneRun
from rankscale.evaluation.notices import (
    caution_notices,
    cautions_of,
    check_defined,
    counted_topics,
    ideal_notices,
    length_notices,
    odd_notices,
    odd_values,
    qrels_notices,
    tie_notices,
    undefined_orders,
    why_undefined,
    without_ideal,
)
from rankscale.evaluation.options import TIES_ERROR, EvaluationRequest, Missing
from rankscale.evaluation.result import Evaluation, counting
from rankscale.inputs.files import distinct_names

TopicNames = tuple[str, ...]
ADDED = (  # counts of a tally, of which two are added
    *("topics", "missing", "unknown", "rankings", "counted"),
    *("odd", "ideals_lacking", "drawn", "some", "blocks"),
)


@dataclass(frozen=True)
class Tally:
    """What is counted of the values of a block of topics, or of all; adding two is exact, so that order is no matter.

    Of several blocks the names of topics are the first few.
    """

    topics: int  # of the qrels
    missing: Ints  # (run,): topics of the qrels that the run lacks
    missing_names: tuple[TopicNames, ...]  # of each run
    unknown: Ints  # (run,): topics that the qrels lack
    longest: Ints  # (run,): documents of the longest ranking; 0 where that is not known
    rankings: int  # that count
    counted: int  # topics that count for some run
    odd: Ints  # (measure, 3): values that are undefined, above what is usual, infinite
    why: tuple[str | None, ...]  # of each measure: why it has no value on any topic, where it has none and says so
    cautions: tuple[tuple[str, str], ...]  # measure and caution
    without_ideal: tuple[TopicNames, ...]  # of each measure: topics on which not even the ideal ranking gains anything
    ideals_lacking: Ints  # (measure,): how many these are
    drawn: Ints  # (measure,): rankings of which some orders of tied documents were drawn, and not all measured
    any_drawn: bool  # whether that is so of any, whether it counts or not
    some: Ints  # (measure,): rankings for which some orders of tied documents have no value
    blocks: int = 1

    @classmethod
    def of(cls, request: EvaluationRequest, qrels: Qrels, runs: Sequence[OneRun], values: Floats) -> Self:
        """What is counted of the values, (measure, run, topic), of these runs on all topics of these qrels."""
        measures, there = request.measures, np.stack([run.retrieved for run in runs])
        retrieved = counting(there, request.missing)
        drawn, some = (np.stack([getattr(run, name) for run in runs], axis=1) for name in ("drawn", "some"))
        together = np.flatnonzero(retrieved.any(axis=0))
        no_ideal = without_ideal(measures, qrels, together)
        longest = [run.longest if request.cut is None else min(run.longest, request.cut) for run in runs]
        return cls(
            topics=len(qrels.topics),
            missing=np.count_nonzero(~there, axis=-1),
            missing_names=tuple(tuple(qrels.topics[t] for t in np.flatnonzero(~of).tolist()) for of in there),
            unknown=np.array([run.unknown_topics for run in runs], dtype=np.int64),
            longest=np.array(longest, dtype=np.int64),
            rankings=int(np.count_nonzero(retrieved)),
            counted=len(together),
            odd=odd_values(measures, values, retrieved),
            why=tuple(why_undefined(measure, of, qrels) for measure, of in zip(measures, values, strict=True)),
            cautions=tuple(cautions_of(measures, values, retrieved, qrels)),
            without_ideal=tuple(no_ideal),
            ideals_lacking=np.array(list(map(len, no_ideal)), dtype=np.int64),
            drawn=np.count_nonzero(drawn & retrieved, axis=(1, 2)),
            any_drawn=bool(drawn.any()),
            some=np.count_nonzero(some & retrieved, axis=(1, 2)),
        )

    @classmethod
    def without_topics(cls, measures: int, unknown: Sequence[int]) -> Self:
        """A block for which the qrels have no topic: all that runs have there, so many topics of each, is unknown."""
        nothing: dict[str, Any] = dict.fromkeys(("topics", "rankings", "counted"), 0)
        nothing |= dict.fromkeys(("missing", "longest"), np.zeros(len(unknown), dtype=np.int64))
        nothing |= dict.fromkeys(("ideals_lacking", "drawn", "some"), np.zeros(measures, dtype=np.int64))
        return cls(
            **nothing,
            missing_names=((),) * len(unknown),
            unknown=np.array(unknown, dtype=np.int64),
            odd=np.zeros((measures, 3), dtype=np.int64),
            why=(None,) * measures,
            cautions=(),
            without_ideal=((),) * measures,
            any_drawn=False,
        )

    def __add__(self, other: "Tally") -> "Tally":
        whole = [one.why for one in (self, other) if one.topics]
        return Tally(
            **{name: getattr(self, name) + getattr(other, name) for name in ADDED},
            missing_names=_first(self.missing_names, other.missing_names),
            longest=np.maximum(self.longest, other.longest),
            why=tuple(None if None in reasons else reasons[0] for reasons in zip(*whole, strict=True)) or self.why,
            cautions=(*self.cautions, *(one for one in other.cautions if one[0] not in dict(self.cautions))),
            without_ideal=_first(self.without_ideal, other.without_ideal),
            any_drawn=self.any_drawn or other.any_drawn,
        )

    def of_run(self, place: int, where: str, source: str, rule: Missing) -> Iterator[Notice]:
        """Notices of topics that a run lacks, and of those that the qrels lack; raise where it has none, or may not."""
        sizes = int(self.missing[place]), self.topics, int(self.unknown[place])
        return counted_topics(where, source, self.missing_names[place], sizes, rule)

    def check_defined(self, request: EvaluationRequest, source: str) -> None:
        """Raise ParameterError where a measure has no value on any topic and knows why."""
        for measure, why in zip(request.measures, self.why, strict=True):
            check_defined(measure, why, f"of {source}")

    def of_values(self, request: EvaluationRequest, runs: Sequence[str], errors: Floats | None) -> Iterator[Notice]:
        """Notices of the values of these runs; `errors` (measure, run) are those of means over orders of ties."""
        measures, of = request.measures, len(runs) * self.topics
        if self.any_drawn:
            yield from tie_notices(measures, self.drawn, of, request.orders, errors)
        yield from undefined_orders(measures, self.some, of, "range" if request.ties == "range" else "mean")
        yield from length_notices(measures, runs, self.longest.tolist())
        yield from ideal_notices(measures, self.without_ideal, self.ideals_lacking.tolist(), self.counted)
        yield from odd_notices(measures, self.odd, self.rankings)
        yield from caution_notices(self.cautions, "in a block of topics, " if self.blocks > 1 else "")


def _first(names: tuple[TopicNames, ...], more: tuple[TopicNames, ...]) -> tuple[TopicNames, ...]:
    """The first few names of each."""
    return tuple((*one, *another)[:SHOWN_NAMES] for one, another in zip(names, more, strict=True))


def stacked(runs: Sequence[OneRun]) -> dict[str, Floats]:
    """(measure, run, topic) each: the values of runs, then the extra columns."""
    return {name: np.stack([run.values[name] for run in runs], axis=1) for name in runs[0].values}


def assembled(
    request: EvaluationRequest,
    topics: tuple[str, ...],
    columns: Mapping[str, Floats],
    there: Bools,
    *,
    drawn: bool,
    **about: Any,  # noqa: ANN401  # the other fields of an evaluation
) -> Evaluation:
    """An evaluation of columns (measure, run, topic), `there` (run, topic) saying which topics each run has."""
    kept: dict[str, Any] = {name: frozen(of) for name, of in columns.items() if drawn or name != TIES_ERROR}
    return Evaluation(
        measures=request.measures,
        topics=topics,
        **kept,
        retrieved=frozen(counting(there, request.missing)),
        present=None if there.all() else frozen(there),
        topics_rule=request.missing,
        **about,
    )


def gathered(
    request: EvaluationRequest,
    qrels: Qrels,
    runs: Sequence[OneRun],
    notices: tuple[Notice, ...] = (),
) -> Evaluation:
    """The values of runs as one evaluation, with its notices after those given; raise where no topic is shared."""
    names, renamed = distinct_names([run.name for run in runs], [run.source for run in runs])
    columns, there = stacked(runs), np.stack([run.retrieved for run in runs])
    tally = Tally.of(request, qrels, runs, columns["values"])
    tally.check_defined(request, qrels.source)
    noted = [*qrels_notices(qrels, request.measures), *renamed]
    files = Counter(run.source for run in runs)
    for place, (name, run) in enumerate(zip(names, runs, strict=True)):
        where = name if not run.source else run.source if files[run.source] == 1 else f"run {name} of {run.source}"
        noted += [*run.notices, *tally.of_run(place, where, qrels.source, request.missing)]
    evaluation = assembled(
        request,
        qrels.topics,
        columns,
        there,
        drawn=tally.any_drawn,
        runs=tuple(names),
        signature=request.signature(
            (run.order for run in runs), (request.cut or run.depth for run in runs), drawn=tally.any_drawn
        ),
        sources=(qrels.source, *(run.source or run.name for run in runs)),
        levels=tuple(qrels.levels.tolist()),
    )
    errors = evaluation.extra_means().get(TIES_ERROR) if tally.any_drawn else None
    every = (
        *notices,
        *dict.fromkeys(noted),  # runs of one file share that of its form
        *request.without_bounds(),
        *tally.of_values(request, names, errors),
    )
    return replace(evaluation, notices=every)
