"""The characteristic function of a sum of independent values, and Vaaler's sums of sines. See `brackets`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats, NDArray
from rankscale.scales.brackets.circle import TURN, UNIT_ROUNDOFF

TRIGONOMETRY = 32 * UNIT_ROUNDOFF
MOST_SAMPLED = 1 << 20  # the greatest degree for which the density is sampled all around the circle
CHUNK = 1 << 14  # frequencies at a time: what the processor's cache holds
Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Factor:
    """One group's factor of the characteristic function: cosines and sines of its distances from the middle."""

    distances: tuple[int, ...]  # in ticks, not negative
    even: tuple[float, ...]  # the chances of both sides together
    odd: tuple[float, ...]  # the chance above the middle, less that below
    error: float

    @classmethod
    def of(cls, ticks: Sequence[int], chances: Floats, chance_error: float) -> "Factor":
        """The factor of values with these chances."""
        even: dict[int, float] = {}
        odd: dict[int, float] = {}
        for tick, chance in zip(ticks, chances.tolist(), strict=True):
            even[abs(tick)] = even.get(abs(tick), 0.0) + chance
            odd[abs(tick)] = odd.get(abs(tick), 0.0) + math.copysign(chance, tick) * (tick != 0)
        error = 2 * (TRIGONOMETRY + (len(even) + 4) * UNIT_ROUNDOFF + chance_error) + 4 * UNIT_ROUNDOFF
        return cls(tuple(even), tuple(even.values()), tuple(odd.values()), error)

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
