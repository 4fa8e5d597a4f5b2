"""Agreement of two judges on the judgments of Deep Learning 2021: scikit-learn, krippendorff and irrCAC."""

import math
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.stats.agreement import COEFFICIENTS

REASON = "it is among the development dependencies"
metrics: Any = pytest.importorskip("sklearn.metrics", reason=REASON)
krippendorff: Any = pytest.importorskip("krippendorff", reason=REASON)
irr: Any = pytest.importorskip("irrCAC.raw", reason=REASON)
pd: Any = pytest.importorskip("pandas", reason=REASON)

pytestmark = pytest.mark.filterwarnings("ignore:Starting with pandas")  # irrCAC is older
EXACT = 1e-12
Judges = tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]


@pytest.fixture(scope="module")
def pairs(two_judges: Judges) -> np.ndarray:
    """(judge, item): grades of all items."""
    first, second = two_judges
    return np.array([(grade, second[topic][d]) for topic, of in first.items() for d, grade in of.items()]).T


@pytest.mark.parametrize("spacing", ["place", "value"])
def test_kappa_is_that_of_scikit_learn(two_judges: Judges, pairs: np.ndarray, spacing: Any) -> None:
    judges = rs.agree(*two_judges, draws=1, spacing=spacing).judges  # for grades 0, 1, 2, 3 both are the same
    for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        assert judges[name].pooled == pytest.approx(metrics.cohen_kappa_score(*pairs, weights=weights), abs=EXACT)


def test_scikit_learn_takes_grades_by_place(pairs: np.ndarray) -> None:
    """Grades 0, 1, 2, 10: scikit-learn's weights are those of places, irrCAC's (Conger for two judges) of values."""
    far = np.where(pairs == 3, 10, pairs)
    levels = (0, 1, 2, 10)
    matrix = metrics.confusion_matrix(*far).astype(float)
    for weights in ("linear", "quadratic"):
        compute = COEFFICIENTS[f"kappa_{weights}"].compute
        by_place, by_value = (float(compute(matrix, levels, spacing)) for spacing in ("place", "value"))
        assert by_place == pytest.approx(metrics.cohen_kappa_score(*far, weights=weights), abs=EXACT)
        assert by_value == pytest.approx(of_irr(far, weights).conger()["est"]["coefficient_value"], abs=EXACT)
        assert abs(by_place - by_value) > 0.01


def test_alpha_is_that_of_krippendorff(two_judges: Judges, pairs: np.ndarray) -> None:
    judges = rs.agree(*two_judges, draws=1).judges
    for level in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(reliability_data=pairs, level_of_measurement=level)
        assert judges[f"alpha_{level}"].pooled == pytest.approx(expected, abs=EXACT)


def of_irr(pairs: np.ndarray, weights: str) -> Any:
    return irr.CAC(pd.DataFrame(pairs.T, columns=["A", "B"]), weights=weights, digits=16)


def test_gwets_coefficients_are_those_of_irrcac(two_judges: Judges, pairs: np.ndarray) -> None:
    judges = rs.agree(*two_judges, draws=1).judges
    names = {"AC1": "identity", "AC2_linear": "linear", "AC2_quadratic": "quadratic", "AC2_ordinal": "ordinal"}
    for name, weights in names.items():
        expected = of_irr(pairs, weights).gwet()["est"]["coefficient_value"]
        assert judges[name].pooled == pytest.approx(expected, abs=EXACT)


@pytest.mark.filterwarnings("ignore")
def test_deviation_both_constant_and_equal() -> None:
    """There is nothing to agree on: undefined here, NaN in scikit-learn, an error in krippendorff, 1 in irrCAC."""
    same = np.ones((2, 7))
    for name, one in list(COEFFICIENTS.items())[1:]:
        assert math.isnan(float(one.compute(np.array([[7.0]]), (1,), "value"))), name
    assert math.isnan(metrics.cohen_kappa_score(*same))
    with pytest.raises(ValueError, match="more than one value"):
        krippendorff.alpha(reliability_data=same, level_of_measurement="nominal")
    assert of_irr(same, "identity").gwet()["est"]["coefficient_value"] == 1
