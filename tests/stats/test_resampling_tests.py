import itertools
import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankscale as rs
from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.tests import random_draws
from rankscale.stats.tests.base import resampling
from rankscale.stats.tests.base.resampling import PairedResampling
from rankscale.stats.tests.base.test import PairResults, Pairs, Resampling, all_pairs
from rankscale.stats.tests.pair_tests import PairedT
from rankscale.stats.tests.random_draws import PairedBootstrap, Randomisation, RandomisedTukey

PAIRED = (PairedBootstrap, Randomisation)
ALL: tuple[Callable[..., Resampling], ...] = (*PAIRED, RandomisedTukey)
each = pytest.mark.parametrize("kind", ALL)
paired = pytest.mark.parametrize("kind", PAIRED)


def table_of(test: PairedResampling, topics: int) -> Floats:
    """(topic, draw): all draws of a test in one table."""
    return np.concatenate(list(test.draws_over(topics)), axis=1)


@pytest.fixture(scope="module")
def trec8(trec_8: tuple[Any, Any]) -> Floats:
    """(topic, run)."""
    qrels, runs = trec_8
    found: Floats = rs.evaluate(qrels, runs[::8], ["P@30"]).values[0]
    return found.T


def random_values(topics: int = 12, runs: int = 5, seed: int = 0) -> Floats:
    """With ties, zeros, a constant run and two identical ones."""
    draws = np.random.default_rng(seed)
    values = draws.integers(0, 6, (topics, runs)) / 5 + np.arange(runs) / 4
    values[:, 1] = 0.3
    values[:, -1] = values[:, 0]
    return values


def known(values: Floats | None) -> Floats:
    assert values is not None
    return values


def statistic(z: Floats) -> Floats:
    """|t| of each row; 0 where all are 0, infinite where all are the same."""
    mean, deviation = z.mean(axis=-1), z.std(axis=-1, ddof=1)
    constant = (z == z[..., :1]).all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(mean) / (deviation / math.sqrt(z.shape[-1]))
    return np.where(constant, np.where(z[..., 0] == 0, 0.0, np.inf), t)


def by_loop(test: PairedBootstrap, x: Floats, y: Floats, alpha: float) -> tuple[int, float]:
    """Sakai's bootstrap as it is written down: how many resamples are as far out, and the difference needed."""
    z = x - y
    w = z - z.mean() if not (z == z[0]).all() else np.zeros(len(z))
    times = table_of(test, len(z)).T.astype(int)
    resamples = np.array([np.repeat(w, one) for one in times])
    t = statistic(resamples)
    place = np.argsort(-t)[math.ceil(alpha * test.samples) - 1]
    return int((t >= statistic(z) * (1 - 1e-9)).sum()), abs(float(resamples[place].mean()))


def test_the_bootstrap_is_that_of_sakai(trec8: Floats) -> None:
    test = PairedBootstrap(samples=400, seed=3)
    noisy = trec8 + np.random.default_rng(0).random(trec8.shape) / 1000  # no ties, that one resample has the place
    for values in (trec8[:, :6], noisy[:, :6], random_values(), random_values(2), random_values(3)):
        pairs = all_pairs(values.shape[1])
        found, achieved = test.compare(values, pairs), test.achieved(values, pairs, 0.05)
        for place, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
            hits, difference = by_loop(test, values[:, i], values[:, j], 0.05)
            assert found.p[place] == (1 + hits) / 401
            assert achieved.level[place] == hits / 400
            if values[0, 0] == noisy[0, 0]:
                assert achieved.difference[place] == pytest.approx(difference, rel=1e-9)


def test_all_resamples_of_few_topics() -> None:
    values = np.array([[2.0, 1.0], [5.0, 2.0], [3.0, 3.5], [1.0, 0.0]])
    z = values[:, 0] - values[:, 1]
    everything = np.array(list(itertools.product(z - z.mean(), repeat=4)))
    exact = (statistic(everything) >= statistic(z)).mean()
    found = PairedBootstrap(samples=40_000).compare(values, all_pairs(2))
    assert abs(found.p[0] - exact) < 4 * math.sqrt(exact * (1 - exact) / 40_000)


