import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.arrays import Bools
from rankscale.stats.corrections import critical_groups, letters
from rankscale.stats.tests.anova import TwoWayAnova
from rankscale.stats.tests.base.test import all_pairs

LETTER = re.compile(r"[a-zA-Z]\d*")


def matrix(runs: int, *pairs: tuple[int, int]) -> Bools:
    differ = np.zeros((runs, runs), dtype=bool)
    for i, j in pairs:
        differ[i, j] = differ[j, i] = True
    return differ


def by_distance(means: list[int], reach: int) -> Bools:
    """As after Tukey's test: runs differ whose means are far apart."""
    best_first = np.sort(means)[::-1]
    differ: Bools = np.abs(best_first[:, None] - best_first) > reach
    return differ


any_matrix = st.integers(1, 9).flatmap(
    lambda runs: st.lists(st.booleans(), min_size=runs * runs, max_size=runs * runs).map(
        lambda flags: np.triu(np.array(flags).reshape(runs, runs), 1)
    )
)
tukey_matrix = st.builds(by_distance, st.lists(st.integers(0, 40), min_size=1, max_size=12), st.integers(0, 20))


def groups_by_letter(found: list[str]) -> dict[str, set[int]]:
    groups: dict[str, set[int]] = {}
    for run, text in enumerate(found):
        for letter in LETTER.findall(text):
            groups.setdefault(letter, set()).add(run)
    return groups


def share(found: list[str]) -> set[tuple[int, int]]:
    return {pair for group in groups_by_letter(found).values() for pair in combinations(sorted(group), 2)}


@settings(max_examples=300)
@given(upper=any_matrix)
def test_runs_share_a_letter_exactly_where_they_do_not_differ(upper: Bools) -> None:
    differ = upper | upper.T
    before = differ.copy()
    found = letters(differ)
    assert np.array_equal(differ, before)
    assert all(found)
    alike = {(i, j) for i, j in combinations(range(len(differ)), 2) if not differ[i, j]}
    assert share(found) == alike
    groups = list(groups_by_letter(found).values())
    for one in groups:  # none could be left out, and none could be larger
        others = [other for other in groups if other is not one]
        pairs = {pair for other in others for pair in combinations(sorted(other), 2)}
        assert not (set(combinations(sorted(one), 2)) <= pairs and all(any(run in o for o in others) for run in one))
        outside = set(range(len(differ))) - one
        assert not any(all(not differ[run, member] for member in one) for run in outside)


@given(differ=tukey_matrix)
def test_after_tukey_letters_are_all_the_groups_side_by_side(differ: Bools) -> None:
    groups = list(groups_by_letter(letters(differ)).values())
    wanted = [set(group) for group in critical_groups(differ)]
    assert [group for group in groups if len(group) > 1] == wanted
    alone = {min(group) for group in groups if len(group) == 1}
    assert alone == set(range(len(differ))) - set().union(*wanted)


@settings(max_examples=200)
@given(upper=any_matrix)
def test_critical_groups_are_the_longest_stretches(upper: Bools) -> None:
    differ = upper | upper.T
    runs = len(differ)
    stretches = [set(range(i, j)) for i in range(runs) for j in range(i + 2, runs + 1) if not differ[i:j, i:j].any()]
    longest = [one for one in stretches if not any(one < other for other in stretches)]
    assert [set(group) for group in critical_groups(differ)] == longest


@pytest.mark.parametrize(
    ("differ", "expected"),
    [
        (matrix(1), ["a"]),
        (matrix(3), ["a", "a", "a"]),
        (matrix(2, (0, 1)), ["a", "b"]),
        (matrix(4, (0, 3)), ["a", "ab", "ab", "b"]),
        (matrix(3, (0, 1)), ["a", "b", "ab"]),  # which only tests of pairs by themselves find
        (matrix(4, (0, 2), (0, 3), (1, 3)), ["a", "ab", "bc", "c"]),
    ],
)
def test_letters_of_a_few_runs(differ: Bools, expected: list[str]) -> None:
    assert letters(differ) == expected


def test_a_cycle_of_runs_needs_a_letter_for_each_pair() -> None:
    found = letters(matrix(5, (0, 2), (0, 3), (1, 3), (1, 4), (2, 4)))
    assert len(groups_by_letter(found)) == 5
    assert all(len(LETTER.findall(text)) == 2 for text in found)


def test_no_runs() -> None:
    assert letters(np.zeros((0, 0), dtype=bool)) == []
    assert critical_groups(np.zeros((0, 0), dtype=bool)) == []


def test_there_are_letters_for_many_runs() -> None:
    differ = ~np.eye(120, dtype=bool)
    found = letters(differ)
    assert found[:2] == ["a", "b"]
    assert found[25:28] == ["z", "A", "B"]
    assert found[51:53] == ["Z", "a2"]
    assert found[104] == "a3"
    assert len(set(found)) == 120


def test_letters_of_means_far_apart_after_tukey() -> None:
    draws = np.random.default_rng(0)
    values = draws.random((50, 40)) + np.linspace(1.5, 0, 40)
    values = values[:, np.argsort(-values.mean(axis=0))]
    differ = np.zeros((40, 40), dtype=bool)
    pairs = all_pairs(40)
    differ[pairs.first, pairs.second] = TwoWayAnova().compare(values, pairs).p < 0.05
    differ |= differ.T
    assert share(letters(differ)) == {(i, j) for i, j in combinations(range(40), 2) if not differ[i, j]}
    assert [set(group) for group in critical_groups(differ)] == [
        group for group in groups_by_letter(letters(differ)).values() if len(group) > 1
    ]
