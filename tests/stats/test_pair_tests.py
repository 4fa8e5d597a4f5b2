"""Tests of pairs by themselves: against scipy and the definitions, published counts, simulation, laws."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.resampling import order_statistics as walsh
from rankscale.stats.tests.base import test as pair_test
from rankscale.stats.tests.base.test import PairResults, Pairs, Test, all_pairs, pairs_with
from rankscale.stats.tests.pair_tests import PairedT, RankSum, Sign, SignedRank

TESTS = [Sign(), RankSum(), SignedRank(), PairedT()]
every_test = pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)

# Significant pairs of 8,256 at alpha .05: Ferrante, Ferro and Fuhr 2021, Tables 5 and 6, T08_30.
PUBLISHED = {
    "P@30": (5153, 4276, 5644, 5633),
    "RBP(p=0.5)@30": (4724, 4302, 5108, 5091),
    "RBP(p=0.3)@30": (4724, 4302, 5027, 4801),
    "RBP(p=0.8)@30": (5105, 4375, 5508, 5425),
    "DCG(base=2)@30": (5227, 4425, 5743, 5664),
    "DCG(base=10)@30": (5095, 4307, 5663, 5636),
    "RR@30": (4074, 3951, 4578, 4582),
    "R@30": (5153, 3494, 5434, 5073),
    "AP@30": (5233, 4067, 5659, 5156),
    "nDCG(base=2)@30": (5227, 4420, 5726, 5623),
    "nDCG(base=10)@30": (5095, 4312, 5632, 5579),
}


def significant(test: Test, values: Floats) -> int:
    return int(np.count_nonzero(test.compare(values, all_pairs(values.shape[1])).p < 0.05))


@pytest.mark.parametrize("measure", PUBLISHED)
def test_published_counts_of_significant_pairs(measure: str, trec_8_values: dict[str, Floats]) -> None:
    assert tuple(significant(test, trec_8_values[measure]) for test in TESTS) == PUBLISHED[measure]


def test_the_published_count_of_ap_rests_on_rounding_errors(trec_8_values: dict[str, Floats]) -> None:
    # On topic 448 equal values of AP are sums in another order, and differ in their last bit. Different values are at
    # least 1 / (lcm(1..30) RB) > 1e-15 apart, with RB up to 347. With equal ones made equal, one pair more is found.
    assert significant(Sign(), trec_8_values["AP@30"].round(15)) == 5234


def by_scipy_sign(x: Floats, y: Floats) -> tuple[float, ...]:
    wins, differing = int((x > y).sum()), int((x != y).sum())
    if differing == 0:
        return 1.0, 0.0, 0.0
    found = stats.binomtest(wins, differing)
    shares = found.proportion_ci(0.95, method="exact")
    return found.pvalue, *(differing / len(x) * (2 * share - 1) for share in shares)


def by_scipy_t(x: Floats, y: Floats) -> tuple[float, ...]:
    if np.ptp(x - y) == 0:
        return (1.0 if x[0] == y[0] else 0.0), x[0] - y[0], x[0] - y[0]
    found = stats.ttest_rel(x, y)
    return found.pvalue, *found.confidence_interval(0.95)


def by_scipy_rank_sum(x: Floats, y: Floats) -> tuple[float, ...]:
    """The interval by the definition of Cliff's delta: each value with each."""
    z, n = stats.norm.ppf(0.975), len(x)
    wins = np.sign(x[:, None] - y)
    delta = wins.mean()
    p = stats.mannwhitneyu(x, y, method="asymptotic").pvalue if np.ptp(np.concatenate([x, y])) > 0 else 1.0
    if abs(delta) == 1:
        near = (n - z**2) / (n + z**2)
        return p, *sorted([delta * near, delta])
    squares = n**2 * (np.square(wins.mean(axis=0) - delta).sum() + np.square(wins.mean(axis=1) - delta).sum())
    variance = (squares - np.square(wins - delta).sum()) / (n**2 * (n - 1) ** 2)
    variance = max(variance, (1 - delta**2) / (n**2 - 1))
    middle, reach = delta - delta**3, z * np.sqrt(variance * ((1 - delta**2) ** 2 + z**2 * variance))
    ends = np.array([middle - reach, middle + reach]) / (1 - delta**2 + z**2 * variance)
    return p, *np.clip(ends, -1, 1)


