"""Where CRP comes back to 0: balance point, recovery, balance ratio."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.measures.base.full_scale import FullScale
from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.relative_position import (
    INCOMPLETE,
    MAKES_UP,
    Crossed,
    Crossing,
    Cut,
    not_held,
)


@dataclass(frozen=True)
class Balance(Crossed):
    """The balance point: the last rank at which CRP is negative before it comes back to 0, or RB if that is later.

    Low is good; infinite where CRP never comes back. `crossing` says what coming back is: 'return' asks for
    CRP[j] < 0 <= CRP[j+1], 'literal' for any j with CRP[j] * CRP[j+1] <= 0, 'positive' for CRP[j] <= 0 < CRP[j+1].
    Ranking B of Ferro et al. 2016 has CRP -6 at rank 12 and 5 at rank 13:

    >>> from rankscale.data.judged import judged
    >>> Balance(depth=15).value(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"))
    array([12.])

    Formula
    -------
    max(RB, first j with CRP[j] < 0 <= CRP[j+1]), infinite if there is none; RB if CRP is all 0

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola and Järvelin, The Twist Measure for IR Evaluation: Taking User's Effort Into
    Account, JASIST 67(3), 2016
    """

    name: ClassVar[str] = "balance"
    limits: ClassVar[tuple[float, float]] = (1, np.inf)
    low_is_good: ClassVar[bool] = True
    exceptions: ClassVar = not_held(moved_up=MAKES_UP, ideal=INCOMPLETE)

    def of_cut(self, cut: Cut) -> Numbers:
        """The balance point of the ranking."""
        return cut.balance(self.crossing)


@dataclass(frozen=True)
class Rho(Crossed):
    """Recovery: how soon a ranking has made up for documents that came too early, 1 at rank RB, 0 if never.

    For `crossing` see `balance`. Ranking A of Ferro et al. 2016, RB = 7, has CRP -3 at rank 9 and 0 at rank 10:

    >>> from rankscale.data.judged import judged
    >>> Rho(depth=15).value(judged("3 3 2 0 1 2 0 0 0 1", missed="1")) * 9
    array([7.])

    Formula
    -------
    RB / balance point, 0 where CRP never comes back to 0

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola and Järvelin, The Twist Measure for IR Evaluation: Taking User's Effort Into
    Account, JASIST 67(3), 2016
    """

    name: ClassVar[str] = "rho"
    exceptions: ClassVar = not_held(moved_up=MAKES_UP, ideal=INCOMPLETE)

    def of_cut(self, cut: Cut) -> Numbers:
        """The recovery of the ranking."""
        return recovery(cut, self.crossing)


@dataclass(frozen=True)
class RhoW(Crossed):
    """Recovery of the full scale, the ideal ranking reversed at the end of N ranks: how far down N lets recovery go.

    It depends on the topic and on N = max(k, 2 RB), not on the ranking. With N = 15 the full scale of Ferro et al. 2016
    has CRP -2 at rank 13 and 10 at rank 14, and RB is 7:

    >>> from rankscale.data.judged import judged
    >>> RhoW(depth=15).value(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0")) * 13
    array([7.])

    Formula
    -------
    RB / balance point of the full scale

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    name: ClassVar[str] = "rho_w"
    linear: ClassVar[bool] = True  # it is the same in all orders
    best_first: ClassVar = "always"
    direction_note: ClassVar[str] = "it tells of the topic alone, not of the run"

    def of_cut(self, cut: Cut) -> Numbers:
        """The recovery of the full scale."""
        return _share(cut, FullScale(cut.of, cut.length).balance(self.crossing))


@dataclass(frozen=True)
class BRatio(Crossed):
    """Balance ratio: how much sooner than in the full scale CRP comes back to 0; 0 if later or never.

    Ranking B of Ferro et al. 2016 has its balance point at 12, the full scale at 13 with N = 15:

    >>> from rankscale.data.judged import judged
    >>> (BRatio(depth=15).value(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0")) * 13).round(12)
    array([1.])

    Formula
    -------
    max(0, 1 - balance point / balance point of the full scale)

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    name: ClassVar[str] = "b_ratio"
    exceptions: ClassVar = not_held(moved_up=MAKES_UP, ideal=INCOMPLETE)

    def of_cut(self, cut: Cut) -> Numbers:
        """The balance ratio, within the range that the paper gives it."""
        return np.maximum(balance_ratio(cut, self.crossing), 0.0)


@dataclass(frozen=True)
class BRatioRaw(Crossed):
    """Balance ratio without its lower limit: below 0 where CRP comes back to 0 later than in the full scale.

    It is minus infinity where CRP never comes back. RB = 2, and the only one retrieved stands at rank 6 of 6: CRP is
    -2, -3, -3, -3, -3, 1. That of the full scale, 0 0 0 0 1 1, is 0 at rank 5 already, so it is 1 - 5/4:

    >>> from rankscale.data.judged import judged
    >>> BRatioRaw(depth=6).value(judged("0 0 0 0 0 1", missed="1"))
    array([-0.25])

    Formula
    -------
    1 - balance point / balance point of the full scale

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    name: ClassVar[str] = "b_ratio_raw"
    limits: ClassVar[tuple[float, float]] = (-np.inf, 1)
    exceptions: ClassVar = not_held(moved_up=MAKES_UP, ideal=INCOMPLETE)

    def of_cut(self, cut: Cut) -> Numbers:
        """The balance ratio."""
        return balance_ratio(cut, self.crossing)


def recovery(cut: Cut, crossing: Crossing) -> Floats:
    """Rho."""
    return _share(cut, cut.balance(crossing))


def balance_ratio(cut: Cut, crossing: Crossing) -> Floats:
    """The balance ratio, minus infinity where the ranking never balances."""
    own, full_scale = cut.balance(crossing), FullScale(cut.of, cut.length).balance(crossing)
    ratio = np.full(own.shape, np.inf)
    np.divide(own, full_scale, out=ratio, where=np.isfinite(own) & (full_scale > 0))
    return 1.0 - ratio


def _share(cut: Cut, balance: Floats) -> Floats:
    """RB over a balance point."""
    return cut.of.recall_base / np.maximum(balance, 1)
