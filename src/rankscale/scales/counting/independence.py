"""Where it is proven that values of discounted gain tie only within groups of ranks (docs/independence.md)."""

import math
from fractions import Fraction

from rankscale.scales.counting.groups import by_roots

ASSUMPTION = "assumes Schanuel's conjecture"  # what ties rest on where they are not proven

# Roots to the first number have no relation with whole coefficients up to the second, shown by
# tools/prove_independence.py; the bounds of the page's table, rounded down to a power of ten.
CERTIFICATES = ((30, 10**14), (64, 10**12), (101, 10**12))


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
            return largest * _common_multiple(greatest_root) <= bound
    return False


def _whole_difference(gains: tuple[Fraction, ...]) -> int:
    """The greatest difference of gains, as a multiple of the greatest step that all differences are multiples of."""
    denominator = math.lcm(*(gain.denominator for gain in gains))
    differences = [int((gain - gains[0]) * denominator) for gain in gains]
    return max(differences) // max(math.gcd(*differences), 1)


def _common_multiple(greatest: int) -> int:
    """A multiple of every exponent that a power up to the greatest number can have."""
    return math.lcm(*range(1, greatest.bit_length()))