def by_definition_signed_rank(x: Floats, y: Floats) -> tuple[float, ...]:
    """As MATLAB has it: neighbours in the order of sizes are tied within their spacings; all signs are tried."""
    spacing = np.spacing(np.abs(x)) + np.spacing(np.abs(y))
    kept = np.abs(x - y) > spacing
    d, spacing = (x - y)[kept], spacing[kept]
    order = np.argsort(np.abs(d), kind="stable")
    d, spacing = d[order], spacing[order]
    size, n = np.abs(d), len(d)
    groups: list[list[int]] = []
    for place in range(n):
        if place > 0 and size[place - 1] + spacing[place - 1] >= size[place] - spacing[place]:
            groups[-1].append(place)
        else:
            groups.append([place])
    ranks = np.concatenate([np.full(len(group), np.mean(group) + 1) for group in groups]) if n else np.zeros(0)
    least = min(ranks[d > 0].sum(), ranks[d < 0].sum())
    if n > 15:
        ties = sum(len(group) ** 3 - len(group) for group in groups)
        deviation = np.sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
        return (min(1.0, 2 * stats.norm.cdf((least - n * (n + 1) / 4) / deviation)),)
    sums = np.array(list(itertools.product([0, 1], repeat=n))).reshape(2**n, n) @ ranks
    return (min(1.0, 2 * float(np.mean(sums <= least + 1e-9))),)


BY_PAIR = dict(
    zip(
        (test.name for test in TESTS),
        (by_scipy_sign, by_scipy_rank_sum, by_definition_signed_rank, by_scipy_t),
        strict=True,
    )
)


def ends(found: PairResults) -> tuple[Floats, Floats]:
    """Of the intervals."""
    assert found.lower is not None
    assert found.upper is not None
    return found.lower, found.upper


def same_as_pair_by_pair(test: Test, values: Floats, pairs: Pairs) -> None:
    found = test.compare(values, pairs)
    lower, upper = ends(found)
    for place, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        known = ~np.isnan(values[:, first]) & ~np.isnan(values[:, second])
        assert found.topics[place] == known.sum()
        p, *interval = BY_PAIR[test.name](values[known, first], values[known, second])
        np.testing.assert_allclose(found.p[place], p, rtol=1e-9, atol=1e-15)
        if interval:
            np.testing.assert_allclose([lower[place], upper[place]], interval, rtol=1e-8, atol=1e-14)
        assert not lower[place] > found.difference[place] + 1e-15
        assert not upper[place] < found.difference[place] - 1e-15


@every_test
@pytest.mark.parametrize("measure", ["P@30", "RR@30", "AP@30", "nDCG(base=2)@30"])
def test_real_values_pair_by_pair(test: Test, measure: str, trec_8_values: dict[str, Floats]) -> None:
    every = all_pairs(129)
    some = np.random.default_rng(1).choice(len(every), 150, replace=False)
    same_as_pair_by_pair(test, trec_8_values[measure], Pairs(every.first[some], every.second[some]))


@every_test
@pytest.mark.parametrize(
    "file", ["urbano_sigir2019-statistical/*5*rr*.csv", "urbano_sigir2018-simulation/*2010_err20*"]
)
def test_ready_matrices_pair_by_pair(test: Test, file: str, shared_data: Path) -> None:
    path = next(iter(sorted(path for path in (shared_data / "score_matrices").glob(file))))
    values = np.genfromtxt(path, delimiter=",", skip_header=1)[:, :30]
    assert np.isfinite(values).all()
    same_as_pair_by_pair(test, values, pairs_with(30, baseline=4))


def awkward(seed: int, topics: int) -> Floats:
    """Ties, zeros, constant and identical runs, a run that is another and a step, and neighbours of doubles."""
    draws = np.random.default_rng(seed)
    values = draws.integers(0, 5, (topics, 10)) / 4.0
    values[:, 0] = 0
    values[:, 1] = 0.5
    values[:, 3] = values[:, 2]
    values[:, 4] = values[:, 2] + 0.25
    values[:, 5] = draws.random(topics)
    values[:, 6] = np.nextafter(values[:, 5], 2)
    values[:, 7] = draws.integers(0, 11, topics) * 0.1
    return values


@every_test
@pytest.mark.parametrize("topics", [2, 3, 6, 12, 15, 16, 17, 40])
def test_awkward_values_pair_by_pair(test: Test, topics: int) -> None:
    same_as_pair_by_pair(test, awkward(topics, topics), all_pairs(10))


@every_test
@pytest.mark.parametrize("topics", [8, 30])
def test_topics_without_a_value_are_left_out_pair_by_pair(test: Test, topics: int) -> None:
    values = awkward(topics, topics)
    values[np.random.default_rng(2).random(values.shape) < 0.15] = np.nan
    values[:2] = 0.25  # so that every pair has two topics
    same_as_pair_by_pair(test, values, all_pairs(10))


