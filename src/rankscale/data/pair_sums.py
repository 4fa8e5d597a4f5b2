"""What t, sign and F of runs rest on: exact sums over topics, merged from those of any blocks of topics."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rankscale.data.arrays import Floats, Ints, frozen
from rankscale.data.exact_sums import MANTISSA, ExactSums, pieces

AT_ONCE = 1 << 14  # topics whose products are added before Python's integers take over
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
    for start in range(0, values.shape[-1], AT_ONCE):
        first = values[..., start : start + AT_ONCE]
        second = None if of is None else of[..., start : start + AT_ONCE]
        with np.errstate(invalid="ignore"):
            apart = first if second is None else first - second
            odd = ~np.isfinite(apart) if second is None else ~(np.isfinite(first) & np.isfinite(second))
            infinite = np.where(odd, apart, 0.0).sum(axis=-1)
        if odd.any():
            first = np.where(odd, 0.0, first)
            second = None if second is None else np.where(odd, 0.0, second)
        bits = (MANTISSA - first.shape[-1].bit_length() - 2) // 2
        cut = [(whole, unit) for whole, unit in pieces(first if second is None else np.stack([first, second]), bits)]
        if second is not None:
            cut = [(whole[0] - whole[1], unit) for whole, unit in cut]
        by_unit: dict[int, Any] = {}
        for place, (one, unit) in enumerate(cut):
            for later, (another, other) in enumerate(cut[place:]):
                product = np.einsum("...t,...t->...", one, another).astype(np.int64)
                by_unit[unit + other] = by_unit.get(unit + other, 0) + product * (2 if later else 1)
        totals.append(ExactSums.joined([(whole.sum(axis=-1), unit) for whole, unit in cut], infinite))
        squares.append(ExactSums.joined([(whole, unit) for unit, whole in by_unit.items()], np.zeros(shape)))
    return ExactSums.added(totals, shape), ExactSums.added(squares, shape)


@dataclass(frozen=True, eq=False)
class DifferenceSums:
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
        return parts[0] if len(parts) == 1 else cls._below(parts)

    @classmethod
    def _below(cls, parts: "Sequence[DifferenceSums]") -> Self:
        """The sums of all pairs, from those of some at a time."""
        return cls(
            np.concatenate([part.topics for part in parts]),
            ExactSums.concatenated([part.total for part in parts]),
            ExactSums.concatenated([part.squares for part in parts]),
        )

    def __add__(self, other: "DifferenceSums") -> Self:
        return type(self)(frozen(self.topics + other.topics), self.total + other.total, self.squares + other.squares)


def _all_products(by_run: Floats, first: Ints, second: Ints) -> tuple[ExactSums, ExactSums]:
    """(pair,): sums of differences and of their squares, from all products of runs; values are finite.

    Pieces are short enough that a product of matrices of them is exact.
    """
    runs, pairs = np.zeros(len(by_run)), np.zeros(len(first))
    totals, squares = list[ExactSums](), list[ExactSums]()
    for start in range(0, by_run.shape[1], AT_ONCE):
        some = by_run[:, start : start + AT_ONCE]
        cut = list(pieces(some, (MANTISSA - some.shape[1].bit_length()) // 2))
        by_unit: dict[int, Any] = {}
        for one, unit in cut:
            for another, other in cut:
                by_unit[unit + other] = by_unit.get(unit + other, 0) + (one @ another.T).astype(np.int64)
        of_pairs = [
            (np.diagonal(both)[first] + np.diagonal(both)[second] - both[first, second] - both[second, first], unit)
            for unit, both in by_unit.items()
        ]
        totals.append(ExactSums.joined([(whole.sum(axis=1), unit) for whole, unit in cut], runs))
        squares.append(ExactSums.joined(of_pairs, pairs))
    of_runs = ExactSums.added(totals, runs.shape)
    numerators = of_runs.numerators[first] - of_runs.numerators[second]
    return ExactSums(frozen(numerators), of_runs.unit, frozen(pairs)), ExactSums.added(squares, pairs.shape)


@dataclass(frozen=True, eq=False)
class RunSums:
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

    def __add__(self, other: "RunSums") -> Self:
        return type(self)(
            self.topics + other.topics,
            self.dropped + other.dropped,
            self.total + other.total,
            self.squares + other.squares,
            self.topic_squares + other.topic_squares,
            frozen(np.maximum(self.largest, other.largest)),
            self.infinite + other.infinite,
            frozen(self.counted + other.counted),
        )


def _topic_squares(values: Floats) -> ExactSums:
    """The sum over topics of the squared sum of all runs, given values (topic, run); exactly."""
    total = ExactSums.zeros(())
    spare = values.shape[1].bit_length()  # bits that a sum over runs adds
    for start in range(0, len(values), AT_ONCE):
        some = values[start : start + AT_ONCE]
        bits = (MANTISSA - len(some).bit_length() - 2 * spare) // 2
        cut = [(whole.sum(axis=1), unit) for whole, unit in pieces(some, max(bits, 1))]
        by_unit: dict[int, Any] = {}
        for one, unit in cut:
            for another, other in cut:
                by_unit[unit + other] = by_unit.get(unit + other, 0) + (one @ another).astype(np.int64)
        total = total + ExactSums.joined([(np.asarray(whole), unit) for unit, whole in by_unit.items()], np.zeros(()))
    return total


@dataclass(frozen=True, eq=False)
class PairSums:
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

    def __add__(self, other: "PairSums") -> Self:
        return type(self)(
            self.together + other.together,
            self.differences + other.differences,
            frozen(self.wins + other.wins),
            frozen(self.losses + other.losses),
        )

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
        together = replace(
            whole,
            total=whole.total[places],
            squares=whole.squares[places],
            largest=whole.largest[places],
            counted=whole.counted[places],
        )
        pairs = (places[first], places[second])
        return PairSums(together, self.of_pairs(*pairs), *self.wins_of(*pairs))
