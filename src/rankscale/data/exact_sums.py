"""Sums of doubles without rounding: equal to the last bit whatever the order, and however the numbers are split up.

A double is a whole number times a power of two. Numbers are cut into pieces of a few bits, each a whole number times
one unit that all numbers share; sums of pieces are whole numbers below 2**53, which doubles hold exactly. Pieces are
added as Python's integers, and only the result is rounded. What t, sign and F of runs rest on are such sums over
topics, merged from those of any blocks of topics.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
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


def mean_difference(first: Floats, second: Floats) -> float:
    """The mean of the differences of two columns of finite numbers, first less second: exact, and rounded once.

    >>> mean_difference(np.array([0.3, 0.5]), np.array([0.1, 0.2]))
    0.25
    """
    return float(ExactSums.of(np.concatenate([first, -second])).over(len(first)))


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
        is_same = bool((self.in_unit(unit) == other.in_unit(unit)).all())
        return is_same and np.array_equal(self.infinite, other.infinite, equal_nan=True)

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


TOPICS_AT_ONCE = 1 << 14  # whose products are added before Python's integers take over
PAIRS_AT_ONCE = 1 << 20  # values of differences that are held
MANY_PAIRS = 2  # for each run, from which on all products of runs are less work than differences of each pair


def sums_and_squares(values: Floats, of: "np.ndarray[Any, Any] | None" = None) -> tuple[ExactSums, ExactSums]:
    """Exact sums along the last axis and sums of squares; with `of`, those of the differences `values - of`.

    Differences are not rounded: both are cut into pieces of the same units, and pieces are subtracted. All numbers are
    finite, or infinite ones make a sum infinite and are left out of the squares.

    >>> total, squares = sums_and_squares(np.array([0.75, 0.5]), np.array([0.5, 1.0]))
    >>> float(total.rounded()), float(squares.rounded())
    (-0.25, 0.3125)
    """
    shape, totals, squares = values.shape[:-1], list[ExactSums](), list[ExactSums]()
    for start in range(0, values.shape[-1], TOPICS_AT_ONCE):
        first = values[..., start : start + TOPICS_AT_ONCE]
        second = None if of is None else of[..., start : start + TOPICS_AT_ONCE]
        with np.errstate(invalid="ignore"):
            apart = first if second is None else first - second
            odd = ~np.isfinite(apart) if second is None else ~(np.isfinite(first) & np.isfinite(second))
            infinite = np.where(odd, apart, 0.0).sum(axis=-1)
        if odd.any():
            first = np.where(odd, 0.0, first)
            second = None if second is None else np.where(odd, 0.0, second)
        bits = (MANTISSA - first.shape[-1].bit_length() - 2) // 2
        cut = list(pieces(first if second is None else np.stack([first, second]), bits))
        if second is not None:
            cut = [(whole[0] - whole[1], unit) for whole, unit in cut]
        totals.append(ExactSums.joined([(whole.sum(axis=-1), unit) for whole, unit in cut], infinite))
        squares.append(ExactSums.joined(_squares(cut, partial(np.einsum, "...t,...t->...")), np.zeros(shape)))
    return ExactSums.added(totals, shape), ExactSums.added(squares, shape)


def _squares(cut: Sequence[tuple[Floats, int]], multiply: Callable[[Floats, Floats], Any]) -> list[tuple[Ints, int]]:
    """Products of pieces with themselves, and twice those of each two of them, added up for each unit."""
    by_unit: dict[int, Ints] = {}
    for place, (one, unit) in enumerate(cut):
        for later, (another, other) in enumerate(cut[place:]):
            product = np.asarray(multiply(one, another)).astype(np.int64) * (2 if later else 1)
            by_unit[unit + other] = by_unit.get(unit + other, 0) + product
    return [(whole, unit) for unit, whole in by_unit.items()]


class AddedByField:
    """A frozen dataclass of sums: those of two parts are added field by field."""

    def __add__(self, other: Self) -> Self:
        sums = (getattr(self, one.name) + getattr(other, one.name) for one in fields(self))  # type: ignore[arg-type]
        return type(self)(*(frozen(one) if isinstance(one, np.ndarray) else one for one in sums))


@dataclass(frozen=True, eq=False)
class DifferenceSums(AddedByField):
    """(pair,) each: sums over the topics on which both runs have a value."""

    topics: Ints
    total: ExactSums  # of differences, first less second
    squares: ExactSums  # of differences

    @classmethod
    def of(cls, first: Floats, second: Floats) -> Self:
        """The sums of two runs, (pair, topic) each; a topic on which either is NaN is left out."""
        missing = np.isnan(first) | np.isnan(second)
        one, other = (np.where(missing, 0.0, values) for values in (first, second))
        return cls(frozen(first.shape[1] - np.count_nonzero(missing, axis=1)), *sums_and_squares(one, other))

    @classmethod
    def of_pairs(cls, by_run: Floats, first: Ints, second: Ints) -> Self:
        """The sums of pairs of runs, given values (run, topic): by products of matrices where that is less work."""
        if len(first) > MANY_PAIRS * len(by_run) and np.isfinite(by_run).all():
            return cls(frozen(np.full(len(first), by_run.shape[1])), *_all_products(by_run, first, second))
        size = max(1, PAIRS_AT_ONCE // max(by_run.shape[1], 1))
        parts = [
            cls.of(by_run[first[start : start + size]], by_run[second[start : start + size]])
            for start in range(0, max(len(first), 1), size)
        ]
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.topics for part in parts]),
            ExactSums.concatenated([part.total for part in parts]),
            ExactSums.concatenated([part.squares for part in parts]),
        )


def _all_products(by_run: Floats, first: Ints, second: Ints) -> tuple[ExactSums, ExactSums]:
    """(pair,): sums of differences and of their squares, from all products of runs; values are finite.

    Pieces are short enough that a product of matrices of them is exact.
    """
    runs, pairs = np.zeros(len(by_run)), np.zeros(len(first))
    totals, squares = list[ExactSums](), list[ExactSums]()
    for start in range(0, by_run.shape[1], TOPICS_AT_ONCE):
        some = by_run[:, start : start + TOPICS_AT_ONCE]
        cut = list(pieces(some, (MANTISSA - some.shape[1].bit_length()) // 2))
        of_pairs = [
            (np.diagonal(both)[first] + np.diagonal(both)[second] - both[first, second] - both[second, first], unit)
            for both, unit in _squares(cut, lambda one, another: one @ another.T)
        ]
        totals.append(ExactSums.joined([(whole.sum(axis=1), unit) for whole, unit in cut], runs))
        squares.append(ExactSums.joined(of_pairs, pairs))
    of_runs = ExactSums.added(totals, runs.shape)
    numerators = of_runs.numerators[first] - of_runs.numerators[second]
    return ExactSums(frozen(numerators), of_runs.unit, frozen(pairs)), ExactSums.added(squares, pairs.shape)


@dataclass(frozen=True, eq=False)
class RunSums(AddedByField):
    """Sums over the topics on which all runs have a value."""

    topics: int
    dropped: int  # topics on which some run has none
    total: ExactSums  # (run,)
    squares: ExactSums  # (run,)
    topic_squares: ExactSums  # (): of the squared sums of all runs
    largest: Floats  # (run,): the largest finite absolute value
    infinite: int  # values
    counted: Ints  # (run,): topics on which each run has a value

    @classmethod
    def of(cls, values: Floats) -> Self:
        """The sums of values (topic, run), NaN where undefined."""
        whole = values[~np.isnan(values).any(axis=1)]
        finite = np.where(np.isfinite(whole), whole, 0.0)
        total, squares = sums_and_squares(np.ascontiguousarray(finite.T))
        return cls(
            len(whole),
            len(values) - len(whole),
            total,
            squares,
            _topic_squares(finite),
            frozen(np.abs(finite).max(axis=0, initial=0.0)),
            int(np.count_nonzero(np.isinf(values))),
            frozen(np.count_nonzero(~np.isnan(values), axis=0)),
        )

    def __add__(self, other: Self) -> Self:
        return replace(super().__add__(other), largest=frozen(np.maximum(self.largest, other.largest)))


def _topic_squares(values: Floats) -> ExactSums:
    """The sum over topics of the squared sum of all runs, given values (topic, run); exactly."""
    total = ExactSums.zeros(())
    spare = values.shape[1].bit_length()  # bits that a sum over runs adds
    for start in range(0, len(values), TOPICS_AT_ONCE):
        some = values[start : start + TOPICS_AT_ONCE]
        bits = (MANTISSA - len(some).bit_length() - 2 * spare) // 2
        cut = [(whole.sum(axis=1), unit) for whole, unit in pieces(some, max(bits, 1))]
        total = total + ExactSums.joined(_squares(cut, np.matmul), np.zeros(()))
    return total


@dataclass(frozen=True, eq=False)
class PairSums(AddedByField):
    """All that t, sign and F rest on, of the runs of one measure: pairs are those of `np.triu_indices(runs, k=1)`."""

    together: RunSums
    differences: DifferenceSums
    wins: Ints  # (pair,): topics on which the first is above
    losses: Ints

    @classmethod
    def of(cls, values: Floats) -> Self:
        """The sums of values (topic, run), NaN where undefined.

        >>> values = np.array([[0.4, 0.3], [0.6, 0.6], [0.5, 0.2], [0.9, 0.7]])
        >>> (PairSums.of(values[:1]) + PairSums.of(values[1:])).differences.total.rounded()
        array([0.6])
        """
        by_run = np.ascontiguousarray(values.T, dtype=np.float64)
        first, second = np.triu_indices(len(by_run), k=1)
        above = np.array([np.count_nonzero(one > by_run, axis=1) for one in by_run]).reshape(len(by_run), len(by_run))
        differences = DifferenceSums.of_pairs(by_run, first, second)
        return cls(RunSums.of(values), differences, frozen(above[first, second]), frozen(above[second, first]))

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.together.largest)

    def _places(self, first: Ints, second: Ints) -> Ints:
        """(pair,): where the sums of some pairs are, in either order of their runs."""
        low, high = np.minimum(first, second), np.maximum(first, second)
        places: Ints = low * (2 * self.runs - low - 1) // 2 + high - low - 1
        return places

    def of_pairs(self, first: Ints, second: Ints) -> DifferenceSums:
        """The sums of some pairs."""
        places, whole = self._places(first, second), self.differences
        sign = np.where(first < second, 1, -1)
        return DifferenceSums(whole.topics[places], whole.total[places].times(sign), whole.squares[places])

    def wins_of(self, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """(pair,) each: topics on which the first run is above, and below."""
        places, is_turned = self._places(first, second), first > second
        wins, losses = self.wins[places], self.losses[places]
        return np.where(is_turned, losses, wins), np.where(is_turned, wins, losses)

    def in_order(self, places: Ints) -> "PairSums":
        """The same sums with the runs in this order, all of them."""
        first, second = np.triu_indices(self.runs, k=1)
        whole = self.together
        by_run = {name: getattr(whole, name)[places] for name in ("total", "squares", "largest", "counted")}
        together = replace(whole, **by_run)
        pairs = (places[first], places[second])
        return PairSums(together, self.of_pairs(*pairs), *self.wins_of(*pairs))
