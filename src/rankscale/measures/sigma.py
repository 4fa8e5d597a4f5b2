"""How much of the ideal ranking's order is kept: the space between documents and their places."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.full_scale import FullScale
from rankscale.measures.base.measure import BestFirst, divide
from rankscale.measures.base.relative_position import LATE, Cut, Relative, not_held


@dataclass(frozen=True)
class SigmaPlus(Relative):
    """How little relevant documents come too late, against the ideal ranking reversed.

    Ranking A of the paper has s+ = 2 + 3 = 5, the full scale 51 with N = 15:

    >>> from rankscale.data.judged import judged
    >>> SigmaPlus(depth=15).value(judged("3 3 2 0 1 2 0 0 0 1", missed="1")) * 51
    array([46.])

    Formula
    -------
    1 - s+ / s+ of the full scale, s+ the sum of positive RP

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola and Järvelin, The Twist Measure for IR Evaluation: Taking User's Effort Into
    Account, JASIST 67(3), 2016
    """

    name: ClassVar[str] = "sigma_plus"
    linear: ClassVar[bool] = True
    exceptions: ClassVar = not_held(moved_up=LATE, longer=LATE)

    def of_cut(self, cut: Cut) -> Floats:
        """The share of the forward space that was kept."""
        return forward_kept(cut)

    def added(self, end: int, position: Ints, own: Ints, rank: Ints, recall_base: int) -> Floats:
        """Positive positions."""
        return np.where(rank <= end, np.maximum(position, 0), 0).astype(np.float64)


@dataclass(frozen=True)
class SigmaMinus(Relative):
    """How little documents come too early, against the ideal ranking reversed.

    Ranking A of the paper has s- = -4 - 1 = -5, the full scale -28:

    >>> from rankscale.data.judged import judged
    >>> SigmaMinus(depth=15).value(judged("3 3 2 0 1 2 0 0 0 1", missed="1")) * 28
    array([23.])

    Formula
    -------
    1 - s- / s- of the full scale, s- the sum of negative RP

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola and Järvelin, The Twist Measure for IR Evaluation: Taking User's Effort Into
    Account, JASIST 67(3), 2016
    """

    name: ClassVar[str] = "sigma_minus"
    linear: ClassVar[bool] = True
    best_first: ClassVar[BestFirst] = "always"

    def of_cut(self, cut: Cut) -> Floats:
        """The share of the backward space that was kept."""
        return backward_kept(cut)


@dataclass(frozen=True)
class Sigma(Relative):
    """The space ratio: how near documents stand to their places, too early and too late taken together.

    Ranking A of the paper: 2 * (46/51) (23/28) / (46/51 + 23/28) is 92/107:

    >>> from rankscale.data.judged import judged
    >>> (Sigma(depth=15).value(judged("3 3 2 0 1 2 0 0 0 1", missed="1")) * 107).round(12)
    array([92.])

    Formula
    -------
    harmonic mean of sigma_plus and sigma_minus, 0 where both are 0

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola and Järvelin, The Twist Measure for IR Evaluation: Taking User's Effort Into
    Account, JASIST 67(3), 2016
    """

    name: ClassVar[str] = "sigma"
    best_first: ClassVar = "uncut"
    exceptions: ClassVar = not_held(moved_up=LATE, longer=LATE)

    def of_cut(self, cut: Cut) -> Floats:
        """The space ratio."""
        return space_ratio(cut)


def forward_kept(cut: Cut) -> Floats:
    """sigma+; the full scale has forward space wherever there is a recall base."""
    return 1.0 - divide(cut.forward, FullScale(cut.of, cut.length).forward)


def backward_kept(cut: Cut) -> Floats:
    """sigma-."""
    return 1.0 - divide(cut.backward, FullScale(cut.of, cut.length).backward)


def space_ratio(cut: Cut) -> Floats:
    """Sigma."""
    forward, backward = forward_kept(cut), backward_kept(cut)
    return divide(2 * forward * backward, forward + backward)
