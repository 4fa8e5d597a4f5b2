"""Twist and what it is made of: recovery, where CRP comes back to 0, and space, how far documents are out of place."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.measure import BestFirst, Numbers, divide
from rankscale.measures.base.structure import Structure, Twisted
from rankscale.measures.families.relative_measure import INCOMPLETE, LATE, MAKES_UP, Crossed, Relative, not_held
from rankscale.measures.families.relative_position import FullScale, PaddedRankings


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

    def of_cut(self, cut: PaddedRankings) -> Numbers:
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

    def of_cut(self, cut: PaddedRankings) -> Numbers:
        """The recovery of the ranking."""
        return _share(cut, cut.balance(self.crossing))


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

    def of_cut(self, cut: PaddedRankings) -> Numbers:
        """The recovery of the full scale."""
        return _share(cut, FullScale(cut.of, cut.length).balance(self.crossing))


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

    def of_cut(self, cut: PaddedRankings) -> Floats:
        """The balance ratio, minus infinity where the ranking never balances."""
        own, full_scale = cut.balance(self.crossing), FullScale(cut.of, cut.length).balance(self.crossing)
        ratio = np.full(own.shape, np.inf)
        np.divide(own, full_scale, out=ratio, where=np.isfinite(own) & (full_scale > 0))
        return 1.0 - ratio


@dataclass(frozen=True)
class BRatio(BRatioRaw):
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
    limits: ClassVar[tuple[float, float]] = (0, 1)

    def of_cut(self, cut: PaddedRankings) -> Floats:
        """The balance ratio, within the range that the paper gives it."""
        return np.maximum(super().of_cut(cut), 0.0)


def _share(cut: PaddedRankings, balance: Floats) -> Floats:
    """RB over a balance point."""
    return cut.of.recall_base / np.maximum(balance, 1)


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

    def of_cut(self, cut: PaddedRankings) -> Floats:
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

    def of_cut(self, cut: PaddedRankings) -> Floats:
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

    def of_cut(self, cut: PaddedRankings) -> Floats:
        """The space ratio."""
        return space_ratio(cut)


def forward_kept(cut: PaddedRankings) -> Floats:
    """sigma+; the full scale has forward space wherever there is a recall base."""
    return 1.0 - divide(cut.forward, FullScale(cut.of, cut.length).forward)


def backward_kept(cut: PaddedRankings) -> Floats:
    """sigma-."""
    return 1.0 - divide(cut.backward, FullScale(cut.of, cut.length).backward)


def space_ratio(cut: PaddedRankings) -> Floats:
    """Sigma."""
    forward, backward = forward_kept(cut), backward_kept(cut)
    return divide(2 * forward * backward, forward + backward)


@dataclass(frozen=True)
class Twist(Crossed):
    """How little avoidable effort a ranking costs: the mean of recovery (rho) and space ratio (sigma).

    1 for the ideal ranking, 0 where nothing relevant is retrieved. Rankings are cut at the depth, at 1000 if none is
    given, and padded to N = max(k, 2 RB). For `crossing` see `balance`. Rankings A and B of the paper, with N = 15:

    >>> from rankscale.data.judged import judged
    >>> a, b = "3 3 2 0 1 2 0 0 0 1 0 0 0 0 0", "3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"
    >>> [Twist(depth=15).value(judged(a, missed="1")).round(6), Twist(depth=15).value(judged(b)).round(6)]
    [array([0.818795]), array([0.525375])]

    Formula
    -------
    (rho + sigma) / 2

    User model
    ----------
    takes a good ranking for granted, and feels what stands too early or too late as work that could be avoided

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola and Järvelin, The Twist Measure for IR Evaluation: Taking User's Effort Into
    Account, JASIST 67(3), 2016
    """

    measures_effort: ClassVar[bool] = True
    exceptions: ClassVar = not_held(moved_up=MAKES_UP, longer=LATE, ideal=INCOMPLETE)

    def structure(self, depth: int | None) -> Structure:
        """A function of balance point and spaces, for this rule of crossing."""
        return Twisted(self.crossing)

    def of_cut(self, cut: PaddedRankings) -> Numbers:
        """Twist of the ranking."""
        return (_share(cut, cut.balance(self.crossing)) + space_ratio(cut)) / 2
