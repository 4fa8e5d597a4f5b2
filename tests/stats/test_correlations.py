"""Correlations against scipy, by enumeration, and as published."""

import csv
import itertools
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankscale.errors import InputError, ParameterError
from rankscale.stats.correlation.correlations import METHODS, correlations, correlations_by_topic, correlations_of_means
from rankscale.stats.correlation.rank_correlations import (
    TauTies,
    pearson_with_p,
    reading,
    spearman_with_p,
    tau_ap,
    tau_ap_mean,
    tau_b,
    tau_b_of_all,
    tau_b_with_p,
    weighted_tau,
)

# Ten systems each, as the authors of tau_ap,a and tau_ap,b try their own program on (ircor 2017).
TRUE = np.array(
    [
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
    ]
)
ESTIMATED = np.array(
    [
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
    ]
)
# Rounded to a digit by their program, which does not round 0.25 and 0.445 as ours does: as they print them.
TRUE_TIED = np.array(
    [
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
    ]
)
ESTIMATED_TIED = np.array(
    [
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
    ]
)

NUMBERS = st.sampled_from([-math.inf, -1.0, 0.0, 0.25, 0.5, 1.0, 3.0])
columns = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=40).map(lambda pairs: np.array(pairs).T)


def by_scipy(function, x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(x, y)


def close(found: Any, expected: Any, tolerance: float = 1e-13) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@given(columns)
def test_p_of_tau_with_ties_is_that_of_scipy(pair: np.ndarray) -> None:
    close(tau_b_with_p(*pair)[1], by_scipy(stats.kendalltau, *pair).pvalue)


@pytest.mark.parametrize("items", [2, 3, 4, 10, 33, 34, 129, 170, 171])
def test_p_of_tau_without_ties_is_that_of_scipy(items: int) -> None:
    draw = np.random.default_rng(items)
    x = np.arange(float(items))
    ys = [x, -x, np.r_[x[1], x[0], x[2:]], np.r_[x[2:][::-1], x[0], x[1]], *(draw.permutation(x) for _ in range(20))]
    tau, p = tau_b_with_p(x, np.array(ys))
    expected = [stats.kendalltau(x, y) for y in ys]
    close(tau, [found.statistic for found in expected])
    np.testing.assert_allclose(p, [found.pvalue for found in expected], rtol=1e-10, atol=1e-305)


def test_p_of_tau_under_no_association_is_uniform() -> None:
    draw = np.random.default_rng(5)
    for kinds, items in ((1000000, 12), (8, 40)):
        x, y = draw.integers(0, kinds, (2, 20000, items)).astype(float)
        share = float(np.mean(tau_b_with_p(x, y)[1] < 0.05))
        low, high = stats.binom.ppf([0.0005, 0.9995], 20000, 0.05) / 20000
        assert low - 0.012 * (items == 12) <= share <= high  # exact tests of few orders stay below


def test_all_columns_agree_with_one_by_one() -> None:
    draw = np.random.default_rng(3)
    values = draw.integers(0, 6, (4, 5, 30)).astype(float)
    values[1, 2] = 1.0
    close(tau_b_of_all(values), tau_b(values[:, :, None], values[:, None]), 1e-14)


def test_readings() -> None:
    assert [reading(tau) for tau in (1, 0.9000001, 0.9, 0.8, 0.7999, -1, math.nan)] == [
        *("equivalent", "equivalent", "similar", "similar", "different", "different", "undefined"),
    ]


def test_tau_ap_as_its_authors_print_it() -> None:
    close(tau_ap(TRUE, ESTIMATED), [0.8519, 0.2504, -0.6971], 5e-5)
    close(tau_ap(TRUE, ESTIMATED_TIED), [0.7454, 0.2692, -0.5558], 5e-5)
    close(tau_ap_mean(TRUE, ESTIMATED), [0.8333, 0.2880, -0.668], 5e-5)
    close(tau_ap_mean(TRUE_TIED, ESTIMATED_TIED), [0.7321, 0.297, -0.7047], 5e-5)
    close(tau_ap_mean(ESTIMATED_TIED, TRUE_TIED), [0.7321, 0.297, -0.7047], 5e-5)


def tau_ap_by_definition(truth: list[int], order: tuple[int, ...]) -> float:
    """Items in the estimated order, best first; `truth` gives the true rank of each."""
    shares = [sum(truth[above] < truth[item] for above in order[:i]) / i for i, item in enumerate(order) if i]
    return 2 * sum(shares) / len(shares) - 1


def orders(values: list[int]) -> list[tuple[int, ...]]:
    """All orders, greatest first, that leave only equal ones open."""
    return [
        order
        for order in itertools.permutations(range(len(values)))
        if all(values[a] >= values[b] for a, b in itertools.pairwise(order))
    ]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=6))
