"""nDCG averaged over the ranks where the ideal gain changes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import TiedAtRanks
from rankscale.measures.base.gains import Graded
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import rel_param
from rankscale.measures.base.ties import at_end


@dataclass(frozen=True)
class Rndcg(Graded, TiedAtRanks):
    """The mean of nDCG where the ideal ranking has shown all documents of a gain, and at the end of the ranking.

    The end counts where the ranking holds at least two documents more than the ideal has gains. One document of grade
    2 and one of grade 1 are ranked 2nd and 1st, so nDCG@1 = 1/2, nDCG@2 = (1 + 2/log2(3)) / (2 + 1/log2(3)):

    >>> from rankscale.data.judged import judged
    >>> Rndcg().value(judged("1 2")).round(4)  # (0.5 + 0.8597) / 2
    array([0.6799])

    Formula
    -------
    mean of nDCG@k over the ranks k where the ideal gain falls, and over the whole ranking where it is longer

    References
    ----------
    Buckley, experimental measure of trec_eval, 2008
    """

    uses_recall_base: ClassVar[bool] = True

    rel: float = rel_param()

    def total(self, judged: Judged) -> Floats:
        """Discounted gains, summed down the ranking."""
        return self.cumulated(judged)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The mean of nDCG over the points that rankings of this length have."""
        return self._mean(total, self.cumulated(judged), judged, rank)

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the same of discounted gains with each rank gaining the mean of its tie group."""
        column = np.cumsum(table.tie_group_mean(self.gain_met(table)) / self.divisor(table.rank), axis=-1)
        end = np.minimum(np.broadcast_to(rank, (table.topics, rank.shape[-1])), table.length[:, None])
        return self._mean(at_end(column, end.astype(np.int64)), column, table, rank)

    def _mean(self, total: Numbers, column: Floats, judged: Judged, rank: Ints) -> Floats:
        ended = np.minimum(rank, judged.length[:, None])
        summed, points = np.zeros(total.shape), np.zeros(total.shape)
        for steps, holds in self._steps(judged):
            met = np.where(ended <= steps, total, judged.read(column, steps[:, 0])[:, None])
            summed += np.where(holds, divide(met, self.ideal(judged, steps)), 0.0)
            points += holds
        longer = (ended >= self.gaining(judged) + 2) & (points > 0)
        summed += np.where(longer, divide(total, self.ideal(judged)), 0.0)
        return np.where(judged.recall_base(self.rel)[:, None] > 0, divide(summed, points + longer), 0.0)

    def _steps(self, judged: Judged) -> Iterator[tuple[Ints, Bools]]:
        """For each positive gain that a topic has, best first: the last rank it has in the ideal, (topic, 1).

        Topics may differ in their gains: the first step of each is that of its best one, and so on; beside the ranks,
        which topics have as many gains as that.
        """
        gain = self.gain(judged.levels, judged.highest)
        best_first = np.argsort(-gain, kind="stable")[: np.count_nonzero(gain > 0)]
        if not len(best_first):
            return
        starts = np.flatnonzero(np.append(True, np.diff(gain[best_first]) != 0))  # where levels of a gain begin
        held = np.add.reduceat(judged.counts[:, best_first], starts, axis=-1)  # (topic, gain)
        ends, there = np.cumsum(held, axis=-1), held > 0
        own = np.argsort(~there, axis=-1, kind="stable")[:, : int(there.sum(axis=-1).max(initial=0))]
        for step in range(own.shape[-1]):
            place = own[:, step : step + 1]
            yield np.take_along_axis(ends, place, axis=-1), np.take_along_axis(there, place, axis=-1)
