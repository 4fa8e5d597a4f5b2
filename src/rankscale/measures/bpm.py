"""The Bejeweled player model."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.measures.base.binary import TiedAtRanks, parted_group
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import param
from rankscale.measures.base.scaled import Scaled, before
from rankscale.measures.base.ties import at_end, chance, place_chance

ROUNDING = 1e-12  # ten times 0.1 is a little less than 1


@dataclass(frozen=True)
class BPM(Scaled, TiedAtRanks):
    """The gain met per document by a user who stops at a gain of T or after k documents, whichever comes first.

    The static model of the paper, with gains that grow evenly, as cwl_eval and ir_measures have it. The gain reaches 1
    at the third document here:

    >>> from rankscale.data.judged import judged
    >>> BPM(depth=10).value(judged("1 0 2 2", missed="0")).round(4)  # (1/2 + 1) / 3
    array([0.5])

    There are no bounds: one more relevant document may stop the user before she reaches better ones. Of the gains 1/2,
    1/3, 1 she takes 11/6 in three documents; with 1/2 in place of 1/3 she takes 1 in two, and 1/2 is less than 11/18.

    Formula
    -------
    (gain in the first n) / n, n the first rank with a gain of T so far, at most k

    User model
    ----------
    reads from the top and stops once the gain is T, or after k documents

    References
    ----------
    Zhang et al., Evaluating Web Search with a Bejeweled Player Model, SIGIR 2017
    """

    needs_depth: ClassVar[bool] = True
    exceptions: ClassVar = {"a_ranking_above_another_is_never_worse": "gain met early stops the user before more of it"}
    best_first: ClassVar = "never"  # a document that comes early may stop the user before better ones
    drawn_ties: ClassVar[str] = "where there are several gains above 0"

    T: float = param(1.0, gt=0, help="how much gain the user expects to find")

    def total(self, judged: Judged) -> Floats:
        """Gain met, down to where it is enough."""
        read = before(self._enough(judged), 0.0) == 0
        return np.cumsum(np.where(read, self.gain_met(judged), 0.0), axis=-1)

    def _enough(self, judged: Judged) -> Floats:
        """1 where the gain so far is T or more."""
        enough: Floats = (np.cumsum(self.gain_met(judged), axis=-1) >= self.T - ROUNDING).astype(np.float64)
        return enough

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The documents read."""
        stop = np.where(self._enough(judged) > 0, judged.rank, BEYOND).min(axis=-1, keepdims=True, initial=BEYOND)
        read: Ints = np.minimum(rank, stop)
        return read

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where all documents that gain anything gain the same, their number decides."""
        gains = self.gain(table.levels, table.highest)
        return np.full(table.topics, len(np.unique(gains[gains > 0])) <= 1)

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the mean over the ranks where the gain can be enough, and over the gains that are not."""
        gains = self.gain(table.levels, table.highest)
        one = float(gains.max(initial=0.0))
        if one == 0:
            return np.zeros((table.topics, rank.shape[-1]))
        lowest, wanted = float(table.levels[gains > 0].min()), math.ceil((self.T - ROUNDING) / one)
        size, place = table.tie_group_size, table.rank - table.first + 1
        held = np.rint(table.tie_group_sum(table.relevant(lowest)))
        above = table.above_tie_group(table.relevant_so_far(lowest))
        stops = place_chance(size, held, place, wanted - above) / table.rank
        group = parted_group(table, rank, lowest)
        mean = wanted * at_end(np.cumsum(stops, axis=-1), group.end)
        for met in range(wanted):  # as long as it is not enough, the user reads to the end
            mean += met * divide(chance(group.size, group.relevant, group.drawn, met - group.before), rank)
        return one * mean
