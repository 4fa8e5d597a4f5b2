"""Sums of pairs of runs against fractions, and the same whatever the split."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rankscale.data.exact_sums import DifferenceSums, ExactSums, PairSums, RunSums, sums_and_squares
from rankscale.stats.tests.anova import Dunnett, OneWayAnova, TwoWayAnova
from rankscale.stats.tests.base.test import SumsTest, all_pairs, pairs_with
from rankscale.stats.tests.pair_tests import PairedT, Sign

CELLS = st.floats(-1e6, 1e6) | st.floats(0, 1) | st.sampled_from([0.0, 0.1, 1 / 3, 1.0])
MATRICES = arrays.arrays(np.float64, st.tuples(st.integers(2, 9), st.integers(2, 8)), elements=CELLS)
WITH_GAPS = arrays.arrays(
    np.float64, st.tuples(st.integers(2, 9), st.integers(2, 8)), elements=CELLS | st.just(float("nan"))
)


def fractions(sums: ExactSums) -> list[Fraction]:
    return [Fraction(number) * Fraction(2) ** sums.unit for number in sums.numerators.ravel().tolist()]


@given(WITH_GAPS)
def test_differences_are_those_of_fractions(values: Any) -> None:
    pairs = all_pairs(values.shape[1])
    sums = DifferenceSums.of_pairs(np.ascontiguousarray(values.T), pairs.first, pairs.second)
    for place, (one, other) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        both = values[~np.isnan(values[:, [one, other]]).any(axis=1)]
        exact = [Fraction(row[one]) - Fraction(row[other]) for row in both.tolist()]
        assert sums.topics[place] == len(exact)
        assert fractions(sums.total)[place] == sum(exact)
        assert fractions(sums.squares)[place] == sum(number * number for number in exact)


@given(MATRICES)
def test_products_of_all_runs_give_the_same_sums(values: Any) -> None:
    wide = np.ascontiguousarray(np.tile(values, 3).T)  # six runs or more, so that pairs are many
    pairs = all_pairs(len(wide))
    ours = DifferenceSums.of_pairs(wide, pairs.first, pairs.second)
    theirs = DifferenceSums.of(wide[pairs.first], wide[pairs.second])
    assert ours.total == theirs.total
    assert ours.squares == theirs.squares


@given(MATRICES)
def test_sums_of_runs_are_those_of_fractions(values: Any) -> None:
    sums = RunSums.of(values)
    rows = [[Fraction(cell) for cell in row] for row in values.tolist()]
    assert fractions(sums.total) == [sum(column) for column in zip(*rows, strict=True)]
    assert fractions(sums.squares) == [sum(cell * cell for cell in column) for column in zip(*rows, strict=True)]
    assert fractions(sums.topic_squares) == [sum(sum(row) ** 2 for row in rows)]


@given(WITH_GAPS, st.data())
def test_tests_by_sums_are_the_same_whatever_the_split(values: Any, data: st.DataObject) -> None:
    whole = np.concatenate([values, np.random.default_rng(0).random((3, values.shape[1]))])
    order = data.draw(st.permutations(range(len(whole))))
    cut = data.draw(st.integers(0, len(whole)))
    merged = PairSums.of(whole[order[:cut]]) + PairSums.of(whole[order[cut:]])
    tests: list[tuple[SumsTest, Any]] = [
        (one, all_pairs(whole.shape[1])) for one in (PairedT(), Sign(), OneWayAnova(), TwoWayAnova())
    ]
    tests.append((Dunnett(), pairs_with(whole.shape[1], 1)))
    for test, pairs in tests:
        ours, theirs = test.compare_sums(merged, pairs), test.compare(whole, pairs)
        for name in ("difference", "p", "statistic", "lower", "upper", "topics"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name), equal_nan=True), (test.name, name)


def test_infinite_values_leave_a_mean_and_no_deviation() -> None:
    values = np.array([[np.inf, 0.5, 0.25], [0.5, 0.25, 0.5], [0.25, -np.inf, 0.75]])
    sums = PairSums.of(values[:1]) + PairSums.of(values[1:])
    ours, theirs = PairedT().compare_sums(sums, all_pairs(3)), PairedT().compare(values, all_pairs(3))
    assert np.array_equal(ours.difference, theirs.difference, equal_nan=True)
    assert ours.difference.tolist()[1:] == [np.inf, -np.inf]
    assert np.isnan(ours.p[1:]).all()


def test_infinite_terms_are_left_out_of_squares() -> None:
    total, squares = sums_and_squares(np.array([np.inf, 0.5]), np.array([1.0, 0.25]))
    assert (float(total.rounded()), float(squares.rounded())) == (np.inf, 0.0625)


def test_runs_in_another_order_are_the_same_runs() -> None:
    values = np.random.default_rng(5).random((6, 4))
    places = np.array([2, 0, 3, 1])
    ours, theirs = PairSums.of(values).in_order(places), PairSums.of(values[:, places])
    assert ours.differences.total == theirs.differences.total
    assert ours.wins.tolist() == theirs.wins.tolist()
    assert ours.together.total.rounded().tolist() == theirs.together.total.rounded().tolist()
    assert ours.together.topic_squares == theirs.together.topic_squares
    assert ours.of_pairs(np.array([3]), np.array([0])).total.rounded() == pytest.approx(
        float((values[:, 1] - values[:, 2]).sum()), rel=1e-12
    )