def test_the_sign_test_is_exact_on_many_topics() -> None:
    values = np.random.default_rng(15).integers(0, 3, (5000, 6)).astype(float) - 0.02 * np.arange(6)
    values = np.hstack([values, np.round(values)])
    same_as_pair_by_pair(Sign(), values, all_pairs(12))


def test_signed_rank_is_that_of_scipy_where_differences_are_whole() -> None:
    draws = np.random.default_rng(3)
    values = draws.integers(0, 30, (60, 12)).astype(float)
    pairs = all_pairs(12)
    found = SignedRank().compare(values, pairs)
    x, y = values[:, pairs.first], values[:, pairs.second]
    np.testing.assert_allclose(found.p, stats.wilcoxon(x, y, axis=0, method="asymptotic").pvalue, rtol=1e-12)
    few = draws.permuted(np.tile(np.arange(1.0, 13.0), (20, 1)), axis=1).T * draws.choice([-1, 1], (12, 20))
    few = np.hstack([few, np.zeros((12, 1))])
    exact = SignedRank().compare(few, pairs_with(21, baseline=20))
    np.testing.assert_allclose(exact.p, stats.wilcoxon(few[:, :20], axis=0, method="exact").pvalue, rtol=1e-12)


def test_pseudomedian_and_its_interval_by_definition() -> None:
    draws = np.random.default_rng(4)
    for topics in (7, 12, 16, 33):
        values = draws.normal(0.3, 1, (topics, 6))
        found = SignedRank().compare(values, all_pairs(6))
        lower, upper = ends(found)
        for place, (i, j) in enumerate(itertools.combinations(range(6), 2)):
            d = values[:, i] - values[:, j]
            averages = [(a + b) / 2 for a, b in itertools.combinations_with_replacement(d, 2)]
            assert found.difference[place] == pytest.approx(np.median(averages), abs=1e-14)
            for side, inwards in ((lower[place], 1e-9), (upper[place], -1e-9)):
                # A shift to just within the interval is not refused, one to just outside is.
                inside, outside = (by_definition_signed_rank(d - side - step, 0 * d)[0] for step in (inwards, -inwards))
                assert outside <= 0.05 < inside
            assert (found.p[place] <= 0.05) == (not lower[place] <= 0 <= upper[place])


def test_intervals_have_no_end_where_topics_are_too_few_for_them() -> None:
    found = SignedRank().compare(np.random.default_rng(5).random((5, 2)), all_pairs(2))  # 2 / 2^5 > .05
    lower, upper = ends(found)
    assert (lower[0], upper[0]) == (-np.inf, np.inf)


def test_sums_that_are_searched_for_are_those_that_are_sorted() -> None:
    draws = np.random.default_rng(6)
    whole = draws.integers(-4, 5, (5, 60)).astype(float)
    for differences in (draws.normal(size=(5, 60)), whole, whole / 10, np.full((5, 60), 0.3)):
        places = np.sort(draws.integers(0, 60 * 61 // 2, (5, 4)), axis=1)
        searched = walsh._sums_by_search(differences, places)
        np.testing.assert_allclose(searched, walsh._sums(differences, places), rtol=0, atol=1e-15)


def test_many_topics_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(7).normal(size=(80, 5))
    sorted_out = SignedRank().compare(values, all_pairs(5))
    monkeypatch.setattr(walsh, "DIRECT", 20)
    same_outcome(SignedRank().compare(values, all_pairs(5)), sorted_out)


def same_outcome(found: PairResults, expected: PairResults, tolerance: float = 1e-12) -> None:
    for name in ("difference", "p", "topics", "statistic", "lower", "upper"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=tolerance, atol=tolerance, err_msg=name
        )
    assert set(found.effects) == set(expected.effects)
    for name, effect in found.effects.items():
        np.testing.assert_allclose(effect, expected.effects[name], rtol=tolerance, atol=tolerance, err_msg=name)


@every_test
def test_identical_runs_do_not_differ(test: Test) -> None:
    found = test.compare(np.tile(np.random.default_rng(8).random((20, 1)), 3), all_pairs(3))
    assert (found.p == 1).all()
    assert (found.difference == 0).all()


def test_t_of_differences_that_are_all_the_same() -> None:
    found = PairedT().compare(np.array([[0.1, 0.1, 0.0]] * 49), all_pairs(3))  # the mean of 49 times 0.1 is not 0.1
    assert found.statistic.tolist() == [0, np.inf, np.inf]
    assert found.p.tolist() == [1, 0, 0]
    assert found.difference.tolist() == [0, 0.1, 0.1]
    assert found.effects["paired_d"].tolist() == [0, np.inf, np.inf]


@every_test
def test_one_topic_or_one_run_is_refused(test: Test) -> None:
    with pytest.raises(ParameterError, match="needs 2 topics or more"):
        test.compare(np.ones((1, 3)), all_pairs(3))
    with pytest.raises(ParameterError, match="two or more are needed, got 1"):
        test.compare(np.ones((4, 1)), all_pairs(1))


@every_test
@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, float("nan")])
def test_a_confidence_that_is_none_is_refused(test: Test, confidence: float) -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        test.compare(np.ones((3, 3)), all_pairs(3), confidence)


