import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.tests.anova import OneWayAnova, TwoWayAnova
from rankscale.stats.tests.base.test import PairResults, Pairs, Test, all_pairs

BOTH = (OneWayAnova, TwoWayAnova)
both = pytest.mark.parametrize("kind", BOTH)

# Ferrante, Ferro and Fuhr 2021, Tables 5 and 6, T08_30, columns Sig: one-way and two-way ANOVA.
PUBLISHED = {
    "P@30": (1923, 3362),
    "RBP(p=0.5)@30": (1945, 2861),
    "RBP(p=0.3)@30": (1730, 2432),
    "RBP(p=0.8)@30": (2183, 3474),
    "DCG(base=2)@30": (2125, 3609),
    "DCG(base=10)@30": (1958, 3438),
    "RR@30": (1691, 2233),
    "R@30": (409, 2440),
    "AP@30": (391, 2508),
    "nDCG(base=2)@30": (2159, 3642),
    "nDCG(base=10)@30": (2012, 3478),
}


def significant(test: Test, values: Floats) -> int:
    return int((test.compare(values, all_pairs(values.shape[1])).p < 0.05).sum())


@pytest.mark.parametrize("measure", PUBLISHED)
def test_as_many_pairs_differ_as_the_paper_says(measure: str, trec_8_values: dict[str, Floats]) -> None:
    found = tuple(significant(kind(df="infinite"), trec_8_values[measure]) for kind in BOTH)
    assert found == PUBLISHED[measure]


def test_with_the_degrees_of_freedom_of_the_error_fewer_differ(trec_8_values: dict[str, Floats]) -> None:
    # What an independent program found.
    assert significant(OneWayAnova(), trec_8_values["RBP(p=0.5)@30"]) == 1942
    assert significant(TwoWayAnova(), trec_8_values["RBP(p=0.5)@30"]) == 2860
    assert significant(TwoWayAnova(), trec_8_values["RR@30"]) == 2232
    assert significant(OneWayAnova(), trec_8_values["R@30"]) == 406


def random_values(topics: int = 12, runs: int = 5, seed: int = 0) -> Floats:
    """With ties, zeros, a constant run and two identical ones."""
    draws = np.random.default_rng(seed)
    values = draws.integers(0, 6, (topics, runs)) / 5 + np.arange(runs) / 4
    values[:, 1] = 0.3
    values[:, -1] = values[:, 0]
    return values


def same_as_scipy(values: Floats) -> None:
    """One-way ANOVA and its Tukey HSD."""
    pairs = all_pairs(values.shape[1])
    found = OneWayAnova().compare(values, pairs)
    expected = stats.tukey_hsd(*values.T)
    at = (pairs.first, pairs.second)
    np.testing.assert_allclose(found.p, expected.pvalue[at], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.difference, expected.statistic[at], rtol=1e-12, atol=1e-15)
    for confidence in (0.9, 0.95):
        interval = expected.confidence_interval(confidence)
        ours = OneWayAnova().compare(values, pairs, confidence)
        np.testing.assert_allclose(side(ours.lower), interval.low[at], rtol=0, atol=1e-8)
        np.testing.assert_allclose(side(ours.upper), interval.high[at], rtol=0, atol=1e-8)
    f = stats.f_oneway(*values.T)
    assert found.omnibus is not None
    assert (found.omnibus.statistic, found.omnibus.p) == pytest.approx((f.statistic, f.pvalue), rel=1e-9)


def side(values: Floats | None) -> Floats:
    assert values is not None
    return values


def test_one_way_is_that_of_scipy_on_real_runs(trec_8_values: dict[str, Floats]) -> None:
    same_as_scipy(trec_8_values["P@30"][:, ::26])
    same_as_scipy(trec_8_values["RR@30"][:, 3::32])


@pytest.mark.parametrize("topics", [2, 3, 12])
def test_one_way_is_that_of_scipy_on_random_values(topics: int) -> None:
    same_as_scipy(random_values(topics, 4))


def by_regression(values: Floats, df: float) -> tuple[Floats, float, float]:
    """Topics and runs as columns of 0 and 1: Tukey's p-values, F and its p."""
    topics, runs = values.shape
    topic, run = (place.ravel() for place in np.indices(values.shape))
    by_topic = (topic[:, None] == np.arange(topics)).astype(float)
    by_run = (run[:, None] == np.arange(1, runs)).astype(float)

    def error(columns: Floats) -> float:
        fitted = np.linalg.lstsq(columns, values.ravel(), rcond=None)[0]
        return float(np.square(values.ravel() - columns @ fitted).sum())

    full, without_runs = error(np.hstack([by_topic, by_run])), error(by_topic)
    free = (topics - 1) * (runs - 1)
    f = (without_runs - full) / (runs - 1) / (full / free)
    q = [abs((values[:, i] - values[:, j]).mean()) / math.sqrt(full / free / topics) for i, j in pairs_of(runs)]
    return stats.studentized_range.sf(q, runs, free if df == 0 else df), f, float(stats.f.sf(f, runs - 1, free))


