"""Values of p that exact arithmetic is possible with: fractions, and reciprocals of roots of polynomials."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

from rankscale.errors import ScaleError

State = tuple[int, ...]  # an exact number: one whole number, or one for each power of 1/p


class Base(ABC):
    """A p that exact arithmetic is possible with. Sums over n ranks are in parts of a unit that n decides."""

    @property
    @abstractmethod
    def zero(self) -> State:
        """Nothing."""

    @abstractmethod
    def carried(self, state: State) -> State | None:
        """A state divided by p; None where it can then never come back to 0."""

    @abstractmethod
    def prepend(self, gain: int, rest: State, length: int) -> State:
        """The sum over a gain and `length` ranks after it."""

    @abstractmethod
    def scaled(self, state: State, bits: int) -> int:
        """2^bits times what a state amounts to, but for an error."""

    def error(self, state: State, bits: int) -> int:  # noqa: ARG002
        """How far off that may be."""
        return 0

    @abstractmethod
    def power(self, exponent: int, bits: int) -> Fraction:
        """A power of p, to within a tiny part of 2^-bits."""

    @abstractmethod
    def value(self, total: State, length: int) -> Fraction:
        """What a sum over so many ranks stands for, to within a tiny part of it."""

    def in_order(self, sums: Iterable[State]) -> list[State]:
        """Distinct sums over equally many ranks, ascending: bits are added until no two are too near to tell."""
        sums, bits = list(sums), 64
        while True:
            placed = sorted((self.scaled(state, bits), state) for state in sums)
            error = max((self.error(state, bits) for state in sums), default=0)
            if all(after[0] - before[0] > 2 * error for before, after in pairwise(placed)):
                return [state for _, state in placed]
            bits *= 2

    def sign(self, differences: Sequence[int]) -> int:
        """The sign of the sum of differences of whole gains, times powers of p."""
        total = self.zero
        for length, difference in enumerate(reversed(differences)):
            total = self.prepend(difference, total, length)
        if total == self.zero:
            return 0
        return 1 if self.in_order([total, self.zero])[0] == self.zero else -1


@dataclass(frozen=True)
class RationalBase(Base):
    """p as a fraction. Sums over n ranks are whole numbers, in parts of denominator^-(n-1)."""

    p: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.p < 1:
            raise ScaleError(f"RBP: p must lie strictly between 0 and 1, got {self.p}; p = 0 is the gain at depth 1")

    @property
    def zero(self) -> State:
        """One whole number."""
        return (0,)

    def carried(self, state: State) -> State | None:
        """What is not a whole number once it is divided will never be one again: p is in lowest terms."""
        whole, rest = divmod(state[0], self.p.numerator)
        return None if rest else (whole * self.p.denominator,)

    def prepend(self, gain: int, rest: State, length: int) -> State:
        """Whole numbers."""
        return (gain * self.p.denominator**length + self.p.numerator * rest[0],)

    def scaled(self, state: State, bits: int) -> int:
        """Without an error."""
        return state[0] << bits

    def power(self, exponent: int, bits: int) -> Fraction:  # noqa: ARG002
        """Exact."""
        return self.p**exponent

    def value(self, total: State, length: int) -> Fraction:
        """Exact."""
        return Fraction(total[0], self.p.denominator ** max(length - 1, 0))

    def __str__(self) -> str:
        return str(self.p)


@dataclass(frozen=True)
class RootBase(Base):
    """p = 1/beta, beta > 1 the root of x^d = c_0 + c_1 x + ... + c_(d-1) x^(d-1), coefficients from c_0 on.

    They ascend from 1 or more (c_0 <= c_1 <= ...): then beta is a Pisot number and the polynomial has no factors
    (Brauer, On algebraic equations with all but one root in the interior of the unit circle, Mathematische Nachrichten
    4, 1951). So a whole combination of powers below beta^d is 0 only if all its coefficients are, and there are
    finitely many of a bounded size that come back to 0. Sums over n ranks are in parts of beta^-(n-1).

    >>> float(RootBase((1, 1)).power(1, bits=60))  # x^2 = 1 + x, the golden ratio
    0.6180339887498949
    """

    coefficients: tuple[int, ...]

    def __post_init__(self) -> None:
        ascending = list(self.coefficients) == sorted(self.coefficients)
        if not ascending or sum(self.coefficients) < 2 or self.coefficients[0] < 1:
            raise ScaleError(f"RBP: the coefficients of a root must be 1 or more and ascend, got {self.coefficients}")

    @property
    def zero(self) -> State:
        """Nothing of any power."""
        return (0,) * len(self.coefficients)

    def carried(self, state: State) -> State:
        """Powers move up, and beta^d is what the polynomial says."""
        moved = (0, *state[:-1])
        return tuple(x + c * state[-1] for x, c in zip(moved, self.coefficients, strict=True))

    def prepend(self, gain: int, rest: State, length: int) -> State:
        """Combinations of powers."""
        return tuple(x + gain * power for x, power in zip(rest, _power_of_root(self, length), strict=True))

    def scaled(self, state: State, bits: int) -> int:
        """From beta, rounded down."""
        beta = root(self.coefficients, bits)
        return sum(x * beta**i >> bits * (i - 1) if i else x << bits for i, x in enumerate(state))

    def error(self, state: State, bits: int) -> int:
        """Beta may be too low by 2^-bits, so powers of it by i (beta + 1)^(i-1) times that; each term is cut off."""
        above = (root(self.coefficients, bits) >> bits) + 2
        return sum(abs(x) * i * above ** max(i - 1, 0) + 1 for i, x in enumerate(state))

    def power(self, exponent: int, bits: int) -> Fraction:
        """From beta, with bits to spare."""
        bits += 80
        return Fraction(1 << bits, root(self.coefficients, bits)) ** exponent

    def value(self, total: State, length: int) -> Fraction:
        """Rounded: for show."""
        return Fraction(self.scaled(total, 256), 1 << 256) * self.power(max(length - 1, 0), 256)

    def __str__(self) -> str:
        return f"{float(self.power(1, 64)):.6g}..."


@cache
def root(coefficients: tuple[int, ...], bits: int) -> int:
    """2^bits times the only positive root of the polynomial, rounded down: it is negative below, positive above."""
    low, high, degree = 1 << bits, (1 + max(coefficients)) << bits, len(coefficients)
    while high - low > 1:
        middle = (low + high) // 2
        lower_terms = sum(c * middle**i << bits * (degree - i) for i, c in enumerate(coefficients))
        low, high = (middle, high) if middle**degree <= lower_terms else (low, middle)
    return low


@cache
def _power_of_root(base: RootBase, exponent: int) -> State:
    if exponent == 0:
        return (1, *base.zero[1:])
    return base.carried(_power_of_root(base, exponent - 1))
