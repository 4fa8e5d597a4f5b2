"""Intervals of means on TREC-8 with the draws of scipy.stats.bootstrap, and where scipy deviates."""

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.stats.resampling.confidence import mean_intervals
from rankscale.stats.resampling.draws import means_of_draws

EXACT = 1e-12


def of_scipy(values: np.ndarray, method: str) -> tuple[float, float]:
    made = stats.bootstrap((values,), np.mean, n_resamples=1000, method=method, rng=np.random.default_rng(0))
    return made.confidence_interval.low, made.confidence_interval.high


def test_intervals_of_real_means(eight_values: rs.Evaluation) -> None:
    for values in eight_values["AP"].values[0]:
        made = mean_intervals(values, means_of_draws(values[:, None])[:, 0])
        assert made.percentile == pytest.approx(of_scipy(values, "percentile"), abs=EXACT)
        assert made.bca == pytest.approx(of_scipy(values, "BCa"), abs=EXACT)  # no draw has the mean itself
        student = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert made.student == pytest.approx((student.low, student.high), abs=EXACT)


def test_deviation_means_that_are_equal_but_for_rounding() -> None:
    """scipy compares rounded means, so that draws that have the mean itself count by chance as below it or not."""
    values = np.array([0.8, 0.6, 0.5, 0.3, 0.3])
    made = mean_intervals(values, means_of_draws(values[:, None])[:, 0])
    assert made.percentile == pytest.approx(of_scipy(values, "percentile"), abs=EXACT)
    low, high = of_scipy(values, "BCa")
    assert made.bca[0] == pytest.approx(low, abs=EXACT)
    assert abs(made.bca[1] - high) > 0.01


@pytest.mark.filterwarnings("ignore:invalid value")
def test_deviation_constant_values() -> None:
    """NaN with a warning in scipy; here the interval is the value."""
    values = np.full(5, 0.25)
    with pytest.warns(stats.DegenerateDataWarning):
        assert np.isnan(of_scipy(values, "BCa")).all()
    assert mean_intervals(values, means_of_draws(values[:, None])[:, 0]).bca == (0.25, 0.25)
