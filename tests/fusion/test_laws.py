"""Laws of fusion, on runs that hypothesis makes up."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscale as rs
from rankscale.fusion.methods import METHODS, NORMS

SYMMETRIC = [method for method in METHODS if method != "WSum"]
names = st.sampled_from([f"d{number}" for number in range(9)])
scores = st.floats(0.125, 1000, width=32)
ranking = st.dictionaries(names, scores, min_size=1, max_size=9)
run = st.dictionaries(st.sampled_from(["1", "2", "3"]), ranking, min_size=1, max_size=3)
several = st.lists(run, min_size=2, max_size=5)


def in_order(run: dict[str, dict[str, float]]) -> dict[str, list[str]]:
    """By score in 32 bits, then by name, both descending."""
    return {
        topic: sorted(documents, key=lambda one: (np.float32(documents[one]), one), reverse=True)
        for topic, documents in sorted(run.items())
    }


@pytest.mark.parametrize("method", [one for one in METHODS if one not in {"WSum", "CombMIN", "CombMAX"}])
@given(run=run)
def test_a_run_fused_with_itself_keeps_its_order(method: str, run: dict[str, dict[str, float]]) -> None:
    fused = rs.fuse({"one": run, "two": run}, method)
    assert {topic: list(documents) for topic, documents in fused.run.items()} == in_order(run)


@pytest.mark.parametrize("norm", NORMS)
@given(run=run)
def test_it_does_so_with_every_norm(norm: str, run: dict[str, dict[str, float]]) -> None:
    for method in ("CombMIN", "CombMAX", "CombMED", "CombSUM"):
        fused = rs.fuse([run, run], method, norm=norm)
        assert {topic: list(documents) for topic, documents in fused.run.items()} == in_order(run)


@pytest.mark.parametrize("method", SYMMETRIC)
@given(runs=several, data=st.data())
def test_the_order_of_runs_does_not_matter(
    method: str, runs: list[dict[str, dict[str, float]]], data: st.DataObject
) -> None:
    norm = data.draw(st.sampled_from(list(NORMS)))
    other = data.draw(st.permutations(runs))
    first, second = (rs.fuse(list(given), method, norm=norm).run for given in (runs, other))
    assert first == second
    assert {t: list(d) for t, d in first.items()} == {t: list(d) for t, d in second.items()}


@pytest.mark.parametrize("method", SYMMETRIC)
@given(runs=several)
def test_values_descend_and_hold_the_union(method: str, runs: list[dict[str, dict[str, float]]]) -> None:
    fused = rs.fuse(runs, method).run
    assert list(fused) == sorted({topic for run in runs for topic in run})
    for topic, values in fused.items():
        assert values.keys() == {document for run in runs for document in run.get(topic, {})}
        for (above, high), (below, low) in pairwise(values.items()):
            assert high > low or (high == low and above > below)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("method", SYMMETRIC)
def test_one_document_for_each_run_is_enough(method: str, norm: str) -> None:
    fused = rs.fuse([{"1": {"a": 2.0}}, {"1": {"b": 5.0}}, {"1": {"a": 1.0}}], method, norm=norm).run["1"]
    assert set(fused) == {"a", "b"}
    assert all(np.isfinite(value) for value in fused.values())


@given(runs=several, depth=st.integers(1, 5))
def test_depth_cuts_the_fused_ranking(runs: list[dict[str, dict[str, float]]], depth: int) -> None:
    whole, cut = rs.fuse(runs).run, rs.fuse(runs, depth=depth).run
    assert cut == {topic: dict(list(values.items())[:depth]) for topic, values in whole.items()}


@given(runs=several)
def test_scores_by_rank_keep_the_order(runs: list[dict[str, dict[str, float]]]) -> None:
    plain, by_rank = rs.fuse(runs).run, rs.fuse(runs, scores="rank").run
    for topic, values in by_rank.items():
        assert list(values) == list(plain[topic])
        assert list(values.values()) == list(range(len(values), 0, -1))
