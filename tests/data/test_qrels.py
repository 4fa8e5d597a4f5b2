import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscale
from rankscale.errors import ParameterError

GRADES = st.sampled_from([-2, -1, 0, 0.5, 1, 2, 3])
judgments = st.dictionaries(
    st.sampled_from(["1", "10", "2", "é", "\udcff"]),
    st.dictionaries(st.sampled_from([*"abcde", "é", "\udcfe"]), GRADES, max_size=6),
    min_size=1,
)
maps = st.dictionaries(GRADES, st.sampled_from([-1, 0, 1, 2.5, 7]), max_size=5)


@given(grades=judgments)
def test_grades_are_what_was_read(grades):
    qrels = rankscale.read_qrels(grades)
    assert qrels.to_dict() == grades
    assert qrels.topics == tuple(sorted(grades, key=lambda topic: topic.encode("utf-8", "surrogateescape")))
    assert qrels.levels.tolist() == sorted({grade for judged in grades.values() for grade in judged.values()})
    for topic, row in zip(qrels.topics, qrels.counts.tolist(), strict=True):
        assert row == [list(grades[topic].values()).count(level) for level in qrels.levels.tolist()]


@given(grades=judgments, given_map=maps)
def test_a_map_changes_the_grades_it_names(grades, given_map):
    found = rankscale.read_qrels(grades).conflated(given_map)
    expected = {t: {d: given_map.get(grade, grade) for d, grade in judged.items()} for t, judged in grades.items()}
    assert found.to_dict() == expected
    assert found.levels.tolist() == sorted({grade for judged in expected.values() for grade in judged.values()})
    assert found.counts.sum() == sum(map(len, grades.values()))
    assert found == rankscale.read_qrels(expected)


@given(grades=judgments, listed=st.lists(st.sampled_from([-1.0, 0.0, 1.0, 5.0]), max_size=5))
def test_a_list_names_every_grade_from_0_on_or_is_refused(grades, listed):
    qrels = rankscale.read_qrels(grades)
    fits = all(level >= 0 and level == int(level) and level < len(listed) for level in qrels.levels.tolist())
    if not fits:
        with pytest.raises(ParameterError, match="have no entry for grade"):
            qrels.conflated(listed)
    else:
        expected = {t: {d: listed[int(grade)] for d, grade in judged.items()} for t, judged in grades.items()}
        assert qrels.conflated(listed).to_dict() == expected


def test_a_negative_grade_never_counts_from_the_end_of_a_list():
    with pytest.raises(ParameterError) as error:
        rankscale.read_qrels({"1": {"a": -1, "b": 1}}).conflated([0, 1, 9])
    assert str(error.value) == (
        "grades [0, 1, 9] have no entry for grade -1; list one for each of 0, 1, 2, ..., or give a map"
    )


@given(grades=judgments)
def test_negative_grades_as_not_relevant_are_judged_0(grades):
    found = rankscale.read_qrels(grades).negatives_as_not_relevant()
    assert found.to_dict() == {t: {d: max(grade, 0) for d, grade in judged.items()} for t, judged in grades.items()}


@given(grades=judgments)
def test_they_survive_pickling(grades):
    qrels = rankscale.read_qrels(grades)
    run = {topic: dict.fromkeys([*judged, "x"], 1.0) for topic, judged in grades.items()}
    again = pickle.loads(pickle.dumps(qrels))
    assert again == qrels
    assert np.array_equal(again.codes, qrels.codes)
    # The index is made anew, with another seed: it still finds the same documents.
    assert rankscale.read_run(again, run, keep_documents=True) == rankscale.read_run(qrels, run, keep_documents=True)


@given(grades=judgments)
def test_equal_does_not_mean_read_in_the_same_order(grades):
    turned = {topic: dict(reversed(judged.items())) for topic, judged in reversed(grades.items())}
    assert rankscale.read_qrels(turned) == rankscale.read_qrels(grades)


def test_another_grade_document_or_topic_is_not_equal():
    qrels = rankscale.read_qrels({"1": {"a": 1, "b": 0}})
    for other in ({"1": {"a": 0, "b": 1}}, {"1": {"a": 1, "c": 0}}, {"2": {"a": 1, "b": 0}}, {"1": {"a": 1}}):
        assert rankscale.read_qrels(other) != qrels
    assert qrels != {"1": {"a": 1, "b": 0}}
    with pytest.raises(TypeError):
        hash(qrels)


def test_minus_zero_is_zero():
    qrels = rankscale.read_qrels(b"1 0 a -0\n1 0 b 0\n1 0 c -0.0\n")
    assert [str(level) for level in qrels.levels.tolist()] == ["0.0"]


ELSEWHERE = "import pickle, sys; print(pickle.load(sys.stdin.buffer).fingerprint)"


def test_a_fingerprint_is_of_names_and_the_same_in_every_process():
    grades = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    qrels = rankscale.read_qrels(grades)
    said = subprocess.run([sys.executable, "-c", ELSEWHERE], input=pickle.dumps(qrels), capture_output=True, check=True)
    assert int(said.stdout) == qrels.fingerprint
    assert qrels.conflated({1: 3}).fingerprint == qrels.fingerprint
    # names that run together: ("ab", "c") is not ("a", "bc")
    for other in (
        {"1": {"ab": 1}, "2": {"c": 1}},
        {"1": {"a": 1, "b": 0}, "2": {"d": 1}},
        {"1": {"a": 1}, "2": {"b": 0, "c": 1}},
    ):
        assert rankscale.read_qrels(other).fingerprint != qrels.fingerprint


def test_they_say_what_they_hold():
    assert (
        repr(rankscale.read_qrels({"1": {"a": 1, "b": 0.5}})) == "<Qrels qrels: 1 topics, 2 judgments, grades 0.5, 1>"
    )
