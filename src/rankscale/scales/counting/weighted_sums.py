"""The image of a weighted sum of gains whose weights are any fractions, such as gain over rank."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.scales.counting.image import Cost, Universe
from rankscale.scales.counting.windows import WindowImage
from rankscale.scales.counting.windows import predicted as predicted_windows


@dataclass(frozen=True)
class WeightedSum:
    """Each rank adds its weight times its gain, whatever stands above it: there is one state only."""

    gains: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]  # for each rank
    name: str = "a weighted sum"

    @cached_property
    def scale(self) -> int:
        """The least number that makes all weighted gains whole."""
        return math.lcm(*((weight * gain).denominator for weight in self.weights for gain in self.gains))

    @property
    def start(self) -> int:
        """The one state."""
        return 0

    @property
    def bound(self) -> int:
        """More than all ranks together add or take away at most."""
        greatest = max(abs(gain) for gain in self.gains)
        return int(sum((abs(weight) for weight in self.weights), Fraction(0)) * greatest * self.scale) + 1

    def states(self, length: int) -> int:  # noqa: ARG002  # as every recurrence is asked
        """One."""
        return 1

    def step(self, rank: int, place: int, states: Ints) -> tuple[Ints, Ints]:
        """The weighted gain."""
        added = int(self.weights[rank - 1] * self.gains[place] * self.scale)
        return np.full_like(states, added), states


def weighted_sums(universe: Universe, weights: tuple[Fraction, ...]) -> WindowImage:
    """The image of the sum, over the ranks, of weight times gain.

    >>> weights = tuple(Fraction(1, rank) for rank in range(1, 7))
    >>> weighted_sums(Universe((Fraction(0), Fraction(1)), 6), weights).size  # ranks 1, 2, 3, 6: 0/6 to 12/6
    52
    """
    return WindowImage(universe, _recurrence(universe, weights))


def predicted(universe: Universe, weights: tuple[Fraction, ...]) -> Cost:
    """What counting will take."""
    return predicted_windows(universe, _recurrence(universe, weights))


def _recurrence(universe: Universe, weights: tuple[Fraction, ...]) -> WeightedSum:
    return WeightedSum(universe.gains, weights[: universe.depth])