def pairs_of(runs: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(runs) for j in range(i + 1, runs)]


@pytest.mark.parametrize("topics", [2, 3, 15])
def test_two_way_is_a_regression_on_topics_and_runs(topics: int, trec_8_values: dict[str, Floats]) -> None:
    for values in (random_values(topics), trec_8_values["AP@30"][:topics, ::30]):
        expected, f, p = by_regression(values, 0)
        found = TwoWayAnova().compare(values, all_pairs(values.shape[1]))
        np.testing.assert_allclose(found.p, expected, rtol=0, atol=1e-9)
        assert found.omnibus is not None
        assert (found.omnibus.statistic, found.omnibus.p) == pytest.approx((f, p), rel=1e-9)
        infinite = TwoWayAnova(df="infinite").compare(values, all_pairs(values.shape[1]))
        np.testing.assert_allclose(infinite.p, by_regression(values, math.inf)[0], rtol=0, atol=1e-9)


def test_two_runs_on_topics_are_the_paired_t_test() -> None:
    values = random_values()[:, [0, 2]]
    found = TwoWayAnova().compare(values, all_pairs(2))
    t = stats.ttest_rel(values[:, 0], values[:, 1])
    interval = t.confidence_interval(0.95)
    assert found.p[0] == pytest.approx(t.pvalue, rel=1e-9)
    assert (side(found.lower)[0], side(found.upper)[0]) == pytest.approx((interval.low, interval.high), rel=1e-9)
    unpaired = OneWayAnova().compare(values, all_pairs(2))
    assert unpaired.p[0] == pytest.approx(stats.ttest_ind(values[:, 0], values[:, 1]).pvalue, rel=1e-9)


@both
def test_intervals_hold_0_where_p_exceeds_alpha(kind: Callable[..., Test], trec_8_values: dict[str, Floats]) -> None:
    found = kind().compare(trec_8_values["RBP(p=0.8)@30"], all_pairs(129), 0.95)
    inside = (side(found.lower) <= 0) & (side(found.upper) >= 0)
    assert np.array_equal(inside, found.p >= 0.05)
    wider = kind().compare(trec_8_values["RBP(p=0.8)@30"], all_pairs(129), 0.99)
    assert (side(wider.upper) > side(found.upper)).all()


@both
def test_effects(kind: Callable[..., Test]) -> None:
    values = random_values()
    found = kind().compare(values, all_pairs(5))
    assert found.corrected
    assert found.omnibus is not None
    total = np.square(values - values.mean()).sum()
    between = len(values) * np.square(values.mean(axis=0) - values.mean()).sum()
    topics = 5 * np.square(values.mean(axis=1) - values.mean()).sum()
    free, error = (55, total - between) if kind is OneWayAnova else (44, total - between - topics)
    assert found.omnibus.effects == pytest.approx(
        {
            "eta squared": between / total,
            "partial eta squared": between / (between + error),
            "omega squared": (between - 4 * error / free) / (total + error / free),
        }
    )
    np.testing.assert_allclose(found.effects["d"], found.difference / math.sqrt(error / free))
    np.testing.assert_allclose(found.statistic, np.abs(found.effects["d"]) * math.sqrt(12))


@both
def test_identical_runs_do_not_differ(kind: Callable[..., Test]) -> None:
    found = kind().compare(random_values(), Pairs(np.array([0]), np.array([4])))
    assert (found.p[0], found.difference[0]) == (1.0, 0.0)


@both
@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3])
@pytest.mark.parametrize("topics", [2, 50, 20_000])
def test_without_any_difference_nothing_is_found(kind: Callable[..., Test], value: float, topics: int) -> None:
    found = kind().compare(np.full((topics, 4), value), all_pairs(4))
    assert (found.p == 1).all()
    assert (found.difference == 0).all()
    assert (side(found.lower) == 0).all()
    assert found.omnibus is not None
    assert (found.omnibus.statistic, found.omnibus.p) == (0.0, 1.0)


