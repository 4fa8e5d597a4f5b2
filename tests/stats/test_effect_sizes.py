"""Effect sizes: by their definitions, and as the tests report them."""

import math

import numpy as np
import pytest
from scipy import stats

from rankscale.stats.tests.anova import SumsOfSquares
from rankscale.stats.tests.base.test import (
    all_pairs,
    cliffs_delta,
    common_language,
    hedges_g,
    paired_d,
    rank_biserial,
)
from rankscale.stats.tests.pair_tests import PairedT, RankSum, Sign, SignedRank

VALUES = np.random.default_rng(0).integers(0, 8, (21, 5)) / 4
PAIRS = all_pairs(5)
SIDES = [(VALUES[:, i], VALUES[:, j]) for i, j in zip(PAIRS.first, PAIRS.second, strict=True)]


def test_paired_d_is_the_mean_over_the_deviation_of_differences() -> None:
    expected = [np.mean(x - y) / np.std(x - y, ddof=1) for x, y in SIDES]
    found = PairedT().compare(VALUES, PAIRS)
    np.testing.assert_allclose(found.effects["paired_d"], expected, rtol=1e-13)
    np.testing.assert_allclose(found.statistic, np.array(expected) * math.sqrt(21), rtol=1e-13)
    assert paired_d(np.array([-1.0]), np.array([0.0])) == -np.inf


def test_hedges_g_has_no_bias() -> None:
    draws, true = np.random.default_rng(1), 0.8
    for topics in (3, 5, 10):
        differences = draws.normal(true, 1, (400_000, topics))
        d = differences.mean(axis=1) / differences.std(axis=1, ddof=1)
        g = hedges_g(d, np.full(len(d), topics))
        biased = d.mean() - true
        if topics > 3:  # with three, d has no variance
            assert abs(g.mean() - true) < 4 * g.std() / math.sqrt(len(g))
        assert abs(g.mean() - true) < abs(biased) / 5


@pytest.mark.parametrize("topics", [4, 10, 50, 1000])
def test_the_factor_of_hedges_is_the_gamma_function_and_near_the_usual_approximation(topics: int) -> None:
    freedom = topics - 1
    factor = hedges_g(np.array([1.0]), np.array([topics]))[0]
    exact = math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2)) / math.sqrt(freedom / 2)
    assert factor == pytest.approx(exact, rel=1e-12)
    assert factor == pytest.approx(1 - 3 / (4 * freedom - 1), abs=0.3 / freedom**2)


def test_hedges_g_is_not_defined_on_two_topics() -> None:
    assert np.isnan(hedges_g(np.array([1.0, 1.0]), np.array([2, 3]))).tolist() == [True, False]


def test_cliffs_delta_and_common_language_compare_each_value_with_each() -> None:
    found = RankSum().compare(VALUES, PAIRS)
    deltas = np.array([np.sign(x[:, None] - y).mean() for x, y in SIDES])
    chances = [((x[:, None] > y) + 0.5 * (x[:, None] == y)).mean() for x, y in SIDES]
    np.testing.assert_allclose(found.effects["cliffs_delta"], deltas, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(found.effects["common_language"], chances, rtol=1e-13)
    np.testing.assert_allclose(found.difference, deltas, rtol=1e-13, atol=1e-15)
    somers = [stats.somersd(np.repeat([0, 1], 21), np.concatenate([y, x])).statistic for x, y in SIDES]
    np.testing.assert_allclose(found.effects["cliffs_delta"], somers, rtol=1e-12, atol=1e-14)
    assert cliffs_delta(np.array([4.0]), np.array([0.0]), np.array([4.0])) == 1
    assert common_language(np.array([0.0]), np.array([4.0]), np.array([4.0])) == 0


def test_the_chance_of_a_win_counts_ties_half() -> None:
    found = Sign().compare(VALUES, PAIRS)
    expected = [np.mean(x > y) + np.mean(x == y) / 2 for x, y in SIDES]
    np.testing.assert_allclose(found.effects["chance_of_a_win"], expected, rtol=1e-13)


def test_rank_biserial_is_the_positive_share_of_ranks_less_the_negative_one() -> None:
    found = SignedRank().compare(VALUES, PAIRS)
    for (x, y), effect in zip(SIDES, found.effects["rank_biserial"], strict=True):
        differences = (x - y)[x != y]
        ranks = stats.rankdata(np.abs(differences))
        assert effect == pytest.approx((ranks * np.sign(differences)).sum() / ranks.sum(), abs=1e-14)
    assert rank_biserial(np.array([0.0]), np.array([0])) == 0


def test_shares_of_sums_of_squares() -> None:
    groups = np.random.default_rng(2).normal(size=(12, 4)) + np.array([0, 0.5, 1, 1.5])
    total = np.square(groups - groups.mean()).sum()
    between = 12 * np.square(groups.mean(axis=0) - groups.mean()).sum()
    within = total - between
    f = stats.f_oneway(*groups.T).statistic
    effects = SumsOfSquares(between, within, total, 3, 44).effects()
    assert effects["eta squared"] == pytest.approx(3 * f / (3 * f + 44), rel=1e-12)
    assert effects["partial eta squared"] == pytest.approx(effects["eta squared"], rel=1e-12)
    assert effects["omega squared"] == pytest.approx(3 * (f - 1) / (3 * (f - 1) + 48), rel=1e-12)


def test_shares_of_nothing_are_not_defined() -> None:
    assert all(map(math.isnan, SumsOfSquares(0, 0, 0, 3, 44).effects().values()))
