"""Ranks of judged documents: what bounds of sums over ranks need of all rankings, whatever the weights are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rankscale.data.arrays import UNJUDGED, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.measure import Measure
from rankscale.studies.pooling import judgments_of


class Bounded(NamedTuple):
    """Values with bounds and, where measures are sums over ranks, how much of what is open judging can settle."""

    evaluation: Evaluation
    settled: Floats | None  # (measure, run, topic)

    def ends(self) -> tuple[Floats, Floats]:
        """(measure, run) twice: lower and upper means."""
        means = self.evaluation.extra_means()
        return means["lower"], means["upper"]

    def of_documents(self) -> Floats | None:
        """(measure, run): the part of the distance between bounds that unjudged documents leave open, on the mean."""
        if self.settled is None:
            return None
        return replace(self.evaluation, upper=self.settled).extra_means()["upper"]


@dataclass(frozen=True, eq=False)
class JudgedRanks:
    """The ranks at which each run has judged documents, ranking by ranking: of run `r` and topic `t` number `r T + t`.

    Bounds are then made without a look at the documents, so that weights can move.
    """

    rank: Ints  # (entry,), those of one ranking together, top down
    owner: Ints  # (entry,), number of the ranking
    first: Ints  # (run + 1,), where the entries of each run begin
    lengths: Ints  # (ranking,), documents retrieved
    counts: Ints  # (topic, level), as the qrels have them
    levels: Floats  # (level,)
    highest: float

    @classmethod
    def of(cls, qrels: Qrels, runs: Sequence[Run]) -> "JudgedRanks":
        """Those of some runs."""
        topics = len(qrels.topics)
        ranks, owners, lengths = [], [], np.zeros((len(runs), topics), dtype=np.int64)
        for number, run in enumerate(runs):
            kept = qrels.is_judged[judgments_of(run, qrels)]
            ranks.append(run.rank[kept])
            owners.append((np.repeat(run.rows.astype(np.int64), np.diff(run.starts)) + number * topics)[kept])
            lengths[number, run.rows] = run.length
        first = np.cumsum([0, *map(len, ranks)])
        nothing = np.zeros(0, dtype=np.int32)
        return cls(
            rank=np.concatenate([nothing, *ranks]),
            owner=np.concatenate([nothing.astype(np.int64), *owners]),
            first=first,
            lengths=lengths.ravel(),
            counts=qrels.counts,
            levels=qrels.levels,
            highest=qrels.highest,
        )

    def bounded(self, evaluation: Evaluation, places: Sequence[int], rows: Ints) -> Bounded:
        """The evaluation with its bounds, and what judging all that was retrieved would settle.

        `places` are those of the evaluation's runs, `rows` those of its topics in the qrels. All its measures are sums
        over ranks; see `can_bound`.
        """
        lower, upper, settled = (np.empty(evaluation.values.shape) for _ in range(3))
        topics = len(self.counts)
        numbers = (np.array(places, dtype=np.int64)[:, None] * topics + rows).ravel()
        light = self._rankings(numbers, np.tile(rows, len(places)))
        rank, owner = self._entries(places, numbers)
        shape = evaluation.values.shape[1:]
        for row, measure in enumerate(evaluation.measures):
            weighed = _additive(measure)
            unjudged = weighed.unjudged_weight(light, rank, owner)
            ends = weighed.bounds_around(light, evaluation.values[row].ravel(), unjudged)
            lower[row], upper[row] = (end.reshape(shape) for end in ends)
            settled[row] = weighed.open_to_judging(light, unjudged).reshape(shape)
        return Bounded(replace(evaluation, lower=lower, upper=upper), settled)

    def _entries(self, places: Sequence[int], numbers: Ints) -> tuple[Ints, Ints]:
        """(entry,) twice: ranks of judged documents in these runs' rankings, and the places of these in `numbers`."""
        whole = len(places) + 1 == len(self.first)
        own = [slice(None)] if whole else [slice(*self.first[place : place + 2].tolist()) for place in places]
        rank, owner = (np.concatenate([column[one] for one in own]) for column in (self.rank, self.owner))
        place = np.full(len(self.lengths), UNJUDGED)
        place[numbers] = np.arange(len(numbers))
        kept = place[owner] >= 0
        return rank[kept], place[owner[kept]]

    def _rankings(self, numbers: Ints, rows: Ints) -> Judged:
        """Rankings without entries: their lengths, and what the qrels have of their topics."""
        nothing = np.zeros((len(numbers), 0), dtype=np.int32)
        return Judged(
            rank=nothing,
            code=np.full((len(numbers), 0), UNJUDGED, dtype=np.int16),
            document=nothing,
            first=nothing,
            last=nothing,
            length=self.lengths[numbers],
            counts=self.counts[rows],
            levels=self.levels,
            highest=self.highest,
            row=rows,
        )


def can_bound(measure: Measure, qrels: Qrels) -> bool:
    """Whether bounds need no more than ranks of judged documents: sums over ranks, where no grade is negative."""
    weighed = measure.as_additive
    return (
        isinstance(weighed, Additive)
        and weighed is measure
        and type(measure).bounds is Additive.bounds
        and not measure.judged_only
        and not (qrels.levels < 0).any()
    )


def _additive(measure: Measure) -> Additive:
    weighed = measure.as_additive
    if weighed is None:
        raise TypeError(f"{measure} is no sum over ranks")
    return weighed
