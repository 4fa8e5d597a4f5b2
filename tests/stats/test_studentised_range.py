import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankscale.errors import ParameterError
from rankscale.stats.tests.base.simultaneous import StudentisedRange

INFINITE = math.inf


@pytest.mark.parametrize(
    ("groups", "df"),
    [
        *((2, 1), (2, 2), (2, 49), (2, INFINITE), (3, 1), (3, 2.5), (3, 10), (5, 4), (10, 9), (10, 120)),
        *((50, 5), (129, 1), (129, 128), (129, 6272), (129, 6321), (129, INFINITE), (1000, 3), (1000, 49_000)),
    ],
)
def test_p_is_that_of_scipy(groups: int, df: float) -> None:
    q = np.concatenate([[0.0, 1e-6, 0.01, 0.3], np.linspace(0.8, 11.5, 12), [40.0] * (df < 10)])
    expected = stats.studentized_range.sf(q, groups, df)
    np.testing.assert_allclose(StudentisedRange(groups, df).p(q), expected, rtol=0, atol=2e-10)


# As in any printed table of upper 5% and 1% points.
@pytest.mark.parametrize(
    ("groups", "df", "alpha", "printed"),
    [
        *((2, 5, 0.05, 3.635), (3, 10, 0.05, 3.877), (10, 20, 0.05, 5.008), (20, 60, 0.05, 5.241)),
        *((4, 12, 0.01, 5.502), (3, INFINITE, 0.05, 3.314), (10, INFINITE, 0.05, 4.474), (10, INFINITE, 0.01, 5.157)),
    ],
)
def test_critical_values_are_those_of_printed_tables(groups: int, df: float, alpha: float, printed: float) -> None:
    assert StudentisedRange(groups, df).critical(alpha) == pytest.approx(printed, abs=0.0006)


def test_two_groups_are_the_t_test() -> None:
    q = np.linspace(0, 30, 301)
    for df in (1, 2, 7, 48, 1e6):
        expected = 2 * stats.t.sf(q / math.sqrt(2), df)
        np.testing.assert_allclose(StudentisedRange(2, df).p(q), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(StudentisedRange(2, INFINITE).p(q), 2 * stats.norm.sf(q / math.sqrt(2)), rtol=1e-9)


def test_small_probabilities_keep_their_digits() -> None:
    q = np.array([8.0, 12.0, 20.0, 28.0])
    two = stats.norm.sf(q / math.sqrt(2)) * 2
    for groups in (3, 50):  # far out the widest pair is one of them alone
        bound = groups * (groups - 1) / 2 * two
        p = StudentisedRange(groups, INFINITE).p(q)
        assert (p <= bound * (1 + 1e-9)).all()
        np.testing.assert_allclose(p[2:], bound[2:], rtol=1e-4)


def test_ends() -> None:
    for df in (3, 500, INFINITE):
        p = StudentisedRange(4, df).p(np.array([-1.0, 0.0, np.inf, np.nan]))
        np.testing.assert_allclose(p, [1.0, 1.0, 0.0, np.nan], rtol=0, atol=1e-14)
        assert StudentisedRange(4, df).p(np.empty(0)).shape == (0,)
        assert StudentisedRange(4, df).p(np.ones((2, 3))).shape == (2, 3)


@settings(max_examples=30)
@given(
    groups=st.sampled_from([2, 3, 7, 30, 129]),
    df=st.sampled_from([1, 4, 49, 1000.0, INFINITE]),
    alpha=st.floats(1e-6, 0.999),
)
def test_critical_values_are_exceeded_with_probability_alpha(groups: int, df: float, alpha: float) -> None:
    distribution = StudentisedRange(groups, df)
    assert float(distribution.p(np.array(distribution.critical(alpha)))) == pytest.approx(alpha, rel=1e-9)


@pytest.mark.parametrize("df", [2, 60, INFINITE])
def test_wider_is_less_likely(df: float) -> None:
    p = StudentisedRange(129, df).p(np.linspace(0, 29, 20_000))
    assert (np.diff(p) <= 1e-12).all()
    some = StudentisedRange(40, df).p(np.linspace(0.5, 10, 50))
    assert (some <= StudentisedRange(41, df).p(np.linspace(0.5, 10, 50)) + 1e-13).all()


@pytest.mark.parametrize("alpha", [0, 1, -0.1])
def test_alpha_lies_between_0_and_1(alpha: float) -> None:
    with pytest.raises(ParameterError, match="alpha must lie between 0 and 1"):
        StudentisedRange(3, 10).critical(alpha)
