"""The Hodges-Lehmann estimate: the worked value, all averages listed, and scipy's signed rank test turned round."""

import math

import numpy as np
import pytest
from scipy import stats

from rankscale.errors import ParameterError
from rankscale.stats.resampling import order_statistics as walsh
from rankscale.stats.resampling.order_statistics import hodges_lehmann, signed_rank_place

BASE = np.array([0.42, 0.31, 0.55, 0.20, 0.68, 0.47, 0.36, 0.59])
CANDIDATE = np.array([0.40, 0.33, 0.54, 0.19, 0.66, 0.48, 0.33, 0.59])


def test_worked_value() -> None:
    result = hodges_lehmann(CANDIDATE - BASE)
    assert (result.estimate, result.lower, result.upper) == pytest.approx((-0.01, -0.02, 0.01), abs=1e-15)
    assert result.coverage == pytest.approx(0.960938, abs=5e-7)
    assert result.exact


@pytest.mark.parametrize("count", [1, 2, 7, 20, 61])
def test_the_estimate_is_the_median_of_all_averages(count: int) -> None:
    differences = np.random.default_rng(count).normal(size=count)
    averages = sorted((differences[i] + differences[j]) / 2 for i in range(count) for j in range(i, count))
    assert hodges_lehmann(differences).estimate == pytest.approx(np.median(averages), abs=1e-14)
    c, _ = signed_rank_place(count, 0.95)
    result = hodges_lehmann(differences)
    if c:
        assert (result.lower, result.upper) == pytest.approx((averages[c - 1], averages[-c]), abs=1e-14)
    else:
        assert math.isnan(result.lower)


@pytest.mark.parametrize("count", [6, 9, 25, 50])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_holds_what_scipy_does_not_reject(count: int, confidence: float) -> None:
    differences = np.random.default_rng(count).normal(0.2, 1, count)
    result = hodges_lehmann(differences, confidence)
    step = 1e-9

    def p(shift: float) -> float:
        return float(stats.wilcoxon(differences - shift, method="exact").pvalue)

    assert p(result.lower - step) <= 1 - confidence < p(result.lower + step)
    assert p(result.upper + step) <= 1 - confidence < p(result.upper - step)
    assert result.coverage == pytest.approx(1 - p(result.lower - step), abs=1e-12)
    assert result.exact


def test_beyond_fifty_topics_the_place_is_that_of_the_normal_approximation() -> None:
    assert not hodges_lehmann(np.arange(51.0)).exact
    count = 51
    c, coverage = signed_rank_place(count, 0.95)
    middle, deviation = count * (count + 1) / 4, math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
    tail = 2 * stats.norm.cdf((c - 1 - middle) / deviation)
    assert tail <= 0.05 < 2 * stats.norm.cdf((c - middle) / deviation)
    assert coverage == pytest.approx(1 - tail, rel=1e-12)


def test_many_topics_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = np.random.default_rng(3).normal(size=60)
    listed = hodges_lehmann(differences)
    monkeypatch.setattr(walsh, "DIRECT", 10)
    searched = hodges_lehmann(differences)
    assert (searched.estimate, searched.lower, searched.upper) == pytest.approx(
        (listed.estimate, listed.lower, listed.upper), abs=1e-14
    )


def test_undefined_differences_are_left_out_and_infinite_ones_have_no_estimate() -> None:
    with_gap = np.insert(CANDIDATE - BASE, 3, np.nan)
    assert hodges_lehmann(with_gap) == hodges_lehmann(CANDIDATE - BASE)
    assert math.isnan(hodges_lehmann(np.array([0.1, np.inf])).estimate)
    assert math.isnan(hodges_lehmann(np.zeros(0)).estimate)


def test_confidence_beyond_its_limits() -> None:
    with pytest.raises(ParameterError, match="is usual"):
        hodges_lehmann(BASE, 1.5)
