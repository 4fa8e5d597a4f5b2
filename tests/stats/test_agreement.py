"""Coefficients of agreement: worked values, values of other tools, a slow independent program, and laws.

Oracles: scikit-learn 1.9.1 (kappa, by place), krippendorff 0.9.0 (alpha), irrCAC 0.4.4 (AC1, AC2, and Conger's kappa,
which is Cohen's by value for two assessors).
"""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.stats.agreement import (
    COEFFICIENTS,
    bias,
    cohen_kappa,
    coincidences,
    gwet_ac,
    krippendorff_alpha,
    observed_agreement,
    specific_agreement,
    two_by_two,
)

WORKED = np.array(
    [[20, 4, 1, 0], [5, 6, 2, 1], [1, 3, 5, 2], [0, 1, 2, 7]], dtype=np.float64
)  # grades 0 to 3, 60 items
# levels, matrix, and: scikit-learn's kappa (none, linear, quadratic), krippendorff's alpha (nominal, ordinal,
# interval), irrCAC's gwet (identity, linear, quadratic, ordinal) and conger (linear, quadratic)
OTHER_TOOLS = [
    (
        (0, 1),
        [[4, 3], [2, 3]],
        (
            0.1666666667,
            0.1666666667,
            0.1666666667,
            0.1958041958,
            0.1958041958,
            0.1958041958,
            0.1724137931,
            0.1724137931,
            0.1724137931,
            0.1724137931,
            0.1666666667,
            0.1666666667,
        ),
    ),
    (
        (0, 1),
        [[23, 8], [9, 20]],
        (
            0.4320712695,
            0.4320712695,
            0.4320712695,
            0.4366471735,
            0.4366471735,
            0.4366471735,
            0.4347464672,
            0.4347464672,
            0.4347464672,
            0.4347464672,
            0.4320712695,
            0.4320712695,
        ),
    ),
    (
        (0, 1, 2),
        [[3, 1, 0], [0, 3, 0], [0, 0, 5]],
        (
            0.8736842105,
            0.9076923077,
            0.94,
            0.8783068783,
            0.9535755479,
            0.9423558897,
            0.8759689922,
            0.908045977,
            0.9393939394,
            0.9269406393,
            0.9076923077,
            0.94,
        ),
    ),
    (
        (0, 1, 2),
        [[20, 5, 2], [3, 14, 2], [2, 2, 10]],
        (
            0.5879828326,
            0.6075866579,
            0.6278245459,
            0.5910652921,
            0.6262862319,
            0.6307624113,
            0.60591133,
            0.6385542169,
            0.6698113208,
            0.6574690771,
            0.6075866579,
            0.6278245459,
        ),
    ),
    (
        (0, 1, 2, 3),
        [[2, 1, 1, 0], [1, 2, 0, 1], [0, 0, 0, 1], [0, 0, 0, 3]],
        (
            0.4230769231,
            0.5757575758,
            0.7027027027,
            0.4390243902,
            0.6851125376,
            0.7068366165,
            0.4537177542,
            0.5643906655,
            0.6762060507,
            0.6402997502,
            0.5757575758,
            0.7027027027,
        ),
    ),
    (
        (0, 1, 2, 3),
        [[9, 0, 2, 0], [2, 11, 0, 4], [4, 1, 13, 2], [1, 1, 2, 8]],
        (
            0.5769944341,
            0.552238806,
            0.5591476855,
            0.5784076077,
            0.5599748433,
            0.5623927433,
            0.578739915,
            0.5773872849,
            0.6070012008,
            0.5971832014,
            0.552238806,
            0.5591476855,
        ),
    ),
    (
        (0, 1, 3),
        [[2, 0, 2], [0, 5, 1], [0, 0, 2]],
        (
            0.625,
            0.5,
            0.3571428571,
            0.627027027,
            0.331720295,
            0.3271276596,
            0.631713555,
            0.5217932752,
            0.4487558726,
            0.5056400196,
            0.4782608696,
            0.3529411765,
        ),
    ),
    (
        (0, 1, 3),
        [[16, 2, 1], [2, 16, 3], [2, 1, 17]],
        (
            0.7251145356,
            0.7375,
            0.7498957899,
            0.7272348406,
            0.7520290931,
            0.7515436898,
            0.7250286429,
            0.7375683416,
            0.7483135371,
            0.7450902805,
            0.7385892116,
            0.749466951,
        ),
    ),
    (
        (0, 0.5, 1, 4),
        [[2, 1, 0, 0], [0, 3, 0, 1], [0, 0, 1, 1], [2, 0, 0, 1]],
        (
            0.4285714286,
            0.3406593407,
            0.2380952381,
            0.4497607656,
            0.2870108439,
            0.1589200273,
            0.4503816794,
            0.2384981491,
            0.1435003752,
            0.2947277442,
            0.203539823,
            0.1229508197,
        ),
    ),
    (
        (0, 0.5, 1, 4),
        [[17, 0, 1, 2], [3, 9, 1, 0], [3, 0, 5, 4], [0, 2, 0, 13]],
        (
            0.6347031963,
            0.6820220139,
            0.7250733138,
            0.6358768407,
            0.7255893588,
            0.7127454136,
            0.6481583288,
            0.6645702306,
            0.6873214876,
            0.6842214605,
            0.6768929504,
            0.7110468993,
        ),
    ),
]
SEVERAL: Any = [
    [1, 0, 1, None, 1, 0, None, 3, 1, None, 2, 2, 3, 1, 0],
    [1, 1, 3, 3, None, 2, None, None, 2, None, 0, 1, 2, 2, 1],
    [3, 1, None, 2, 3, None, 1, 3, None, 3, 1, 3, 1, 3, 3],
    [1, 1, None, 0, None, 2, 1, 3, None, 0, 0, 1, 1, None, None],
]
ALPHAS = {"nominal": -0.005540166204986097, "ordinal": -0.10525181692392405, "interval": -0.09502262443438902}


