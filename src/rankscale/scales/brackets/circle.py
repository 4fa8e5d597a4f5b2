"""Values of groups on a circle, and the characteristic function of their sum. See `bracketing`.

Places are whole ticks, 2^64 to a turn, and what lies outside of one turn is bounded. Sines are Vaaler's.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats, NDArray
from rankscale.scales.counting.groups import RankGroup
from rankscale.scales.counting.image import Limits

TURN = 1 << 64  # ticks to the circle
FIXED = 160  # bits of the fixed-point numbers that ticks come from
UNIT_ROUNDOFF = 2.0**-53
OUTSIDE = 1e-7  # of the width: the chance left outside the window
LEFT_OUT = 2e-3  # of the width: what leaving out small groups may cost
TRIGONOMETRY = 32 * UNIT_ROUNDOFF
MOST_SAMPLED = 1 << 20  # the greatest degree for which the density is sampled all around the circle
CHUNK = 1 << 14  # frequencies at a time: what the processor's cache holds
Words = NDArray[np.uint64]


@dataclass(frozen=True)
class FixedPointValues:
    """The values of a group in fixed point, counted from the middle between the lowest and the highest."""

    group: RankGroup
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


def scaled(group: RankGroup, *, by_rankings: bool) -> FixedPointValues:
    """A group with each value alike, or as often as assignments of gains give it."""
    if not by_rankings:
        return FixedPointValues(group, np.full(group.size, 1 / group.size))
    unlimited = Limits((-1,) * len(group.gains), ())
    counts = [sum(by_usage.values()) for by_usage in group.usages(unlimited)]
    total = sum(counts)
    return FixedPointValues(group, np.array([count / total for count in counts]))


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

    def __init__(self, parts: Sequence[FixedPointValues], width: float) -> None:
        deviation = math.sqrt(sum(part.variance for part in parts))
        # Kept are all parts but the smallest, which together range over no more than a little room.
        smallest_first = sorted(range(len(parts)), key=lambda place: float(parts[place].floats[-1]))
        taken = np.cumsum([2 * parts[place].floats[-1] for place in smallest_first])
        room = LEFT_OUT * width * deviation
        self.kept = sorted(smallest_first[int(np.searchsorted(taken, room, side="right")) :])
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


class Factor:
    """One group's factor of the characteristic function: cosines and sines of its distances from the middle."""

    def __init__(self, values: FixedPointValues, ticks: Sequence[int]) -> None:
        even: dict[int, float] = defaultdict(float)  # by distance in ticks: the chances of both sides together
        odd: dict[int, float] = defaultdict(float)  # the chance above the middle, less that below
        for tick, chance in zip(ticks, values.chances.tolist(), strict=True):
            even[abs(tick)] += chance
            odd[abs(tick)] += math.copysign(chance, tick) * (tick != 0)
        self.distances, self.even, self.odd = tuple(even), tuple(even.values()), tuple(odd.values())
        self.error = 2 * (TRIGONOMETRY + (len(even) + 4) * UNIT_ROUNDOFF + values.chance_error) + 4 * UNIT_ROUNDOFF

    @property
    def effort(self) -> int:
        """How many cosines and sines it takes."""
        return len(self.distances) + sum(weight != 0 for weight in self.odd)

    def times(self, real: Floats, imaginary: Floats | None, k: Words) -> tuple[Floats, Floats | None]:
        """A product with this factor at frequencies k; imaginary parts are None while all factors are symmetric."""
        cosines, sines = np.zeros(k.size), None
        for distance, even, odd in zip(self.distances, self.even, self.odd, strict=True):
            angle = angles(k * np.uint64(distance % TURN))
            if odd:
                sines = odd * np.sin(angle) + (0.0 if sines is None else sines)
            cosines += np.multiply(np.cos(angle, out=angle), even, out=angle)
        if sines is None:
            return real * cosines, None if imaginary is None else imaginary * cosines
        if imaginary is None:
            return real * cosines, real * sines
        return real * cosines - imaginary * sines, real * sines + imaginary * cosines


def angles(ticks: Words) -> Floats:
    """Ticks of the circle as angles from -pi to pi."""
    signed = ticks.view(np.int64).astype(np.float64)
    signed *= 2 * math.pi / TURN
    return signed