def test_without_any_error_runs_differ_where_their_means_do() -> None:
    level = np.array([0.1, 0.3, 0.3, 0.7])
    for test, values in (
        (OneWayAnova(), np.tile(level, (50, 1))),
        (OneWayAnova(), np.tile(level, (20_000, 1))),
        (TwoWayAnova(), np.tile(level, (50, 1)) + np.random.default_rng(0).random((50, 1))),
    ):
        found = test.compare(values, all_pairs(4))
        assert found.p.tolist() == [0, 0, 0, 1, 0, 0]
        assert np.isinf(found.effects["d"][0])
        assert found.omnibus is not None
        assert (found.omnibus.statistic, found.omnibus.p) == (math.inf, 0.0)


@both
def test_topics_with_an_undefined_value_are_left_out_for_all_runs(kind: Callable[..., Test]) -> None:
    values = random_values()
    values[3, 2] = values[7, 0] = np.nan
    alike(kind().compare(values, all_pairs(5)), kind().compare(np.delete(values, [3, 7], axis=0), all_pairs(5)))
    assert (kind().compare(values, all_pairs(5)).topics == 10).all()


@both
def test_refusals(kind: Callable[..., Any]) -> None:
    with pytest.raises(ParameterError, match="confidence of an interval lies between 0 and 1, got 95"):
        kind().compare(np.ones((5, 3)), all_pairs(3), 95)
    with pytest.raises(ParameterError, match="needs 2 topics or more on which all runs have a value, got 1"):
        kind().compare(np.ones((1, 3)), all_pairs(3))
    with pytest.raises(ParameterError, match="two or more are needed, got 1"):
        kind().compare(np.ones((5, 1)), all_pairs(1))
    with pytest.raises(ParameterError, match="df must be 'error' or 'infinite', got 'none'"):
        kind(df="none")
    with pytest.raises(ParameterError, match="1 of the values are infinite; tests on ranks take them"):
        kind().compare(np.array([[1.0, np.inf], [2.0, 3.0]]), all_pairs(2))


def alike(found: PairResults, expected: PairResults) -> None:
    for name in ("p", "difference", "statistic", "lower", "upper", "topics"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-7, atol=1e-9)


matrices = st.tuples(st.integers(2, 9), st.integers(2, 6), st.integers(0, 2**32)).map(
    lambda drawn: np.random.default_rng(drawn[2]).integers(0, 5, drawn[:2]) / 4.0
)


@both
@settings(max_examples=40)
@given(values=matrices, constant=st.integers(-8, 8), seed=st.integers(0, 99))
def test_order_and_origin_do_not_matter(kind: Callable[..., Test], values: Floats, constant: int, seed: int) -> None:
    pairs = all_pairs(values.shape[1])
    found = kind().compare(values, pairs)
    swapped = kind().compare(values, Pairs(pairs.second, pairs.first))
    assert np.array_equal(swapped.difference, -found.difference)
    assert np.array_equal(swapped.p, found.p)
    draws = np.random.default_rng(seed)
    alike(kind().compare(draws.permutation(values), pairs), found)
    alike(kind().compare(values + constant, pairs), found)
    places = draws.permutation(values.shape[1])
    moved = np.argsort(places)
    alike(kind().compare(values[:, places], Pairs(moved[pairs.first], moved[pairs.second])), found)
    np.testing.assert_allclose(kind().compare(values * 3.7, pairs).p, found.p, rtol=1e-7, atol=1e-9)


@both
def test_under_the_null_some_pair_differs_as_often_as_alpha_says(kind: Callable[..., Test]) -> None:
    draws = np.random.default_rng(1)
    pairs, trials = all_pairs(4), 1500
    topics = draws.normal(size=(trials, 20, 1)) * (kind is TwoWayAnova)
    values = draws.normal(size=(trials, 20, 4)) + topics
    wrong = sum(bool((kind().compare(one, pairs).p < 0.1).any()) for one in values)
    low, high = stats.binom.interval(0.999, trials, 0.1)
    assert low <= wrong <= high


@both
def test_power_grows_with_the_effect(kind: Callable[..., Test]) -> None:
    draws = np.random.default_rng(2)
    noise = draws.normal(size=(200, 20, 4))
    pair = Pairs(np.array([0]), np.array([3]))
    shares = [
        np.mean([kind().compare(one + np.array([0, 0, 0, effect]), pair).p[0] < 0.05 for one in noise])
        for effect in (0.0, 0.5, 1.0, 2.0)
    ]
    assert shares == sorted(shares)
    assert shares[0] < 0.05
    assert shares[-1] > 0.95
