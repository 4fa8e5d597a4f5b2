"""Many pairs of rankings at once, against the same one pair at a time."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.stats.correlation import list_overlap as many_lists
from rankscale.stats.correlation.list_overlap import TopicTable
from tests.stats import one_pair
from tests.stats.one_pair import rbo_to_depth
from tests.stats.reference_rbo import rbo as rbo_of_names

DOCUMENTS = 15
rankings = st.lists(
    st.lists(st.integers(0, DOCUMENTS - 1), min_size=1, max_size=12, unique=True), min_size=2, max_size=6
)


def one_by_one(first: np.ndarray, second: np.ndarray, p: float, depth: int) -> list[float]:
    rbo = rbo_of_names([str(document) for document in first], [str(document) for document in second], p)
    plain = (
        *(one_pair.overlap, one_pair.jaccard, one_pair.tau, one_pair.tau_ap),
        *(one_pair.tau_union, one_pair.ktu),
    )
    values = [one(first, second) for one in plain]
    return [*values, rbo_to_depth(first, second, p, depth), rbo.extrapolated, rbo.lower, rbo.upper]


def together(runs: list[np.ndarray], p: float, depth: int) -> np.ndarray:
    first, second = np.array(list(combinations(range(len(runs)), 2))).T
    made = np.empty((10, len(first)))
    for part, some in TopicTable.of(runs, DOCUMENTS, depth).pairs(first, second):
        plain = some.overlap(), some.jaccard(), some.tau(), some.tau_ap(), some.tau_union(), some.ktu()
        made[:, part] = [*plain, some.rbo_to_depth(p, depth), *some.rbo(p)]
    return made


@given(runs=rankings, p=st.sampled_from([0.5, 0.9, 0.99]), depth=st.sampled_from([1, 2, 5, 12, 40]))
def test_all_pairs_are_as_each_by_itself(runs: list[list[int]], p: float, depth: int) -> None:
    arrays = [np.array(run) for run in runs]
    made = together(arrays, p, depth)
    for place, (a, b) in enumerate(combinations(arrays, 2)):
        expected = one_by_one(a[:depth], b[:depth], p, depth)
        assert made[:, place] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(5)
    runs = [draw.permutation(DOCUMENTS)[: draw.integers(2, DOCUMENTS)] for _ in range(6)]
    whole = together(runs, 0.9, 10)
    for name, size in (("AT_ONCE", 20), ("TOGETHER", 2), ("STEPS", 3)):
        monkeypatch.setattr(many_lists, name, size)
        np.testing.assert_allclose(together(runs, 0.9, 10), whole, rtol=0, atol=1e-14)


def test_long_rankings_count_beyond_a_byte() -> None:
    draw = np.random.default_rng(0)
    runs = [draw.permutation(900), draw.permutation(900)[:700]]
    ((_, some),) = TopicTable.of(runs, 900, 1000).pairs(np.array([0]), np.array([1]))
    assert some.tau()[0] == pytest.approx(one_pair.tau(*runs), abs=1e-12)
    assert some.tau_ap()[0] == pytest.approx(one_pair.tau_ap(*runs), abs=1e-12)
    assert some.tau_union()[0] == pytest.approx(one_pair.tau_union(*runs), abs=1e-12)