def test_worked_values() -> None:
    expected = {
        "agreement": 0.633333,
        "kappa": 0.481132,
        "kappa_linear": 0.643836,
        "kappa_quadratic": 0.775132,
        "alpha_nominal": 0.485355,
        "alpha_ordinal": 0.763195,
        "alpha_interval": 0.776957,
        "AC1": 0.520378,
        "AC2_linear": 0.679353,
        "AC2_quadratic": 0.803019,
        "AC2_ordinal": 0.763492,
    }
    values = {name: float(one.compute(WORKED, (0, 1, 2, 3), "value")) for name, one in COEFFICIENTS.items()}
    assert values == pytest.approx(expected, abs=5e-7)


def test_worked_values_by_grade_and_of_bias() -> None:
    assert specific_agreement(WORKED).specific == pytest.approx([0.784314, 0.428571, 0.476190, 0.7], abs=5e-7)
    result = bias(WORKED, np.arange(4.0))
    assert (result.higher, result.lower, result.same) == (10, 12, 38)
    assert result.p == pytest.approx(0.831812, abs=5e-7)
    assert result.mean == pytest.approx(-0.033333, abs=5e-7)
    table = two_by_two(WORKED, np.arange(4) >= 1)
    assert (table.both, table.both + table.first_only + table.second_only) == (29, 40)
    assert table.overlap == 0.725
    assert table.precision == 29 / 34
    assert table.recall == 29 / 35
    assert table.positive == 58 / 69
    assert table.negative == 40 / 51


def test_worked_spacing() -> None:
    items = [(0, 0)] * 5 + [(1, 1)] * 3 + [(2, 2)] * 2 + [(1, 2)] * 2 + [(0, 1)] * 2
    matrix = np.zeros((3, 3))
    for pair in items:
        matrix[pair] += 1
    assert float(cohen_kappa(matrix, (0, 1, 3), "linear")) == pytest.approx(0.641026, abs=5e-7)
    assert float(cohen_kappa(matrix, (0, 1, 3), "linear", "place")) == pytest.approx(0.662651, abs=5e-7)


@pytest.mark.parametrize(("levels", "matrix", "values"), OTHER_TOOLS)
def test_other_tools(levels: tuple[float, ...], matrix: list[list[int]], values: tuple[float, ...]) -> None:
    n: Any = np.array(matrix, dtype=np.float64)
    ours = [cohen_kappa(n, levels, weights, "place") for weights in ("none", "linear", "quadratic")]
    ours += [krippendorff_alpha(n + n.T, levels, kind) for kind in ("nominal", "ordinal", "interval")]
    ours += [gwet_ac(n, levels, kind) for kind in ("identity", "linear", "quadratic", "ordinal")]
    ours += [cohen_kappa(n, levels, weights, "value") for weights in ("linear", "quadratic")]
    assert [float(one) for one in ours] == pytest.approx(values, abs=1e-10)


