"""Kendall's tau-b against scipy, with ties, constant sides and infinities."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscale.stats.correlation.rank_correlations import tau_b

NUMBERS = st.sampled_from([-math.inf, -1.0, 0.0, 0.25, 0.5, 1.0, 3.0, math.inf])


def scipy_tau(x: object, y: object) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(stats.kendalltau(x, y).statistic)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=30))
def test_ties_and_infinities_as_scipy_has_them(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    np.testing.assert_allclose(tau_b(x, y), scipy_tau(x, y), rtol=0, atol=1e-14)


@pytest.mark.parametrize("length", [2, 3, 10, 129])
@pytest.mark.parametrize("kinds", [2, 5, 1000])
def test_many_at_once(length: int, kinds: int) -> None:
    draw = np.random.default_rng(length * kinds)
    x, y = draw.integers(0, kinds, (2, 4, 5, length)).astype(float)
    found = tau_b(x, y)
    assert found.shape == (4, 5)
    for place in np.ndindex(4, 5):
        np.testing.assert_allclose(found[place], scipy_tau(x[place], y[place]), rtol=0, atol=1e-14)


def test_one_side_is_compared_with_each_row_of_the_other() -> None:
    draw = np.random.default_rng(1)
    x, y = draw.normal(size=20), draw.normal(size=(3, 20))
    np.testing.assert_allclose(tau_b(x, y), [scipy_tau(x, row) for row in y], rtol=0, atol=1e-14)


def test_by_hand() -> None:
    rising = np.arange(5.0)
    assert tau_b(rising, rising) == 1
    assert tau_b(rising, -rising) == -1
    # four pairs agree, one does not, x ties one: 3 / sqrt(5 * 6)
    assert tau_b(np.array([1.0, 1, 2, 3]), np.array([1.0, 2, 4, 3])) == pytest.approx(3 / math.sqrt(30), abs=1e-15)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]),
        ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]),
        ([2.0, 2.0], [2.0, 2.0]),
        ([math.inf, math.inf], [1.0, 2.0]),
        ([1.0], [1.0]),
        ([], []),
        ([1.0, math.nan, 2.0], [1.0, 2.0, 3.0]),
        ([1.0, 2.0, 3.0], [1.0, 2.0, math.nan]),
    ],
)
def test_there_is_none_where_a_side_is_constant_or_undefined(x: list[float], y: list[float]) -> None:
    assert math.isnan(tau_b(np.array(x), np.array(y)))


def test_many_runs_do_not_overflow() -> None:
    x = np.repeat([0.0, 1.0], 3000)
    assert tau_b(x, x) == 1
