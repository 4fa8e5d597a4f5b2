"""The structure of a measure's values over all rankings of a length: how to count them, and where steps are equal.

A measure names its structure (`Measure.structure`); counting itself is done in `rankscale.scales`. Values that are one
step apart, as those of sums of gains can be, are on an interval scale.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

EVEN = 1e-9  # steps that differ by less, relative to them, are equal but for rounding
MOST_SUMS = 1 << 20  # sums that are looked at one by one where gains are not equally far apart


def as_written(number: Fraction | float) -> Fraction:
    """The fraction that a number's decimal digits name: 0.1 is a tenth, not the nearest double.

    >>> as_written(0.8), as_written(3), as_written(Fraction(2, 3))
    (Fraction(4, 5), Fraction(3, 1), Fraction(2, 3))
    """
    return number if isinstance(number, Fraction) else Fraction(repr(float(number)))


def shortest(number: Fraction) -> Fraction | float:
    """A fraction as a whole number or a double where one of these, as written, is the same number.

    >>> shortest(Fraction(4, 2)), shortest(Fraction(1, 2)), shortest(Fraction(2, 3))
    (2, 0.5, Fraction(2, 3))
    """
    if number.denominator == 1:
        return int(number)
    return float(number) if as_written(float(number)) == number else number


class PlainStructure:
    """A structure that is counted as it is declared."""


class GainSums(PlainStructure):
    """The value grows with the sum of gains."""


class FirstRelevant(PlainStructure):
    """The value falls with the rank of the first relevant document."""


class AnyRelevant(PlainStructure):
    """The value says whether any document is relevant."""


@dataclass(frozen=True)
class Logarithms:
    """A sum of gains, divided by the logarithm of rank + shift to a base; undiscounted while rank + shift <= base."""

    base: Fraction
    shift: int


@dataclass(frozen=True)
class Geometric:
    """A sum of gains weighted by p^(rank - 1)."""

    p: Fraction


@dataclass(frozen=True)
class RankWeights(PlainStructure):
    """A sum of gains with rational weights, one for each rank, about whose ties nothing else is known."""

    weights: tuple[Fraction, ...]


class Precisions(PlainStructure):
    """The value grows with the sum of precisions at relevant documents."""


class GradedPrecisions(PlainStructure):
    """The value grows with the sum, over ranks m <= n, of the lower of the gains at m and n, over n."""


@dataclass(frozen=True)
class Blended(PlainStructure):
    """The sum, over relevant ranks, of documents and gain so far over rank and ideal gain; beta weighs the gain."""

    beta: Fraction


class Stopping(PlainStructure):
    """Reciprocal ranks, weighted by how many users stop there; gains are the probabilities of stopping."""


@dataclass(frozen=True)
class Twisted(PlainStructure):
    """A function of the balance point and of forward and backward space."""

    crossing: Literal["return", "literal", "positive"]


class MixOfGains(PlainStructure):
    """How many documents of each gain there are decides: more of the highest first, then of the next."""


class FirstDifference(PlainStructure):
    """The first rank at which two rankings differ decides: the higher gain there is better."""


class Unknown(PlainStructure):
    """No structure is known: every ranking is measured."""


Structure = PlainStructure | Logarithms | Geometric
UNKNOWN = Unknown()


def of_weights(weights: tuple[Fraction, ...] | None) -> Structure:
    """The structure of a sum of gains with these weights: equal ones only count gains."""
    if weights is None:
        return UNKNOWN
    return GainSums() if len(set(weights)) == 1 and weights[0] > 0 else RankWeights(weights)


def equal_steps(structure: Structure, gains: Collection[Fraction], depth: int | None) -> bool:
    """Whether sums of these gains over `depth` ranks are one step apart; over any number of ranks for None.

    Gains that are one step apart are enough where all ranks count the same, and three gains where the weight of a rank
    is a third of that above it, as digits make numbers:

    >>> gains = {Fraction(0), Fraction(1), Fraction(2)}
    >>> equal_steps(GainSums(), gains, 10), equal_steps(Geometric(Fraction(1, 3)), gains, 10)
    (True, True)
    >>> equal_steps(Geometric(Fraction(1, 4)), gains, 10), equal_steps(GainSums(), {*gains, Fraction(4)}, 10)
    (False, False)

    False where sums are not known to be, whatever the gains are: see `equal_steps_possible`.
    """
    ratio, ranks = _ratio(structure, depth)
    return ratio > 0 and _whole_numbers(gains, ratio, ranks)


def equal_steps_possible(structure: Structure, depth: int | None) -> bool:
    """Whether there are gains whose sums are one step apart: each rank weighs a whole number of times the next."""
    return _ratio(structure, depth)[0] > 0


def _ratio(structure: Structure, depth: int | None) -> tuple[int, int | None]:
    """How many times the next rank each rank weighs, 0 where that is no whole number, and how many ranks count."""
    match structure:
        case GainSums():
            return 1, depth
        case Geometric(p) if p.numerator == 1:
            return p.denominator, depth
        case RankWeights(weights) if len(set(weights) - {0}) == 1:
            return 1, len(weights) - weights.count(Fraction(0))
        case _:
            return 0, depth


def _whole_numbers(gains: Collection[Fraction], ratio: int, depth: int | None) -> bool:
    """Whether sums of gains, each weighted by a power of `ratio`, are whole numbers of steps, none left out."""
    if len(gains) < 2:
        return False
    steps = _in_steps(gains)
    top, even = steps[-1], steps[-1] == len(steps) - 1
    # A sum that is lower than any weight but the smallest is one gain: the lowest gains are 0, 1, ..., ratio - 1, and
    # the highest ones mirror them.
    lowest = set(range(max(ratio, 2)))
    as_digits = lowest <= set(steps) and {top - step for step in lowest} <= set(steps)
    if even or depth is None:
        return even and (depth == 1 or as_digits)
    if depth == 1 or not as_digits:
        return False
    # Once sums of some ranks are complete, those of more ranks are, too. With equal weights they are complete at
    # top - gains + 2 ranks, or never (Granville and Walker, A tight structure theorem for sumsets, 2021).
    ranks = min(depth, top - len(steps) + 2) if ratio == 1 else depth
    sums = np.ones(1, dtype=bool)  # which whole numbers are sums
    for _ in range(ranks):
        stretched = np.zeros(ratio * (len(sums) - 1) + 1, dtype=bool)
        stretched[::ratio] = sums
        if len(stretched) + top > MOST_SUMS:
            return False
        sums = np.zeros(len(stretched) + top, dtype=bool)
        for step in steps:
            sums[step : step + len(stretched)] |= stretched
        if sums.all():
            return True
    return False


def _in_steps(gains: Collection[Fraction]) -> Sequence[int]:
    """Gains above the lowest one, ascending, as whole numbers without a common factor."""
    above = sorted({gain - min(gains) for gain in gains})
    common = math.lcm(*(gain.denominator for gain in above))
    whole = [int(gain * common) for gain in above]
    factor = math.gcd(*whole)
    return [number // factor for number in whole]