def test_alpha_of_several_assessors_with_gaps() -> None:
    grades = np.array([[np.nan if grade is None else grade for grade in row] for row in SEVERAL], dtype=np.float64).T
    together = coincidences(grades, (0, 1, 2, 3))
    for kind, expected in ALPHAS.items():
        assert float(krippendorff_alpha(together, (0, 1, 2, 3), kind)) == pytest.approx(expected, abs=1e-12)  # type: ignore[arg-type]


items = st.lists(st.tuples(st.sampled_from([0, 1, 2, 5]), st.sampled_from([0, 1, 2, 5])), min_size=1, max_size=25)


def _matrix(pairs: list[tuple[int, int]], levels: list[int]) -> Any:
    matrix = np.zeros((len(levels), len(levels)))
    for a, b in pairs:
        matrix[levels.index(a), levels.index(b)] += 1
    return matrix


def _slow(pairs: list[tuple[int, int]], levels: list[int]) -> dict[str, Fraction | None]:
    """All coefficients from pairs of grades, in fractions and by loops over pairs of items."""
    number, q = len(pairs), len(levels)
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    given = a + b
    result: dict[str, Fraction | None] = {"agreement": Fraction(sum(x == y for x, y in pairs), number)}
    distances = {"kappa": lambda x, y: int(x != y), "kappa_linear": lambda x, y: abs(x - y)}
    distances["kappa_quadratic"] = lambda x, y: (x - y) ** 2
    for name, distance in distances.items():
        expected = Fraction(sum(distance(x, y) for x, y in product(a, b)), number**2)
        observed = Fraction(sum(distance(x, y) for x, y in pairs), number)
        result[name] = 1 - observed / expected if expected else None

    def between(x: int, y: int) -> Fraction:
        low, high = min(x, y), max(x, y)
        inner = sum(low < grade < high for grade in given)
        return Fraction(given.count(low), 2) + inner + Fraction(given.count(high), 2) if x != y else Fraction(0)

    squares: dict[str, Any] = {"alpha_nominal": lambda x, y: int(x != y), "alpha_interval": lambda x, y: (x - y) ** 2}
    squares["alpha_ordinal"] = lambda x, y: between(x, y) ** 2
    for name, square in squares.items():
        observed = Fraction(sum(square(x, y) for x, y in pairs)) / number
        others = sum(square(x, y) for i, x in enumerate(given) for j, y in enumerate(given) if i != j)
        expected = Fraction(others) / (len(given) * (len(given) - 1))
        result[name] = 1 - observed / expected if expected else None
    span = max(levels) - min(levels)
    closeness_of: dict[str, Any] = {
        "AC1": lambda x, y: int(x == y),
        "AC2_linear": lambda x, y: 1 - Fraction(abs(x - y), span),
        "AC2_quadratic": lambda x, y: 1 - Fraction((x - y) ** 2, span**2),
        "AC2_ordinal": lambda x, y: (
            1 - Fraction(math.comb(abs(levels.index(x) - levels.index(y)) + 1, 2), math.comb(q, 2))
        ),
    }
    for name, close in closeness_of.items():
        if q == 1:
            result[name] = None
            continue
        shares = [Fraction(given.count(level), 2 * number) for level in levels]
        all_weights = sum(close(x, y) for x, y in product(levels, levels))
        chance = Fraction(all_weights) / (q * (q - 1)) * sum(share * (1 - share) for share in shares)
        agreed = Fraction(sum(close(x, y) for x, y in pairs)) / number
        result[name] = (agreed - chance) / (1 - chance)
    return result


@given(items, st.sampled_from([(), (0, 1, 2, 5)]))
def test_loops_in_fractions_give_the_same(pairs: list[tuple[int, int]], more: tuple[int, ...]) -> None:
    used = sorted({grade for pair in pairs for grade in pair} | set(more))
    matrix = _matrix(pairs, used)
    for name, expected in _slow(pairs, used).items():
        value = float(COEFFICIENTS[name].compute(matrix, used, "value"))
        assert math.isnan(value) if expected is None else value == pytest.approx(float(expected), abs=1e-12), name


