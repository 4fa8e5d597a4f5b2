"""How CRP ends, against the full scale."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.measures.base.full_scale import FullScale
from rankscale.measures.base.relative_position import NO_RECALL_BASE, Cut, Relative, not_held

ENDS_LOW = "1 is the best value: above it, CRP ends below 0, as it does where little is retrieved"


@dataclass(frozen=True)
class CRPN(Relative):
    """How far below the full scale's end CRP ends: 1 for an end at 0, 0 for an end as high as the full scale's.

    The paper says that it lies between 0 and 1; but it is above 1 where CRP ends below 0, and can be below 0 where
    N < 3 RB - 1. Ranking B of Ferro et al. 2016 ends at 12, the full scale at 23 with N = 15:

    >>> from rankscale.data.judged import judged
    >>> (CRPN(depth=15).value(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0")) * 23).round(12)
    array([11.])

    Formula
    -------
    1 - CRP[N] / CRP[N] of the full scale

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    name: ClassVar[str] = "CRP_N"
    direction_note: ClassVar[str] = "1 is the ideal, and more is a ranking that ends below zero"
    warn_above: ClassVar[float] = 1
    limits: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    linear: ClassVar[bool] = True
    exceptions: ClassVar = not_held(moved_up=ENDS_LOW, longer=ENDS_LOW, ideal=ENDS_LOW)
    undefined: ClassVar[str] = f"{NO_RECALL_BASE}, or the full scale ends at 0 (one grade only, and N = 2 RB)"

    def of_cut(self, cut: Cut) -> Floats:
        """The ratio at the end."""
        own, full_scale = cut.crp(cut.length), FullScale(cut.of, cut.length).end
        ratio = np.full(own.shape, np.nan)
        np.divide(own, full_scale, out=ratio, where=full_scale != 0)
        return 1.0 - ratio
