"""Non-inferiority: the worked values of the specification, scipy as oracle, a slow loop over signs, and laws."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse
from rankscale.stats.margin import Margin, limits
from rankscale.stats.noninferiority import (
    CandidateDifferences,
    combined,
    decide,
    differences,
    equivalence,
    margin_power,
    margin_tails,
    one_sided_bounds,
    power_of,
    randomised,
    relative_tolerance,
    remark,
    share_worse,
    student,
)
from rankscale.stats.power import OneSidedT

BASE = np.array([0.42, 0.31, 0.55, 0.20, 0.68, 0.47, 0.36, 0.59])
CAND = np.array([0.40, 0.33, 0.54, 0.19, 0.66, 0.48, 0.33, 0.59])
BAD = np.array([0.30, 0.22, 0.41, 0.12, 0.50, 0.35, 0.27, 0.44])
ALPHA = 0.05
# candidate, margin: t, p_NI, p_worse, p of TOST, verdict, power at 0, topics for 0.8, p_NI and p_worse by randomisation
WORKED: list[tuple[Any, ...]] = [
    (CAND, 0.02, 2.118296, 0.035951, 0.964049, 0.035951, "pass", 0.918338, 6, (0.0625, 0.984375), "inconclusive"),
    (CAND, 0.01, 0.423659, 0.342264, 0.657736, 0.342264, "inconclusive", 0.454024, 19, (0.421875, 0.734375), None),
    (BAD, 0.02, -8.322950, 0.999965, 0.000035, 0.999965, "fail", 0.436097, 20, (1, 0.003906), "fail"),
]
values = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=2, max_size=12)
margins = st.floats(0.001, 0.5)


def near(value: object) -> Any:
    return pytest.approx(value, abs=5.001e-7)


def within(of: CandidateDifferences, lower: float, upper: float) -> float:
    """Equivalence by absolute margins, for which values of the baseline do not matter."""
    return equivalence(of, np.full(of.topics, np.nan), student, Margin(lower), Margin(upper))


def pairs(draw: list[float]) -> CandidateDifferences:
    half = len(draw) // 2
    return differences(np.array(draw[:half]), np.array(draw[half : 2 * half]))


def test_mean_deviation_and_bounds_of_the_worked_example() -> None:
    of = differences(CAND, BASE)
    lower, upper = one_sided_bounds(of, ALPHA)
    assert (of.mean, of.deviation, lower, upper) == near((-0.0075, 0.016690, -0.018680, 0.003680))
    assert -lower / BASE.mean() == near(0.041743)
    power = power_of(of, 0.01, ALPHA)
    assert power is not None
    assert power.detectable == near(0.016326)


@pytest.mark.parametrize("case", WORKED)
def test_worked_values(case: Any) -> None:
    candidate, delta, t, p_ni, p_worse, tost, verdict, at_zero, needed, drawn, by_drawing = case
    of = differences(candidate, BASE)
    assert (of.mean + delta) / of.error == near(t)
    assert student(of, -delta) == near((p_ni, p_worse))
    assert within(of, delta, delta) == near(tost)
    assert decide(*student(of, -delta), ALPHA) == verdict
    power = power_of(of, delta, ALPHA)
    assert power is not None
    assert (power.at_zero, power.topics_needed) == (near(at_zero), needed)
    assert randomised(of, -delta, samples=1, seed=0) == near(drawn)
    assert decide(*randomised(of, -delta, samples=1, seed=0), ALPHA) == (by_drawing or verdict)


@pytest.mark.parametrize("seed", range(5))
def test_student_is_that_of_scipy(seed: int) -> None:
    draw = np.random.default_rng(seed)
    baseline, candidate = draw.random((2, 3 + 7 * seed))
    of, gap = differences(candidate, baseline), candidate - baseline
    for limit in (-0.1, -0.01, 0.05):
        oracle = [stats.ttest_1samp(gap, limit, alternative=side).pvalue for side in ("greater", "less")]
        assert student(of, limit) == pytest.approx(oracle, rel=1e-10)
    interval = stats.ttest_1samp(gap, 0).confidence_interval(1 - 2 * ALPHA)
    assert one_sided_bounds(of, ALPHA) == pytest.approx((interval.low, interval.high), rel=1e-10)
    pair = max(
        stats.ttest_rel(candidate + 0.2, baseline, alternative="greater").pvalue,
        stats.ttest_rel(candidate - 0.3, baseline, alternative="less").pvalue,
    )
    assert within(of, 0.2, 0.3) == pytest.approx(pair, rel=1e-9)


def test_values_of_statsmodels() -> None:
    """ttost_paired(CAND, BASE, -0.02, 0.03) and TTestPower of statsmodels 0.15.0."""
    of = differences(CAND, BASE)
    assert student(of, -0.02)[0] == pytest.approx(0.03595107709831045, rel=1e-12)
    assert student(of, 0.03)[1] == pytest.approx(0.0001917156120357961, rel=1e-12)
    assert within(of, 0.02, 0.03) == pytest.approx(0.03595107709831045, rel=1e-12)
    assert OneSidedT(of.deviation**2).power(0.01, 8) == pytest.approx(0.4540240706928351, rel=1e-9)


@pytest.mark.parametrize("topics", [2, 3, 5, 8])
def test_all_vectors_of_signs_as_a_slow_loop_counts_them(topics: int) -> None:
    draw = np.random.default_rng(topics)
    baseline, candidate = draw.integers(0, 5, (2, topics)) / 10  # with many equal sums
    of = differences(candidate, baseline)
    for limit in (-0.1, 0.0, 0.05):
        shifted = [c - b - limit for c, b in zip(candidate.tolist(), baseline.tolist(), strict=True)]
        total, high, low = math.fsum(shifted), 0, 0
        for signs in itertools.product((1, -1), repeat=topics):
            flipped = math.fsum(s * e for s, e in zip(signs, shifted, strict=True))
            high += flipped >= total - 1e-12
            low += flipped <= total + 1e-12
        assert randomised(of, limit, samples=1, seed=0) == (high / 2**topics, low / 2**topics)


def test_random_vectors_are_near_the_permutation_test_of_scipy() -> None:
    draw = np.random.default_rng(3)
    baseline, candidate = draw.random(30), draw.random(30)
    shifted = candidate - baseline + 0.1
    oracle = stats.permutation_test(
        (shifted,), np.sum, permutation_type="samples", alternative="greater", n_resamples=20_000, rng=draw
    )
    of = differences(candidate, baseline)
    high, low = randomised(of, -0.1, samples=20_000, seed=0)
    assert high == pytest.approx(oracle.pvalue, abs=0.02)
    assert high + low == pytest.approx(1, abs=1e-3)
    assert randomised(of, -10, samples=99, seed=0)[0] == 1 / 100  # never 0: what was observed is one of them


def test_power_is_that_of_the_noncentral_t_and_of_simulation() -> None:
    of = differences(CAND, BASE)
    c, shift = stats.t.ppf(0.95, 7), 0.01 / of.error
    power = power_of(of, 0.01, ALPHA)
    assert power is not None
    assert power.at_zero == pytest.approx(stats.nct.sf(c, 7, shift), rel=1e-9)
    detectable = optimize.brentq(lambda e: stats.nct.sf(c, 7, e / of.error) - 0.8, 1e-6, 1)
    assert power.detectable == pytest.approx(detectable, rel=1e-6)
    needed = next(n for n in range(2, 99) if OneSidedT(of.deviation**2).power(0.01, n) >= 0.8)
    assert power.topics_needed == needed
    draw, tried = np.random.default_rng(1), 20_000
    p = stats.ttest_1samp(draw.normal(0, of.deviation, (tried, 8)), -0.01, axis=1, alternative="greater").pvalue
    assert np.mean(p < ALPHA) == pytest.approx(power.at_zero, abs=4 * math.sqrt(0.25 / tried))


def test_power_of_margins_far_from_the_deviation() -> None:
    of = differences(CAND, BASE)
    small, large = power_of(of, 1e-9, ALPHA), power_of(of, 1e12, ALPHA)
    assert small is not None
    assert small.topics_needed is None  # more than can be counted
    assert large is not None
    assert (large.at_zero, large.topics_needed) == (1, 2)


def test_differences_that_do_not_vary() -> None:
    of = differences(BASE - 0.01, BASE)
    assert of.deviation == 0
    assert [decide(*student(of, -margin), ALPHA) for margin in (0.02, 0.01, 0.005)] == ["pass", "inconclusive", "fail"]
    assert np.isnan(student(of, -0.01)).all()
    assert power_of(of, 0.01, ALPHA) is None
    assert within(of, 0.02, 0.02) == 0
    assert within(of, 0.005, 0.02) == 1
    assert math.isnan(within(of, 0.01, 0.02))


@pytest.mark.parametrize("numbers", [[], [0.5], [0.5, math.inf]])
def test_too_few_or_infinite_values_show_nothing(numbers: list[float]) -> None:
    of = differences(np.array(numbers), np.zeros(len(numbers)))
    for p in (student(of, -0.1), randomised(of, -0.1, samples=9, seed=0)):
        assert decide(*p, ALPHA) == "inconclusive"
    assert np.isnan(one_sided_bounds(of, ALPHA)).all()
    assert power_of(of, 0.1, ALPHA) is None


def test_low_is_good_turns_the_difference_round() -> None:
    assert differences(BASE, CAND, low_is_good=True).values.tolist() == differences(CAND, BASE).values.tolist()


def test_the_share_of_topics_that_get_worse() -> None:
    of = share_worse(differences(CAND, BASE), 0.75)
    assert (of.worse, of.differ) == (5, 7)  # the last topic has equal values
    assert of.p == pytest.approx(stats.binom.cdf(5, 7, 0.75), rel=1e-12)
    same = share_worse(differences(BASE, BASE))
    assert (same.worse, same.differ, same.p, same.below(ALPHA)) == (0, 0, 1, False)


def test_remarks_never_say_that_there_is_no_difference() -> None:
    assert remark("pass", 0.01, 0.02) == "better"
    assert remark("pass", -0.02, -0.01) == "worse than the baseline, by less than the margin"
    assert remark("pass", -0.01, 0.01) == remark("pass", math.nan, math.nan) == "not worse by more than the margin"
    assert remark("fail", -1, -0.5) == "worse by more than the margin"
    assert combined([]) == "inconclusive"


@settings(max_examples=200)
@given(values, margins)
def test_the_two_columns_of_the_rule_agree(drawn: list[float], margin: float) -> None:
    of = pairs(drawn)
    verdict, (lower, upper) = decide(*student(of, -margin), ALPHA), one_sided_bounds(of, ALPHA)
    if of.testable and min(abs(lower + margin), abs(upper + margin)) > 1e-9:
        assert (verdict == "pass") == (lower > -margin)
        assert (verdict == "fail") == (upper < -margin)


@settings(max_examples=200)
@given(values, margins, margins)
def test_a_wider_margin_never_makes_a_verdict_worse(drawn: list[float], one: float, other: float) -> None:
    of, order = pairs(drawn), ("fail", "inconclusive", "pass")
    tests = (student, lambda d, limit: randomised(d, limit, samples=200, seed=0))
    for test in tests:
        narrow, wide = (order.index(decide(*test(of, -margin), ALPHA)) for margin in sorted((one, other)))
        assert narrow <= wide


@settings(max_examples=100)
@given(values, margins)
def test_p_values_are_of_opposite_tails(drawn: list[float], margin: float) -> None:
    of = pairs(drawn)
    if of.testable and of.deviation:
        assert sum(student(of, -margin)) == pytest.approx(1, abs=1e-12)
        assert sum(randomised(of, -margin, samples=1, seed=0)) >= 1


@settings(max_examples=100)
@given(values, margins)
def test_equivalence_is_an_interval_inside_the_margins(drawn: list[float], margin: float) -> None:
    of, (lower, upper) = pairs(drawn), one_sided_bounds(pairs(drawn), ALPHA)
    if of.testable and of.deviation and min(abs(lower + margin), abs(upper - margin)) > 1e-9:
        assert (within(of, margin, margin) < ALPHA) == (-margin < lower and upper < margin)


def test_margins() -> None:
    assert Margin.of(0.01) == Margin.of("0.01") == Margin.of(["0.01"]) == Margin(absolute=0.01)
    assert Margin.of(("2%", 0.01)) == Margin(0.01, 0.02)
    assert [Margin.of([0.01, "2%"]).value(mean) for mean in (0.25, 0.75)] == [0.01, 0.015]
    assert str(Margin.of([0.01, "2.5%"])) == "0.01 or 2.5%, whichever is larger"


@pytest.mark.parametrize("given", [0, -0.1, "0%", "much", "", math.nan, math.inf, True, None, [], "100%", [0.1, 0.2]])
def test_margins_that_are_none(given: Any) -> None:
    with pytest.raises(ParameterError, match="margin"):
        Margin.of(given)


def test_a_relative_margin_needs_a_mean_above_0() -> None:
    with pytest.raises(ParameterError, match="must lie above 0, and it is 0; give an absolute margin"):
        Margin.of([0.1, "2%"]).value(0.0)


def test_a_relative_margin_is_not_taken_as_known() -> None:
    """The specification's values: 5% passes with p_NI .023319, 2% is inconclusive with .405704 and power .396016."""
    of = differences(CAND, BASE)
    assert margin_tails(of, BASE, Margin.of("5%"), student)[0] == near(0.023319)
    p_noninferior, p_worse = margin_tails(of, BASE, Margin.of("2%"), student)
    assert p_noninferior == near(0.405704)
    assert p_worse == pytest.approx(1 - p_noninferior, rel=1e-12)
    power = margin_power(of, BASE, Margin.of("2%"), ALPHA)
    assert power is not None
    assert power.at_zero == near(0.396016)
    assert relative_tolerance(of, BASE, ALPHA) == near(0.042350)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.3])
