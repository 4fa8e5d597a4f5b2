"""The highest discounted cumulated gain there could be."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.gains import Graded
from rankscale.measures.base.measure import Numbers


@dataclass(frozen=True)
class IDCG(Graded):
    """DCG of the best ranking of the topic's judged documents; it says nothing of the run.

    >>> from rankscale.data.judged import judged
    >>> IDCG(depth=2).value(judged("0 2 0", missed="1")).round(4)  # 2 / log2(2) + 1 / log2(3)
    array([2.6309])

    Formula
    -------
    DCG of the positive gains of the topic's qrels, best first

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002; discount of Burges et al., ICML 2005
    """

    uses_recall_base: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0, math.inf)

    def total(self, judged: Judged) -> Floats:
        """Zeros: the value does not depend on the ranking."""
        return np.zeros(judged.rank.shape)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The ideal down to these ranks."""
        return total + self.ideal(judged, rank)

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """Without a depth, all gain there is."""
        return self.ideal(judged)[:, 0]

    def over_ties(self, judged: Judged) -> Floats:
        """Zeros: the value does not depend on the ranking."""
        return np.zeros(judged.rank.shape)