def test_tau_ap_a_is_the_mean_over_all_orders_of_ties(pairs: list[tuple[int, int]]) -> None:
    truth, estimate = (list(side) for side in zip(*pairs, strict=True))
    found = float(tau_ap(np.array(truth, float), np.array(estimate, float)))
    if len(set(truth)) == 1 or len(set(estimate)) == 1:
        assert math.isnan(found)
        return
    true_ranks = [[order.index(item) for item in range(len(truth))] for order in orders(truth)]
    every = [tau_ap_by_definition(ranks, order) for ranks in true_ranks for order in orders(estimate)]
    close(found, np.mean(every))


@pytest.mark.parametrize("ties", ["a", "b"])
def test_tau_ap_without_ties_is_its_definition(ties: TauTies) -> None:
    draw = np.random.default_rng(8)
    x, y = (draw.permuted(np.tile(np.arange(9.0), (20, 1)), axis=1) for _ in range(2))
    ranks = [(9 - row).tolist() for row in x]
    expected = [tau_ap_by_definition(*pair) for pair in zip(ranks, map(tuple, np.argsort(-y, axis=1)), strict=True)]
    close(tau_ap(x, y, ties), expected)
    assert tau_ap(x[0], x[0], ties) == 1
    assert tau_ap(x[0], -x[0], ties) == -1


def test_tau_ap_differs_by_direction_and_heeds_the_top() -> None:
    x = np.arange(6.0)[::-1]
    top, bottom = x[[1, 0, 2, 3, 4, 5]], x[[0, 1, 2, 3, 5, 4]]
    assert tau_ap(x, top) < tau_ap(x, bottom)
    y = np.array([3.0, 5.0, 0.0, 1.0, 4.0, 2.0])
    assert tau_ap(x, y) != tau_ap(y, x)
    assert tau_ap_mean(x, y) == tau_ap_mean(y, x)


@given(columns)
def test_spearman_is_that_of_scipy(pair: np.ndarray) -> None:
    expected = by_scipy(stats.spearmanr, *pair)
    rho, p = spearman_with_p(*pair)
    close(rho, expected.statistic)
    if pair.shape[1] > 2 and abs(float(rho)) < 1 - 1e-12:
        close(p, expected.pvalue, 1e-11)


@given(columns)
def test_weighted_tau_is_that_of_scipy(pair: np.ndarray) -> None:
    close(weighted_tau(*pair), by_scipy(stats.weightedtau, *pair).statistic)


def test_pearson_is_that_of_scipy() -> None:
    draw = np.random.default_rng(2)
    x, y = draw.normal(size=(2, 6, 15))
    y[1] = x[1] + 0.1 * y[1]
    x[2] = 1.0
    y[3, 4] = np.inf
    x[4, 2] = np.nan
    r, p = pearson_with_p(x, y)
    for row in (0, 1, 5):
        expected = stats.pearsonr(x[row], y[row])
        close([r[row], p[row]], [expected.statistic, expected.pvalue])
    assert np.isnan(r[2:5]).all()
    assert np.isnan(p[2:5]).all()
    assert np.isnan(pearson_with_p(np.array([1.0]), np.array([2.0]))[0])


@pytest.mark.parametrize("method", METHODS)
def test_a_matrix_is_each_pair_by_itself(method: str) -> None:
    draw = np.random.default_rng(6)
    values = draw.integers(0, 9, (5, 25)).astype(float)
    values[3] = 2.0
    values[1, [2, 9]] = np.nan
    values[2, 9] = np.nan
    found = correlations(values, method)
    assert np.isnan([found.lower, found.upper]).all()
    for i, j in np.ndindex(5, 5):
        both = ~np.isnan(values[i]) & ~np.isnan(values[j])
        assert found.items[i, j] == both.sum()
        close(found.matrix[i, j], METHODS[method].coefficient(values[i, both], values[j, both]))
        undefined = 3 in {i, j} and not METHODS[method].on_constant
        assert np.isnan(found.matrix[i, j]) == undefined
    np.testing.assert_array_equal(np.isnan(found.p), np.isnan(found.matrix) | (METHODS[method].with_p is None))
    if METHODS[method].symmetric:
        np.testing.assert_array_equal(found.matrix, found.matrix.T)
    assert (found.readings is None) == (method != "tau_b")


