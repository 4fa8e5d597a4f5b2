"""Experimental measures of trec_eval: gain discounted by distance from the ideal, and means of nDCG."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import OverRecallBase, TiedAtRanks
from rankscale.measures.base.gains import Graded, read_along
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import rel_param
from rankscale.measures.base.ties import at_end, ends_at, mean_over_count


@dataclass(frozen=True)
class binG(OverRecallBase):
    """Each relevant document counts for less the more documents that are not relevant stand above it.

    One not relevant document stands above the only relevant one:

    >>> from rankscale.data.judged import judged
    >>> binG().value(judged("0 1")).round(4)  # 1 / log2(2 + 1)
    array([0.6309])

    Formula
    -------
    (1/RB) sum over relevant ranks of 1 / log2(2 + documents above that are not relevant)

    References
    ----------
    Buckley, experimental measure of trec_eval, 2008
    """

    def total(self, judged: Judged) -> Floats:
        """Discounted relevant documents, summed down the ranking."""
        # A rank less the relevant documents down to it is what else stands there, above the relevant one itself.
        others = judged.rank - judged.relevant_so_far(self.rel)
        return np.cumsum(judged.relevant(self.rel) / np.log2(2.0 + others), axis=-1)

    def over_ties(self, judged: Judged) -> Floats:
        """The mean over how many of the other r - 1 relevant ones among n tied documents stand above one of them."""
        size, place = judged.tie_group_size, judged.rank - judged.first
        share = judged.tie_group_mean(judged.relevant(self.rel))
        tied = np.maximum(np.rint(share * size) - 1, 0)
        others = (place + judged.first - 1 - self.relevant_above_ties(judged)).ravel()  # above, the r - 1 among them
        mean = mean_over_count(size - 1, tied, place, lambda where, met: 1 / np.log2(2.0 + others[where] - met))
        return np.cumsum(share * mean, axis=-1)


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


@dataclass(frozen=True)
class nDCGRel(Graded):
    """nDCG at the rank of each document with a positive gain, averaged; those not retrieved take the last nDCG.

    One of two is retrieved, at rank 2: nDCG@2 there, and DCG over the whole ideal, the same, for the other one:

    >>> from rankscale.data.judged import judged
    >>> nDCGRel().value(judged("0 1", missed="1")).round(4)  # (1/log2(3)) / (1 + 1/log2(3))
    array([0.3869])

    Formula
    -------
    mean over documents with gain > 0 of nDCG@(its rank), or of DCG over the whole ideal's if not retrieved

    References
    ----------
    Buckley, experimental measure of trec_eval, 2008
    """

    uses_recall_base: ClassVar[bool] = True
    exceptions: ClassVar = {
        "a_ranking_above_another_is_never_worse": "a document retrieved early takes the low nDCG there, not the last"
    }
    drawn_ties: ClassVar[str] = "where gains are negative"

    def total(self, judged: Judged) -> Floats:
        """The sum over all documents with a positive gain, as if the ranking ended at each entry."""
        gaining = self.gain_met(judged) > 0
        curve = divide(self.cumulated(judged), self.ideal(judged, judged.rank))
        met = np.cumsum(np.where(gaining, curve, 0.0), axis=-1)
        missing = self.gaining(judged) - np.cumsum(gaining, axis=-1)
        # A sum below 0, which negative gains can give, is no value in trec_eval.
        return np.maximum(met + divide(missing * self.cumulated(judged), self.ideal(judged)), 0.0)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """How many documents of the qrels have a positive gain."""
        return self.gaining(judged)

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): negative gains may bring a value to its lower limit, whose mean is another."""
        return np.full(table.topics, bool((self.gain(table.levels, table.highest) >= 0).all()))

    def over_ties(self, judged: Judged) -> Floats:
        """The mean of a sum of products: of whether a document gains, and of the gains above it or its own.

        In a group of n documents, r of them with the gains, G in all, two places hold on average G / n of what gains
        and its gain where they are one, and (r G - G) / (n (n - 1)) where they are two.
        """
        gain = self.gain_met(judged)
        discount: Floats = 1.0 / self.divisor(judged.rank)
        share, mean = judged.tie_group_mean(gain > 0), judged.tie_group_mean(gain)
        size, place = judged.tie_group_size, judged.rank - judged.first
        dcg = np.cumsum(mean * discount, axis=-1)
        discounts = np.cumsum(discount, axis=-1)
        within = discounts - judged.above_tie_group(discounts)  # of the places of the group down to this one
        apart = divide(mean * (share * size - 1), size - 1)  # whether one place gains, times what another gains
        product = share * judged.above_tie_group(dcg) + mean * discount + apart * (within - discount)
        met = np.cumsum(divide(product, self.ideal(judged, judged.rank)), axis=-1)
        together = mean * (1.0 - share) * (1.0 - divide(place, size - 1)) * within  # covariance
        missing = (self.gaining(judged) - np.cumsum(share, axis=-1)) * dcg - np.where(size > 1, together, 0.0)
        return met + divide(missing, self.ideal(judged))


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
        end = ends_at(table, rank)
        return self._mean(at_end(column, end), column, table, rank)

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
