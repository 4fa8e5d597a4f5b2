"""Discounted cumulated gain."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.additive import Additive
from rankscale.measures.graded import Graded


@dataclass(frozen=True)
class DCG(Graded, Additive):
    """Gains met down the ranking, each divided by log2(rank + 1), as trec_eval discounts.

    >>> from rankscale.data.judged import judged
    >>> DCG().value(judged("2 0 3"))  # 2 / log2(2) + 3 / log2(4)
    array([3.5])
    """

    name: ClassVar[str] = "DCG"
    formula: ClassVar[str] = "sum over ranks i <= k of gain / log2(i + 1)"
    paper: ClassVar[str] = "Järvelin and Kekäläinen, TOIS 20(4), 2002; discount of Burges et al., ICML 2005"
    limits: ClassVar[tuple[float, float]] = (0, math.inf)

    def weight(self, rank: Ints) -> Floats:
        """The discount at each rank."""
        weight: Floats = 1.0 / np.log2(rank + 1.0)
        return weight

    def total(self, judged: Judged) -> Floats:
        """Discounted gains, summed down the ranking."""
        return self.cumulated(judged)
