"""INSQ: a user who wants a certain amount of gain, and becomes more patient the further she has read."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.parameters import param
from rankscale.measures.base.reciprocals import trigamma
from rankscale.measures.base.scaled import Scaled
from rankscale.measures.base.structure import as_written


@dataclass(frozen=True)
class INSQ(Scaled, Additive):
    """The gain met per document by a user who wants a gain of T and reads on the likelier the deeper she is.

    Weights fall as 1/(i + 2T - 1)^2 and add up to 1 over all ranks without end; cwl_eval, and ir_measures after it, let
    them add up to 1 over the first 1000, and so has values that are higher by about 1 in 600 for T=1. For T=1/2
    weights are 1, 1/4, 1/9, ... over pi^2/6, so that a relevant document on top is worth 0.6079:

    >>> from rankscale.data.judged import judged
    >>> INSQ(T=0.5).value(judged("1 0")).round(4)
    array([0.6079])

    Formula
    -------
    sum over ranks i <= k of W_i gain, W_i = 1 / ((i + 2T - 1)^2 S), S the sum of 1 / (i + 2T - 1)^2 over all

    User model
    ----------
    wants a gain of T, and reads on after rank i with probability ((i + 2T - 1) / (i + 2T))^2

    References
    ----------
    Moffat, Scholer and Thomas, Models and Metrics: IR Evaluation as a User Process, ADCS 2012
    """

    unbounded_depth: ClassVar[bool] = True

    T: Fraction | float = param(1.0, gt=0, help="how much gain the user expects to find")

    def exact_weights(self, depth: int) -> tuple[Fraction, ...]:
        """1 / (rank + 2T - 1)^2, without the common factor."""
        place = 2 * as_written(self.T) - 1
        return tuple(1 / (rank + place) ** 2 for rank in range(1, depth + 1))

    def weight(self, rank: Ints) -> Floats:
        """The share of her attention that each rank has."""
        place = rank + (2.0 * float(self.T) - 1.0)
        weight: Floats = 1.0 / (place * place * self._all())
        return weight

    def weight_down_to(self, rank: Ints) -> Floats:
        """All but the tail."""
        return 1.0 - self.tail(rank)

    def tail(self, rank: Ints) -> Floats:
        """The share of all ranks beyond these."""
        tail: Floats = trigamma(rank.astype(np.float64) + 2.0 * float(self.T)) / self._all()
        return tail

    def _all(self) -> float:
        return float(trigamma(np.array([2.0 * float(self.T)]))[0])
