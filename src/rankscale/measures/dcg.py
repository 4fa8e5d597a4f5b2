"""Discounted cumulated gain."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.costing import CostingDocuments
from rankscale.measures.base.discounted import Discounted
from rankscale.measures.base.gains import unjudged_param


@dataclass(frozen=True)
class DCG(CostingDocuments, Discounted, Additive):
    """Gain met down the ranking, discounted by the rank.

    As trec_eval discounts, 2 / log2(2) + 3 / log2(4):

    >>> from rankscale.data.judged import judged
    >>> DCG().value(judged("2 0 3"))
    array([3.5])

    As Järvelin and Kekäläinen do, who print 3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61:

    >>> DCG(base=2).curve(judged("3 2 3 0 0 1 2 2 3 0")).round(2).tolist()[0]
    [3.0, 5.0, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]

    Formula
    -------
    sum over ranks i <= k of gain / log2(i + 1), or with a base gain / max(1, log_base(i))

    User model
    ----------
    gains less from a document the more had to be read before it

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002; discount of Burges et al., ICML 2005
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)

    unjudged: float | None = unjudged_param()

    def remark(self) -> str:
        """Where nothing is discounted, gains are merely added."""
        if self.base is None or self.depth is None or self.depth > self.base:
            return ""
        return f"down to rank {self.base:g} nothing is discounted: values are on an interval scale where gains are"

    def scale_notes(self) -> Iterator[str]:
        """Where nothing is discounted, the scale is that of precision."""
        if self.base is not None and self.depth is not None and self.depth <= self.base:
            yield f"down to rank {self.base:g} nothing is discounted, and so this is the scale of P"

    def weight(self, rank: Ints) -> Floats:
        """The discount at each rank."""
        weight: Floats = 1.0 / self.divisor(rank)
        return weight
