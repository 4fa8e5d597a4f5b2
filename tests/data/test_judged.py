import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.data.arrays import UNJUDGED
from rankscale.data.judged import BEYOND, judged
from tests.data.slow_rankings import collections, entries, entries_of, fills_its_rows, made

depths = st.integers(1, 12)


@given(drawn=collections)
def test_entries_are_the_judged_documents(drawn):
    lists, qrels, run = made(drawn)
    found = run.judged(qrels)
    assert entries_of(found) == [entries(ranking) for ranking in lists.values()]
    assert found.length.tolist() == [len(ranking) for ranking in lists.values()]
    assert fills_its_rows(found)
    assert found.topics == len(lists)


@given(drawn=collections, depth=depths)
def test_cut_ends_every_ranking_at_the_depth(drawn, depth):
    lists, qrels, run = made(drawn)
    found = run.judged(qrels).cut(depth)
    assert entries_of(found) == [entries(ranking[:depth]) for ranking in lists.values()]
    assert found.length.tolist() == [len(ranking[:depth]) for ranking in lists.values()]
    assert fills_its_rows(found)


@given(drawn=collections)
def test_only_judged_takes_out_what_nobody_judged_and_what_is_negative(drawn):
    lists, qrels, run = made(drawn)
    kept = {
        topic: [one for one in ranking if one.grade is not None and one.grade >= 0] for topic, ranking in lists.items()
    }
    found = run.judged(qrels).only_judged()
    assert entries_of(found) == [entries(ranking) for ranking in kept.values()]
    assert found.length.tolist() == [len(ranking) for ranking in kept.values()]
    assert fills_its_rows(found)
    assert found.only_judged() == found


@given(drawn=collections, depth=depths)
def test_only_judged_of_what_was_cut_looks_no_further(drawn, depth):
    lists, qrels, run = made(drawn)
    kept = [[one for one in ranking[:depth] if one.grade is not None and one.grade >= 0] for ranking in lists.values()]
    assert entries_of(run.judged(qrels).cut(depth).only_judged()) == [entries(ranking) for ranking in kept]


@given(drawn=collections, depth=depths)
def test_every_rank_has_an_entry_at_each_rank(drawn, depth):
    lists, qrels, run = made(drawn)
    found = run.judged(qrels).every_rank(depth)
    expected = []
    for ranking in lists.values():
        known = {entry[0]: entry for entry in entries(ranking)}
        # Unjudged documents share the tie group of a judged one, if it has any down to the depth.
        groups = {rank: e[3:] for e in entries(ranking) if e[0] <= depth for rank in range(e[3], e[4] + 1)}
        unjudged = {rank: (rank, None, UNJUDGED, *groups.get(rank, (rank, rank))) for rank in range(1, depth + 1)}
        expected.append([known.get(rank, unjudged[rank]) for rank in range(1, depth + 1)])
    assert entries_of(found) == expected
    assert found.length.tolist() == [len(ranking) for ranking in lists.values()]


@given(drawn=collections, depth=depths, rel=st.sampled_from([0, 0.5, 1, 2]))
def test_what_formulas_ask_for(drawn, depth, rel):
    lists, qrels, run = made(drawn)
    found = run.judged(qrels)
    for topic, (name, ranking) in enumerate(lists.items()):
        grades = [one.grade for one in ranking if one.grade is not None]
        count = len(grades)
        assert found.relevant(rel)[topic, :count].tolist() == [float(grade >= rel) for grade in grades]
        assert found.is_judged()[topic, :count].tolist() == [float(grade >= 0) for grade in grades]
        assert found.relevant_so_far(rel)[topic, :count].tolist() == [
            sum(g >= rel for g in grades[: at + 1]) for at in range(count)
        ]
        assert found.recall_base(rel)[topic] == sum(grade >= rel for grade in qrels.grades(name).values())
        assert found.within(depth)[topic] == sum(entry[0] <= depth for entry in entries(ranking))
        within = sum(one.grade is not None and one.grade >= rel for one in ranking[:depth])
        assert found.read(found.relevant_so_far(rel), depth)[topic] == within
        assert found.read(found.relevant_so_far(rel))[topic] == sum(grade >= rel for grade in grades)


@given(drawn=collections, gains=st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0]), min_size=7, max_size=7))
def test_ideal_gains_are_the_positive_gains_in_order(drawn, gains):
    lists, qrels, run = made(drawn)
    per_level = np.array(gains[: len(qrels.levels)])
    worth = dict(zip(qrels.levels.tolist(), per_level.tolist(), strict=True))
    found = run.judged(qrels).ideal_gains(per_level)
    for topic, row in zip(lists, found.tolist(), strict=True):
        ideal = sorted((worth[grade] for grade in qrels.grades(topic).values() if worth[grade] > 0), reverse=True)
        assert row == ideal + [0.0] * (found.shape[-1] - len(ideal))


@given(drawn=collections)
def test_it_survives_pickling_with_and_without_what_it_keeps(drawn):
    _, qrels, run = made(drawn)
    found = run.judged(qrels)
    assert pickle.loads(pickle.dumps(found)) == found
    found.relevant_so_far(1)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.relevant_so_far(1).tolist() == found.relevant_so_far(1).tolist()


@given(drawn=collections)
def test_nothing_is_written_into_what_it_is_made_from(drawn):
    _, qrels, run = made(drawn)
    found = run.judged(qrels)
    before = pickle.dumps(found)
    found.cut(2), found.only_judged(), found.every_rank(5), found.relevant_so_far(1)
    assert pickle.dumps(found) == before


def test_rankings_written_as_grades():
    found = judged("2 0 - 1", "", "- -1", missed="1 3")
    assert entries_of(found) == [[(1, 2.0, 0, 1, 1), (2, 0.0, 1, 2, 2), (4, 1.0, 2, 4, 4)], [], [(2, -1.0, 0, 2, 2)]]
    assert found.levels.tolist() == [-1, 0, 1, 2, 3]
    assert found.counts.tolist() == [[0, 1, 2, 1, 1], [0, 0, 1, 0, 1], [1, 0, 1, 0, 1]]
    assert found.length.tolist() == [4, 0, 2]
    assert found.rank[1].tolist() == [BEYOND] * 3


def test_equal_means_every_column_is(monkeypatch):
    one = judged("1 0", "- 2")
    assert one == judged("1 0", "- 2")
    assert one != judged("1 0", "2 -")
    assert one != judged("1 0")
    assert one != "1 0"
    with pytest.raises(TypeError):
        hash(one)
