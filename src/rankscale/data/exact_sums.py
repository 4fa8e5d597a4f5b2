"""Sums of doubles without rounding: equal to the last bit whatever the order, and however the numbers are split up.

A double is a whole number times a power of two. Numbers are cut into pieces of a few bits, each a whole number times
one unit that all numbers share; sums of pieces are whole numbers below 2**53, which doubles hold exactly. Pieces are
added as Python's integers, and only the result is rounded.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rankscale.data.arrays import Floats, Ints, NDArray, frozen

MANTISSA = 53  # bits of a double
SMALLEST = -1074  # exponent of the smallest double
NEAR = 1000  # units whose reciprocal is a double, too
AT_ONCE = 1 << 20  # numbers along an axis that are added before Python's integers take over

Integers = NDArray[np.object_]  # of Python's integers


def pieces(values: Floats, bits: int) -> Iterator[tuple[Floats, int]]:
    """Finite numbers as whole numbers of at most `bits` bits, each array with the exponent of its unit.

    >>> [(one.tolist(), unit) for one, unit in pieces(np.array([0.75, 0.5 + 2.0**-30]), 20)]
    [([786432.0, 524288.0], -20), ([0.0, 1024.0], -40)]
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0:
        return
    rest, unit = values, max(math.frexp(largest)[1] - bits, SMALLEST)
    while True:
        if abs(unit) < NEAR:
            whole: Floats = np.trunc(rest * math.ldexp(1.0, -unit))
            rest = rest - whole * math.ldexp(1.0, unit)
        else:
            whole = np.trunc(np.ldexp(rest, -unit))
            rest = rest - np.ldexp(whole, unit)
        yield whole, unit
        if unit == SMALLEST or not rest.any():
            return
        unit = max(unit - bits, SMALLEST)


def rounded_sums(values: Floats) -> Floats:
    """Sums along the last axis, each the double nearest to the exact sum; infinite and NaN as in any sum.

    >>> rounded_sums(np.array([[0.1] * 10, [1e100, 1.0, -1e100] + [0.0] * 7]))
    array([1., 1.])
    """
    if values.shape[-1] > AT_ONCE or not np.isfinite(values).all():
        return ExactSums.of(values).rounded()
    bits = MANTISSA - values.shape[-1].bit_length()
    with np.errstate(over="ignore"):
        parts = [np.ldexp(whole.sum(axis=-1), unit) for whole, unit in pieces(values, bits)]
    if not all(np.isfinite(part).all() for part in parts):  # a piece is beyond the largest double, the sum need not be
        return ExactSums.of(values).rounded()
    if len(parts) <= 2:  # nearly always: one addition rounds once
        with np.errstate(over="ignore"):
            total: Floats = sum(parts, np.zeros(values.shape[:-1]))
        return total
    columns = np.stack(parts, axis=-1).reshape(-1, len(parts)).tolist()
    try:
        return np.array([math.fsum(column) for column in columns]).reshape(values.shape[:-1])
    except OverflowError:
        return ExactSums.of(values).rounded()


def mean_of_defined(values: Floats) -> Floats:
    """Means along the first axis, NaN left out; NaN where nothing else is there."""
    defined = np.count_nonzero(~np.isnan(values), axis=0)
    total = rounded_sums(np.moveaxis(np.where(np.isnan(values), 0.0, values), 0, -1))
    means: Floats = np.where(defined > 0, total / np.maximum(1, defined), np.nan)
    return means


