import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.tests.anova import Friedman, KruskalWallis
from rankscale.stats.tests.base.test import Pairs, Test, all_pairs

BOTH = (KruskalWallis, Friedman)
both = pytest.mark.parametrize("kind", BOTH)

# Ferrante, Ferro and Fuhr 2021, Tables 5 and 6, T08_30, columns Sig: Kruskal-Wallis and Friedman tests.
PUBLISHED = {
    "P@30": (1740, 2595),
    "RBP(p=0.5)@30": (1678, 2228),
    "RBP(p=0.3)@30": (1678, 2228),
    "RBP(p=0.8)@30": (1781, 2589),
    "DCG(base=2)@30": (1812, 2706),
    "DCG(base=10)@30": (1750, 2637),
    "RR@30": (1500, 1813),
    "R@30": (1417, 2595),
    "AP@30": (1593, 2706),
    "nDCG(base=2)@30": (1827, 2706),
    "nDCG(base=10)@30": (1782, 2637),
}


@pytest.mark.parametrize("measure", PUBLISHED)
def test_as_many_pairs_differ_as_the_paper_says(measure: str, trec_8_values: dict[str, Floats]) -> None:
    found = tuple(int((kind().compare(trec_8_values[measure], all_pairs(129)).p < 0.05).sum()) for kind in BOTH)
    assert found == PUBLISHED[measure]


def random_values(topics: int = 12, runs: int = 5, seed: int = 0) -> Floats:
    """With ties, zeros, a constant run and two identical ones."""
    draws = np.random.default_rng(seed)
    values = draws.integers(0, 6, (topics, runs)) / 5 + np.arange(runs) / 4
    values[:, 1] = 0.3
    values[:, -1] = values[:, 0]
    return values


def ties(values: Floats) -> int:
    return sum(int(t) ** 3 - int(t) for t in np.unique(values, return_counts=True)[1])


def by_definition(kind: object, values: Floats) -> tuple[Floats, float]:
    """Mean ranks, and the squared standard error of one, with ties counted."""
    n, k = values.shape
    if kind is KruskalWallis:
        m = n * k
        ranks = stats.rankdata(values).reshape(values.shape)
        return ranks.mean(axis=0), (m * (m + 1) / 12 - ties(values) / (12 * (m - 1))) / n
    ranks = np.array([stats.rankdata(row) for row in values])
    tied = sum(ties(row) for row in values)
    return ranks.mean(axis=0), (k * (k + 1) / 12 - tied / (12 * n * (k - 1))) / n


def matrices_at_hand(trec_8_values: dict[str, Floats]) -> list[Floats]:
    return [
        *(random_values(topics, runs) for topics, runs in ((2, 3), (3, 4), (12, 5))),
        random_values(12, 4)[:, [0, 2]],
        trec_8_values["P@30"][:, ::20],
        trec_8_values["RR@30"][:, 3::25],
    ]


@both
def test_p_is_that_of_the_studentised_range_of_mean_ranks(
    kind: Callable[[], Test], trec_8_values: dict[str, Floats]
) -> None:
    for values in matrices_at_hand(trec_8_values):
        means, variance = by_definition(kind, values)
        pairs = all_pairs(values.shape[1])
        found = kind().compare(values, pairs)
        assert found.corrected
        np.testing.assert_allclose(found.difference, means[pairs.first] - means[pairs.second], rtol=1e-12, atol=1e-12)
        q = np.abs(means[pairs.first] - means[pairs.second]) / math.sqrt(variance)
        np.testing.assert_allclose(found.p, stats.studentized_range.sf(q, values.shape[1], math.inf), atol=1e-9)
        reach = stats.studentized_range.ppf(0.95, values.shape[1], math.inf) * math.sqrt(variance)
        assert found.lower is not None
        assert found.upper is not None
        np.testing.assert_allclose(found.upper - found.difference, reach, rtol=1e-9)
        np.testing.assert_allclose(found.difference - found.lower, reach, rtol=1e-9)