def test_relative_margins_are_tests_of_scipy(share: float) -> None:
    of, margin = differences(CAND, BASE), Margin(relative=share)
    high = stats.ttest_rel(CAND, (1 - share) * BASE, alternative="greater").pvalue
    low = stats.ttest_rel(CAND, (1 + share) * BASE, alternative="less").pvalue
    assert margin_tails(of, BASE, margin, student)[0] == pytest.approx(high, rel=1e-9)
    assert equivalence(of, BASE, student, margin, margin) == pytest.approx(max(high, low), rel=1e-9)
    costs = differences(CAND, BASE, low_is_good=True)  # it may cost more by a share of the baseline
    more = stats.ttest_rel(CAND, (1 + share) * BASE, alternative="less").pvalue
    assert margin_tails(costs, BASE, margin, student)[0] == pytest.approx(more, rel=1e-9)


def test_the_larger_of_two_margins_passes_by_either_at_half_the_level() -> None:
    of = differences(CAND, BASE)
    absolute, relative = (margin_tails(of, BASE, Margin.of(one), student) for one in (0.02, "5%"))
    noninferior, worse = margin_tails(of, BASE, Margin.of([0.02, "5%"]), student)
    assert noninferior == 2 * min(absolute[0], relative[0])
    assert worse == max(absolute[1], relative[1])
    assert (
        margin_tails(of, BASE, Margin.of([0.5, "5%"]), student)[0] < margin_tails(of, BASE, Margin.of("5%"), student)[0]
    )


