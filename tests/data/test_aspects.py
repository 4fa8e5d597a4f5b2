"""Judgments by sub-topic or assessor."""

import numpy as np
import pytest

from rankscale.inputs.read import read_run
from tests.data.made_aspects import made_qrels

# SPEC2 1: sub-topics 1 to 3 of one topic, and a second topic with one sub-topic.
ROWS = [
    ("1", "1", "a", 1.0), ("1", "1", "b", 2.0), ("1", "2", "b", 1.0), ("1", "2", "c", 1.0), ("1", "3", "d", 3.0),
    ("1", "3", "a", 0.0), ("1", "4", "e", 0.0), ("2", "1", "b", 1.0),
]  # fmt: skip
RUN = {"1": {"b": 5.0, "x": 4.0, "a": 3.0, "e": 2.0, "d": 1.0}, "2": {"a": 2.0, "b": 1.0}}


def test_a_document_has_its_highest_grade():
    assert made_qrels(ROWS).to_dict() == {"1": {"a": 1, "b": 2, "c": 1, "d": 3, "e": 0}, "2": {"b": 1}}


@pytest.mark.parametrize(("number", "grades"), [(0, ["2 1", "1"]), (1, ["1", ""]), (2, ["0 3", ""]), (3, ["0", ""])])
def test_a_ranking_judged_by_one_aspect(number, grades):
    qrels = made_qrels(ROWS)
    judged = read_run(qrels, RUN, name="run").judged(qrels).aspect(number)
    seen = [" ".join(f"{qrels.levels[code]:g}" for code in row[row >= 0].tolist()) for row in judged.code]
    assert seen == grades


def test_counts_are_those_of_the_aspect():
    qrels = made_qrels(ROWS)
    judged = read_run(qrels, RUN, name="run").judged(qrels)
    assert judged.aspect_counts.tolist() == [4, 1]
    assert judged.aspect(1).recall_base().tolist() == [2, 0]


def test_mapped_grades_and_left_out_documents_hold_for_aspects():
    qrels = made_qrels(ROWS)
    mapped = qrels.conflated({2: 1, 3: 1})
    judged = read_run(mapped, RUN, name="run").judged(mapped)
    assert judged.aspect(0).recall_base(1).tolist() == [2, 1]
    kept = qrels.keeping(
        np.array([name != "b" for row in range(2) for name in map(bytes.decode, qrels.index.documents(row))])
    )
    judged = read_run(kept, RUN, name="run").judged(kept)
    assert [judged.aspect(number).recall_base().tolist() for number in range(3)] == [[1, 0], [1, 0], [1, 0]]
