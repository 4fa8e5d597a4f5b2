"""Standardised values against scipy's distributions, and what becomes of their scale."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscale.errors import InputError, ParameterError
from rankscale.stats.standardising import KINDS, standardised
from rankscale.stats.tests.base.test import SCALE_TYPES

VALUES = np.random.default_rng(0).uniform(size=(9, 6))
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.parametrize("name", ["robust2004_ap", "terabyte2006_ndcg"])
def test_real_matrices_topic_by_topic(shared_data: Path, name: str) -> None:
    path = shared_data / "score_matrices" / "urbano_sigir2019-standardization" / f"{name}.csv"
    with path.open(encoding="utf-8") as lines:
        values = np.array([[float(value) for value in row] for row in list(csv.reader(lines))[1:]]).T
    reference, others = values[:40], values[40:]
    for topic in range(values.shape[1]):
        known, asked = reference[:, topic], others[:, topic]
        mean, deviation = known.mean(), known.std(ddof=1)
        expected = {
            "z": stats.zmap(asked, known, ddof=1),
            "normal": stats.norm.cdf(asked, mean, deviation),
            "uniform": stats.uniform.cdf(asked, mean - deviation * 0.5 / 0.15, deviation / 0.15),
            "empirical": stats.ecdf(known).cdf.evaluate(asked),
        }
        for kind, there in expected.items():
            found = standardised(others[:, [topic]], kind, reference[:, [topic]]).values[:, 0]
            np.testing.assert_allclose(found, there, rtol=1e-11, atol=1e-12)
    for kind in KINDS:
        whole = standardised(others, kind, reference)
        one = standardised(others[:, [3]], kind, reference[:, [3]])
        np.testing.assert_allclose(whole.values[:, 3], one.values[:, 0], rtol=1e-13)
        assert not np.isnan(whole.values).any()


def test_z_scores_of_each_topic_have_mean_0_and_deviation_1() -> None:
    found = standardised(VALUES).values
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(found.std(axis=0, ddof=1), 1, rtol=1e-14)


@every_kind
def test_undefined_values_are_left_out_and_stay_so(kind: str) -> None:
    holes = VALUES.copy()
    holes[2, 1] = np.nan
    found = standardised(holes, kind)
    np.testing.assert_array_equal(np.isnan(found.values), np.isnan(holes))
    without = standardised(np.delete(VALUES[:, [1]], 2, axis=0), kind)
    np.testing.assert_allclose(np.delete(found.values[:, 1], 2), without.values[:, 0], rtol=1e-13)


@every_kind
def test_topics_on_which_all_reference_runs_are_alike_are_undefined(kind: str) -> None:
    """0.1 three times over is not summed exactly, nor is 0.1 + 0.2: no deviation may be made of that."""
    reference = np.array([[0.1, 0.3, 0.4], [0.1, 0.1 + 0.2, 0.5], [0.1, 0.3, 0.7]])
    values = np.array([[0.1, 0.3, 0.5], [0.2, 0.5, 0.5]])
    for made in (standardised(values, kind, reference), standardised(reference, kind)):
        assert np.isnan(made.values[:, :2]).all()
        assert not np.isnan(made.values[:, 2]).any()


@every_kind
def test_a_single_reference_run_says_nothing(kind: str) -> None:
    found = standardised(VALUES, kind, VALUES[:1])
    assert np.isnan(found.values).all()


@every_kind
@given(order=st.permutations(range(9)))
def test_the_order_of_runs_changes_nothing(kind: str, order: list[int]) -> None:
    np.testing.assert_allclose(
        standardised(VALUES[order], kind).values, standardised(VALUES, kind).values[order], rtol=1e-12, atol=1e-13
    )


@every_kind
@given(factor=st.floats(0.1, 10), shift=st.floats(-5, 5))
def test_linear_maps_of_a_topic_change_nothing(kind: str, factor: float, shift: float) -> None:
    moved = VALUES.copy()
    moved[:, 2] = factor * moved[:, 2] + shift
    np.testing.assert_allclose(standardised(moved, kind).values, standardised(VALUES, kind).values, atol=1e-10)


def test_only_the_empirical_distribution_is_the_same_after_any_monotone_map() -> None:
    for kind in KINDS:
        same = np.allclose(standardised(VALUES**5, kind).values, standardised(VALUES, kind).values)
        assert same == (kind == "empirical")


@every_kind
def test_what_is_claimed_of_the_scale_holds(kind: str) -> None:
    """Order is kept on each topic; equal steps are kept just where an interval scale is claimed."""
    steps = np.array([[0.0], [0.1], [0.2], [0.5], [0.6], [0.9]])
    found = standardised(steps, kind)
    assert (np.diff(found.values[:, 0]) > 0).all()
    sizes = np.diff(found.values[[0, 1, 3, 4], 0])[[0, 2]]
    equal = np.isclose(sizes[0], sizes[1], rtol=1e-9) and np.allclose(
        np.diff(found.values[:, 0]) / np.diff(steps[:, 0]), sizes[0] / 0.1
    )
    assert equal == (found.scale("interval") == "interval")
    assert found.scale("ordinal") == "ordinal"
    assert found.scale("nominal") == "nominal"
    assert SCALE_TYPES.index(found.scale("ratio")) < SCALE_TYPES.index("ratio")


def test_values_that_are_cut_off_keep_only_their_order() -> None:
    far = np.vstack([VALUES, np.full((1, 6), 99.0)])
    found = standardised(far, "uniform", VALUES)
    assert found.clipped == 6
    assert found.scale("interval") == "ordinal"
    assert standardised(VALUES, "uniform").scale("interval") == "interval"
    assert standardised(far, "z", VALUES).scale("interval") == "interval"


def test_refusals() -> None:
    with pytest.raises(InputError, match="did you mean empirical"):
        standardised(VALUES, "empiric")
    with pytest.raises(ParameterError, match=r"\(9, 6\) and \(9, 5\)"):
        standardised(VALUES, "z", VALUES[:, :5])
