"""Runs that are read once and evaluated again with fewer judgments, for studies of judgments.

A topic counts for a measure if the measure is defined there for all runs. Which topics these are can change with the
judgments; studies warn if it does.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Self, Unpack

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, significant
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing, check_missing, judging_of, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, runs_with_names
from rankscale.measures.ap import AP
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_all
from rankscale.studies.support.selection import check_share, check_topics, evaluate_top


@dataclass(frozen=True, eq=False)
class RejudgedValues:
    """Values of runs, measure by measure."""

    measures: tuple[Measure, ...]
    by_measure: tuple[Floats, ...]  # (run, topic) each, of the topics where the measure is defined for all runs

    @classmethod
    def of(cls, evaluation: Evaluation, topics: Bools) -> Self:
        """The values of an evaluation on some topics, (topic,)."""
        values = evaluation.values[:, :, topics]
        defined = np.count_nonzero(np.isnan(values), axis=1) == 0
        kept = tuple(np.ascontiguousarray(one[:, there]) for one, there in zip(values, defined, strict=True))
        return cls(evaluation.measures, kept)

    @property
    def topics(self) -> Ints:
        """(measure,): number of topics on which each is defined."""
        return np.array([one.shape[-1] for one in self.by_measure], dtype=np.int64)

    def means(self) -> Floats:
        """(measure, run): undefined where no topic is left."""
        return np.array(
            [
                measure.summarise(one) if one.shape[-1] else np.full(len(one), np.nan)
                for measure, one in zip(self.measures, self.by_measure, strict=True)
            ]
        )


@dataclass(frozen=True, eq=False)
class Rejudging:
    """Runs, read once, and all that their values depend on, apart from which judgments are kept."""

    runs: tuple[Run, ...]
    qrels: Qrels
    measures: tuple[Measure, ...]
    topics: Bools  # (topic,): which count
    judged_only: bool

    def values(self, kept: Bools) -> RejudgedValues:
        """The values of runs with the judgments that are kept, (judgment,)."""
        fewer = self.qrels.keeping(kept)
        return RejudgedValues.of(evaluate(fewer, self.runs, self.measures, judged_only=self.judged_only), self.topics)


@dataclass(frozen=True, eq=False)
class RejudgingRequest:
    """The runs and measures of a study, measured with all judgments."""

    every: tuple[Run, ...]  # those that a pool can be made of
    judging: Rejudging  # of those that are looked at
    evaluation: Evaluation  # of these, with all judgments
    values: RejudgedValues
    notices: tuple[Notice, ...]


def rejudging_request(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure],
    *,
    top: float | None = None,
    rel: float = 1,
    missing: Missing = "zero",
    **options: Unpack[EvaluateOptions],
) -> RejudgingRequest:
    """Read runs, measure them with all judgments, and keep what it takes to do so again.

    `top` is the share of the best runs that are compared, by AP with grades from `rel` on; `missing` is the rule
    for topics that a run lacks, as in `evaluate`.
    """
    check_missing(missing, compared=True)
    wanted = parse_all(measures)
    if top is not None:
        check_share(top)
    reading = reading_of(options, keep_scores=any(measure.needs_scores for measure in wanted))
    read, judging = read_qrels(qrels, max_size=reading.max_size), judging_of(options)
    judgments = judging.regraded(read)
    every, renamed = runs_with_names(judgments, runs, reading)
    result = evaluate_top(read, every, wanted, top, by=AP(rel=rel), missing=missing, **asdict(judging))
    if len(result.runs) < 2:
        raise ParameterError("the order of runs is compared: give two runs or more")
    chosen = tuple(run for run in every if run.name in set(result.runs))
    check_topics(result)
    topics: Bools = np.count_nonzero(~result.retrieved, axis=0) == 0
    rejudging = Rejudging(chosen, judgments, wanted, topics, judging.judged_only)
    values = RejudgedValues.of(result, topics)
    notices = (*renamed, *result.notices, *notes(_left_out(values, int(np.count_nonzero(topics)))))
    return RejudgingRequest(tuple(every), rejudging, result, values, notices)


def _left_out(values: RejudgedValues, of: int) -> Iterator[str]:
    for measure, there in zip(values.measures, values.topics.tolist(), strict=True):
        if there < of:
            missing = of - there
            verb = "is" if missing == 1 else "are"
            yield f"{measure}: {missing} of {of} topics {verb} left out for all runs, undefined there for some"


def compared(means: Floats, measures: Sequence[Measure] = ()) -> Floats:
    """Means (measure, ...), rounded so that those that differ by rounding errors only are equal."""
    if not measures:
        return significant(means)
    return np.stack([measure.comparable(of) for measure, of in zip(measures, means, strict=True)])


def over_iterations(numbers: Floats) -> tuple[Floats, Floats]:
    """The mean over the last axis of what is defined there, and the standard deviation (n - 1).

    >>> mean, deviation = over_iterations(np.array([[1.0, 3.0, np.nan], [np.nan, np.nan, 5.0]]))
    >>> mean.tolist(), deviation.round(4).tolist()
    ([2.0, 5.0], [1.4142, nan])
    """
    there = ~np.isnan(numbers)
    count = np.count_nonzero(there, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, numbers, 0.0).sum(axis=-1) / count
        squares = np.where(there, np.square(numbers - mean[..., None]), 0.0).sum(axis=-1)
        return mean, np.where(count > 1, np.sqrt(squares / (count - 1)), np.nan)