@dataclass(frozen=True, eq=False)
class ExactSums:
    """Sums that are not rounded yet: `numerators * 2**unit`, and what is infinite or NaN apart.

    Adding two of them is exact, so that the order in which parts are added changes nothing.

    >>> first, second = ExactSums.of(np.array([0.1, 0.2])), ExactSums.of(np.array([0.3]))
    >>> float((first + second).rounded()), 0.1 + 0.2 + 0.3
    (0.6, 0.6000000000000001)
    """

    numerators: Integers
    unit: int
    infinite: Floats  # sum of the terms that are not finite, 0 where there are none

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Sums along the last axis."""
        shape, totals = values.shape[:-1], list[ExactSums]()
        for start in range(0, values.shape[-1], AT_ONCE):
            some = values[..., start : start + AT_ONCE]
            finite = np.isfinite(some)
            infinite = np.zeros(shape)
            if not finite.all():
                with np.errstate(invalid="ignore"):
                    infinite = np.where(finite, 0.0, some).sum(axis=-1)
                some = np.where(finite, some, 0.0)
            bits = MANTISSA - some.shape[-1].bit_length()
            parts = [(whole.sum(axis=-1), unit) for whole, unit in pieces(some, bits)]
            totals.append(cls.joined(parts, infinite))
        return cls.added(totals, shape)

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> Self:
        """Sums of nothing."""
        return cls(frozen(np.full(shape, 0, dtype=object)), 0, frozen(np.zeros(shape)))

    @classmethod
    def joined(cls, parts: Sequence[tuple[Floats | Ints, int]], infinite: Floats) -> Self:
        """Sums of whole numbers, each array in its own unit."""
        lowest = min((unit for _, unit in parts), default=0)
        numerators = [0] * infinite.size
        for whole, unit in parts:
            shift, numbers = unit - lowest, whole.astype(np.int64).ravel().tolist()
            numerators = [sum_ + (number << shift) for sum_, number in zip(numerators, numbers, strict=True)]
        made = np.empty(infinite.size, dtype=object)
        made[:] = numerators
        return cls(frozen(made.reshape(infinite.shape)), lowest, frozen(np.asarray(infinite)))

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the arrays."""
        return self.infinite.shape

    def in_unit(self, unit: int) -> Integers:
        """The numerators in a unit that is not larger than this one's."""
        if unit == self.unit:
            return self.numerators
        shifted: Integers = np.asarray(self.numerators * (1 << (self.unit - unit)), dtype=object)
        return shifted

    @classmethod
    def added(cls, parts: "Sequence[ExactSums]", shape: tuple[int, ...]) -> Self:
        """The sums of several; zeros where there are none."""
        total = cls(parts[0].numerators, parts[0].unit, parts[0].infinite) if parts else cls.zeros(shape)
        for part in parts[1:]:
            total = total + part
        return total

    def __add__(self, other: "ExactSums") -> Self:
        unit = min(self.unit, other.unit)
        with np.errstate(invalid="ignore"):
            infinite = self.infinite + other.infinite
        numerators = np.asarray(self.in_unit(unit) + other.in_unit(unit), dtype=object)
        return type(self)(frozen(numerators), unit, frozen(np.asarray(infinite)))

    def rounded(self) -> Floats:
        """The double nearest to each sum."""
        return self.over(1)

    def over(self, divisor: int) -> Floats:
        """The double nearest to each sum divided by a whole number."""
        flat = [nearest(numerator, divisor, self.unit) for numerator in self.numerators.ravel().tolist()]
        with np.errstate(invalid="ignore"):
            sums: Floats = np.array(flat, dtype=np.float64).reshape(self.infinite.shape) + self.infinite
        return sums

    def __getitem__(self, key: Any) -> "ExactSums":  # noqa: ANN401  # any index of numpy
        """Some of the sums."""
        return ExactSums(np.asarray(self.numerators[key], dtype=object), self.unit, np.asarray(self.infinite[key]))

    def times(self, sign: Ints) -> "ExactSums":
        """The sums times 1 or -1."""
        numerators = np.asarray(self.numerators * sign.astype(object), dtype=object)
        return ExactSums(numerators, self.unit, self.infinite * sign)

    @classmethod
    def concatenated(cls, parts: "Sequence[ExactSums]") -> Self:
        """Sums one after the other, along the first axis."""
        unit = min(part.unit for part in parts)
        numerators = np.concatenate([part.in_unit(unit) for part in parts])
        return cls(numerators, unit, np.concatenate([part.infinite for part in parts]))

    def __eq__(self, other: object) -> bool:
        """Whether all sums are the same numbers, whatever their units."""
        if not isinstance(other, ExactSums) or self.infinite.shape != other.infinite.shape:
            return False
        unit = min(self.unit, other.unit)
        return bool((self.in_unit(unit) == other.in_unit(unit)).all()) and np.array_equal(
            self.infinite, other.infinite, equal_nan=True
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside


def nearest(numerator: int, divisor: int, unit: int) -> float:
    """The double nearest to `numerator * 2**unit / divisor`; infinite beyond the largest.

    >>> nearest(3, 10, 0), nearest(1, 3, -1)
    (0.3, 0.16666666666666666)
    """
    try:
        return (numerator << unit) / divisor if unit >= 0 else numerator / (divisor << -unit)  # which rounds once
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf
