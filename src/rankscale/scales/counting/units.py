"""Units of weights: real numbers that can be computed to any precision."""

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache

DIGITS_PER_BIT = math.log10(2)
GUARD_DIGITS = 30  # more than a handful of rounding steps can touch


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