def test_the_omnibus_tests_are_those_of_scipy(trec_8_values: dict[str, Floats]) -> None:
    for values in matrices_at_hand(trec_8_values):
        pairs = all_pairs(values.shape[1])
        topics, runs = values.shape
        omnibus = KruskalWallis().compare(values, pairs).omnibus
        expected = stats.kruskal(*values.T)
        assert omnibus is not None
        assert (omnibus.statistic, omnibus.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
        size = topics * runs
        epsilon = expected.statistic * (size + 1) / (size**2 - 1)
        assert omnibus.effects == pytest.approx({"epsilon squared": epsilon})
        omnibus = Friedman().compare(values, pairs).omnibus
        assert omnibus is not None
        if runs > 2:  # scipy asks for three
            expected = stats.friedmanchisquare(*values.T)
            assert (omnibus.statistic, omnibus.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
        assert omnibus.effects == pytest.approx({"Kendall's W": omnibus.statistic / (topics * (runs - 1))})


def test_topics_that_agree_have_a_concordance_of_1() -> None:
    values = np.random.default_rng(0).random((6, 1)) + np.array([0.1, 0.4, 0.2])
    omnibus = Friedman().compare(values, all_pairs(3)).omnibus
    assert omnibus is not None
    assert omnibus.effects["Kendall's W"] == pytest.approx(1.0)


def test_effects_count_wins() -> None:
    values = random_values(9, 4)
    pairs = all_pairs(4)
    delta = KruskalWallis().compare(values, pairs).effects["cliffs_delta"]
    chance = Friedman().compare(values, pairs).effects["chance_of_a_win"]
    for place, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        x, y = values[:, i], values[:, j]
        assert delta[place] == pytest.approx(np.sign(x[:, None] - y).mean(), abs=1e-15)
        assert chance[place] == pytest.approx(((x > y) + 0.5 * (x == y)).mean(), abs=1e-15)


@both
def test_without_any_difference_nothing_is_found(kind: Callable[[], Test]) -> None:
    values = np.full((5, 3), 0.1)
    found = kind().compare(values, all_pairs(3))
    assert (found.p == 1).all()
    assert found.omnibus is not None
    assert (found.omnibus.statistic, found.omnibus.p) == (0.0, 1.0)
    identical = kind().compare(random_values(), Pairs(np.array([0]), np.array([4])))
    assert (identical.p[0], identical.difference[0]) == (1.0, 0.0)


@both
def test_topics_with_an_undefined_value_are_left_out_for_all_runs(kind: Callable[[], Test]) -> None:
    values = random_values()
    values[3, 2] = values[7, 0] = np.nan
    found, expected = (kind().compare(one, all_pairs(5)) for one in (values, np.delete(values, [3, 7], axis=0)))
    np.testing.assert_array_equal(found.p, expected.p)
    assert (found.topics == 10).all()


@both
def test_infinite_values_have_ranks(kind: Callable[[], Test]) -> None:
    values = random_values()
    infinite = np.where(values == values.max(), np.inf, values)
    np.testing.assert_array_equal(kind().compare(infinite, all_pairs(5)).p, kind().compare(values, all_pairs(5)).p)


@both
def test_refusals(kind: Callable[[], Test]) -> None:
    with pytest.raises(ParameterError, match="confidence of an interval lies between 0 and 1, got 95"):
        kind().compare(np.ones((5, 3)), all_pairs(3), 95)
    with pytest.raises(ParameterError, match="needs 2 topics or more on which all runs have a value, got 1"):
        kind().compare(np.array([[1.0, 2.0], [np.nan, 1.0]]), all_pairs(2))
    with pytest.raises(ParameterError, match="two or more are needed, got 1"):
        kind().compare(np.ones((5, 1)), all_pairs(1))


matrices = st.tuples(st.integers(2, 9), st.integers(2, 6), st.integers(0, 2**32)).map(
    lambda drawn: np.random.default_rng(drawn[2]).integers(0, 5, drawn[:2]) / 4.0
)


@both
@settings(max_examples=40)
@given(values=matrices, seed=st.integers(0, 99))
def test_only_order_matters_and_not_that_of_topics_or_runs(kind: Callable[[], Test], values: Floats, seed: int) -> None:
    pairs = all_pairs(values.shape[1])
    found = kind().compare(values, pairs)
    swapped = kind().compare(values, Pairs(pairs.second, pairs.first))
    np.testing.assert_array_equal(swapped.difference, -found.difference)
    np.testing.assert_array_equal(swapped.p, found.p)
    draws = np.random.default_rng(seed)
    np.testing.assert_array_equal(kind().compare(np.exp(3 * values), pairs).p, found.p)
    np.testing.assert_array_equal(kind().compare(draws.permutation(values), pairs).p, found.p)
    reverse = kind().compare(-values, pairs)
    np.testing.assert_allclose(reverse.difference, -found.difference, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(reverse.p, found.p, rtol=1e-9)
    places = draws.permutation(values.shape[1])
    moved = np.argsort(places)
    again = kind().compare(values[:, places], Pairs(moved[pairs.first], moved[pairs.second]))
    np.testing.assert_allclose(again.p, found.p, rtol=1e-12)
    if kind is Friedman:  # each topic may have a scale of its own
        stretched = values * draws.integers(1, 9, (len(values), 1)) + draws.integers(0, 9, (len(values), 1))
        np.testing.assert_array_equal(kind().compare(stretched, pairs).p, found.p)


@both
def test_under_the_null_some_pair_differs_as_often_as_alpha_says(kind: Callable[[], Test]) -> None:
    draws = np.random.default_rng(1)
    pairs, trials = all_pairs(4), 1000
    topics = draws.normal(size=(trials, 40, 1)) * (kind is Friedman)
    values = draws.exponential(size=(trials, 40, 4)) + topics
    wrong = sum(bool((kind().compare(one, pairs).p < 0.1).any()) for one in values)
    low, high = stats.binom.interval(0.999, trials, 0.1)
    assert low <= wrong <= high


@both
def test_power_grows_with_the_effect(kind: Callable[[], Test]) -> None:
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