@pytest.mark.parametrize("method", METHODS)
def test_the_bootstrap_is_seeded_and_holds_the_value(method: str) -> None:
    draw = np.random.default_rng(4)
    runs = draw.normal(size=25) + 0.8 * draw.normal(size=(3, 25))
    values = runs[:, :, None] + draw.normal(size=(3, 25, 40))
    found = correlations_of_means(values, method, samples=60)
    again, other = (correlations_of_means(values, method, samples=60, seed=seed) for seed in (0, 1))
    np.testing.assert_array_equal(found.lower, again.lower)
    assert (found.lower[0, 1], found.upper[0, 1]) != (other.lower[0, 1], other.upper[0, 1])
    assert found.lower[0, 1] < found.matrix[0, 1] < found.upper[0, 1]
    wide, narrow = (correlations_of_means(values, method, samples=60, confidence=level) for level in (0.99, 0.5))
    assert wide.upper[0, 1] - wide.lower[0, 1] > narrow.upper[0, 1] - narrow.lower[0, 1]


def test_means_are_correlated_over_topics_defined_for_all(shared_data: Path) -> None:
    folder = shared_data / "score_matrices" / "urbano_sigir2019-statistical"
    values = np.array([matrix(folder / f"adhoc8_{measure}.csv") for measure in ("ap", "p10", "rr")])
    assert values.shape == (3, 129, 50)
    found = correlations_of_means(values, samples=100)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        means = [np.round(values[side].mean(axis=-1), 8) for side in (i, j)]
        expected = stats.kendalltau(*means)
        close([found.matrix[i, j], found.p[i, j]], [expected.statistic, expected.pvalue])
        assert found.lower[i, j] < found.upper[i, j]
    assert (found.topics, found.items[0, 1]) == (50, 129)
    holes = values.copy()
    holes[0, 3, 7] = holes[2, 100, 11] = np.nan
    left = correlations_of_means(holes, samples=0)
    assert left.topics == 48
    np.testing.assert_array_equal(
        left.matrix, correlations_of_means(np.delete(values, [7, 11], axis=-1), samples=0).matrix
    )
    slow = correlations_of_means(values[:, :40, :], "spearman", samples=20)
    assert (slow.lower[0, 1], slow.upper[0, 1]) == pytest.approx(
        tuple(np.quantile(resampled_means(values[:2, :40], 20), [0.025, 0.975])), abs=1e-12
    )


def resampled_means(values: np.ndarray, samples: int) -> list[float]:
    drawn = np.random.default_rng(0).integers(0, 50, (samples, 50))
    return [float(stats.spearmanr(*np.round(values[:, :, topics].mean(axis=-1), 8)).statistic) for topics in drawn]


def matrix(path: Path) -> np.ndarray:
    """(run, topic)"""
    with path.open(encoding="utf-8") as lines:
        return np.array([[float(value) for value in row] for row in list(csv.reader(lines))[1:]]).T


def test_topic_by_topic() -> None:
    draw = np.random.default_rng(7)
    values = draw.integers(0, 5, (3, 12, 6)).astype(float)
    values[0, :, 2] = 1.0
    values[1, 4, 3] = np.nan
    for method in ("tau_b", "tau_ap", "spearman"):
        found = correlations_by_topic(values, method)
        for topic, i, j in np.ndindex(6, 3, 3):
            both = ~np.isnan(values[i, :, topic]) & ~np.isnan(values[j, :, topic])
            expected = METHODS[method].coefficient(values[i, both, topic], values[j, both, topic])
            close(found.by_topic[topic, i, j], expected)
        assert found.topics[0, 1] == 5
        close(found.mean[0, 1], np.nanmean(found.by_topic[:, 0, 1]))


@given(st.permutations(range(8)), st.sampled_from(["tau_b", "tau_ap", "tau_ap_mean", "spearman"]))
def test_monotone_maps_and_the_order_of_items_change_nothing(order: list[int], method: str) -> None:
    values = np.array([[0.1, 0.4, 0.4, 0.2, 0.9, 0.3, 0.0, 0.7], [0.3, 0.1, 0.5, 0.5, 0.8, 0.2, 0.1, 0.9]])
    found = correlations(values, method)
    moved = correlations(np.array([np.exp(values[0]), values[1] ** 3])[:, order], method)
    close(moved.matrix, found.matrix, 1e-14)


def test_refusals() -> None:
    values = np.ones((2, 5))
    with pytest.raises(InputError, match="did you mean spearman"):
        correlations(values, "spearmann")
    with pytest.raises(ParameterError, match=r"\(column, item\)"):
        correlations(np.ones(5))
    with pytest.raises(ParameterError, match="confidence"):
        correlations_of_means(values[:, :, None], confidence=1)
    with pytest.raises(ParameterError, match="samples"):
        correlations_of_means(values[:, :, None], samples=-1)
    with pytest.raises(ParameterError, match="every run has a value"):
        correlations_of_means(np.full((2, 3, 4), np.nan))
    alone = correlations(np.array([[1.0, np.nan], [2.0, 3.0]]))
    assert np.isnan(alone.matrix[0]).all()
    assert alone.items[0, 1] == 1
