"""What is known of a measure's values: the shape that decides how they are counted."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from rankscale.measures.ap import AP
from rankscale.measures.base.discounted import Discounted
from rankscale.measures.base.measure import Measure
from rankscale.measures.cg import CG
from rankscale.measures.dcg import DCG
from rankscale.measures.err import ERR
from rankscale.measures.f import F
from rankscale.measures.gmap import GMAP
from rankscale.measures.gp import gP
from rankscale.measures.gr import gR
from rankscale.measures.grbp import gRBP
from rankscale.measures.insq import INSQ
from rankscale.measures.ncg import nCG
from rankscale.measures.ndcg import nDCG
from rankscale.measures.p import P
from rankscale.measures.r import R
from rankscale.measures.rbp import RBP
from rankscale.measures.rprec import Rprec
from rankscale.measures.rr import RR
from rankscale.measures.sdcg import SDCG
from rankscale.measures.sp import SP
from rankscale.measures.success import Success
from rankscale.measures.twist import Twist
from rankscale.scales.counting.groups import Group, by_powers, by_roots
from rankscale.scales.counting.lexicographic import is_lexicographic, largest_lexicographic
from rankscale.scales.counting.rbp_automaton import ties_possible
from rankscale.scales.exact_gains import as_written
from rankscale.scales.question import Question


@dataclass(frozen=True)
class Sums:
    """The value grows with the sum of gains."""


@dataclass(frozen=True)
class FirstRelevant:
    """The value falls with the rank of the first relevant document."""


@dataclass(frozen=True)
class AnyRelevant:
    """The value says whether any document is relevant."""


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
        """The largest p for which that is so."""
        return largest_lexicographic(self.gains)

    @cached_property
    def tied(self) -> bool:
        """Whether two rankings may have the same value."""
        return ties_possible(self.p, self.gains, self.depth)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Ranks, each for itself; only right where no two rankings tie."""
        return by_powers(self.depth, self.p, self.gains)


@dataclass(frozen=True)
class Weights:
    """A sum of gains with rational weights, about whose ties nothing is known beforehand."""

    weights: tuple[Fraction, ...]


@dataclass(frozen=True)
class Precisions:
    """The sum of precisions at relevant documents."""


@dataclass(frozen=True)
class Stopping:
    """Reciprocal ranks, weighted by who stops there; gains are the probabilities of stopping."""


@dataclass(frozen=True)
class Twisted:
    """A function of the balance point and of forward and backward space."""


@dataclass(frozen=True)
class Unknown:
    """Nothing is known: every ranking is measured."""


Structure = Sums | FirstRelevant | AnyRelevant | Roots | Powers | Weights | Precisions | Stopping | Twisted | Unknown


def structure(question: Question) -> Structure:
    """What is known of the values of a measure."""
    of_measure = KNOWN.get(type(question.measure))
    return of_measure(question.measure, question) if of_measure else Unknown()


def has_structure(measure: type) -> bool:
    """Whether anything is known of a measure's values over all rankings: gains are then all that matters of grades."""
    return measure in KNOWN and measure is not Twist


def _summed(measure: Measure, question: Question) -> Structure:  # noqa: ARG001  # as all of these are asked
    return Sums()


def _discounted(measure: Discounted, question: Question) -> Structure:
    if measure.discount == "none":
        return Sums()
    if measure.discount == "rank":
        return Weights(tuple(Fraction(1, rank) for rank in range(1, question.depth + 1)))
    if measure.base is None:
        return _by_logarithm(measure, question)
    base = as_written(measure.base)
    return Sums() if question.depth <= base else Roots(by_roots(question.depth, base, question.gains), base, shift=0)


def _by_logarithm(measure: Measure, question: Question) -> Structure:  # noqa: ARG001
    """Discounted by log2(rank + 1)."""
    return Roots(by_roots(question.depth, Fraction(2), question.gains, shift=1), Fraction(2), shift=1)


def _persistent(measure: RBP, question: Question) -> Structure:
    if measure.conditional:
        return Unknown()
    if measure.p == 0:  # only the first document is looked at
        return Weights((Fraction(1),) + (Fraction(0),) * (question.depth - 1))
    return Powers(as_written(measure.p), question.gains, question.depth)


def _patient(measure: INSQ, question: Question) -> Structure:
    place = 2 * as_written(measure.T) - 1
    return Weights(tuple(1 / (rank + place) ** 2 for rank in range(1, question.depth + 1)))


def _first_relevant(measure: RR, question: Question) -> Structure:  # noqa: ARG001
    return FirstRelevant() if measure.n == 1 else Unknown()


KNOWN: dict[type, Callable[[Any, Question], Structure]] = {
    **dict.fromkeys((P, R, F, Rprec, CG, nCG, gP, gR), _summed),
    **dict.fromkeys((DCG, nDCG), _discounted),
    **dict.fromkeys((RBP, gRBP), _persistent),
    **dict.fromkeys((AP, GMAP, SP), lambda *_: Precisions()),
    SDCG: _by_logarithm,
    INSQ: _patient,
    RR: _first_relevant,
    Success: lambda *_: AnyRelevant(),
    ERR: lambda *_: Stopping(),
    Twist: lambda *_: Twisted(),
}
