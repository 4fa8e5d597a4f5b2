"""The rank-based total order."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.structure import FirstDifference, Structure
from rankscale.measures.base.total_order import TotalOrder


@dataclass(frozen=True)
class RBTO(TotalOrder):
    """The place of a ranking where the first rank at which two rankings differ decides by the higher grade there.

    Rankings are read as numbers whose digits are grades, the first rank first, and equally spaced from 0 to 1. With two
    grades this is a linear map of RBP(p=0.5). The ranking 101 is the number 5 of those from 0 to 7:

    >>> from rankscale.data.judged import judged
    >>> RBTO(depth=3).value(judged("1 0 1")).round(4)
    array([0.7143])

    `rs.scale("RBTO@1000").rank(...)` gives the rank itself as a whole number, exact for any length.

    Formula
    -------
    (sum over ranks i <= k of c_i L^(k-i)) / (L^k - 1), c_i from 0 to L - 1 the class of the grade at rank i

    References
    ----------
    Ferrante, Ferro and Losiouk, How do interval scales help us with better understanding IR evaluation results?,
    Information Retrieval Journal 23(3), 2020
    """

    same_with_two_grades: ClassVar[str] = "RBP with any p up to 1/2"

    def structure(self, depth: int | None) -> Structure:
        """The first difference decides."""
        return FirstDifference()

    def total(self, judged: Judged) -> Numbers:
        """Classes over powers of their number, summed down the ranking; above that of unjudged documents."""
        unjudged = self.classes(judged)[0][-1]
        return np.cumsum(self._weights(judged) * (self.class_met(judged) - unjudged), axis=-1)

    def _weights(self, judged: Judged) -> Floats:
        _, number = self.classes(judged)
        return np.power(float(number), -np.minimum(judged.common_rank, 1 << 20).astype(np.float64))

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The number that the ranking is, over that of the best one."""
        of_level, number = self.classes(judged)
        if number == 1:
            return np.zeros(np.broadcast_shapes(total.shape, rank.shape))
        every = 1.0 - np.power(float(number), -np.minimum(rank, 1 << 20).astype(np.float64))  # of class number - 1
        unjudged = of_level[-1] / (number - 1)
        place: Floats = np.clip(unjudged + divide(total, every), 0.0, 1.0)
        return place

    def over_ties(self, judged: Judged) -> Numbers:
        """Each rank has the mean class of its tie group."""
        unjudged = self.classes(judged)[0][-1]
        classes = (self.class_met(judged) - unjudged).astype(np.float64)
        return np.cumsum(self._weights(judged) * judged.tie_group_mean(classes), axis=-1)
