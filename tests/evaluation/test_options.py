"""Options: checked once, typed, and refused by name where they are misspelt."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import InputError, ParameterError, UnknownOptionError
from rankscale.evaluation.options import Judging, judging_of, reading_of
from rankscale.inputs.options import Reading

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}}
RUNS = {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}, "2": {"b": 1.0}}}


@pytest.mark.parametrize("depth", [0, -1, 2.5, "10", True])
@pytest.mark.parametrize("verb", [rs.evaluate, rs.curves])
def test_a_depth_is_a_whole_number_from_1(verb: Any, depth: object) -> None:
    with pytest.raises(ParameterError, match=r"depth must be a whole number from 1, got"):
        verb(QRELS, RUNS, "AP", depth=depth)


@pytest.mark.parametrize("ties", ["trec", "range"])
def test_a_depth_may_be_a_number_of_numpy(ties: Any) -> None:
    one: Any = np.int64(1)
    assert rs.evaluate(QRELS, RUNS, "AP", depth=one, ties=ties) == rs.evaluate(QRELS, RUNS, "AP", depth=1, ties=ties)


@pytest.mark.parametrize(
    ("verb", "given", "keyword", "near"),
    [
        (rs.intervals, ["P@2"], "dept", "depth"),
        (rs.changes, ["P@2"], "gardes", "grades"),
        (rs.robustness, ["AP"], "judged", "judged_only"),
        (rs.leave_out, ["AP"], "thread", "threads"),
        (rs.archetypes, [], "dept", "depth"),
        (rs.bounds, [], "ordre", "order"),
        (rs.pool, [2], "treads", "threads"),
        (rs.read_run, [], "dept", "depth"),
        (rs.read_runs, [], "keep_document", "keep_documents"),
    ],
)
def test_a_misspelt_keyword_is_refused_with_the_nearest(verb: Any, given: list[Any], keyword: str, near: str) -> None:
    with pytest.raises(UnknownOptionError, match=rf"unexpected keyword argument '\w+'; did you mean {near}\?") as error:
        verb(QRELS, RUNS, *given, **{keyword: 1})
    assert isinstance(error.value, TypeError)
    assert isinstance(error.value, ParameterError)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rs.evaluate(RUNS, QRELS, "AP"),
        lambda: rs.evaluate(RUNS["x"], rs.read_qrels(QRELS), "AP"),
        lambda: rs.curves(rs.read_runs(QRELS, RUNS), rs.read_qrels(QRELS), "AP"),
        lambda: rs.read_run(RUNS["x"], rs.read_qrels(QRELS)),
    ],
)
def test_arguments_that_change_places_are_named(call: Any) -> None:
    with pytest.raises(InputError, match="qrels come first, then runs"):
        call()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rs.evaluate(QRELS, RUNS, 3), "measures are named by texts"),  # type: ignore[arg-type]
        (lambda: rs.curves(QRELS, RUNS, 3), "measures are named by texts"),  # type: ignore[arg-type]
        (lambda: rs.evaluate(QRELS, {}, "AP"), "there are no runs"),
        (lambda: rs.evaluate({}, RUNS, "AP"), "expected judgments, found none"),
        (lambda: rs.evaluate(QRELS, RUNS, "AP", grades=3), "grades must be a map"),  # type: ignore[arg-type]
        (lambda: rs.evaluate(QRELS, RUNS, "AP", negative="spam"), "negative must be"),
        (lambda: rs.standardise(3), "standardise takes an evaluation"),  # type: ignore[arg-type]
        (lambda: rs.statements(3), "statements takes an evaluation or comparisons"),  # type: ignore[arg-type]
        (lambda: rs.topics_needed(3, 0.1), "topics_needed takes an evaluation"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_used_is_told_in_words(call: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()


def test_options_of_a_function_are_split_by_what_they_are_for() -> None:
    assert reading_of({"depth": 3, "grades": [0, 1], "order": "file"}) == Reading(order="file", depth=3)
    assert judging_of({"depth": 3, "grades": [0, 1], "judged_only": True}) == Judging(judged_only=True, grades=[0, 1])


def test_means_are_a_mapping_by_run_and_measure() -> None:
    means = rs.evaluate(QRELS, RUNS, ["AP", "P@1"]).means()
    assert means["x"] == {"AP": means["x", "AP"], "P@1": 1.0}
    assert (list(means), len(means)) == (["x", "y"], 2)
    assert means["y", rs.AP] == means["y", "map"]
    assert rs.standardise(rs.evaluate(QRELS, RUNS, "AP")).means()["x", "z(AP)"] > 0


def test_qrels_are_written_from_any_form_to_any_path(tmp_path: Path) -> None:
    for qrels, path in ((QRELS, tmp_path / "a.txt"), (rs.read_qrels(QRELS), str(tmp_path / "b.txt.gz"))):
        rs.write_qrels(qrels, path)
        assert rs.read_qrels(path) == rs.read_qrels(QRELS)
