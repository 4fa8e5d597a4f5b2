"""The structure of a measure's values for given gains and depth: groups of ranks, possible ties, how values add up."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rankscale.measures.base.structure import Geometric, Logarithms, PlainStructure
from rankscale.scales.counting.groups import RankGroup, by_powers, by_roots
from rankscale.scales.counting.halves import SumOfCounts
from rankscale.scales.counting.lexicographic import is_lexicographic, largest_lexicographic
from rankscale.scales.counting.rbp_ties import ties_possible
from rankscale.scales.question import Question


@dataclass(frozen=True)
class Roots:
    """A sum of gains discounted by a logarithm."""

    groups: tuple[RankGroup, ...]
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
    def groups(self) -> tuple[RankGroup, ...]:
        """One group for each rank; valid only where no two rankings tie."""
        return by_powers(self.depth, self.p, self.gains)


CountingStructure = PlainStructure | Roots | Powers


def structure(question: Question) -> CountingStructure:
    """The structure of the values of a question's measure over rankings of its length."""
    match question.measure.structure(question.depth):
        case Logarithms(base, shift):
            return Roots(by_roots(question.depth, base, question.gains, shift), base, shift)
        case Geometric(p):
            return Powers(p, question.gains, question.depth)
        case known:
            return known


def blended(question: Question, beta: Fraction) -> SumOfCounts:
    """How the values of a question about Q add up: each relevant rank i adds (c + beta g) / ((i + beta G) RB).

    c are the relevant documents so far, g their gain with that of all others, G the gain of the ideal ranking.
    """
    measure, counts = question.measure, question.counts_by_level
    gain_of = [measure.exact_gain(level, question.highest) for level in question.levels]
    relevant = [level >= (measure.threshold or 1) for level in question.levels]
    ideal, best = Fraction(0), sorted((gain for gain, n in zip(gain_of, counts, strict=True) for _ in range(n)))
    weights = []
    for rank in range(1, question.depth + 1):
        ideal += max(best.pop(), Fraction(0)) if best else 0
        weights.append(1 / ((rank + beta * ideal) * question.recall_base))
    worth = {
        own: (Fraction(here) + beta * gain, Fraction(here))
        for own, here, gain in zip(question.per_level, relevant, gain_of, strict=True)
    }
    worth[question.unjudged] = Fraction(0), Fraction(0)
    counted, parts = zip(*(worth[own] for own in question.gains), strict=True)
    return SumOfCounts(_columns(counted), _columns(parts), tuple(weights), measure.name)


def _columns(numbers: tuple[Fraction, ...]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple((number,) for number in numbers)
