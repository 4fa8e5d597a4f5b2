"""Measures whose value adds up rank by rank in whole numbers: expected reciprocal rank, and weighted sums of gains."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.errors import ScaleError


@dataclass(frozen=True)
class ReciprocalRanks:
    """Expected reciprocal rank: the users who stop at a rank gain its reciprocal.

    The state after a rank is the share of users who read on, in parts of q^rank, where q is the common denominator of
    the stopping probabilities, (2^g - 1) / 2^gmax.

    >>> ReciprocalRanks(3, (Fraction(0), Fraction(1, 2))).scale  # 1/2, 1/8 and 1/24 are whole numbers of 24ths
    24
    """

    depth: int
    stopping: tuple[Fraction, ...]  # for each gain, the probability that a user stops there
    name: str = "ERR"

    def __post_init__(self) -> None:
        if not all(0 <= probability <= 1 for probability in self.stopping):
            raise ScaleError(f"ERR: gains are probabilities to stop, from 0 to 1, got {self.stopping}")

    @cached_property
    def _parts(self) -> int:
        return math.lcm(*(probability.denominator for probability in self.stopping))

    @cached_property
    def scale(self) -> int:
        """The least number such that the reciprocal of each rank, over the parts to its power, is whole."""
        return math.lcm(*(rank * self._parts**rank for rank in range(1, self.depth + 1)))

    @property
    def start(self) -> int:
        """All users read on."""
        return 1

    @property
    def bound(self) -> int:
        """More than the best value, with the best documents at all ranks, and than the parts of the last share."""
        value, share = Fraction(0), Fraction(1)
        for rank in range(1, self.depth + 1):
            value += share * max(self.stopping) / rank
            share *= 1 - max(self.stopping)
        last: int = self._parts**self.depth
        return max(int(value * self.scale), last) + 1

    def states(self, length: int) -> int:
        """Shares depend on the number of documents of each gain, not on their order."""
        return math.comb(length + len(self.stopping) - 1, len(self.stopping) - 1)

    def step(self, rank: int, place: int, states: Ints) -> tuple[Ints, Ints]:
        """What the users who stop here add, and the share that reads on."""
        stops = int(self.stopping[place] * self._parts)
        return states * (stops * (self.scale // (rank * self._parts**rank))), states * (self._parts - stops)


@dataclass(frozen=True)
class WeightedSum:
    """Each rank adds its weight times its gain, whatever stands above it, so there is one state only."""

    gains: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]  # for each rank
    name: str = "a weighted sum"

    @cached_property
    def scale(self) -> int:
        """The least number that makes all weighted gains whole."""
        return math.lcm(*((weight * gain).denominator for weight in self.weights for gain in self.gains))

    @property
    def start(self) -> int:
        """The only state."""
        return 0

    @property
    def bound(self) -> int:
        """More than the size of any sum."""
        greatest = max(abs(gain) for gain in self.gains)
        return int(sum((abs(weight) for weight in self.weights), Fraction(0)) * greatest * self.scale) + 1

    def states(self, length: int) -> int:  # noqa: ARG002  # the interface of Recurrence
        """One."""
        return 1

    def step(self, rank: int, place: int, states: Ints) -> tuple[Ints, Ints]:
        """The weighted gain."""
        added = int(self.weights[rank - 1] * self.gains[place] * self.scale)
        return np.full_like(states, added), states
