"""Sum of precisions."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.data.judged import Judged
from rankscale.measures.ap import AP
from rankscale.measures.base.measure import Numbers


@dataclass(frozen=True)
class SP(AP):
    """Precision at each relevant document, added up: average precision before it is divided by the recall base.

    The relevant documents stand at ranks 1 and 4, where precision is 1 and 1/2:

    >>> from rankscale.data.judged import judged
    >>> SP().value(judged("1 0 0 1", missed="1"))
    array([1.5])
    """

    name: ClassVar[str] = "SP"
    aliases: ClassVar[tuple[str, ...]] = ()
    formula: ClassVar[str] = "sum over relevant ranks i <= k of (relevant in the first i) / i"
    paper: ClassVar[str] = "Moffat and Zobel, TOIS 27(1), 2008"
    uses_recall_base: ClassVar[bool] = False
    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    user_model: ClassVar[str] = ""
    bounded: ClassVar[bool] = True

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """Nothing divides the sum."""
        return np.ones(1)
