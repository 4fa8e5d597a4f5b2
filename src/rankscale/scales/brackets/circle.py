"""Values of groups on a circle: in whole ticks, 2^64 to a turn, and what lies outside of one turn. See `brackets`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.scales.counting.groups import Group

TURN = 1 << 64  # ticks to the circle
FIXED = 160  # bits of the fixed-point numbers that ticks come from
UNIT_ROUNDOFF = 2.0**-53
OUTSIDE = 1e-7  # of the width: the chance left outside the window
LEFT_OUT = 2e-3  # of the width: what leaving out small groups may cost


@dataclass(frozen=True)
class Scaled:
    """The values of a group in fixed point, counted from the middle between the lowest and the highest."""

    group: Group
    chances: Floats  # of each value
    chance_error: float = UNIT_ROUNDOFF  # relative

    @cached_property
    def _unit(self) -> int:
        return self.group.unit.fixed(FIXED)

    @cached_property
    def _doubled(self) -> list[int]:
        numerators = self.group.numerators
        ends = numerators[0] + numerators[-1]
        return [2 * numerator - ends for numerator in numerators]

    @cached_property
    def floats(self) -> Floats:
        """About the values themselves: to choose with, not to compute with."""
        scale = self.group.denominator << (FIXED + 1)
        return np.array([doubled * self._unit / scale for doubled in self._doubled])

    @property
    def variance(self) -> float:
        """The variance of a value drawn with these chances; approximate."""
        mean = float(self.chances @ self.floats)
        return float(self.chances @ (self.floats - mean) ** 2)

    def ticks(self, circumference: int) -> list[int]:
        """The values as whole numbers of ticks; of a circle that is given in fixed point."""
        scale = 2 * self.group.denominator * circumference
        return [_odd_nearest(doubled * self._unit * TURN, scale) for doubled in self._doubled]

    def error(self, circumference: int) -> Fraction:
        """How far a value in ticks can be from the true one: its own rounding, and that of the unit."""
        return Fraction(1, 2) + Fraction(self._doubled[-1] * TURN, 4 * self.group.denominator * circumference)


def _odd_nearest(numerator: int, denominator: int) -> int:
    """The nearest whole number to a fraction; values that mirror each other stay so."""
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size


def scaled(group: Group, *, by_rankings: bool) -> Scaled:
    """A group with each value alike, or as often as assignments of gains give it."""
    if not by_rankings:
        return Scaled(group, np.full(group.size, 1 / group.size))
    counts = [sum(by_usage.values()) for by_usage in group.usages((-1,) * len(group.gains))]
    total = sum(counts)
    return Scaled(group, np.array([count / total for count in counts]))


class Moments:
    """Exponential moments of a sum of independent parts."""

    def __init__(self, values: Sequence[Floats], chances: Sequence[Floats]) -> None:
        self._values, self._chances = np.concatenate(values), np.concatenate(chances)
        sizes = [value.size for value in values]
        self._starts = np.cumsum([0, *sizes[:-1]])
        self._farthest = np.array([np.abs(value).max() for value in values])
        self._shifts = np.repeat(self._farthest, sizes)

    def log_mean(self, rate: float) -> float:
        """The logarithm of E exp(rate * S)."""
        weights = self._chances * np.exp(rate * self._values - abs(rate) * self._shifts)
        return float(np.log(np.add.reduceat(weights, self._starts)).sum() + abs(rate) * self._farthest.sum())

    def mean(self, rate: float) -> float:
        """The mean of S where chances are tilted by exp(rate * value)."""
        weights = self._chances * np.exp(rate * self._values - abs(rate) * self._shifts)
        tilted = np.add.reduceat(weights * self._values, self._starts) / np.add.reduceat(weights, self._starts)
        return float(tilted.sum())


class Window:
    """The part of the line that is laid around the circle: nearly all of the law lies in it."""

    def __init__(self, parts: Sequence[Scaled], width: float) -> None:
        deviation = math.sqrt(sum(part.variance for part in parts))
        self.kept = _large(parts, LEFT_OUT * width * deviation)
        self._chances = [parts[place].chances for place in self.kept]
        tail, rates = OUTSIDE * width, np.geomspace(0.25, 64, 50) / deviation
        self._farthest = sum(float(parts[place].floats[-1]) for place in self.kept)
        moments = Moments([parts[place].floats for place in self.kept], self._chances)
        (self._down, below), (self._up, above) = (self._reach(moments, side * rates, tail) for side in (-1, 1))
        self._length = below + above
        self.circumference = math.ceil(Fraction(self._length) * (1 << FIXED))
        self.start = -math.ceil(Fraction(below) / Fraction(self._length) * TURN)

    def _reach(self, moments: "Moments", rates: Floats, tail: float) -> tuple[float, float]:
        """The rate of the bound that needs the least room on its side, and that room; rate 0 is the whole range."""
        rooms = [(moments.log_mean(rate) - math.log(tail)) / abs(rate) for rate in rates.tolist()]
        best = int(np.argmin(rooms))
        if rooms[best] < self._farthest:
            return float(rates[best]), rooms[best]
        return 0.0, 17 / 16 * self._farthest  # with a gap, in which the kernel dies away

    def outside(self, ticks: Sequence[Sequence[int]]) -> tuple[float, float]:
        """Bounds of the chances to lie at the start or below it, and at the end or above it."""
        farthest = sum(values[-1] for values in ticks)
        end = self.start + TURN
        moments = Moments([np.array(values, dtype=np.float64) for values in ticks], self._chances)
        chances = []
        for rate, edge in ((self._down, self.start), (self._up, end)):
            if abs(edge) > farthest:
                chances.append(0.0)
            else:
                per_tick = rate * self._length / TURN
                chances.append(1.0001 * math.exp(min(0.0, moments.log_mean(per_tick) - per_tick * edge)))
        return chances[0], chances[1]


def _large(parts: Sequence[Scaled], room: float) -> list[int]:
    """The places of the parts that are kept: all but the smallest, which together range over no more than the room."""
    smallest_first = sorted(range(len(parts)), key=lambda place: float(parts[place].floats[-1]))
    taken = np.cumsum([2 * parts[place].floats[-1] for place in smallest_first])
    return sorted(smallest_first[int(np.searchsorted(taken, room, side="right")) :])
