"""Parameters and gains that are fractions: exact, in text and in Python, against plain enumeration in fractions."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse

THIRD = Fraction(1, 3)


def rank_biased(p: Fraction, gains: list[Fraction], depth: int) -> list[Fraction]:
    return sorted({sum((g * p**i for i, g in enumerate(row)), Fraction(0)) for row in product(gains, repeat=depth)})


def test_rbp_with_two_thirds_has_1394_values() -> None:
    """By brute force: gains 0, 1/3, 2/3, 1 and six ranks."""
    gains = [Fraction(grade, 3) for grade in range(4)]
    image = rank_biased(Fraction(2, 3), gains, 6)
    assert len(image) == 1394
    in_text = rs.scale("RBP(p=2/3,gains='linear')@6", levels=[0, 1, 2, 3])
    in_python = rs.scale(rs.RBP(p=Fraction(2, 3), depth=6, gains="linear"), levels=[0, 1, 2, 3])
    listed = rs.scale("RBP(p=2/3,gains=[0,1/3,2/3,1])@6", levels=[0, 1, 2, 3])
    for scale in (in_text, in_python, listed):
        assert scale.size == 1394
        for row in list(product(range(4), repeat=6))[::97]:
            value = sum((gains[grade] * Fraction(2, 3) ** i for i, grade in enumerate(row)), Fraction(0))
            assert scale.rank(row) == image.index(value) + 1


def test_a_long_decimal_is_what_is_written_and_says_so() -> None:
    """0.6666666666666666 is no 2/3, and has no ties: 4^6 values."""
    scale = rs.scale(rs.RBP(p=2 / 3, depth=6, gains="linear"), levels=[0, 1, 2, 3])
    assert scale.size == 4096
    assert "0.6666666666666666 is taken as this decimal; for 2/3 write 2/3, or Fraction('2/3') in Python" in scale.notes
    assert not any("taken as this decimal" in note for note in rs.scale("RBP(p=2/3)@6").notes)
    assert not any("taken as this decimal" in note for note in rs.scale("RBP(p=0.8)@6").notes)


@pytest.mark.parametrize(
    "measure",
    [
        "DCG(base=2,gains=[0,1/3,1])@6",
        "DCG(base=2,gains={1:1/3,2:1})@6",
        rs.DCG(base=2, gains=(0, THIRD, 1), depth=6),
        rs.DCG(base=2, gains=((1, THIRD), (2, 1)), depth=6),
    ],
    ids=str,
)
def test_gains_that_are_fractions(measure) -> None:
    """Values of DCG to 60 digits: those that differ by less than 1e-50 are equal."""
    with localcontext(Context(prec=60)):
        weight = [Decimal(2).ln() / Decimal(max(rank, 2)).ln() for rank in range(1, 7)]
        gains = [Decimal(0), Decimal(1) / 3, Decimal(1)]
        values = {
            Decimal(sum(w * gains[g] for w, g in zip(weight, row, strict=True))).quantize(Decimal(10) ** -50)
            for row in product(range(3), repeat=6)
        }
    scale = rs.scale(measure, levels=[0, 1, 2])
    assert scale.size == len(values) == 378


def test_fractions_have_one_spelling() -> None:
    assert parse("DCG(gains=[0,2/4,1])") == parse("DCG(gains=[0,0.5,1])")
    assert str(parse("DCG(gains=[0,2/6,1])@3")) == "DCG(gains=[0,1/3,1])@3"
    assert parse(str(parse("DCG(gains={1:1/3})"))) == parse("DCG(gains={1:2/6})")
    assert parse("RBP(p=2/3)").p == Fraction(2, 3)  # type: ignore[attr-defined]
    assert parse("RBP(p=1/2)") == parse("RBP(p=0.5)")
    assert parse("F(beta=1/2)@5") == parse("F(beta=0.5)@5")
    (value,) = parse("DCG(base=2,gains=[0,1/3,1])@3").value(judged("1 2 1"))
    assert value == pytest.approx(1 / 3 + 1 + 1 / 3 / np.log2(3), rel=1e-15)


@pytest.mark.parametrize("text", ["DCG(gains=[0,1/0])", "DCG(gains=[0,1/x])", "RBP(p=1/0)", "DCG(gains={1:'a'/2})"])
def test_what_is_no_fraction_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        parse(text)


@pytest.mark.parametrize("beta", ["1/2", "2/3", "3"])
def test_f_with_any_beta_counts_relevant_documents(beta: str) -> None:
    """(1 + b^2) r / (N + b^2 RB) grows with r alone: N + 1 values, equally spaced."""
    scale = rs.scale(f"F(beta={beta})@6", counts=4)
    assert (scale.size, scale.rank([1, 0, 1]), scale.rank([0, 0, 0, 1])) == (7, 3, 2)
    assert scale.spacing is not None
    assert scale.spacing.equal


@pytest.mark.parametrize(("highest", "p"), [(1, "1/2"), (2, "1/3"), (3, "1/4")])
def test_grbp_is_an_interval_scale_where_p_is_g_over_g_plus_1(highest: int, p: str) -> None:
    """G is the gap of consecutive gains scaled to 1: 1 / highest. Steps are equal there, and at no other p tried."""
    gains = [Fraction(grade, highest) for grade in range(highest + 1)]
    levels = tuple(range(highest + 1))
    gap = Fraction(1, highest)
    assert Fraction(p) == gap / (gap + 1)
    image = rank_biased(Fraction(p), gains, 4)
    steps = {after - before for before, after in pairwise(image)}
    assert len(steps) == 1
    scale = rs.scale(f"gRBP(p={p})@4", levels=levels)
    assert scale.size == len(image) == (highest + 1) ** 4
    assert parse(f"gRBP(p={p})@4").scale_type(levels) == "interval"
    for other in ("2/5", "3/5", "2/7"):
        assert parse(f"gRBP(p={other})@4").scale_type(levels) == "ordinal"
        image = rank_biased(Fraction(other), gains, 4)
        assert len({after - before for before, after in pairwise(image)}) > 1
