"""Corrections: against scipy, by their definitions, and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from rankscale.data.arrays import Floats
from rankscale.errors import UnknownNameError
from rankscale.stats.corrections import CORRECTIONS, correct

p_values = arrays.arrays(np.float64, st.integers(0, 40), elements=st.floats(0, 1))
some_unknown = arrays.arrays(np.float64, st.integers(0, 40), elements=st.one_of(st.floats(0, 1), st.just(np.nan)))
every_method = pytest.mark.parametrize("method", CORRECTIONS)


@given(p=p_values.filter(len))
def test_false_discovery_rates_are_those_of_scipy(p: Floats) -> None:
    for method in ("bh", "by"):
        expected = stats.false_discovery_control(p, method=method)
        np.testing.assert_allclose(correct(p, method), expected, rtol=1e-13, atol=1e-300)


@given(p=p_values, alpha=st.floats(0.001, 0.5))
def test_holm_steps_down_until_one_is_not_refused(p: Floats, alpha: float) -> None:
    refused = np.zeros(len(p), dtype=bool)
    for step, place in enumerate(np.argsort(p)):
        if p[place] * (len(p) - step) > alpha:
            break
        refused[place] = True
    np.testing.assert_array_equal((correct(p, "holm") <= alpha), refused)


@given(p=p_values, alpha=st.floats(0.001, 0.5))
def test_benjamini_and_hochberg_refuse_all_up_to_the_last_below_the_line(p: Floats, alpha: float) -> None:
    line = alpha * np.arange(1, len(p) + 1) / max(len(p), 1)
    below = np.flatnonzero(np.sort(p) < line * (1 - 1e-12))
    certain = np.sort(p)[below[-1]] if len(below) else -1.0
    assert (correct(p, "bh")[p <= certain] <= alpha).all()
    above = np.flatnonzero(np.sort(p) < line * (1 + 1e-12))
    possible = np.sort(p)[above[-1]] if len(above) else -1.0
    assert (correct(p, "bh")[p > possible] > alpha).all()


@given(p=p_values)
def test_bonferroni_multiplies(p: Floats) -> None:
    np.testing.assert_array_equal(correct(p, "bonferroni"), np.minimum(1, len(p) * p))
    np.testing.assert_array_equal(correct(p, "none"), p)


@every_method
@given(p=some_unknown)
def test_unknown_p_values_stay_so_and_do_not_count(method: str, p: Floats) -> None:
    corrected, known = correct(p, method), ~np.isnan(p)
    np.testing.assert_array_equal(np.isnan(corrected), ~known)
    np.testing.assert_array_equal(corrected[known], correct(p[known], method))


@every_method
@given(p=p_values)
def test_corrected_p_values_keep_their_order_and_never_get_smaller(method: str, p: Floats) -> None:
    corrected = correct(p, method)
    assert (np.diff(corrected[np.argsort(p)]) >= 0).all()
    assert (corrected >= p * (1 - 1e-15)).all()
    assert (corrected <= 1).all()


@given(p=p_values)
def test_bonferroni_is_the_most_careful_and_benjamini_and_hochberg_the_least(p: Floats) -> None:
    bonferroni, holm, bh = (correct(p, method) for method in ("bonferroni", "holm", "bh"))
    assert (holm <= bonferroni).all()
    assert (bh <= holm * (1 + 1e-12)).all()


@every_method
def test_what_is_handed_in_stays_as_it_is_in_any_shape(method: str) -> None:
    p = np.array([[0.01, 0.2], [0.03, np.nan]])
    before = p.copy()
    assert correct(p, method).shape == (2, 2)
    np.testing.assert_array_equal(correct(p, method).ravel(), correct(p.ravel(), method))
    np.testing.assert_array_equal(p, before)


@pytest.mark.parametrize(("name", "nearest"), [("Holms", "holm"), ("bonferoni", "bonferroni"), ("BH", "bh")])
def test_an_unknown_correction_is_refused_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(
        UnknownNameError, match=f"unknown correction '{name}'; did you mean {nearest}\\? there are none, "
    ):
        correct(np.array([0.5]), name)


def test_a_name_like_none_of_them_is_refused_with_all() -> None:
    with pytest.raises(UnknownNameError, match="unknown correction 'xyz'; there are none, bonferroni, holm, bh, by"):
        correct(np.array([0.5]), "xyz")
