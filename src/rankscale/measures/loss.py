"""The loss value."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.relative_position import SIGNED, Cut, Relative, not_held


@dataclass(frozen=True)
class Loss(Relative):
    """CRP at rank RB, where the ideal ranking has found all: what was lost by then, a number of ranks below 0.

    Ranking A of Ferro et al. 2016 has RB = 7, and CRP -3 there:

    >>> from rankscale.data.judged import judged
    >>> Loss(depth=15).value(judged("3 3 2 0 1 2 0 0 0 1", missed="1"))
    array([-3.])

    Formula
    -------
    CRP[RB]

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    name: ClassVar[str] = "loss"
    direction_note: ClassVar[str] = "0 is the ideal"
    limits: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    linear: ClassVar[bool] = True
    exceptions: ClassVar = not_held(ideal=SIGNED)

    def of_cut(self, cut: Cut) -> Numbers:
        """The loss value."""
        return cut.loss

    def added(self, end: int, position: Ints, own: Ints, rank: Ints, recall_base: int) -> Floats:
        """Only down to rank RB."""
        return super().added(min(end, recall_base), position, own, rank, recall_base)