@given(items)
def test_swapping_the_assessors_changes_no_coefficient(pairs: list[tuple[int, int]]) -> None:
    levels = [0, 1, 2, 5]
    matrix = _matrix(pairs, levels)
    for name, one in COEFFICIENTS.items():
        there, back = (float(one.compute(side, levels, "value")) for side in (matrix, matrix.T))
        assert there == pytest.approx(back, abs=1e-12, nan_ok=True), name
    there, back = bias(matrix, np.array(levels)), bias(matrix.T, np.array(levels))  # type: ignore[assignment]
    assert (there.higher, there.lower, there.p) == (back.lower, back.higher, back.p)  # type: ignore[attr-defined]


@given(items, st.permutations(range(4)))
def test_relabelling_grades_changes_nothing_that_is_nominal(pairs: list[tuple[int, int]], order: list[int]) -> None:
    levels = [0, 1, 2, 5]
    matrix = _matrix(pairs, levels)
    for name in ("agreement", "kappa", "alpha_nominal", "AC1"):
        compute = COEFFICIENTS[name].compute
        there, relabelled = compute(matrix, levels, "value"), compute(matrix[np.ix_(order, order)], levels, "value")
        assert float(there) == pytest.approx(float(relabelled), abs=1e-12, nan_ok=True), name


@given(items)
def test_values_of_grades_do_not_matter_on_an_ordinal_scale(pairs: list[tuple[int, int]]) -> None:
    matrix = _matrix(pairs, [0, 1, 2, 5])
    for name in ("alpha_ordinal", "AC2_ordinal"):
        there, moved = (COEFFICIENTS[name].compute(matrix, levels, "value") for levels in ([0, 1, 2, 5], [0, 7, 8, 99]))
        assert float(there) == pytest.approx(float(moved), abs=1e-12, nan_ok=True)


def test_straight_lines_do_not_matter_on_an_interval_scale() -> None:
    for name in ("kappa_linear", "kappa_quadratic", "alpha_interval", "AC2_linear", "AC2_quadratic"):
        values = [COEFFICIENTS[name].compute(WORKED, levels, "value") for levels in ((0, 1, 2, 3), (1, 1.5, 2, 2.5))]
        assert float(values[0]) == pytest.approx(float(values[1]), abs=1e-12)


def test_perfect_agreement_is_one() -> None:
    for name, one in COEFFICIENTS.items():
        assert float(one.compute(np.diag([3.0, 2.0, 1.0]), (0, 1, 2), "value")) == 1, name


def test_one_grade_only_is_undefined() -> None:
    """scikit-learn gives NaN, krippendorff an error, irrCAC 1: there is nothing to agree on."""
    constant = np.array([[7.0]])
    assert float(observed_agreement(constant)) == 1
    for name, one in list(COEFFICIENTS.items())[1:]:
        assert math.isnan(float(one.compute(constant, (2,), "value"))), name


def test_levels_that_nobody_used_change_only_gwets_coefficients() -> None:
    wider = np.zeros((5, 5))
    wider[:4, :4] = WORKED
    for name, one in COEFFICIENTS.items():
        there, more = one.compute(WORKED, (0, 1, 2, 3), "value"), one.compute(wider, (0, 1, 2, 3, 4), "value")
        assert (float(there) == pytest.approx(float(more), abs=1e-12)) == (not name.startswith("AC")), name


def test_many_matrices_at_once() -> None:
    several = np.stack([WORKED, WORKED.T, 3 * WORKED, np.eye(4)])
    for name, one in COEFFICIENTS.items():
        together = one.compute(several, (0, 1, 2, 3), "value")
        alone = [float(one.compute(matrix, (0, 1, 2, 3), "value")) for matrix in several]
        assert together.tolist() == pytest.approx(alone, abs=1e-12), name


def test_grades_that_are_not_given_have_no_agreement() -> None:
    result = specific_agreement(np.array([[3.0, 0.0], [1.0, 0.0]]))
    assert result.specific.tolist() == pytest.approx([6 / 7, 0])
    assert math.isnan(result.of_second[1])
    nothing = two_by_two(np.array([[4.0]]), np.array([False]))
    assert math.isnan(nothing.overlap)
    assert math.isnan(nothing.precision)
    assert bias(np.diag([2.0, 2.0]), np.array([0.0, 1.0])).p == 1
