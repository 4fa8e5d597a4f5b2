"""Measures whose value adds up rank by rank in whole numbers: sums of counts, reciprocal ranks, weighted gains."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

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
    def start(self) -> tuple[int, ...]:
        """All users read on."""
        return (1,)

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
        return states[0] * (stops * (self.scale // (rank * self._parts**rank))), states * (self._parts - stops)


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
    def start(self) -> tuple[int, ...]:
        """The only state."""
        return (0,)

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
        return np.full_like(states[0], added), states


@dataclass(frozen=True)
class SumOfCounts:
    """Each rank adds its weight times what has been counted so far, where its document has a part in that.

    Several things are counted at once. For average precision it is relevant documents, and the weight is 1 / rank; for
    graded average precision documents of each grade or higher; for Q documents and their gain. `counted[place][i]` is
    what a document of a gain adds to the i-th count, `parts[place][i]` how much of that count it then adds to the
    value.

    >>> relevant_or_not = ((Fraction(0),), (Fraction(1),))
    >>> SumOfCounts(relevant_or_not, relevant_or_not, (Fraction(1), Fraction(1, 2), Fraction(1, 3))).scale
    6
    """

    counted: tuple[tuple[Fraction, ...], ...]
    parts: tuple[tuple[Fraction, ...], ...]
    weights: tuple[Fraction, ...]  # for each rank
    name: str = "a sum of counts"

    @cached_property
    def _unit(self) -> int:
        """In how many parts of 1 is counted."""
        return math.lcm(*(number.denominator for row in self.counted for number in row))

    @cached_property
    def scale(self) -> int:
        """The least number that makes all that can be added whole."""
        added = (part * weight for row in self.parts for part in row for weight in self.weights)
        return self._unit * math.lcm(*(number.denominator for number in added))

    @property
    def start(self) -> tuple[int, ...]:
        """Nothing counted yet."""
        return (0,) * len(self.counted[0])

    @property
    def bound(self) -> int:
        """More than if every document counted most, and had the greatest part in all of it."""
        most = [max(column) for column in zip(*self.counted, strict=True)]
        parts = [max(column) for column in zip(*self.parts, strict=True)]
        each = sum((count * part for count, part in zip(most, parts, strict=True)), Fraction(0))
        total = sum((weight * rank for rank, weight in enumerate(self.weights, start=1)), Fraction(0)) * each
        return max(int(total * self.scale), int(max(most) * self._unit) * len(self.weights)) + 1

    def states(self, length: int) -> int:
        """Counts depend on the number of documents of each gain, not on their order."""
        return math.comb(length + len(self.counted) - 1, len(self.counted) - 1)

    def step(self, rank: int, place: int, states: Ints) -> tuple[Ints, Ints]:
        """What has been counted, with this document, times its parts and the weight of the rank."""
        after = states + np.array([[int(number * self._unit)] for number in self.counted[place]], dtype=np.int64)
        scale = self.weights[rank - 1] * (self.scale // self._unit)
        parts = np.array([int(part * scale) for part in self.parts[place]], dtype=np.int64)
        return parts @ after, after


def precisions_of_grades(gains: tuple[Fraction, ...], depth: int) -> SumOfCounts:
    """Graded average precision: rank n adds the sum over ranks m <= n of the lower of both gains, over n."""
    steps = [after - before for before, after in pairwise(gains)]
    reached = tuple(tuple(Fraction(place > step) for step in range(len(steps))) for place in range(len(gains)))
    parts = tuple(tuple(one * step for one, step in zip(row, steps, strict=True)) for row in reached)
    return SumOfCounts(reached, parts, tuple(Fraction(1, rank) for rank in range(1, depth + 1)), "GAP")
