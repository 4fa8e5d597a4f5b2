"""Cumulated relative position."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.relative_position import SIGNED, Cut, Relative, not_held


@dataclass(frozen=True)
class CRP(Relative):
    """Relative positions, summed down to rank k: below 0, documents came too early; above, too late.

    It falls while documents stand where better ones belong, rises with every relevant one that comes late, and is 0
    throughout in the ideal ranking. Ranking B of Ferro et al. 2016, with RB = 7:

    >>> from rankscale.data.judged import judged
    >>> CRP().curve(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0")).astype(int)
    array([[  0,  -6,  -8, -12, -11, -13, -14, -14,  -9,  -6,  -6,  -6,   5,
             12,  12]])

    Without a depth it is read at rank 1000, which no later rank changes unless RB is larger.

    Formula
    -------
    sum over ranks j <= k of RP[j]

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    direction_note: ClassVar[str] = "0 is the ideal, and both ways lead away from it"
    limits: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    linear: ClassVar[bool] = True
    exceptions: ClassVar = not_held(moved_up=SIGNED, ideal=SIGNED)

    def of_cut(self, cut: Cut) -> Numbers:
        """CRP where the ranking is cut."""
        return cut.crp(cut.depth)
