"""Cumulated relative position, and what is read off its curve."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import param
from rankscale.measures.families.relative_measure import INCOMPLETE, NO_RECALL_BASE, SIGNED, Relative, not_held
from rankscale.measures.families.relative_position import FullScale, PaddedRankings, fallen

ENDS_LOW = "1 is the best value: above it, CRP ends below 0, as it does where little is retrieved"
A_RANK = "a place in the curve: being early or late makes it neither good nor bad"
MOVES = "the turn-around point moves, and with it the rank at which the full scale is looked at"


@dataclass(frozen=True)
class Signed(Relative):
    """A sum of relative positions: 0 is the best value, below it documents come too early, above it too late."""

    limits: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    linear: ClassVar[bool] = True
    exceptions: ClassVar = not_held(moved_up=SIGNED, ideal=SIGNED)


@dataclass(frozen=True)
class CRP(Signed):
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

    def of_cut(self, cut: PaddedRankings) -> Numbers:
        """CRP where the ranking is cut."""
        return cut.crp(cut.depth)


@dataclass(frozen=True)
class RP(Signed):
    """How many ranks the document at rank k stands from where the ideal ranking has its grade.

    Negative is too early, positive too late, and 0 in place. Ranking A of the paper has ten relevant documents, three
    of grade 3 and three of grade 2; its grade 2 at rank 3 comes one too early, its last grade 3 eight too late:

    >>> from rankscale.data.judged import judged
    >>> RP(depth=3).value(judged("3 3 2 0 1 2 0 0 0 1 3", missed="2 1 1")).tolist()
    [-1.0]
    >>> RP(depth=11).value(judged("3 3 2 0 1 2 0 0 0 1 3", missed="2 1 1")).tolist()
    [8.0]

    Formula
    -------
    k - min if k < min, k - max if k > max, else 0; the ideal has the grade at ranks min to max

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    direction_note: ClassVar[str] = "0 is in place, below 0 too early and above 0 too late"
    needs_depth: ClassVar[bool] = True

    def of_cut(self, cut: PaddedRankings) -> Numbers:
        """RP of the document at the rank of the cut."""
        return cut.position

    def added(self, end: int, position: Ints, own: Ints, rank: Ints, recall_base: int) -> Floats:
        """Only at the depth."""
        here = (rank == self.depth) & (rank <= end)
        return np.where(here, super().added(end, position, own, rank, recall_base), 0.0)


@dataclass(frozen=True)
class Loss(Signed):
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
    exceptions: ClassVar = not_held(ideal=SIGNED)

    def of_cut(self, cut: PaddedRankings) -> Numbers:
        """The loss value."""
        return cut.loss

    def added(self, end: int, position: Ints, own: Ints, rank: Ints, recall_base: int) -> Floats:
        """Only down to rank RB."""
        return super().added(min(end, recall_base), position, own, rank, recall_base)


@dataclass(frozen=True)
class CRPN(Signed):
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
    exceptions: ClassVar = not_held(moved_up=ENDS_LOW, longer=ENDS_LOW, ideal=ENDS_LOW)
    undefined: ClassVar[str] = f"{NO_RECALL_BASE}, or the full scale ends at 0 (one grade only, and N = 2 RB)"

    def of_cut(self, cut: PaddedRankings) -> Floats:
        """The ratio at the end."""
        own, full_scale = cut.crp(cut.length), FullScale(cut.of, cut.length).end
        return 1.0 - divide(own, full_scale, np.nan)


@dataclass(frozen=True)
class nCRP(Signed):
    """CRP on the scale from -1 to 1 that the lowest and highest CRP of the full scale span.

    The full scale is the ideal ranking reversed, at the end of N = max(k, 2 RB) ranks; `length` gives one N to all
    ranks, as the curves of the authors' program have it. Values above 1 can occur for N < 3 RB - 1. The full scale of
    ranking B of Ferro et al. 2016 goes from -28 to 23 with N = 15; B ends with CRP 12, and (2*12 - 23 + 28) / (23 + 28)
    is 29/51:

    >>> from rankscale.data.judged import judged
    >>> nCRP(depth=15).value(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0")) * 51
    array([29.])

    Formula
    -------
    (2 CRP[k] - M - m) / (M - m), M and m the highest and lowest CRP of the full scale

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012; norm of MATTERS, the authors' program, 2014
    """

    direction_note: ClassVar[str] = "the ideal lies between the limits"
    limits: ClassVar[tuple[float, float]] = (-1, np.inf)

    length: int | None = param(
        None, ge=1, help="the length that rankings are taken to have, one for all ranks; by rank unless given"
    )

    @property
    def least_lengths(self) -> tuple[str, ...]:
        """What N is at least, besides the depth."""
        return super().least_lengths if self.length is None else (*super().least_lengths, str(self.length))

    def of_cut(self, cut: PaddedRankings) -> Floats:
        """CRP where the ranking is cut, on the scale of the full scale."""
        full_scale = FullScale(cut.of, np.maximum(cut.length, self.length or 0))
        lowest, highest = full_scale.backward, full_scale.end
        normalised: Floats = (2 * cut.crp(cut.depth) - highest - lowest) / np.maximum(highest - lowest, 1)
        return normalised


@dataclass(frozen=True)
class TurnAround(Relative):
    """The first rank at which CRP is lowest: from there on, nothing more is lost than was made up before.

    It is never beyond RB, and 1 where CRP is 0 throughout. Ranking B of Ferro et al. 2016 comes down to -14 at rank 7:

    >>> from rankscale.data.judged import judged
    >>> TurnAround(depth=15).value(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"))
    array([7.])

    Formula
    -------
    the first rank m where CRP[m] is lowest

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    name: ClassVar[str] = "turn_around"
    direction_note: ClassVar[str] = "it is a place in the curve"
    limits: ClassVar[tuple[float, float]] = (1, np.inf)
    exceptions: ClassVar = not_held(moved_up=A_RANK, longer=A_RANK, ideal=A_RANK)

    def of_cut(self, cut: PaddedRankings) -> Numbers:
        """The turn-around point."""
        _, rank = cut.lowest
        return rank


@dataclass(frozen=True)
class CRPMin(Relative):
    """How much less CRP has fallen at its turn-around point than the full scale's had there.

    Ranking B of Ferro et al. 2016 is at -14 at rank 7, the full scale at -28:

    >>> from rankscale.data.judged import judged
    >>> CRPMin(depth=15).value(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"))
    array([0.5])

    Formula
    -------
    1 - CRP[m] / CRP[m] of the full scale, m the turn-around point

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    name: ClassVar[str] = "CRP_min"
    exceptions: ClassVar = not_held(moved_up=MOVES, longer=MOVES, ideal=INCOMPLETE)

    def of_cut(self, cut: PaddedRankings) -> Numbers:
        """The ratio at the turn-around point; down to RB the full scale holds nothing relevant."""
        value, rank = cut.lowest
        return 1.0 - divide(value, fallen(rank, cut.of.recall_base))
