"""Rank-biased precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError
from rankscale.measures.base import Additive


@dataclass(frozen=True)
class RBP(Additive):
    """The rate at which a user meets relevant documents who reads on from each document with probability p.

    The ranking of Moffat and Zobel 2008, which they give as 0.4526:

    >>> from rankscale.data.judged import judged
    >>> RBP(p=0.8).value(judged("1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0")).round(4)
    array([0.4526])
    """

    name: ClassVar[str] = "RBP"
    formula: ClassVar[str] = "(1 - p) sum over relevant ranks i <= k of p^(i-1)"
    paper: ClassVar[str] = "Moffat and Zobel, TOIS 27(1), 2008"
    only_relevant: ClassVar[bool] = True

    p: float = 0.8
    rel: float = 1

    def check(self) -> None:
        """Refuse a user who never stops."""
        if not 0 <= self.p < 1:
            raise ParameterError(f"{self.name}: p must lie between 0 and 1, 1 itself left out, got {self.p}")

    def weight(self, rank: Ints) -> Floats:
        """The share of users who look at each rank, scaled to a sum of 1; p = 0 looks at the first alone."""
        return (1.0 - self.p) * np.power(float(self.p), rank.astype(np.float64) - 1)

    def gain(self, levels: Floats) -> Floats:
        """1 for the relevant grades."""
        return (levels >= self.rel).astype(np.float64)
