"""Normalised cumulated relative position."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.measures.base.full_scale import FullScale
from rankscale.measures.base.parameters import param
from rankscale.measures.base.relative_position import SIGNED, Cut, Relative, not_held


@dataclass(frozen=True)
class nCRP(Relative):
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
    linear: ClassVar[bool] = True
    exceptions: ClassVar = not_held(moved_up=SIGNED, ideal=SIGNED)

    length: int | None = param(
        None, ge=1, help="the length that rankings are taken to have, one for all ranks; by rank unless given"
    )

    @property
    def least_lengths(self) -> tuple[str, ...]:
        """What N is at least, besides the depth."""
        return super().least_lengths if self.length is None else (*super().least_lengths, str(self.length))

    def of_cut(self, cut: Cut) -> Floats:
        """CRP where the ranking is cut, on the scale of the full scale."""
        full_scale = FullScale(cut.of, np.maximum(cut.length, self.length or 0))
        lowest, highest = full_scale.backward, full_scale.end
        normalised: Floats = (2 * cut.crp(cut.depth) - highest - lowest) / np.maximum(highest - lowest, 1)
        return normalised
