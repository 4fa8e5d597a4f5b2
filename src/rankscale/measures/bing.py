"""Normalised gain for binary relevance."""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import OverRecallBase
from rankscale.measures.base.ties import mean_over_count


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
        return np.cumsum(
            judged.relevant(self.rel) / np.log2(2.0 + judged.rank - judged.relevant_so_far(self.rel)), axis=-1
        )

    def over_ties(self, judged: Judged) -> Floats:
        """The mean over how many of the other r - 1 relevant ones among n tied documents stand above one of them."""
        size, place = judged.tie_group_size, judged.rank - judged.first
        share = judged.tie_group_mean(judged.relevant(self.rel))
        tied = np.maximum(np.rint(share * size) - 1, 0)
        others = (place + judged.first - 1 - self.relevant_above_ties(judged)).ravel()  # above, the r - 1 among them
        mean = mean_over_count(size - 1, tied, place, lambda where, met: 1 / np.log2(2.0 + others[where] - met))
        return np.cumsum(share * mean, axis=-1)
