"""Interpolated precision averaged over recall levels."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.iprec import check_recalls, interpolated


@dataclass(frozen=True)
class AP11(Measure):
    """The mean of interpolated precision at recall 0, 0.1, ..., 1, or at other levels.

    With one relevant document out of one at rank 2, precision is 1/2 at every level:

    >>> from rankscale.data.judged import judged
    >>> AP11().value(judged("0 1"))
    array([0.5])
    """

    name: ClassVar[str] = "AP11"
    formula: ClassVar[str] = "mean of IPrec over the recall levels"
    paper: ClassVar[str] = "Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005"
    uses_recall_base: ClassVar[bool] = True
    only_relevant: ClassVar[bool] = True

    recalls: tuple[float, ...] = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
    rel: float = 1
    version: Literal[9, 10] = 9

    def check(self) -> None:
        """Refuse levels that are no recall."""
        object.__setattr__(self, "recalls", tuple(self.recalls))
        check_recalls(self.name, self.recalls, self.version)

    def total(self, judged: Judged) -> Floats:
        """Interpolated precision, summed over the levels."""
        total = np.zeros(judged.rank.shape)
        for recall in reversed(self.recalls):  # trec_eval adds from the highest level down
            total += interpolated(judged, recall, self.rel, self.version)
        return total

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The number of levels."""
        return np.full(1, float(len(self.recalls)))