@every_test
def test_pairs_with_too_few_topics_have_no_p(test: Test) -> None:
    values = np.random.default_rng(9).random((6, 4))
    values[1:, 1] = np.nan
    values[:, 2] = np.nan
    found = test.compare(values, all_pairs(4))
    assert found.topics.tolist() == [1, 0, 6, 0, 1, 0]
    untested = [0, 1, 3, 4, 5]
    for column in (found.p, found.statistic, found.lower, found.upper, *found.effects.values()):
        assert column is not None
        assert np.isnan(column[untested]).all()
        assert np.isfinite(column[2])
    assert np.isnan(found.difference[[1, 3, 5]]).all()
    assert np.isfinite(found.difference[[0, 2, 4]]).all()


@every_test
def test_a_larger_confidence_widens_the_interval(test: Test) -> None:
    values, pairs = np.random.default_rng(10).normal(size=(25, 8)), all_pairs(8)
    wide, narrow = (test.compare(values, pairs, confidence) for confidence in (0.99, 0.8))
    (wide_lower, wide_upper), (narrow_lower, narrow_upper) = ends(wide), ends(narrow)
    assert (wide_lower < narrow_lower).all()
    assert (narrow_upper < wide_upper).all()
    np.testing.assert_array_equal(wide.p, narrow.p)


@every_test
def test_pairs_in_parts_are_the_same(test: Test, monkeypatch: pytest.MonkeyPatch) -> None:
    values, pairs = awkward(11, 20), all_pairs(10)
    whole = test.compare(values, pairs)
    monkeypatch.setattr(pair_test, "AT_ONCE", 20 * 7)
    same_outcome(test.compare(values, pairs), whole, 0)


@every_test
def test_no_pairs_are_no_error(test: Test) -> None:
    none = Pairs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert test.compare(np.ones((4, 3)), none).p.shape == (0,)


@every_test
def test_infinite_values_are_ordered_where_order_is_all_that_counts(test: Test) -> None:
    values = np.array([[np.inf, 1.0], [3.0, 2.0], [np.inf, np.inf], [1.0, 0.0], [5.0, 1.0]])
    found = test.compare(values, all_pairs(2))
    finite = test.compare(np.where(np.isinf(values), 100.0, values), all_pairs(2))
    if test.asks == "ordinal":
        same_outcome(found, finite)
    elif isinstance(test, SignedRank):
        assert found.p == finite.p
    else:
        assert np.isnan(found.p[0])


# Simulation: each pair is of two runs of its own, so that pairs are independent.
SIMULATED = 4000


def simulated(test: Test, effect: float, seed: int, topics: int = 25) -> PairResults:
    draws = np.random.default_rng(seed)
    hardness = 0 if isinstance(test, RankSum) else draws.normal(size=(topics, SIMULATED))  # which is unpaired
    first, second = (draws.normal(size=(topics, SIMULATED)) + hardness for _ in range(2))
    runs = np.arange(SIMULATED)
    return test.compare(np.hstack([first + effect, second]), Pairs(runs, runs + SIMULATED))


def level(test: Test, topics: int, alpha: float) -> float:
    """The share of false differences: alpha, and less where p has few values."""
    if isinstance(test, Sign):
        p = [stats.binomtest(wins, topics).pvalue for wins in range(topics + 1)]
        return float(sum(stats.binom.pmf(w, topics, 0.5) for w in range(topics + 1) if p[w] < alpha))
    return alpha


@every_test
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_false_differences_are_as_rare_as_alpha_says(test: Test, alpha: float) -> None:
    hits = int(np.count_nonzero(simulated(test, 0.0, seed=12).p < alpha))
    low, high = stats.binom.interval(0.999, SIMULATED, level(test, 25, alpha))
    assert low <= hits <= high