def test_the_bootstrap_agrees_with_t_on_many_normal_topics() -> None:
    values = np.random.default_rng(5).normal(size=(400, 8)) + np.arange(8) / 40
    pairs = all_pairs(8)
    found, t = PairedBootstrap(samples=20_000).compare(values, pairs), PairedT().compare(values, pairs)
    np.testing.assert_allclose(found.p, t.p, atol=0.02)
    np.testing.assert_allclose(found.statistic, t.statistic, rtol=1e-9)
    np.testing.assert_allclose(known(found.lower), known(t.lower), atol=0.01)
    np.testing.assert_allclose(found.effects["hedges_g"], t.effects["hedges_g"], rtol=1e-9)


@pytest.mark.parametrize("topics", [2, 3, 7])
def test_randomisation_of_few_topics_is_that_of_scipy(topics: int) -> None:
    for seed in range(4):
        values = random_values(topics, 4, seed)
        pairs = all_pairs(4)
        found = Randomisation().compare(values, pairs)
        for place, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
            expected = stats.permutation_test(
                (values[:, i], values[:, j]),
                lambda x, y, axis: np.mean(x - y, axis=axis).round(12),
                permutation_type="samples",
                vectorized=True,
                n_resamples=np.inf,
            )
            assert found.p[place] == pytest.approx(expected.pvalue, rel=1e-12)


def test_randomisation_is_that_of_the_definition(trec8: Floats) -> None:
    test = Randomisation(samples=300, seed=9)
    found = test.compare(trec8, all_pairs(trec8.shape[1]))
    signs = table_of(test, 50).T
    assert set(np.unique(signs)) == {-1.0, 1.0}
    for place, (i, j) in enumerate(zip(*np.triu_indices(trec8.shape[1], 1), strict=True)):
        z = trec8[:, i] - trec8[:, j]
        hits = sum(abs((sign * z).sum()) >= abs(z.sum()) - 1e-12 for sign in signs)
        assert found.p[place] == (1 + hits) / 301


def test_random_changes_come_close_to_all_of_them() -> None:
    values = random_values(10)[:, [0, 2]]
    exact = Randomisation(samples=1024).compare(values, all_pairs(2)).p[0]
    some = Randomisation(samples=1023).compare(values, all_pairs(2)).p[0]
    assert exact == round(exact * 1024) / 1024
    assert abs(some - exact) < 4 * math.sqrt(exact * (1 - exact) / 1023) + 0.001


def test_randomised_tukey_is_that_of_the_definition(trec8: Floats) -> None:
    values = trec8[:, ::3]
    test = RandomisedTukey(samples=200, seed=4)
    draws = np.random.default_rng(4)
    ranges = []
    for _ in range(200):
        means = np.mean([draws.permuted(row) for row in values], axis=0)
        ranges.append(means.max() - means.min())
    pairs = all_pairs(values.shape[1])
    found = test.compare(values, pairs)
    difference = values.mean(axis=0)[pairs.first] - values.mean(axis=0)[pairs.second]
    hits = (np.array(ranges)[:, None] >= np.abs(difference) - 1e-12).sum(axis=0)
    np.testing.assert_array_equal(found.p, (1 + hits) / 201)
    np.testing.assert_allclose(found.difference, difference, rtol=1e-12, atol=1e-15)
    assert found.corrected
    assert found.omnibus is not None
    assert found.omnibus.p == found.p.min()
    for alpha, largest in ((0.05, 10), (0.051, 11), (0.999, 200), (0.001, 1)):
        achieved = test.achieved(values, pairs, alpha)
        np.testing.assert_array_equal(achieved.level, hits / 200)
        np.testing.assert_allclose(achieved.difference, sorted(ranges)[-largest], rtol=1e-12)
        np.testing.assert_array_equal(achieved.level < alpha, np.abs(difference) > achieved.difference + 1e-12)


