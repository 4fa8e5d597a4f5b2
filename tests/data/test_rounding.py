"""Means are rounded to significant digits before runs are put in order: small ones keep their order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankscale as rs
from rankscale.data.arrays import FINE_DIGITS, MEAN_DIGITS, significant
from rankscale.fusion.tuning import _best
from rankscale.measures.base.parser import parse
from rankscale.stats.correlation.correlations import correlations_of_means
from rankscale.stats.resampling.confidence import places_of
from rankscale.studies.agree.runs import _good, order_statistics
from rankscale.studies.support.selection import compared

MEANS = np.array([0.31, 0.12, 0.45, 0.12, 0.27])  # two are equal
SMALL = 1e-20  # by which means of ranks at great depth are smaller


@given(st.lists(st.floats(-1e300, 1e300).filter(lambda x: x == 0 or abs(x) > 1e-280)), st.sampled_from([8, 14]))
@settings(max_examples=300)
def test_significant_digits_are_those_of_the_printed_number(numbers: list[float], digits: int) -> None:
    printed = [float(f"{number:.{digits - 1}e}") for number in numbers]
    got = significant(np.array(numbers, dtype=np.float64), digits)
    np.testing.assert_allclose(got, printed, rtol=10.0 ** (1 - digits) * 1.001)  # halves may go either way
    again = significant(got, digits)
    np.testing.assert_array_equal(again, got)


def test_what_is_no_number_or_very_small_stays() -> None:
    odd = np.array([np.nan, np.inf, -np.inf, 0.0, 5e-324, -1.23456789012e-295])
    np.testing.assert_array_equal(significant(odd), odd)


@pytest.mark.parametrize("power", [*range(-280, 300, 23), -1, 0, 1])
def test_numbers_on_both_sides_of_a_power_of_ten_are_equal(power: int) -> None:
    ten = 10.0**power
    near = significant(np.array([ten * (1 - 1e-15), ten, ten * (1 + 1e-15)]))
    assert len(set(near.tolist())) == 1


def ties_and_order(means: Any) -> Any:
    return [[one > other for one in means] for other in means]


@pytest.mark.parametrize("factor", [1.0, SMALL, 1e20, 1e-200])
def test_the_order_of_runs_does_not_depend_on_the_size_of_means(factor: float) -> None:
    """One law for all that put runs in order: places, draws, tau, two qrels, pools and tuning."""
    noisy = factor * MEANS * np.array([1, 1 + 1e-15, 1, 1 - 1e-15, 1])
    expected = stats.rankdata(-MEANS).tolist()
    made = places_of(noisy, np.stack([noisy, noisy[::-1]]))
    assert made.observed.tolist() == expected
    assert made.drawn.tolist() == [expected, expected[::-1]]
    for text in ("AP", "Interval(RR@10)", "RBTO@10"):
        measure = parse(text)
        assert ties_and_order(measure.comparable(noisy)) == ties_and_order(MEANS)
        assert ties_and_order(compared(noisy[None], [measure])[0]) == ties_and_order(MEANS)
        assert _best(measure, noisy) == 2
        both = _good(measure, np.stack([noisy, noisy]))
        assert float(order_statistics(both)["tau"]) == pytest.approx(1)
    assert ties_and_order(compared(noisy)) == ties_and_order(MEANS)
    values = np.stack([np.repeat(MEANS[:, None], 4, axis=1), np.repeat(noisy[:, None], 4, axis=1)])
    assert correlations_of_means(values, samples=0).matrix[0, 1] == pytest.approx(1)
    fine = correlations_of_means(values, samples=5, digits=(MEAN_DIGITS, FINE_DIGITS))
    assert fine.lower[0, 1] == pytest.approx(1)


@pytest.mark.slow
def test_tau_of_an_interval_version_at_depth_1000() -> None:
    """Means of normalised ranks are far below 1e-8 there: rounded to decimals all of them were 0, and tau undefined."""
    qrels = {str(topic): {f"d{n}": int(n % 4 == 0) for n in range(40)} for topic in range(3)}
    runs = {
        f"r{run}": {topic: {f"d{(n * step + run) % 40}": 40.0 - n for n in range(40)} for topic in qrels}
        for run, step in enumerate((1, 3, 7, 9, 11))
    }
    pair = rs.intervals(qrels, runs, "DCG(base=2)@1000").pairs[0]
    assert 0 < pair.interval_means.max() < 1e-14
    assert pair.tau == pytest.approx(stats.kendalltau(pair.means, pair.interval_means).statistic)
    overall = rs.correlate(rs.evaluate(qrels, runs, ["DCG(base=2)@1000", "Interval(DCG(base=2)@1000)"]), samples=0)
    assert overall.overall.matrix[0, 1] == pytest.approx(pair.tau)
    figure: Any = rs.figure("intervals", rs.intervals(qrels, runs, "DCG(base=2)@1000"))
    moved = figure.runs.columns["interval_place"]
    assert list(moved) == stats.rankdata(-pair.interval_means).tolist()
