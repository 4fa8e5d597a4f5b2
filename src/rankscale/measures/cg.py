"""Cumulated gain."""

import math
from dataclasses import dataclass
from typing import ClassVar

from rankscale.measures.base.additive import EqualWeights
from rankscale.measures.base.graded import Graded
from rankscale.measures.base.parameters import param


@dataclass(frozen=True)
class CG(Graded, EqualWeights):
    """Gain met down the ranking.

    The example of Järvelin and Kekäläinen 2002:

    >>> from rankscale.data.judged import judged
    >>> CG().curve(judged("3 2 3 0 0 1 2 2 3 0")).tolist()[0]
    [3.0, 5.0, 8.0, 8.0, 8.0, 9.0, 11.0, 13.0, 16.0, 16.0]

    Gains may be negative; then unjudged documents may cost something as well:

    >>> CG(gains=[-1, 1, 2, 3], unjudged=-1).value(judged("3 0 - 1"))
    array([2.])

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

    unjudged: float = param(0, help="what an unjudged document gains")

    @property
    def unjudged_gain(self) -> float:
        """Gain of an unjudged document."""
        return float(self.unjudged)