@every_test
def test_larger_effects_are_found_more_often(test: Test) -> None:
    power = [np.mean(simulated(test, effect, seed=13).p < 0.05) for effect in (0.0, 0.3, 0.6, 0.9, 1.5)]
    assert all(np.diff(power) > 0.05)
    assert power[-1] > 0.9


@every_test
@pytest.mark.parametrize("effect", [0.0, 0.5])
def test_intervals_hold_the_true_difference_as_often_as_they_say(test: Test, effect: float) -> None:
    won = 2 * stats.norm.cdf(effect / np.sqrt(2)) - 1  # the share of topics won, less lost
    truth = won if test.asks == "ordinal" else effect
    found = simulated(test, effect, seed=14)
    lower, upper = ends(found)
    held = int(np.count_nonzero((lower <= truth) & (truth <= upper)))
    low, high = stats.binom.interval(0.999, SIMULATED, 0.95)
    assert low <= held <= (SIMULATED if isinstance(test, Sign) else high)  # Clopper and Pearson give more than asked


# Laws. Values are quarters: differences and sums of them are exact.
quarters = arrays.arrays(np.float64, st.tuples(st.integers(2, 24), st.integers(2, 5)), elements=st.integers(0, 12)).map(
    lambda values: values / 4
)
tried = settings(max_examples=40, deadline=None)


@every_test
@tried
@given(values=quarters)
def test_swapping_the_runs_turns_the_difference_round(test: Test, values: Floats) -> None:
    pairs = all_pairs(values.shape[1])
    found, swapped = test.compare(values, pairs), test.compare(values, Pairs(pairs.second, pairs.first))
    (lower, upper), (swapped_lower, swapped_upper) = ends(found), ends(swapped)
    np.testing.assert_array_equal(found.p, swapped.p)
    np.testing.assert_array_equal(found.difference, -swapped.difference)
    np.testing.assert_allclose(lower, -swapped_upper, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(upper, -swapped_lower, rtol=1e-11, atol=1e-14)


@every_test
@tried
@given(values=quarters, data=st.data())
def test_the_order_of_topics_and_of_runs_does_not_matter(test: Test, values: Floats, data: Any) -> None:
    topics, runs = (np.array(data.draw(st.permutations(range(count)))) for count in values.shape)
    pairs, place = all_pairs(values.shape[1]), np.argsort(runs)
    permuted = test.compare(values[topics][:, runs], Pairs(place[pairs.first], place[pairs.second]))
    same_outcome(permuted, test.compare(values, pairs))


@every_test
@tried
@given(values=quarters, constant=st.integers(-50, 50), factor=st.sampled_from([0.5, 2.0, 8.0]))
def test_another_zero_and_unit_of_the_scale_change_no_p(
    test: Test, values: Floats, constant: int, factor: float
) -> None:
    pairs = all_pairs(values.shape[1])
    found, moved = (test.compare(some, pairs) for some in (values, factor * values + constant))
    np.testing.assert_allclose(moved.p, found.p, rtol=1e-12)
    unit = 1.0 if test.asks == "ordinal" else factor
    np.testing.assert_allclose(moved.difference, unit * found.difference, rtol=1e-12, atol=1e-14)
    for name, effect in found.effects.items():
        np.testing.assert_allclose(moved.effects[name], effect, rtol=1e-12, atol=1e-14)


@tried
@given(values=quarters, steps=st.lists(st.floats(1e-6, 1e3), min_size=13, max_size=13))
def test_any_monotone_map_leaves_ordinal_tests_alone(values: Floats, steps: list[float]) -> None:
    pairs, mapped = all_pairs(values.shape[1]), np.cumsum(steps)[(4 * values).astype(int)]
    for test in TESTS:
        if test.asks == "ordinal":
            same_outcome(test.compare(mapped, pairs), test.compare(values, pairs), 0)


@every_test
@tried
@given(values=quarters)
def test_p_is_a_probability_and_intervals_hold_the_difference(test: Test, values: Floats) -> None:
    found = test.compare(values, all_pairs(values.shape[1]))
    lower, upper = ends(found)
    assert ((found.p >= 0) & (found.p <= 1)).all()
    assert (lower <= found.difference + 1e-14).all()
    assert (upper >= found.difference - 1e-14).all()


def test_what_is_unpaired_says_so() -> None:
    assert "unpaired" in RankSum.label
    assert all(test.paper for test in TESTS)