def vaaler(k: Words, degree: int) -> tuple[Floats, Floats]:
    """c(k), and (1 - u) / (K + 1): the coefficients of the sawtooth's and the kernel's half.

    >>> sawtooth, kernel = vaaler(np.array([1], dtype=np.uint64), 1)  # u = 1/2: cot(pi/2) = 0
    >>> round(float(sawtooth[0]) * math.pi, 9), float(kernel[0])
    (-0.5, 0.25)
    """
    from_one = (degree + 1 - k.astype(np.int64)) / (degree + 1)
    # The cotangent of a small angle is exact to a few units, that of an angle near pi is not: mirror it.
    near = np.minimum(k.astype(np.int64), degree + 1 - k.astype(np.int64)) / (degree + 1)
    cotangent = np.copysign(1 / np.tan(math.pi * near), from_one - 0.5)
    return -(from_one * cotangent + 1 / math.pi) / (degree + 1), from_one / (degree + 1)


class Spectrum:
    """The characteristic function at frequencies 1, 2, ...: those where it is not negligible."""

    def __init__(self, factors: Sequence[Factor], slope: float) -> None:
        self._factors = sorted(factors, key=lambda factor: (factor.effort, -max(factor.distances)))
        self.slope = slope  # a frequency is dropped where the function is below this times the frequency
        self.error = 1.01 * sum(factor.error for factor in factors)
        self.degree = 0
        self._bound, self._rough = 0.0, False
        self.k = np.empty(0, dtype=np.uint64)
        self.values = np.empty(0, dtype=np.complex128)

    def extend(self, degree: int) -> None:
        """Go on to this frequency."""
        starts = range(self.degree + 1, degree + 1, CHUNK)
        pieces = [self._piece(np.arange(start, min(start + CHUNK, degree + 1), dtype=np.uint64)) for start in starts]
        self.k = np.concatenate([self.k, *(k for k, _ in pieces)])
        self.values = np.concatenate([self.values, *(values for _, values in pieces)])
        self.degree = degree

    def _piece(self, k: Words) -> tuple[Words, NDArray[np.complex128]]:
        real: Floats = np.ones(k.size)
        imaginary: Floats | None = None
        for number, factor in enumerate(self._factors, start=1):
            real, imaginary = factor.times(real, imaginary, k)
            if number % 4 == 0 or number == len(self._factors):
                kept = (np.abs(real) if imaginary is None else np.hypot(real, imaginary)) >= self.slope * k
                k, real, imaginary = k[kept], real[kept], None if imaginary is None else imaginary[kept]
            if not k.size:
                break
        values: NDArray[np.complex128] = np.zeros(k.size, dtype=np.complex128)
        values.real, values.imag = real, 0.0 if imaginary is None else imaginary
        return k, values

    def turned(self, place: int) -> NDArray[np.complex128]:
        """The characteristic function of the sum less a place."""
        angle = angles(self.k * np.uint64(place % TURN))
        return self.values * (np.cos(angle) - 1j * np.sin(angle))

    def density(self, enough: float) -> float:
        """A bound of the density everywhere, for a circle of circumference 1.

        A simple one serves where it is low enough, or is that of a bell: no longer growing with the degree.
        """
        weighted = (1 - self.k / (self.degree + 1)) * self.values
        bound = 1 + 2 * float(np.abs(weighted).sum())  # what a bell has at its top
        bell, self._bound = bound < 1.1 * self._bound, bound
        if bound <= enough or (bell and not self._rough) or self.degree > MOST_SAMPLED:
            return bound
        # Between samples a polynomial of this degree rises to no more than 1 / cos(pi * degree / samples) times them.
        samples = 8 << self.degree.bit_length()
        harmonics = np.zeros(samples // 2 + 1, dtype=np.complex128)
        harmonics[0], harmonics[self.k.astype(np.int64)] = 1, weighted
        sampled = float(np.abs(np.fft.irfft(harmonics, samples)).max()) * samples
        close = sampled / math.cos(math.pi * self.degree / samples)
        self._rough |= close < 0.9 * bound
        return min(bound, close)
