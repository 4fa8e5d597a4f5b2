"""Sums of weighted gains whose ties are known: ranks in groups, and the values each group can take.

The weight of a rank is a rational multiple of its group's unit, and units of different groups have no rational
relation. So two rankings have the same value if, and only if, they agree on every group; and the number of values is
the product of the numbers of values of the groups. For discounted gain the groups are the powers of one root: rank
i = c^k weighs (ln b / ln c) / k. That their units have no relation is proven by computation for depths to 100
(docs/independence.md), and follows from Schanuel's conjecture beyond.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.scales.counting.image import Limits

DIGITS_PER_BIT = math.log10(2)
GUARD_DIGITS = 30  # more than a handful of rounding steps can touch
ASSUMPTION = "assumes Schanuel's conjecture"  # what ties rest on where they are not proven
# Roots to the first number have no relation with whole coefficients up to the second, shown by
# tools/prove_independence.py; the bounds of the page's table, rounded down to a power of ten.
CERTIFICATES = ((30, 10**14), (64, 10**12), (101, 10**12))


@dataclass(frozen=True)
class Rational:
    """A fraction."""

    value: Fraction

    def fixed(self, bits: int) -> int:
        """The whole number nearest to 2^bits times this.

        >>> Rational(Fraction(1, 3)).fixed(4)
        5
        """
        return nearest(self.value * (1 << bits))


@dataclass(frozen=True)
class LogarithmRatio:
    """ln(base) / ln(root): the weight of rank `root` where gains are discounted by a logarithm to that base."""

    base: Fraction
    root: int

    def fixed(self, bits: int) -> int:
        """The whole number nearest to 2^bits times this.

        >>> LogarithmRatio(Fraction(2), 3).fixed(10)  # 1024 / log2(3) = 646.07...
        646
        """
        return _logarithm_ratio(self.base, self.root, bits)


Unit = Rational | LogarithmRatio


def nearest(value: Fraction) -> int:
    """The whole number nearest to a fraction; halves go up."""
    return math.floor(value + Fraction(1, 2))


@cache
def _logarithm_ratio(base: Fraction, root: int, bits: int) -> int:
    digits = math.ceil(bits * DIGITS_PER_BIT) + GUARD_DIGITS
    while True:
        with localcontext(Context(prec=digits)):
            # Decimal logarithms are correctly rounded, so what stands here is off by a few units of its last digit.
            scaled = _logarithm(base, digits) / Decimal(root).ln() * (1 << bits)
            error = abs(scaled).scaleb(10 - digits)
            below, above = (math.floor(scaled + offset + Decimal("0.5")) for offset in (-error, error))
        if below == above:
            return below
        digits *= 2  # the number lies too near to a half to be rounded


@cache
def _logarithm(number: Fraction, digits: int) -> Decimal:
    with localcontext(Context(prec=digits)):
        return Decimal(number.numerator).ln() - Decimal(number.denominator).ln()


@dataclass(frozen=True)
class RankGroup:
    """Ranks whose weights are rational multiples of one unit, and the gains they can have."""

    unit: Unit
    ranks: tuple[int, ...]
    coefficients: tuple[Fraction, ...]  # weight of each rank, as a multiple of the unit
    gains: tuple[Fraction, ...]  # ascending; rankings hold places in it

    @cached_property
    def denominator(self) -> int:
        """The common denominator of all values of the group."""
        return math.lcm(*(c.denominator for c in self.coefficients)) * math.lcm(*(g.denominator for g in self.gains))

    @cached_property
    def _weights(self) -> tuple[list[int], list[int]]:
        """Coefficients and gains as whole numbers, over the two factors of the denominator."""
        of_coefficients = math.lcm(*(c.denominator for c in self.coefficients))
        of_gains = self.denominator // of_coefficients
        return [int(c * of_coefficients) for c in self.coefficients], [int(g * of_gains) for g in self.gains]

    @cached_property
    def numerators(self) -> tuple[int, ...]:
        """The distinct values, ascending, each over the denominator and times the unit."""
        values = {0}
        coefficients, gains = self._weights
        for coefficient in coefficients:
            values = {value + coefficient * gain for value in values for gain in gains}
        return tuple(sorted(values))

    @property
    def size(self) -> int:
        """The number of distinct values of the group."""
        return len(self.numerators)

    def usages(self, limits: Limits) -> list[Mapping[tuple[int, ...], int]]:
        """For each value: the number of assignments of gains that give it, by the documents taken of each kind.

        Assignments that take more documents than there are do not count.
        """
        counts: dict[int, dict[tuple[int, ...], int]] = {0: {(0,) * len(limits.most): 1}}
        coefficients, gains = self._weights
        for coefficient in coefficients:
            following: dict[int, dict[tuple[int, ...], int]] = defaultdict(lambda: defaultdict(int))
            for value, by_usage in counts.items():
                for gain, kind in zip(gains, limits.kinds, strict=True):
                    for usage, count in by_usage.items():
                        taken = tuple(n + (place == kind) for place, n in enumerate(usage))
                        if limits.allow(taken):
                            following[value + coefficient * gain][taken] += count
            counts = following
        return [counts.get(value, {}) for value in self.numerators]

    def keys(self, bits: int) -> Ints:
        """(value,): each value times 2^bits, rounded to the nearest whole number."""
        guard = 80  # so that rounding the unit first does not matter: values stay far below 2^79
        unit = self.unit.fixed(bits + guard)
        scale = self.denominator << guard
        return np.array([nearest(Fraction(numerator * unit, scale)) for numerator in self.numerators], dtype=np.int64)

    def places(self, rankings: Ints) -> Ints:
        """(ranking,): which of the group's values each ranking has; rankings are (ranking, rank) places of gains."""
        largest = max(abs(self.numerators[0]), abs(self.numerators[-1]))
        kind = np.dtype(object) if largest >> 62 else np.dtype(np.int64)  # gains of many digits have large numerators
        coefficients, gains = (np.array(numbers, dtype=kind) for numbers in self._weights)
        met = (gains[rankings[:, np.array(self.ranks) - 1]] * coefficients).sum(axis=-1)
        places: Ints = np.searchsorted(np.array(self.numerators, dtype=kind), met)
        return places


