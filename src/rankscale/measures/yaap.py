"""Yet another average precision."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.ap import AP
from rankscale.measures.base.measure import Measure, Numbers


@dataclass(frozen=True)
class YAAP(AP):
    """Average precision smoothed and put on the scale of log odds, where means over topics mean more.

    Half of the relevant documents on top: the sum of precisions is 1 of 2, the odds are even.

    >>> from rankscale.data.judged import judged
    >>> YAAP().value(judged("1 0", missed="1"))
    array([0.])

    Formula
    -------
    log((1 + s) / (1 + RB - s)), s the sum of precisions at the relevant ranks

    References
    ----------
    Robertson, On Smoothing Average Precision, ECIR 2012
    """

    values_follow_gains: ClassVar[bool] = False
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    # None: the mean of a logarithm is not that of what it is taken of.
    over_ties = Measure.over_ties  # type: ignore[assignment]  # which gives no array

    # Values grow with the sum of precisions and the recall base, which is then no mere factor.
    structure = Measure.structure

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """Log odds of the smoothed sum of precisions."""
        return np.log((1.0 + total) / (1.0 + judged.recall_base(self.rel)[:, None] - total))
