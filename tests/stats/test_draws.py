"""Draws of topics, intervals of means and places: worked values, scipy's bootstrap, slow loops over all draws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscale.errors import ParameterError
from rankscale.stats.resampling import draws as module
from rankscale.stats.resampling.confidence import mean_intervals, places_of
from rankscale.stats.resampling.draws import counts_of, means_of_draws, places_of_draws

X = np.array([0.12, 0.25, 0.31, 0.48, 0.90])
RUNS = np.array([[0.9, 0.5, 0.4, 0.2], [0.6, 0.6, 0.3, 0.3], [0.5, 0.4, 0.5, 0.1]]).T


def drawn_of(values, draws=1000, seed=0):
    return means_of_draws(np.asarray(values)[:, None], draws, seed)[:, 0]


def test_worked_intervals():
    of = mean_intervals(X, drawn_of(X, "all"))
    assert of.percentile == pytest.approx((0.21, 0.664), abs=1e-12)
    assert of.bca == pytest.approx((0.23, 0.732), abs=1e-12)
    of = mean_intervals(X, drawn_of(X))
    assert of.percentile == pytest.approx((0.21, 0.66), abs=1e-12)
    assert [round(end, 6) for end in of.bca] == [0.235887, 0.698]


def test_worked_places():
    places = places_of(RUNS.mean(axis=0), means_of_draws(RUNS, "all"))
    assert places.expected.round(6).tolist() == [1.378906, 1.917969, 2.703125]
    assert [ends.tolist() for ends in places.interval()] == [[1, 1, 1], [2, 3, 3]]
    assert places.first.round(6).tolist() == [0.652344, 0.28125, 0.066406]
    assert places.better[np.triu_indices(3, 1)].round(6).tolist() == [0.703125, 0.917969, 0.785156]
    assert places.observed.tolist() == [1, 2, 3]


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("topics", [20, 30])
def test_by_scipy(topics, confidence):
    x = np.random.default_rng(topics).normal(
        0.4, 0.2, topics
    )  # no draw has the mean of x, where scipy counts otherwise
    of = mean_intervals(x, drawn_of(x, 2000, seed=3), confidence)
    for ours, method in ((of.percentile, "percentile"), (of.bca, "BCa")):
        theirs = stats.bootstrap(
            (x,), np.mean, n_resamples=2000, confidence_level=confidence, method=method, rng=np.random.default_rng(3)
        ).confidence_interval
        assert ours == pytest.approx(tuple(theirs), abs=1e-12)
    assert of.student == pytest.approx(stats.ttest_1samp(x, 0).confidence_interval(confidence), abs=1e-12)


def test_intervals_at_the_edge():
    same = np.full(5, 0.1)
    assert mean_intervals(same, drawn_of(same))[:3] == ((0.1, 0.1),) * 3
    assert np.isnan(mean_intervals(X[:1], drawn_of(X[:1]))[:3]).all()
    assert np.isnan(mean_intervals(np.array([1.0, np.inf]), np.ones(3))[:3]).all()
    far = mean_intervals(X, np.array([0.5, 0.6]))  # no draw lies below the mean
    assert far.bca_is_percentile
    assert far.bca == far.percentile
    one = np.array([0.0] * 99 + [1.0])  # so skewed that the correction turns around
    assert mean_intervals(one, np.array([0.0] * 999 + [0.02]), 0.999999).bca_is_percentile


@pytest.mark.parametrize("topics", [1, 2, 3, 4])
def test_all_draws_by_a_slow_loop(topics):
    x = np.random.default_rng(topics).integers(0, 10, (topics, 3)) / 10
    listed = list(itertools.product(range(topics), repeat=topics))
    means = [[math.fsum(x[list(draw), run].tolist()) / topics for run in range(3)] for draw in listed]
    made = means_of_draws(x, "all")
    assert made.tolist() == means
    places = places_of(x.mean(axis=0), made)
    rounded = np.round(means, 8)
    slow = [[1 + sum(b > a for b in row) + (sum(b == a for b in row) - 1) / 2 for a in row] for row in rounded.tolist()]
    assert places.drawn.tolist() == slow
    assert (places.drawn.sum(axis=1) == 6).all()
    np.testing.assert_allclose(places.expected, 1 + places.better.T.sum(axis=1) - 0.5, atol=1e-12)
    first = np.mean([[(a == max(row)) / row.count(max(row)) for a in row] for row in rounded.tolist()], axis=0)
    np.testing.assert_allclose(places.first, first, atol=1e-12)
    for run in range(3):
        for share, end in zip((0.025, 0.975), places.interval(), strict=True):
            slow_end = sorted(row[run] for row in slow)[max(1, math.ceil(len(slow) * share - 1e-9)) - 1]
            assert end[run] == slow_end == np.quantile([row[run] for row in slow], share, method="inverted_cdf")


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(0, 5))
def test_sums_are_those_of_fsum(x, seed):
    values = np.array(x)
    places = np.random.default_rng(seed).integers(0, len(x), (7, len(x)))
    slow = [math.fsum(values[row].tolist()) / len(x) for row in places]
    assert drawn_of(values, 7, seed).tolist() == slow


@pytest.mark.parametrize("x", [[1e-300, 1.0, 3e-20], [5e-324, 0.0], [0.0, 0.0], [2.0**60, 1.0, 0.1]])
def test_sums_of_far_apart_values(x):
    values = np.array(x)
    places = np.random.default_rng(0).integers(0, len(x), (50, len(x)))
    assert drawn_of(values, 50).tolist() == [math.fsum(values[row].tolist()) / len(x) for row in places]


def test_infinite_values():
    made = drawn_of([np.inf, 1.0], "all")
    assert made.tolist() == [np.inf, np.inf, np.inf, 1.0]


def test_parts_are_the_same_draws(monkeypatch):
    whole = counts_of(np.concatenate(list(places_of_draws(9, 50))))
    drawn = np.random.default_rng(0).integers(0, 9, (50, 9))
    assert whole.tolist() == [np.bincount(row, minlength=9).tolist() for row in drawn]
    monkeypatch.setattr(module, "AT_ONCE", 30)
    parts = [counts_of(drawn) for drawn in places_of_draws(9, 50)]
    assert len(parts) == 17
    assert np.concatenate(parts).tolist() == whole.tolist()


def test_draws_within_groups():
    groups = (np.array([0, 2]), np.array([1, 3, 4]))
    made = means_of_draws(X[:, None], 20, 5, groups)[:, 0]
    sums = np.zeros(20)
    for number, places in enumerate(groups):
        drawn = np.random.default_rng((5, number)).integers(0, len(places), (20, len(places)))
        sums += X[places][drawn].sum(axis=1)
    np.testing.assert_allclose(made, sums / 5, atol=1e-15)


def test_refused():
    with pytest.raises(ParameterError, match=r"all draws of 7 topics are too many: .* draws=1000"):
        drawn_of(np.arange(7.0), "all")
    with pytest.raises(ParameterError, match="all draws are taken of ungrouped topics"):
        means_of_draws(X[:, None], "all", 0, (np.arange(5),))
