"""nDCG averaged over relevant documents."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.gains import Graded
from rankscale.measures.base.measure import Numbers, divide


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
