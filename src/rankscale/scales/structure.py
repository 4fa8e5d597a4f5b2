"""The structure of a measure's values for given gains and depth: independent groups of ranks, and possible ties."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rankscale.measures.base.structure import (
    AnyRelevant,
    Blended,
    FirstDifference,
    FirstRelevant,
    Geometric,
    GradedPrecisions,
    Logarithms,
    MixOfGains,
    Precisions,
    Stopping,
    Sums,
    Twisted,
    Unknown,
    Weights,
)
from rankscale.scales.counting.groups import Group, by_powers, by_roots
from rankscale.scales.counting.lexicographic import is_lexicographic, largest_lexicographic
from rankscale.scales.counting.rbp_automaton import ties_possible
from rankscale.scales.question import Question


@dataclass(frozen=True)
class Roots:
    """A sum of gains discounted by a logarithm."""

    groups: tuple[Group, ...]
    base: Fraction
    shift: int


@dataclass(frozen=True)
class Powers:
    """A sum of gains weighted by powers of p."""

    p: Fraction
    gains: tuple[Fraction, ...]
    depth: int

    @cached_property
    def lexicographic(self) -> bool:
        """Whether the first rank at which two rankings differ decides which is better."""
        return is_lexicographic(self.p, self.gains, self.depth)

    @property
    def lexicographic_limit(self) -> Fraction:
        """The largest p for which `lexicographic` holds at any depth."""
        return largest_lexicographic(self.gains)

    @cached_property
    def tied(self) -> bool:
        """Whether two rankings may have the same value."""
        return ties_possible(self.p, self.gains, self.depth)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """One group for each rank; valid only where no two rankings tie."""
        return by_powers(self.depth, self.p, self.gains)


Structure = (
    Sums
    | FirstRelevant
    | AnyRelevant
    | Roots
    | Powers
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


def structure(question: Question) -> Structure:
    """The structure of the values of a question's measure over rankings of its length."""
    match question.measure.structure(question.depth):
        case Logarithms(base, shift):
            return Roots(by_roots(question.depth, base, question.gains, shift), base, shift)
        case Geometric(p):
            return Powers(p, question.gains, question.depth)
        case known:
            return known
