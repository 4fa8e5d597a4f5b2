"""Two rankings without judgments: worked values, and slow loops."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from rankscale.errors import ParameterError
from rankscale.stats.correlation.list_overlap import TopicTable, ktu_by_name
from tests.stats import one_pair as lists
from tests.stats.one_pair import rbo_to_depth
from tests.stats.reference_rbo import RBO, rbo

A, B = np.array([1, 2, 3, 4, 5]), np.array([2, 1, 6, 3, 7])
NAMES = np.arange(8)  # d1 to d7 in the order of their names
RENAMED = np.array([0, 9, 2, 3, 4, 5, 6, 7])  # d1 is called z1


def rbo_of_codes(first: np.ndarray, second: np.ndarray, p: float = 0.9) -> RBO:
    table = TopicTable.of([first, second], 15, 15)
    ((_, some),) = table.pairs(np.array([0]), np.array([1]))
    return RBO(*(float(value[0]) for value in some.rbo(p)))


def test_worked_values() -> None:
    assert lists.overlap(A, B) == pytest.approx(0.6)
    assert lists.overlap(A[:2], B[:2]) == 1
    assert lists.jaccard(A, B) == pytest.approx(0.428571, abs=5e-7)
    assert lists.tau(A, B) == pytest.approx(0.333333, abs=5e-7)
    assert lists.tau_ap(A, B) == pytest.approx(0, abs=1e-12)
    assert lists.tau_union(A, B) == pytest.approx(0.35, abs=5e-7)
    assert rbo_of_codes(A, B).extrapolated == pytest.approx(0.592335, abs=5e-7)
    assert lists.ktu(A, B) == pytest.approx(0.6)
    assert ktu_by_name(A, B, NAMES) == pytest.approx(0.6)
    assert ktu_by_name(A, B, RENAMED) == pytest.approx(-0.6)
    assert rbo_to_depth(A, B, 0.9, 5) == pytest.approx(0.581283, abs=5e-7)
    assert rbo_to_depth(A, B, 0.95, 1000) == pytest.approx(0.284219, abs=5e-7)
    assert rbo_to_depth(A, A, 0.95, 1000) == pytest.approx(0.476300, abs=5e-7)


def test_ends() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert math.isnan(lists.overlap(none, none))
    assert lists.overlap(A, none) == 0
    assert math.isnan(lists.jaccard(none, none))
    assert lists.overlap(A[:3], A[:3]) == 1
    for one in (lists.tau, lists.tau_ap):
        assert math.isnan(one(np.array([1, 2]), np.array([2, 3])))
    assert math.isnan(lists.ktu(A[:1], B))
    with pytest.raises(ParameterError, match="pairs lists of one length, got 5 and 3"):
        ktu_by_name(A, B[:3], NAMES)


rankings = st.lists(st.integers(0, 14), min_size=1, max_size=12, unique=True)


def loop_tau_b(x: Sequence[float], y: Sequence[float]) -> float:
    agree = untied_x = untied_y = 0
    for i, j in combinations(range(len(x)), 2):
        of_x, of_y = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        agree += of_x * of_y
        untied_x += of_x != 0
        untied_y += of_y != 0
    return agree / math.sqrt(untied_x * untied_y) if untied_x and untied_y else math.nan


@given(first=rankings, second=rankings)
def test_against_loops(first: list[int], second: list[int]) -> None:
    a, b = np.array(first), np.array(second)
    common = [document for document in first if document in second]
    shared = len(common)
    assert lists.overlap(a, b) == shared / max(len(first), len(second))
    assert lists.jaccard(a, b) == shared / len({*first, *second})
    expected = loop_tau_b([first.index(d) for d in common], [second.index(d) for d in common])
    assert lists.tau(a, b) == pytest.approx(expected, nan_ok=True)
    every = sorted({*first, *second})
    ranks = [[one.index(d) + 1 if d in one else len(one) + 1 for d in every] for one in (first, second)]
    assert lists.tau_union(a, b) == pytest.approx(loop_tau_b(*ranks), nan_ok=True)
    listed = [*first, *(d for d in second if d not in first)]
    short = min(len(first), len(second))
    paired = [[listed.index(d) for d in one[:short]] for one in (first, second)]
    assert lists.ktu(a, b) == pytest.approx(loop_tau_b(*paired), nan_ok=True)
    down = [d for d in second if d in first]
    if len(down) > 1:
        shares = [
            sum(first.index(above) < first.index(down[at]) for above in down[:at]) / at for at in range(1, len(down))
        ]
        assert lists.tau_ap(a, b) == pytest.approx(2 * math.fsum(shares) / len(shares) - 1)


@given(first=rankings, second=rankings, depth=st.integers(1, 20))
def test_overlap_to_a_depth_against_a_loop(first: list[int], second: list[int], depth: int) -> None:
    total = sum(0.8 ** (d - 1) * len({*first[:d]} & {*second[:d]}) / d for d in range(1, depth + 1))
    weights = sum(0.8 ** (d - 1) for d in range(1, depth + 1))
    assert rbo_to_depth(np.array(first), np.array(second), 0.8, depth) == pytest.approx(total / weights)


@given(first=rankings, second=rankings)
def test_numbers_and_names_have_the_same_rbo(first: list[int], second: list[int]) -> None:
    named = rbo([str(d) for d in first], [str(d) for d in second])
    coded = rbo_of_codes(np.array(first), np.array(second))
    assert (coded.extrapolated, coded.lower, coded.upper) == pytest.approx(
        (named.extrapolated, named.lower, named.upper)
    )


@given(first=rankings, data=st.data())
def test_ktu_is_tau_where_both_hold_the_same_documents(first: list[int], data: st.DataObject) -> None:
    second = data.draw(st.permutations(first))
    a, b = np.array(first), np.array(second)
    assert lists.ktu(a, b) == pytest.approx(lists.tau(a, b), nan_ok=True)


def test_long_rankings_go_in_blocks() -> None:
    draw = np.random.default_rng(0)
    first, second = draw.permutation(1500), draw.permutation(1500)
    assert lists.tau(first, second) == pytest.approx(kendalltau(np.argsort(first), np.argsort(second)).statistic)
    from rankscale.stats.correlation.rank_correlations import tau_ap

    expected = float(tau_ap(-np.argsort(first).astype(float), -np.argsort(second).astype(float)))
    assert lists.tau_ap(first, second) == pytest.approx(expected)
