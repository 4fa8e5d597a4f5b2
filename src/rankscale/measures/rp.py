"""Relative position."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.relative_position import SIGNED, Cut, Relative, not_held


@dataclass(frozen=True)
class RP(Relative):
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
    limits: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    linear: ClassVar[bool] = True
    exceptions: ClassVar = not_held(moved_up=SIGNED, ideal=SIGNED)
    needs_depth: ClassVar[bool] = True

    def of_cut(self, cut: Cut) -> Numbers:
        """RP of the document at the rank of the cut."""
        return cut.position

    def added(self, end: int, position: Ints, own: Ints, rank: Ints, recall_base: int) -> Floats:
        """Only at the depth."""
        here = (rank == self.depth) & (rank <= end)
        return np.where(here, super().added(end, position, own, rank, recall_base), 0.0)
