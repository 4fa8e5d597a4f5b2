"""Sum of precisions."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import Binary
from rankscale.measures.base.measure import divide
from rankscale.measures.base.structure import Precisions, Structure


@dataclass(frozen=True)
class SP(Binary):
    """Precision at each relevant document, added up: average precision before it is divided by the recall base.

    The relevant documents stand at ranks 1 and 4, where precision is 1 and 1/2:

    >>> from rankscale.data.judged import judged
    >>> SP().value(judged("1 0 0 1", missed="1"))
    array([1.5])

    Formula
    -------
    sum over relevant ranks i <= k of (relevant in the first i) / i

    References
    ----------
    Moffat and Zobel, TOIS 27(1), 2008
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    values_follow_gains: ClassVar[bool] = True
    bounded: ClassVar[bool] = True

    def structure(self, depth: int | None) -> Structure:
        """The sum of precisions at relevant documents."""
        return Precisions()

    def total(self, judged: Judged) -> Floats:
        """Precision at the relevant entries, summed down the ranking."""
        return judged.memo(
            ("sum of precisions", self.rel),
            lambda: np.cumsum(judged.relevant(self.rel) * judged.relevant_so_far(self.rel) / judged.rank, axis=-1),
        )

    def over_ties(self, judged: Judged) -> Floats:
        """Precision at a relevant document, on average over the places it can have among its n tied ones.

        Of the r relevant ones among them, (j - 1) (r - 1) / (n - 1) stand above it on average where it is the j-th.
        """
        relevant = judged.relevant(self.rel)
        size = judged.last - judged.first + 1
        share = judged.tie_group_mean(relevant)
        above = self.relevant_above_ties(judged)
        tied_above = divide((judged.rank - judged.first) * (share * size - 1), size - 1)
        return np.cumsum(share * (above + 1 + tied_above) / judged.rank, axis=-1)
