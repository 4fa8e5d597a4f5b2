"""Quantiles, medians and their intervals: worked values, numpy, scipy, all draws, and the law of ordinal scales."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankscale.errors import ParameterError
from rankscale.stats.resampling.order_statistics import (
    best_first,
    bootstrap_interval,
    bootstrap_shares,
    interpolated_quantile,
    median,
    place,
    quantile,
    sign_interval,
    sign_test_place,
)

TEN = np.array([0.05, 0.1, 0.1, 0.2, 0.3, 0.4, 0.4, 0.6, 0.7, 1.0])
FIVE = np.array([0.12, 0.25, 0.31, 0.48, 0.90])

values = st.lists(st.integers(-8, 8), min_size=1, max_size=30).map(lambda some: np.array(some) / 8)
shares = st.integers(0, 64).map(lambda share: share / 64)  # doubles hold these as they are written


def test_worked_quantiles() -> None:
    assert [quantile(TEN, share) for share in (0, 0.1, 0.25, 0.7, 0.9, 1)] == [0.05, 0.05, 0.1, 0.4, 0.7, 1.0]
    assert [interpolated_quantile(TEN, share) for share in (0.1, 0.25, 0.7, 0.9)] == pytest.approx(
        [0.095, 0.125, 0.46, 0.73], abs=1e-15
    )
    assert median(TEN) == (0.3, 0.4)
    assert interpolated_quantile(TEN, 0.5) == pytest.approx(0.35, abs=1e-15)


def test_interpolated_medians_break_the_law_that_observed_ones_keep() -> None:
    assert interpolated_quantile(TEN**3, 0.5) == pytest.approx(0.0455, abs=1e-15)
    assert interpolated_quantile(TEN, 0.5) ** 3 == pytest.approx(0.042875, abs=1e-15)
    assert median(TEN**3) == (0.3**3, 0.4**3)


def test_shares_are_read_as_decimals() -> None:
    assert 100 * 0.07 > 7  # 7.000000000000001, whose next whole number is 8
    assert place(100, 0.07) == 7
    assert [place(10, share / 10) for share in range(1, 11)] == list(range(1, 11))


@given(values, shares)
@settings(max_examples=300)
def test_quantiles_are_those_of_numpy(some: np.ndarray, share: float) -> None:
    assert quantile(some, share) == np.quantile(some, share, method="inverted_cdf")
    assert interpolated_quantile(some, share) == np.quantile(some, share)


@given(values, shares)
@settings(max_examples=300)
def test_an_increasing_map_maps_quantiles_and_intervals_the_same_way(some: np.ndarray, share: float) -> None:
    def increasing(x: object) -> np.ndarray:
        mapped: np.ndarray = np.exp(3 * np.asarray(x)) - 7
        return mapped

    mapped = increasing(some)
    assert quantile(mapped, share) == increasing(quantile(some, share))
    assert median(mapped) == tuple(increasing(median(some)))
    assert bootstrap_interval(mapped, share) == tuple(increasing(bootstrap_interval(some, share)))
    before, after = sign_interval(some, 0.8), sign_interval(mapped, 0.8)
    np.testing.assert_array_equal([after.lower, after.upper], increasing([before.lower, before.upper]))
    np.testing.assert_equal(after.coverage, before.coverage)


@given(values)
def test_the_lower_median_is_the_quantile_of_a_half(some: np.ndarray) -> None:
    assert median(some)[0] == quantile(some, 0.5)
    assert sum(median(some)) / 2 == pytest.approx(np.median(some), abs=1e-15)


def test_worked_sign_test_intervals() -> None:
    places = [sign_test_place(count, 0.95) for count in (6, 10, 20, 50, 100)]
    assert [c for c, _ in places] == [1, 2, 6, 18, 40]
    assert [round(coverage, 6) for _, coverage in places] == [0.968750, 0.978516, 0.958611, 0.967161, 0.964800]
    assert all(sign_test_place(count, 0.95)[0] == 0 for count in range(6))
    interval = sign_interval(TEN)
    assert (interval.lower, interval.upper, round(interval.coverage, 6)) == (0.1, 0.7, 0.978516)
    assert math.isnan(sign_interval(FIVE).lower)


def test_an_interval_may_have_exactly_the_confidence_requested() -> None:
    assert sign_test_place(2, 0.5) == (1, 0.5)
    assert sign_test_place(6, 0.96875) == (1, 0.96875)


@pytest.mark.parametrize("count", [6, 7, 10, 33, 50, 101])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_sign_test_intervals_are_those_of_scipy(count: int, confidence: float) -> None:
    some = np.sort(np.random.default_rng(count).random(count))
    expected = stats.quantile_test(some, q=0, p=0.5).confidence_interval(confidence)
    interval = sign_interval(some, confidence)
    np.testing.assert_array_equal([interval.lower, interval.upper], [expected.low, expected.high])


@pytest.mark.parametrize("count", range(1, 30))
def test_coverage_is_that_of_the_binomial_distribution(count: int) -> None:
    c, coverage = sign_test_place(count, 0.9)
    fits = [k for k in range(1, count // 2 + 1) if 2 * stats.binom.cdf(k - 1, count, 0.5) <= 0.1 + 1e-12]
    assert c == max(fits, default=0)
    if c:
        assert coverage == pytest.approx(1 - 2 * stats.binom.cdf(c - 1, count, 0.5), rel=1e-12)


def test_worked_bootstrap() -> None:
    assert bootstrap_shares(5, 0.5) == pytest.approx([0.05792, 0.31744, 0.68256, 0.94208, 1], abs=1e-14)
    assert bootstrap_interval(TEN, 0.5) == (0.1, 0.6)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize(
    "some", [FIVE, np.array([0.2, 0.2, 0.5, 0.5, 0.9]), np.array([3.0, 1.0, 2.0]), np.array([0.4])]
)
def test_the_bootstrap_is_that_of_all_draws(some: np.ndarray, share: float) -> None:
    draws = np.sort([quantile(np.array(draw), share) for draw in itertools.product(some, repeat=len(some))])
    ordered = np.sort(some)
    last_of_ties = np.searchsorted(ordered, ordered, side="right") - 1
    expected = np.searchsorted(draws, ordered, side="right") / len(draws)
    np.testing.assert_allclose(bootstrap_shares(len(some), share)[last_of_ties], expected, rtol=0, atol=1e-14)
    for confidence in (0.5, 0.9):
        ends = [quantile(draws, (1 - confidence) / 2), quantile(draws, (1 + confidence) / 2)]
        assert list(bootstrap_interval(some, share, confidence)) == ends


def test_medians_in_order() -> None:
    lower, upper = np.array([0.2, 0.4, np.nan, 0.4]), np.array([0.9, 0.4, np.nan, 0.5])
    assert best_first(lower, upper, low_is_good=False).tolist() == [3, 1, 0, 2]
    assert best_first(lower, upper, low_is_good=True).tolist() == [0, 1, 3, 2]


def test_nothing_has_no_median() -> None:
    none = np.zeros(0)
    assert all(map(math.isnan, (*median(none), quantile(none, 0.5), *bootstrap_interval(none, 0.5))))


@pytest.mark.parametrize("share", [-0.1, 1.01, math.nan])
def test_shares_beyond_their_limits(share: float) -> None:
    with pytest.raises(ParameterError, match="a quantile lies between 0 and 1"):
        quantile(TEN, share)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_confidences_beyond_their_limits(confidence: float) -> None:
    with pytest.raises(ParameterError, match="is usual"):
        sign_interval(TEN, confidence)
