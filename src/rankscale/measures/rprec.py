"""R-precision."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import param, rel_param
from rankscale.measures.base.structure import Structure, Sums


@dataclass(frozen=True)
class Rprec(Measure):
    """Precision at the depth where a perfect ranking has found all relevant documents, or at a multiple of it.

    RB = 3, and two of the first three documents are relevant:

    >>> from rankscale.data.judged import judged
    >>> Rprec().value(judged("1 0 1 0", missed="1")).round(4)
    array([0.6667])

    Formula
    -------
    P at k = int(multiple * RB + 0.9), which is RB for multiple = 1

    References
    ----------
    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005
    """

    aliases: ClassVar[tuple[str, ...]] = ("RPrec",)
    uses_recall_base: ClassVar[bool] = True
    takes_depth: ClassVar[bool] = False
    scale: ClassVar = "interval"
    only_relevant: ClassVar[bool] = True
    feasible_only: ClassVar[bool] = True
    values_follow_gains: ClassVar[bool] = True

    multiple: float = param(1, gt=0, help="how many times RB documents are looked at")
    rel: float = rel_param()

    def structure(self, depth: int | None) -> Structure:
        """A number of relevant documents."""
        return Sums()

    def ranking_length(self, recall_base: Callable[[], int]) -> int:
        """Down to the cut."""
        return int(self.multiple * recall_base() + 0.9)

    def total(self, judged: Judged) -> Floats:
        """Relevant documents met down to the cut."""
        return np.cumsum(judged.relevant(self.rel) * (judged.rank <= self._cut(judged)), axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The depth of the cut, also for a shorter ranking."""
        return self._cut(judged)

    def _cut(self, judged: Judged) -> Floats:
        cut: Floats = np.floor(self.multiple * judged.recall_base(self.rel)[:, None] + 0.9)
        return cut

    def over_ties(self, judged: Judged) -> Floats:
        """Each rank down to the cut has its group's share of relevant documents."""
        share = judged.tie_group_mean(judged.relevant(self.rel))
        return np.cumsum(share * (judged.rank <= self._cut(judged)), axis=-1)
