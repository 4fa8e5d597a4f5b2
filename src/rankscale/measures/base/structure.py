"""The structure of a measure's values over all rankings of a length: what decides how they can be counted.

A measure names its structure (`Measure.structure`); counting itself is done in `rankscale.scales`.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal


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


class Sums:
    """The value grows with the sum of gains."""


class FirstRelevant:
    """The value falls with the rank of the first relevant document."""


class AnyRelevant:
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
class Weights:
    """A sum of gains with rational weights, one for each rank, about whose ties nothing else is known."""

    weights: tuple[Fraction, ...]


class Precisions:
    """The value grows with the sum of precisions at relevant documents."""


class GradedPrecisions:
    """The value grows with the sum, over ranks m <= n, of the lower of the gains at m and n, over n."""


@dataclass(frozen=True)
class Blended:
    """The sum, over relevant ranks, of documents and gain so far over rank and ideal gain; beta weighs the gain."""

    beta: Fraction


class Stopping:
    """Reciprocal ranks, weighted by how many users stop there; gains are the probabilities of stopping."""


@dataclass(frozen=True)
class Twisted:
    """A function of the balance point and of forward and backward space."""

    crossing: Literal["return", "literal", "positive"]


class MixOfGains:
    """How many documents of each gain there are decides: more of the highest first, then of the next."""


class FirstDifference:
    """The first rank at which two rankings differ decides: the higher gain there is better."""


class Unknown:
    """No structure is known: every ranking is measured."""


Structure = (
    Sums
    | FirstRelevant
    | AnyRelevant
    | Logarithms
    | Geometric
    | Weights
    | Precisions
    | GradedPrecisions
    | Blended
    | Stopping
    | Twisted
    | MixOfGains
    | FirstDifference
    | Unknown
)
UNKNOWN = Unknown()


def of_weights(weights: tuple[Fraction, ...] | None) -> Structure:
    """The structure of a sum of gains with these weights: equal ones only count gains."""
    if weights is None:
        return UNKNOWN
    return Sums() if len(set(weights)) == 1 and weights[0] > 0 else Weights(weights)