@settings(max_examples=200)
@given(values)
def test_the_relative_tolerance_is_the_smallest_margin_that_passes(draw: list[float]) -> None:
    half = len(draw) // 2
    candidate, baseline = np.array(draw[:half]), np.array(draw[half : 2 * half])
    of = differences(candidate, baseline)
    if not of.testable or not baseline.mean() > 0:
        return
    edge = relative_tolerance(of, baseline, ALPHA)
    shares = np.linspace(0.001, 0.999, 400)
    passing = [share for share in shares if margin_tails(of, baseline, Margin(relative=share), student)[0] < ALPHA]
    if math.isnan(edge):
        assert not passing
    else:
        assert not [share for share in passing if share < edge - 1e-9]
        just_above = margin_tails(of, baseline, Margin(relative=min(edge + 1e-6, 0.9999999)), student)[0]
        assert edge > 0.9999 or just_above < ALPHA + 1e-4


def test_margins_of_ratios_are_relative() -> None:
    below, above = limits(parse("GMAP"), Margin.of("5%"))
    assert (below.absolute, above.absolute) == pytest.approx((-math.log(0.95), math.log(1.05)), rel=1e-12)
    for margin in (Margin.of(0.01), Margin.of([0.01, "2%"])):
        with pytest.raises(ParameterError, match="geometric means are compared by their ratio"):
            limits(parse("GMAP"), margin)
