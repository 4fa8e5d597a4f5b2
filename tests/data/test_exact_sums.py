"""Exact sums against Python's fractions, however the numbers are split and ordered."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.data.exact_sums import ExactSums, nearest, pieces, rounded_sums

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SHARES = st.floats(0, 1)


def rounded(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def exact(values: list[float]) -> float:
    return rounded(sum(map(Fraction, values), Fraction(0)))


@given(st.lists(FINITE | SHARES, max_size=30))
def test_sums_are_those_of_fractions(values: list[float]) -> None:
    assert float(rounded_sums(np.array(values, dtype=np.float64))) == exact(values)
    assert float(ExactSums.of(np.array(values, dtype=np.float64)).rounded()) == exact(values)


@given(st.lists(FINITE | SHARES, min_size=1, max_size=30), st.data())
def test_any_split_in_any_order_gives_the_same_sum(values: list[float], data: st.DataObject) -> None:
    order = data.draw(st.permutations(values))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=4)))
    parts = [order[start:end] for start, end in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    sums = [ExactSums.of(np.array(part, dtype=np.float64)) for part in parts]
    whole = ExactSums.of(np.array(values))
    assert sum(sums, ExactSums.zeros(())) == whole
    assert sum(reversed(sums), ExactSums.zeros(())) == whole


@given(st.lists(FINITE, min_size=1, max_size=8), st.integers(3, 40))
def test_pieces_add_up_to_the_numbers(values: list[float], bits: int) -> None:
    total = [Fraction(0)] * len(values)
    for whole, unit in pieces(np.array(values), bits):
        assert np.abs(whole).max() <= 2**bits
        total = [sum_ + Fraction(one) * Fraction(2) ** unit for sum_, one in zip(total, whole.tolist(), strict=True)]
    assert total == list(map(Fraction, values))


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**12), st.integers(-1200, 300))
def test_quotients_are_rounded_once(numerator: int, divisor: int, unit: int) -> None:
    assert nearest(numerator, divisor, unit) == rounded(Fraction(numerator, divisor) * Fraction(2) ** unit)


def test_infinite_terms_are_those_of_any_sum() -> None:
    inf, nan = math.inf, math.nan
    rows = np.array([[1.0, inf], [inf, -inf], [-inf, 2.0], [nan, 1.0], [0.5, 0.25]])
    assert rounded_sums(rows).tolist()[:1] == [inf]
    assert np.array_equal(rounded_sums(rows), [inf, nan, -inf, nan, 0.75], equal_nan=True)
    assert rounded_sums(np.full((1, 3), 1e308)).tolist() == [inf]
    assert rounded_sums(np.array([1e308, 1e308, -1e308])).tolist() == 1e308


def test_the_mean_of_many_numbers_is_that_of_fsum() -> None:
    values = np.random.default_rng(1).random((2, 3_000)) * 10.0 ** np.arange(-1_500, 1_500).clip(-300, 300)
    assert rounded_sums(values).tolist() == [math.fsum(row) for row in values.tolist()]


def test_shapes_are_kept() -> None:
    assert rounded_sums(np.zeros((3, 2, 0))).shape == rounded_sums(np.ones((3, 2, 5))).shape == (3, 2)
    assert ExactSums.of(np.ones((3, 2, 5)))[1].rounded().tolist() == [5.0, 5.0]
    assert ExactSums.of(np.ones(2)) != ExactSums.of(np.ones((1, 2)))
    assert ExactSums.of(np.ones(2)).over(3) == pytest.approx(2 / 3, abs=0)
