"""Cumulated gain."""

import math
from dataclasses import dataclass
from typing import ClassVar

from rankscale.measures.base.additive import EqualWeights
from rankscale.measures.base.costing import CostingDocuments
from rankscale.measures.base.gains import unjudged_param


@dataclass(frozen=True)
class CG(CostingDocuments, EqualWeights):
    """Gain met down the ranking.

    With more than two gains it is on an interval scale only if gains are on a ratio scale. The example of Järvelin and
    Kekäläinen 2002:

    >>> from rankscale.data.judged import judged
    >>> CG().curve(judged("3 2 3 0 0 1 2 2 3 0")).tolist()[0]
    [3.0, 5.0, 8.0, 8.0, 8.0, 9.0, 11.0, 13.0, 16.0, 16.0]

    Gains may be negative; unjudged documents count as not relevant, unless `unjudged` says what they are worth:

    >>> CG(gains=[-1, 1, 2, 3]).value(judged("3 0 - 1")), CG(gains=[-1, 1, 2, 3], unjudged=0).value(judged("3 0 - 1"))
    (array([2.]), array([3.]))

    Formula
    -------
    sum over ranks i <= k of gain

    User model
    ----------
    reads the first k documents and gains from each what it is worth

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    scale: ClassVar = "ordinal"

    unjudged: float | None = unjudged_param()
