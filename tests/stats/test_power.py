"""Topics and power against published numbers, simulation, and the laws between them."""

import csv
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankscale.errors import ParameterError
from rankscale.stats.power import OneWay, PairedTDesign, Variances, Width, variances


def test_published_sample_sizes() -> None:
    assert PairedTDesign(1.0).topics(0.5) == 34  # 33.37 in R's pwr
    assert PairedTDesign(1.0).topics(0.3) == 90  # 89.15 in statsmodels
    assert PairedTDesign(1.0).topics(0.2) == 199  # 198.15 in R's pwr
    # Cohen's f = 0.25 of five groups in R's pwr: 39.15 in each. f^2 = difference^2 / (2 * 5) for two ends and middles.
    assert OneWay(1.0, systems=5).topics(0.25 * sqrt(10)) == 40
    # Cohen's d = 0.5 of two groups: 63.77 in each
    assert OneWay(1.0, systems=2).topics(0.5) == 64


@pytest.mark.parametrize(("difference", "topics", "alpha"), [(0.3, 25, 0.05), (0.8, 10, 0.05), (0.5, 40, 0.01)])
def test_simulated_paired_t(difference: float, topics: int, alpha: float) -> None:
    draw, tried = np.random.default_rng(1), 20_000
    p = stats.ttest_1samp(draw.normal(difference, 1, (tried, topics)), 0, axis=1).pvalue
    held_within(np.mean(p < alpha), PairedTDesign(1.0, alpha).power(difference, topics), tried)


@pytest.mark.parametrize(("systems", "difference", "topics"), [(2, 0.6, 20), (3, 0.9, 15), (6, 0.8, 25)])
def test_simulated_one_way_with_the_others_in_the_middle(systems: int, difference: float, topics: int) -> None:
    draw, tried = np.random.default_rng(2), 10_000
    means = np.zeros(systems)
    means[[0, -1]] = -difference / 2, difference / 2
    values = draw.normal(size=(tried, topics, systems)) * 0.3 + means * 0.3
    p = stats.f_oneway(*np.moveaxis(values, -1, 0), axis=1).pvalue
    held_within(np.mean(p < 0.05), OneWay(0.09, systems=systems).power(0.3 * difference, topics), tried)


@pytest.mark.parametrize("topics", [2, 5, 50])
def test_simulated_width(topics: int) -> None:
    draw, tried = np.random.default_rng(3), 40_000
    values = draw.normal(0, 2, (tried, topics))
    widths = 2 * stats.t.isf(0.025, topics - 1) * values.std(axis=1, ddof=1) / sqrt(topics)
    error = 4 * widths.std() / sqrt(tried)
    assert abs(widths.mean() - Width(4.0).width(topics)) < error


def held_within(share: float, power: float, tried: int) -> None:
    assert abs(share - power) < 4 * sqrt(power * (1 - power) / tried)


@pytest.mark.parametrize("design", [PairedTDesign(0.04), OneWay(0.02, systems=7), PairedTDesign(0.1, alpha=0.01)])
def test_topics_power_and_differences_fit_each_other(design: PairedTDesign | OneWay) -> None:
    for power in (0.5, 0.8, 0.95):
        for difference in (0.02, 0.1, 0.5, -0.1):
            topics = design.topics(difference, power)
            assert design.power(difference, topics) >= power
            assert topics == 2 or design.power(difference, topics - 1) < power
            assert design.detectable(topics, power) <= abs(difference) * (1 + 1e-9)
        for topics in (2, 10, 250):
            assert design.power(design.detectable(topics, power), topics) == pytest.approx(power, abs=1e-9)
    powers = [design.power(0.1, topics) for topics in range(2, 60)]
    assert powers == sorted(powers)
    assert design.power(0.0, 30) == pytest.approx(design.alpha, abs=1e-12)
    by_difference = [design.power(difference, 30) for difference in np.linspace(0, 1, 30)]
    assert np.all(np.diff(by_difference) >= -1e-12)


def test_two_systems_one_way_are_students_t_of_two_samples() -> None:
    topics, difference = 17, 0.7
    limit = stats.t.isf(0.025, 2 * topics - 2)
    shift = difference * sqrt(topics / 2)
    expected = stats.nct.sf(limit, 2 * topics - 2, shift) + stats.nct.cdf(-limit, 2 * topics - 2, shift)
    assert OneWay(1.0).power(difference, topics) == pytest.approx(expected, abs=1e-9)


def test_widths_and_topics_fit_each_other() -> None:
    design = Width(0.05)
    for width in (0.02, 0.1, 0.5):
        topics = design.topics(width)
        assert design.width(topics) <= width
        assert topics == 2 or design.width(topics - 1) > width


def test_variances_of_a_real_evaluation(shared_data: Path) -> None:
    path = shared_data / "score_matrices" / "urbano_sigir2019-statistical" / "adhoc8_ap.csv"
    with path.open(encoding="utf-8") as lines:
        values = np.array([[float(value) for value in row] for row in list(csv.reader(lines))[1:]])
    found = variances(values)
    pairs = [(i, j) for i in range(129) for j in range(i)]
    expected = np.mean([np.var(values[:, i] - values[:, j], ddof=1) for i, j in pairs])
    assert found.differences == pytest.approx(expected, rel=1e-12)
    assert found.residual == pytest.approx(expected / 2, rel=1e-12)
    assert found.within == pytest.approx(values.var(axis=0, ddof=1).mean(), rel=1e-12)
    holes = np.vstack([values, np.full((1, 129), np.nan)])
    assert variances(holes) == found
    assert (found.topics, found.runs) == (50, 129)


def test_variances_are_found_again() -> None:
    draw = np.random.default_rng(4)
    values = draw.normal(0, 0.5, (4000, 1)) + draw.normal(0, 1, (1, 12)) + draw.normal(0, 0.2, (4000, 12))
    found = variances(values)
    assert found.residual == pytest.approx(0.04, rel=0.03)
    assert found.within == pytest.approx(0.25 + 0.04, rel=0.06)


def test_equal_differences_leave_no_variance() -> None:
    assert variances(np.array([[1.0, 2.0], [3.0, 4.0]])) == Variances(0, 0, 2, 2, 2)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="variance must be a number above 0, got 0"):
        PairedTDesign(0.0)
    with pytest.raises(ParameterError, match="difference must be a number above 0"):
        PairedTDesign(1.0).topics(0)
    with pytest.raises(ParameterError, match="ask for a greater difference"):
        PairedTDesign(1.0).topics(1e-6)
    with pytest.raises(ParameterError, match="ask for a wider"):
        Width(1.0).topics(1e-6)
    with pytest.raises(ParameterError, match="power must lie"):
        PairedTDesign(1.0).topics(0.1, power=1)
    with pytest.raises(ParameterError, match=r"above 0\.05"):
        PairedTDesign(1.0).detectable(20, power=0.05)
    with pytest.raises(ParameterError, match="two topics or more, got 1"):
        OneWay(1.0, systems=3).power(0.1, 1)
    with pytest.raises(ParameterError, match="3 runs on 1 topics"):
        variances(np.ones((1, 3)))