def test_two_runs_dealt_out_again_are_two_runs_that_change_places() -> None:
    values = random_values(9)[:, [0, 2]]
    exact = Randomisation().compare(values, all_pairs(2)).p[0]
    dealt = RandomisedTukey(samples=20_000).compare(values, all_pairs(2)).p[0]
    assert abs(dealt - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000) + 1e-4


def test_randomised_tukey_comes_close_to_two_way_anova_on_normal_values() -> None:
    from rankscale.stats.tests.anova import TwoWayAnova

    values = np.random.default_rng(8).normal(size=(100, 6))  # alike: differences would count as noise
    found, expected = (test.compare(values, all_pairs(6)) for test in (RandomisedTukey(), TwoWayAnova()))
    np.testing.assert_allclose(found.p, expected.p, atol=0.03)


@each
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_hold_0_where_p_exceeds_alpha(
    kind: Callable[..., Resampling], confidence: float, trec8: Floats
) -> None:
    for values in (trec8, random_values(), random_values(7), random_values(3)):
        found = kind(samples=999).compare(values, all_pairs(values.shape[1]), confidence)
        inside = (known(found.lower) <= 0) & (known(found.upper) >= 0)
        assert np.array_equal(inside, found.p > 1 - confidence + 1e-9)


@paired
def test_ends_of_intervals_are_where_p_is_alpha(kind: Callable[..., Resampling]) -> None:
    values = np.random.default_rng(0).random((25, 2))
    test = kind(samples=999)
    found = test.compare(values, all_pairs(2), 0.9)
    for end, inward in ((known(found.lower)[0], 1), (known(found.upper)[0], -1)):
        inside, outside = (values - [end + step * inward, 0.0] for step in (1e-9, -1e-9))
        assert test.compare(inside, all_pairs(2)).p[0] > 0.1 >= test.compare(outside, all_pairs(2)).p[0] - 1e-12


@paired
def test_too_few_draws_for_an_interval(kind: Callable[..., Resampling]) -> None:
    found = kind(samples=10).compare(random_values()[:, [0, 2]], all_pairs(2), 0.95)
    assert (known(found.lower)[0], known(found.upper)[0]) == (-np.inf, np.inf)


