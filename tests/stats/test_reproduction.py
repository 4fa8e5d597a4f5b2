"""Reproduced values: worked values, scipy, statsmodels."""

import math

import numpy as np
import pytest
from scipy import stats

from rankscale.stats.margin import Margin
from rankscale.stats.reproduction import delta_ri, effect_ratio, nrmse, paired, rmse, unpaired

BASE = np.array([0.42, 0.31, 0.55, 0.20, 0.68, 0.47, 0.36, 0.59])
CAND = np.array([0.40, 0.33, 0.54, 0.19, 0.66, 0.48, 0.33, 0.59])
# Two runs under two sets of judgments.
R, S = np.array([0.7, 0.6, 0.7, 0.8, 0.9]), np.array([0.6, 0.5, 0.5, 0.5, 0.4])
R_AGAIN, S_AGAIN = np.array([0.6, 0.6, 0.7, 0.8, 0.9]), np.array([0.7, 0.6, 0.5, 0.5, 0.3])


def test_worked_values() -> None:
    assert rmse(BASE, CAND) == pytest.approx(0.017321, abs=5e-7)
    assert nrmse(BASE, CAND) == pytest.approx(0.027150, abs=5e-7)
    assert paired(BASE, CAND).p == pytest.approx(0.244341, abs=5e-7)
    assert unpaired(BASE, CAND).p == pytest.approx(0.925203, abs=5e-7)
    # R improves on S: these stand for the advanced run and the baseline.
    assert effect_ratio(S, R, S_AGAIN, R_AGAIN) == pytest.approx(0.833333, abs=5e-7)
    assert delta_ri(*(float(one.mean()) for one in (S, R, S_AGAIN, R_AGAIN))) == pytest.approx(0.095385, abs=5e-7)


def test_equivalence_is_that_of_the_gate() -> None:
    within = paired(BASE, CAND, margin=Margin.of(0.02))
    assert within.p_equivalence == pytest.approx(0.035951, abs=5e-7)
    assert within.smallest_margin == pytest.approx(0.018680, abs=5e-7)
    assert paired(BASE, CAND, margin=Margin.of(0.01)).p_equivalence == pytest.approx(0.342264, abs=5e-7)


@pytest.mark.parametrize("welch", [False, True])
def test_unpaired_tests_are_those_of_scipy(*, welch: bool) -> None:
    other = np.array([0.1, 0.9, 0.4])
    expected = stats.ttest_ind(other, BASE, equal_var=not welch)
    made = unpaired(BASE, other, welch=welch)
    assert (made.p, made.freedom) == pytest.approx((expected.pvalue, expected.df))
    assert made.mean == pytest.approx(other.mean() - BASE.mean())
    ends = expected.confidence_interval(0.9)
    assert made.smallest_margin == pytest.approx(max(abs(ends.low), abs(ends.high)))


def test_unpaired_equivalence_is_that_of_two_one_sided_tests() -> None:
    other = np.array([0.45, 0.48, 0.4])
    made = unpaired(BASE, other, margin=Margin.of(0.1))
    above = stats.ttest_ind(other, BASE - 0.1, alternative="greater").pvalue
    below = stats.ttest_ind(other, BASE + 0.1, alternative="less").pvalue
    assert made.p_equivalence == pytest.approx(max(above, below))


def test_the_smallest_margin_is_where_equivalence_begins() -> None:
    for test, of in ((paired, CAND), (unpaired, CAND)):
        edge = test(BASE, of).smallest_margin
        assert test(BASE, of, margin=Margin.of(edge)).p_equivalence == pytest.approx(0.05)


def test_what_is_undefined_or_equal() -> None:
    assert math.isnan(effect_ratio(R, R, S, R))
    assert math.isnan(delta_ri(0.0, 0.7, 0.5, 0.7))
    assert paired(R, R).p == 1
    assert paired(R, R + 0.125).p == 0
    assert (unpaired(0 * R, 0 * S).p, unpaired(0 * R, 0 * S + 1).p) == (1, 0)
    assert math.isnan(unpaired(R, S[:1]).p)
    assert math.isnan(paired(R[:1], S[:1]).p)
