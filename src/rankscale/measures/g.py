"""Normalised gain."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.gains import Graded, read_along
from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.ties import mean_over_count


@dataclass(frozen=True)
class G(Graded):
    """Gain discounted by how far the ranking has fallen behind the ideal, over all gain there is.

    A rank costs the ideal gain there, and 1 at least. At rank 2 the cost is 2 and the gain met 1, so the discount is
    log2(2 + 2 - 1):

    >>> from rankscale.data.judged import judged
    >>> G().value(judged("0 1")).round(4)  # 1 / log2(3)
    array([0.6309])

    Formula
    -------
    (sum over ranks i of gain / log2(2 + cost of the first i - gain of the first i)) / (sum of the topic's gains)

    References
    ----------
    Buckley, experimental measure of trec_eval, 2008
    """

    uses_recall_base: ClassVar[bool] = True
    exceptions: ClassVar = {
        "a_ranking_above_another_is_never_worse": "gain counts by how far behind the ranking is where it is met"
    }
    drawn_ties: ClassVar[str] = "where there are several gains other than 0"

    def total(self, judged: Judged) -> Floats:
        """Gain discounted by the distance to the ideal, summed down the ranking."""
        gain = self.gain_met(judged)
        behind = 2.0 + self._cost(judged) - np.cumsum(gain, axis=-1)
        return np.cumsum(gain / np.log2(behind), axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """All gain there is."""
        return read_along(np.cumsum(self.ideal_gain(judged), axis=-1))

    def _cost(self, judged: Judged) -> Floats:
        """(topic, entry): what the ideal gains down to each entry, counting at least 1 for a rank."""
        ideal = np.maximum(self.ideal_gain(judged), 1.0)
        past_the_ideal = np.maximum(judged.rank - float(ideal.shape[-1]), 0.0)
        cost: Floats = read_along(np.cumsum(ideal, axis=-1), judged.rank) + past_the_ideal
        return cost

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where all documents that gain anything gain the same, their number decides."""
        gains = self.gain(table.levels, table.highest)
        return np.full(table.topics, len(np.unique(gains[gains != 0])) <= 1)

    def over_ties(self, judged: Judged) -> Floats:
        """The mean over how many other documents that gain stand above one of them among its tied ones."""
        gain = self.gain_met(judged)
        one = float(gain.flat[np.abs(gain).argmax()]) if gain.size else 0.0
        size, place, share = judged.tie_group_size, judged.rank - judged.first, judged.tie_group_mean(gain != 0)
        tied = np.maximum(np.rint(share * size) - 1, 0)
        met_above = judged.above_tie_group(np.cumsum(gain, axis=-1))
        behind = (2.0 + self._cost(judged) - met_above - one).ravel()
        mean = mean_over_count(size - 1, tied, place, lambda where, met: one / np.log2(behind[where] - met * one))
        return np.cumsum(np.where(share > 0, share * mean, 0.0), axis=-1)