def test_draws_do_not_depend_on_how_many_are_held_at_once(trec8: Floats, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = all_pairs(trec8.shape[1])
    whole = [kind(samples=500, seed=7).compare(trec8, pairs) for kind in ALL]
    for size in (1, 3000, 10**9):
        for module in (resampling, random_draws):
            monkeypatch.setattr(module, "AT_ONCE", size)
        for kind, expected in zip(ALL, whole, strict=True):
            found = kind(samples=500, seed=7).compare(trec8, pairs)
            np.testing.assert_array_equal(found.p, expected.p)
            np.testing.assert_allclose(known(found.lower), known(expected.lower), rtol=1e-9)


@each
def test_the_seed_decides(kind: Callable[..., Resampling], trec8: Floats) -> None:
    p = [kind(samples=200, seed=seed).compare(trec8, all_pairs(trec8.shape[1])).p.tolist() for seed in (1, 1, 2)]
    assert p[0] == p[1] != p[2]


@each
def test_identical_runs_do_not_differ_and_no_p_is_0(kind: Callable[..., Resampling]) -> None:
    values = random_values(20)
    values[:, 2] = values[:, 0] + 5
    found = kind(samples=99).compare(values, all_pairs(5))
    by_pair: dict[Any, float] = dict(zip(zip(*np.triu_indices(5, 1), strict=True), found.p.tolist(), strict=True))
    assert by_pair[0, 4] == 1.0
    assert by_pair[0, 2] == 0.01
    assert (found.p > 0).all()
    nothing = kind(samples=99).compare(np.full((20, 3), 0.1), all_pairs(3))
    assert (nothing.p == 1).all()
    assert (nothing.difference == 0).all()


def test_differences_that_vary_by_rounding_only_are_the_same() -> None:
    draws = np.random.default_rng(0).random(30)
    values = np.stack([draws, draws + 0.1, draws * (1 + 2e-16)], axis=1)
    found = PairedBootstrap(samples=99).compare(values, all_pairs(3))
    assert found.p.tolist() == [0.01, 1.0, 0.01]
    assert np.isinf(found.statistic[0])
    achieved = PairedBootstrap(samples=99).achieved(values, all_pairs(3), 0.05)
    assert achieved.level.tolist() == [0.0, 1.0, 0.0]
    assert achieved.difference.tolist() == [0.0, 0.0, 0.0]


@paired
def test_undefined_values_are_left_out_pair_by_pair(kind: Callable[..., PairedResampling]) -> None:
    values = random_values(14)
    values[3, 2] = values[7, 0] = values[7, 1] = np.nan
    test = kind(samples=200)
    pairs = all_pairs(5)
    found = test.compare(values, pairs)
    for place, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        two = values[:, [i, j]]
        kept = two[~np.isnan(two).any(axis=1)]
        alone = test.compare(kept, all_pairs(2))
        assert (found.p[place], found.topics[place]) == (alone.p[0], len(kept))
        assert found.difference[place] == pytest.approx(alone.difference[0], abs=1e-15)


@paired
def test_pairs_without_topics_are_not_tested(kind: Callable[..., Resampling]) -> None:
    values = np.array([[0.1, np.nan, 0.3, np.inf], [np.nan, 0.2, 0.5, 1.0], [0.3, np.nan, 0.2, 0.0]])
    found = kind(samples=100).compare(values, all_pairs(4))
    assert found.topics.tolist() == [0, 2, 2, 1, 1, 3]
    assert np.isnan(found.p).tolist() == [True, False, True, True, True, True]
    assert np.isnan(found.difference).tolist() == [True, False, True, False, False, True]
    if kind is PairedBootstrap:
        level = PairedBootstrap(samples=100).achieved(values, all_pairs(4), 0.05).level
        assert np.isnan(level).tolist() == [True, False, True, True, True, True]


def test_randomised_tukey_leaves_topics_out_for_all_runs() -> None:
    values = random_values(14)
    values[3, 2] = np.nan
    found, expected = (
        RandomisedTukey(samples=99).compare(one, all_pairs(5)) for one in (values, np.delete(values, 3, axis=0))
    )
    np.testing.assert_array_equal(found.p, expected.p)
    assert (found.topics == 13).all()


@each
def test_refusals(kind: Callable[..., Any]) -> None:
    with pytest.raises(ParameterError, match="needs 2 topics or more"):
        kind().compare(np.ones((1, 3)), all_pairs(3))
    with pytest.raises(ParameterError, match="samples must be 1 or more, got 0"):
        kind(samples=0)
    with pytest.raises(ParameterError, match="between 0 and 1, got 1"):
        kind().compare(random_values(), all_pairs(5), 1.0)


def test_more_refusals() -> None:
    with pytest.raises(ParameterError, match="alpha must lie between 0 and 1, got 0"):
        PairedBootstrap().achieved(random_values(), all_pairs(5), 0)
    with pytest.raises(ParameterError, match="between 0 and 1, got 1"):
        RandomisedTukey().achieved(random_values(), all_pairs(5), 1)
    with pytest.raises(ParameterError, match="1 of the values are infinite"):
        RandomisedTukey().compare(np.array([[1.0, np.inf], [2.0, 3.0]]), all_pairs(2))


def alike(found: PairResults, expected: PairResults) -> None:
    np.testing.assert_array_equal(found.p, expected.p)
    for name in ("difference", "lower", "upper"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-12)


matrices = st.tuples(st.integers(2, 9), st.integers(2, 6), st.integers(0, 2**32)).map(
    lambda drawn: np.random.default_rng(drawn[2]).integers(0, 5, drawn[:2]) / 4.0
)


@each
@settings(max_examples=30)
@given(values=matrices, constant=st.integers(-8, 8), seed=st.integers(0, 99))
def test_laws(kind: Callable[..., Resampling], values: Floats, constant: int, seed: int) -> None:
    test = kind(samples=512)
    pairs = all_pairs(values.shape[1])
    found = test.compare(values, pairs)
    swapped = test.compare(values, Pairs(pairs.second, pairs.first))
    np.testing.assert_array_equal(swapped.p, found.p)
    np.testing.assert_array_equal(swapped.difference, -found.difference)
    np.testing.assert_allclose(known(swapped.upper), -known(found.lower), rtol=1e-9)
    alike(test.compare(values + constant, pairs), found)
    draws = np.random.default_rng(seed)
    if kind is Randomisation:  # all ways are tried; otherwise draws fall on other topics
        alike(test.compare(draws.permutation(values), pairs), found)
    if kind is not RandomisedTukey:  # whose values are dealt out to other runs
        places = draws.permutation(values.shape[1])
        moved = np.argsort(places)
        alike(test.compare(values[:, places], Pairs(moved[pairs.first], moved[pairs.second])), found)


@paired
def test_under_the_null_runs_differ_as_often_as_alpha_says(kind: Callable[..., Resampling]) -> None:
    trials = 2000
    values = np.random.default_rng(1).normal(size=(40, 2 * trials))
    pairs = Pairs(np.arange(trials) * 2, np.arange(trials) * 2 + 1)
    wrong = int((kind(samples=1999).compare(values, pairs).p <= 0.1).sum())
    low, high = stats.binom.interval(0.999, trials, 0.1)
    assert low <= wrong <= high


def test_under_the_null_some_pair_differs_as_often_as_alpha_says() -> None:
    trials = 600
    values = np.random.default_rng(1).exponential(size=(trials, 15, 4))
    tests = [RandomisedTukey(samples=99, seed=seed) for seed in range(trials)]
    pairs = all_pairs(4)
    wrong = sum(bool((test.compare(one, pairs).p <= 0.1).any()) for test, one in zip(tests, values, strict=True))
    low, high = stats.binom.interval(0.999, trials, 0.1)
    assert low <= wrong <= high


@each
def test_power_grows_with_the_effect(kind: Callable[..., Resampling]) -> None:
    noise = np.random.default_rng(2).normal(size=(100, 20, 3))
    pair = Pairs(np.array([0]), np.array([2]))
    test = kind(samples=199)
    shares = [
        np.mean([test.compare(one + np.array([0, 0, effect]), pair).p[0] <= 0.05 for one in noise])
        for effect in (0.0, 0.5, 1.0, 2.0)
    ]
    assert shares == sorted(shares)
    assert shares[0] < 0.15
    assert shares[-1] > 0.9


@pytest.mark.parametrize("test", [Randomisation(samples=999, seed=4), PairedBootstrap(samples=999, seed=4)], ids=str)
@pytest.mark.parametrize("size", [4, 12, 64, 500])
def test_draws_in_parts_are_the_draws_in_one(test, size, monkeypatch):
    values = np.random.default_rng(2).random((61, 3))
    whole, table = test.compare(values, all_pairs(3)), table_of(test, 61)
    monkeypatch.setattr(resampling, "CELLS", 61 * size)
    assert max(part.shape[1] for part in test.draws_over(61)) <= size
    assert np.array_equal(table_of(test, 61), table)
    parts = test.compare(values, all_pairs(3))
    assert np.array_equal(parts.p, whole.p)
    assert np.allclose(parts.lower, whole.lower, rtol=1e-13, atol=0)
    assert np.allclose(parts.upper, whole.upper, rtol=1e-13, atol=0)


def test_many_topics_need_little_memory():
    values = np.random.default_rng(2).random((20_000, 2))
    tracemalloc.start()
    try:
        Randomisation(samples=1_000).compare(values, all_pairs(2))  # 160 MB as one table
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100e6
