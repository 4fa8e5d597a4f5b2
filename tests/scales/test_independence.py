"""What is proven about ties of discounted gain, and whether the page says no more than its numbers."""

import math
import re
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import pytest

from rankscale.scales.counting.groups import CERTIFICATES, by_roots, proven

BINARY = (Fraction(0), Fraction(1))
PAGE = Path(__file__).parents[2] / "docs" / "independence.md"


def table() -> list[list[float]]:
    """The rows of the page: N, n, P, least norm, B, seconds."""
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| (\S+) \| (\S+) \| (\d+) \|$", PAGE.read_text(), re.MULTILINE)
    return [[float(entry) for entry in row] for row in rows]


def test_the_page_has_a_row_for_every_certificate():
    assert [row[0] for row in table()] == [n for n, _ in CERTIFICATES]


def test_the_page_proves_what_the_code_relies_on():
    for (n, numbers, bits, shortest, bound, _), (_, used) in zip(table(), CERTIFICATES, strict=True):
        assert used <= bound
        assert bound * math.sqrt(numbers + numbers**2) <= shortest * 1.01  # both are printed with three digits
        roots = [c for c in range(2, int(n) + 1) if not any(round(c ** (1 / k)) ** k == c for k in range(2, 8))]
        assert numbers == len(roots) + 1
        assert bits > numbers * math.log2(bound)  # or short relations would be met by chance


@pytest.mark.parametrize("base", [2, 3, 4, 10, 64, 81, 97, 100])
def test_whole_bases_are_proven_to_depth_100(base):
    assert proven(100, Fraction(base), BINARY)
    assert proven(100, Fraction(base), BINARY, shift=1)
    assert proven(100, Fraction(base), tuple(map(Fraction, (0, 1, 10, 1000))))


def test_what_is_not_proven():
    assert proven(101, Fraction(2), BINARY)
    assert not proven(101, Fraction(2), BINARY, shift=1)
    assert not proven(102, Fraction(2), BINARY)
    assert not proven(1000, Fraction(10), BINARY)
    assert not proven(30, Fraction(5, 2), BINARY)
    assert not proven(30, Fraction(2), (Fraction(0), Fraction(1), Fraction(10**14)))


def test_one_or_two_groups_need_no_certificate():
    assert proven(1000, Fraction(1000), BINARY)
    assert proven(1000, Fraction(2000), BINARY)
    assert proven(1001, Fraction(1000), BINARY)
    assert proven(3, Fraction(5, 2), BINARY)
    assert proven(4, Fraction(2), (Fraction(0), Fraction(1), Fraction(10**30)))


def test_steps_of_gains_count_not_their_size():
    assert proven(100, Fraction(2), (Fraction(0), Fraction(10**40), Fraction(3 * 10**40)))
    assert proven(100, Fraction(2), (Fraction(10**40), Fraction(10**40 + 1)))
    assert proven(100, Fraction(2), (Fraction(0), Fraction(1, 3), Fraction(1, 2)))
    assert proven(100, Fraction(2), (Fraction(7),))


@pytest.mark.parametrize(
    ("depth", "base", "gains", "shift"),
    [
        (16, 2, (0, 1), 0),
        (16, 2, (0, 1), 1),
        (16, 4, (0, 1), 0),
        (15, 10, (0, 1), 0),
        (8, 2, (0, 1, 2, 3), 0),
        (8, 2, (0, 1, 3, 7), 1),
    ],
)
def test_groups_tell_apart_what_digits_tell_apart(depth, base, gains, shift):
    """Among all rankings: values that agree to 50 digits are as many as the groups say, and others differ early."""
    groups = by_roots(depth, Fraction(base), tuple(map(Fraction, gains)), shift)
    assert proven(depth, Fraction(base), tuple(map(Fraction, gains)), shift)
    with localcontext(Context(prec=80)):
        log = Decimal(base).ln()
        weights = [
            Decimal(1) if rank + shift <= base else log / Decimal(rank + shift).ln() for rank in range(1, depth + 1)
        ]
        sums = [0]
        for weight in weights:
            parts = [int((weight * gain).scaleb(60)) for gain in gains]
            sums = [value + part for value in sums for part in parts]
    sums.sort()
    gaps = [after - before for before, after in pairwise(sums)]
    same = [gap for gap in gaps if gap < 10**5]
    assert min(gap for gap in gaps if gap >= 10**5) > 10**40  # nothing between rounding and true differences
    assert len(sums) - len(same) == math.prod(group.size for group in groups)


def test_no_small_relation_of_few_roots():
    """Plain search: no whole numbers to 6 relate 1 / ln 2, 1 / ln 3, 1 / ln 5 and 1."""
    with localcontext(Context(prec=40)):
        numbers = [Decimal(1), *(1 / Decimal(c).ln() for c in (2, 3, 5))]
        least = min(
            abs(sum((a * x for a, x in zip(some, numbers, strict=True)), Decimal(0)))
            for some in product(range(-6, 7), repeat=4)
            if any(some)
        )
    assert least > Decimal("1e-6")
