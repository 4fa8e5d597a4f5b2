import pickle
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscale
from rankscale.data import run as runs
from rankscale.data.arrays import Ints
from rankscale.data.judged import BEYOND
from rankscale.data.run import Run
from tests.data.slow_rankings import collections, entries, entries_of, made

RUN = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "3": {"c": 1.0}}
QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}, "3": {"c": 1}}


@pytest.fixture
def qrels():
    return rankscale.read_qrels(QRELS)


@pytest.fixture
def run(qrels) -> Run:
    return rankscale.read_run(qrels, RUN, name="mine", keep_documents=True)


@given(drawn=collections, missing=st.sets(st.sampled_from(["1", "10", "2", "é"])))
def test_completed_adds_an_empty_ranking_for_each_topic_it_misses(drawn, missing):
    lists, qrels, _ = made(drawn)
    names = {topic: [f"d{999 - place}" for place in range(len(ranking))] for topic, ranking in lists.items()}
    retrieved = {
        topic: {name: float(one.score) for name, one in zip(names[topic], ranking, strict=True)}
        for topic, ranking in lists.items()
        if topic not in missing
    }
    found = rankscale.read_run(qrels, retrieved, keep_documents=True).completed(len(qrels.topics))
    assert found.rows.tolist() == list(range(len(qrels.topics)))
    assert entries_of(found.judged(qrels)) == [
        [] if topic in missing else entries(lists[topic]) for topic in qrels.topics
    ]
    assert found.length.tolist() == [0 if topic in missing else len(lists[topic]) for topic in qrels.topics]
    if found.documents is not None:
        assert found.documents == tuple(() if topic in missing else tuple(names[topic]) for topic in qrels.topics)
    assert found.completed(len(qrels.topics)) == found


@given(drawn=collections, start=st.integers(0, 4), size=st.integers(0, 4))
def test_some_rankings_are_those_of_all(drawn, start, size):
    _, qrels, run = made(drawn)
    whole = entries_of(run.judged(qrels))
    if start <= len(run.rows):
        assert entries_of(run.judged(qrels, start, start + size)) == whole[start : start + size]


@given(drawn=collections, area=st.integers(1, 40))
def test_blocks_together_are_the_run(drawn, area):
    _, qrels, run = made(drawn)
    before, runs.BLOCK_ENTRIES = runs.BLOCK_ENTRIES, area
    try:
        blocks = list(run.blocks(qrels))
    finally:
        runs.BLOCK_ENTRIES = before
    assert [entry for _, block in blocks for entry in entries_of(block)] == entries_of(run.judged(qrels))
    assert all(block.rank.size <= max(area, block.rank.shape[-1]) for _, block in blocks)


@given(drawn=collections, area=st.integers(1, 40), small=st.integers(1, 40))
def test_blocks_by_size_are_the_same_rankings_in_another_order(drawn, area, small):
    _, qrels, run = made(drawn)
    before = runs.BLOCK_ENTRIES, runs.SMALL_BLOCK
    runs.BLOCK_ENTRIES, runs.SMALL_BLOCK = area, small
    try:
        blocks = list(run.blocks_by_size(qrels))
    finally:
        runs.BLOCK_ENTRIES, runs.SMALL_BLOCK = before
    order = [place for which, _ in blocks for place in which.tolist()]
    assert sorted(order) == list(range(len(run.rows)))
    every = entries_of(run.judged(qrels))
    assert [entry for _, block in blocks for entry in entries_of(block)] == [every[place] for place in order]
    assert [int(row) for _, block in blocks for row in cast("Ints", block.row)] == run.rows[order].tolist()
    sizes = np.diff(run.starts)[order].tolist()
    floor = len(qrels.levels)  # counts by level take as much room
    assert [max(size, floor) for size in sizes] == sorted(max(size, floor) for size in sizes)
    assert all(block.rank.size <= max(area, block.rank.shape[-1]) for _, block in blocks)


@given(drawn=collections, kept=st.sampled_from([-2, -1, 0, 0.5, 1, 2, 3, 4]))
def test_what_is_left_out_is_still_counted(drawn, kept):
    """How many judged documents stand at or above an entry does not depend on which of them are entries."""
    _, qrels, run = made(drawn)
    whole, few = run.judged(qrels), run.without(qrels.levels < kept, qrels).judged(qrels)
    topic, entry = np.nonzero(few.rank < BEYOND)
    there = [
        int(np.flatnonzero(whole.rank[t] == rank)[0]) for t, rank in zip(topic, few.rank[topic, entry], strict=True)
    ]
    expected = whole.judged_so_far()[topic, np.array(there, dtype=np.int64)]
    assert few.judged_down_to(topic, entry).tolist() == expected.tolist()
    assert whole.judged_down_to(topic, np.array(there, dtype=np.int64)).tolist() == expected.tolist()
    twice = run.without(qrels.levels < min(kept, 0), qrels).without(qrels.levels < kept, qrels).judged(qrels)
    assert twice.judged_down_to(topic, entry).tolist() == expected.tolist()


@given(drawn=collections, kept=st.sampled_from([-2, -1, 0, 0.5, 1, 2, 3, 4]))
def test_without_some_levels_the_others_keep_their_place(drawn, kept):
    lists, qrels, run = made(drawn)
    found = run.without(qrels.levels < kept, qrels)
    assert entries_of(found.judged(qrels)) == [entries(ranking, keep=kept) for ranking in lists.values()]
    assert found.length.tolist() == run.length.tolist()


@given(drawn=collections)
def test_it_survives_pickling(drawn):
    _, _, run = made(drawn)
    again = pickle.loads(pickle.dumps(run))
    assert again == run
    assert (again.source, again.documents) == (run.source, run.documents)


def test_runs_are_equal_where_they_hold_the_same_wherever_they_come_from(qrels, run):
    assert rankscale.read_run(qrels, RUN, name="mine", keep_documents=True) == run
    assert replace(run, source="elsewhere") == run
    for change in (
        {"name": "yours"},
        {"rank": run.rank + 1},
        {"documents": None},
        {"unknown_topics": 1},
        {"last_tag": "t"},
    ):
        assert replace(run, **change) != run
    assert run != RUN
    with pytest.raises(TypeError):
        hash(run)


def test_arrays_are_closed_to_writing(run):
    for column in (run.rows, run.length, run.starts, run.rank, run.document, run.first, run.last):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 7


def test_it_says_what_it_holds(run):
    assert repr(run) == "<Run mine: 2 topics, 4 documents, 3 judged>"


def test_a_run_without_any_topic_of_the_qrels_can_be_completed(qrels):
    found = rankscale.read_run(qrels, {"9": {"a": 1.0}})
    assert (found.rows.tolist(), found.unknown_topics) == ([], 1)
    assert found.judged(qrels).rank.shape == (0, 0)
    whole = found.completed(3)
    assert np.array_equal(whole.starts, [0, 0, 0, 0])
    assert whole.judged(qrels).rank.shape == (3, 0)