def by_roots(depth: int, base: Fraction, gains: tuple[Fraction, ...], shift: int = 0) -> tuple[RankGroup, ...]:
    """Gain discounted by a logarithm: weight 1 while rank + shift <= base, then 1 / log_base(rank + shift).

    >>> [group.ranks for group in by_roots(9, Fraction(2), (Fraction(0), Fraction(1)))]
    [(1, 2, 4, 8), (3, 9), (5,), (6,), (7,)]
    """
    # The root 0 stands for ranks that are not discounted, where the base is no whole number.
    own_root, own_power = power_of_root(base.numerator) if base.denominator == 1 else (0, 1)
    members: dict[int, dict[int, Fraction]] = defaultdict(dict)
    for rank in range(1, depth + 1):
        number = rank + shift
        root, power = (own_root, own_power) if number <= base else power_of_root(number)
        members[root][rank] = Fraction(1, power)
    own_unit = Rational(Fraction(own_power))  # ln b / ln c with b = c^k
    return tuple(
        RankGroup(
            own_unit if root == own_root else LogarithmRatio(base, root),
            tuple(coefficients),
            tuple(coefficients.values()),
            gains,
        )
        for root, coefficients in members.items()
    )


def by_powers(depth: int, p: Fraction, gains: tuple[Fraction, ...]) -> tuple[RankGroup, ...]:
    """Gain weighted by p^(rank-1), each rank for itself: right where no two rankings tie (see `rbp_ties`)."""
    return tuple(RankGroup(Rational(p ** (rank - 1)), (rank,), (Fraction(1),), gains) for rank in range(1, depth + 1))


def power_of_root(number: int) -> tuple[int, int]:
    """The root and the exponent of a number from 2: the root itself is no power of another.

    >>> power_of_root(64), power_of_root(36), power_of_root(7)
    ((2, 6), (6, 2), (7, 1))
    """
    for exponent in range(number.bit_length(), 1, -1):
        near = round(number ** (1 / exponent))
        for root in (near - 1, near, near + 1):
            if root >= 2 and root**exponent == number:
                return root, exponent
    return number, 1


def proven(depth: int, base: Fraction, gains: tuple[Fraction, ...], shift: int = 0) -> bool:
    """Whether `by_roots` with these parameters gives groups that are proven to be independent.

    >>> proven(100, Fraction(2), (Fraction(0), Fraction(1))), proven(1000, Fraction(2), (Fraction(0), Fraction(1)))
    (True, False)
    """
    groups = by_roots(depth, base, gains, shift)
    if len(groups) <= 2:
        return True  # the logarithms of two numbers have a rational quotient only where both are powers of one root
    if base.denominator != 1 and base >= 1 + shift:
        return False  # ranks that are not discounted bring in 1 / ln(base), which no certificate is about
    largest = max(sum(group.coefficients) for group in groups) * _whole_difference(gains)
    for greatest_root, bound in CERTIFICATES:
        if depth + shift <= greatest_root:
            # A multiple of every exponent that a power up to the greatest root can have.
            return largest * math.lcm(*range(1, greatest_root.bit_length())) <= bound
    return False


def _whole_difference(gains: tuple[Fraction, ...]) -> int:
    """The greatest difference of gains, as a multiple of the greatest step that all differences are multiples of."""
    denominator = math.lcm(*(gain.denominator for gain in gains))
    differences = [int((gain - gains[0]) * denominator) for gain in gains]
    return max(differences) // max(math.gcd(*differences), 1)
