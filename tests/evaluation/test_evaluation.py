"""Evaluation: what it can be asked, and that asking changes nothing."""

import math
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from rankscale.data.arrays import Ints
from rankscale.data.notices import notes
from rankscale.data.qrels import Qrels
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation import evaluate as evaluation_of_runs
from rankscale.evaluation.batches import OneRun
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.parser import parse

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"a": 1}}
RUNS = {
    "late": {"1": {"b": 2.0, "a": 1.0}, "2": {"z": 2.0, "a": 1.0}},
    "none": {"1": {"b": 2.0}, "2": {"b": 1.0}, "3": {"b": 1.0}},
    "best": {"1": {"a": 2.0}, "3": {"a": 1.0}},
}


@pytest.fixture
def found() -> Evaluation:
    return evaluate(QRELS, RUNS, ["RR", "P@1", "nDCG@5"], missing="skip")


def test_shape_and_names(found: Evaluation) -> None:
    assert found.values.shape == (3, 3, 3)
    assert found.runs == ("late", "none", "best")
    assert found.topics == ("1", "2", "3")
    assert repr(found) == "<Evaluation: 3 measures, 3 runs, 3 topics>"
    assert found.sources == ("qrels", "late", "none", "best")


def test_measures_come_in_the_order_asked_each_once() -> None:
    found = evaluate(QRELS, RUNS, ["P@5", "map", "P@1", "AP", "success"])
    assert list(map(str, found.measures)) == ["P@5", "AP", "P@1", "Success@1", "Success@5", "Success@10"]
    assert evaluate(QRELS, RUNS, "AP") == evaluate(QRELS, RUNS, [parse("AP")]) == evaluate(QRELS, RUNS, parse("AP"))


def test_values_by_topic(found: Evaluation) -> None:
    assert found.by_topic("late", "RR") == {"1": 0.5, "2": 0.5}
    assert found.by_topic("best", parse("P@1")) == {"1": 1.0, "3": 1.0}
    assert found.by_topic("late", "ndcg_cut_5")["2"] == pytest.approx(1 / math.log2(3))
    assert all(type(value) is float for value in found.by_topic("none", "RR").values())


def test_to_dict_holds_what_by_topic_says(found: Evaluation) -> None:
    for run, topics in found.to_dict().items():
        for measure in ("RR", "P@1", "nDCG@5"):
            assert {topic: values[measure] for topic, values in topics.items()} == found.by_topic(run, measure)


def test_a_topic_called_all_is_a_topic() -> None:
    found = evaluate({"all": {"a": 1}, "1": {"a": 1}}, {"all": {"a": 1.0}, "1": {"b": 1.0}}, "AP")
    assert found.to_dict() == {"run": {"1": {"AP": 0.0}, "all": {"AP": 1.0}}}


def test_one_measure_of_an_evaluation(found: Evaluation) -> None:
    one = found["P_1"]
    assert list(map(str, one.measures)) == ["P@1"]
    assert one.values.tobytes() == found.values[1:2].tobytes()
    assert one.means()["best", "P@1"] == found.means()["best", "P@1"]
    assert (one.runs, one.signature) == (found.runs, found.signature)


def test_common_keeps_the_topics_that_all_runs_have(found: Evaluation) -> None:
    common = evaluate(QRELS, RUNS, ["RR", "P@1", "nDCG@5"], missing="common")
    assert common.topics_rule == "common"
    assert "|missing:common|" in common.signature
    assert {run: list(common.by_topic(run, "RR")) for run in common.runs} == {run: ["1"] for run in RUNS}
    assert common.means().to_dict()["late"]["RR"] == 0.5
    assert (common.means().counted == 1).all()
    assert found.means().counted[0].tolist() == [2, 3, 2]


def test_common_of_runs_that_share_no_topic_is_empty() -> None:
    found = evaluate(QRELS, {"a": {"1": {"a": 1.0}}, "b": {"2": {"a": 1.0}}}, "RR", missing="common")
    assert (found.means().counted == 0).all()
    assert np.isnan(found.means().values).all()


def test_sorted_by_puts_the_highest_mean_first_and_keeps_rows_together(found: Evaluation) -> None:
    ordered = found.sorted_by("RR")
    assert ordered.runs == ("best", "late", "none")
    assert ordered.to_dict() == {run: found.to_dict()[run] for run in ordered.runs}
    assert ordered.means().to_dict() == {run: found.means().to_dict()[run] for run in ordered.runs}


def test_sorted_by_keeps_runs_of_equal_means_in_order(found: Evaluation) -> None:
    assert found.sorted_by("P@1").runs == ("best", "late", "none")
    assert found.sorted_by("P@1").sorted_by("P@1") == found.sorted_by("P@1")


def test_sorted_by_puts_runs_without_a_mean_last() -> None:
    values = np.array([[[math.nan], [0.1], [0.2]]])
    found = Evaluation((parse("AP"),), ("u", "a", "b"), ("1",), values, np.ones((3, 1), dtype=bool))
    assert found.sorted_by("AP").runs == ("b", "a", "u")


def test_sources_stay_with_their_runs_when_sorted(found: Evaluation) -> None:
    assert found.sorted_by("RR").sources == ("qrels", "best", "late", "none")


@pytest.mark.parametrize("ask", [lambda e: e["AP"], lambda e: e.sorted_by("AP"), lambda e: e.by_topic("late", "AP")])
def test_a_measure_that_was_not_asked_for_is_named_with_those_that_were(found: Evaluation, ask: Any) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown measure 'AP'.*this evaluation has RR, P@1, nDCG@5"):
        ask(found)


def test_a_run_that_is_not_there_is_named_with_the_nearest(found: Evaluation) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown run 'lte'; did you mean late\? this evaluation has late, "):
        found.by_topic("lte", "RR")


def test_one_measure_is_asked_for_where_one_is_meant(found: Evaluation) -> None:
    with pytest.raises(ParameterError, match="stands for 3 measures"):
        found["success"]


def test_equal_means_all_fields_are(found: Evaluation) -> None:
    assert found == evaluate(QRELS, RUNS, ["RR", "P@1", "nDCG@5"], missing="skip")
    assert found != "an evaluation"
    changed = found.values.copy()
    changed[0, 0, 0] += 1e-16
    for other in (
        replace(found, values=changed + 1e-3),
        replace(found, runs=("late", "none", "other")),
        replace(found, topics=("1", "2", "4")),
        replace(found, retrieved=~found.retrieved),
        replace(found, signature="other"),
        replace(found, notices=notes(["other"])),
        found["RR"],
    ):
        assert other != found
    with pytest.raises(TypeError, match="unhashable"):
        hash(found)


def test_pickled_before_and_after_it_was_asked(found: Evaluation) -> None:
    fresh = pickle.loads(pickle.dumps(found))
    assert fresh == found
    found.means()
    asked = pickle.loads(pickle.dumps(found))
    assert asked == found
    assert asked.means().to_dict() == found.means().to_dict() == fresh.means().to_dict()
    assert asked.values.tobytes() == found.values.tobytes()


def test_nothing_in_it_can_be_changed(found: Evaluation) -> None:
    for array in (found.values, found.retrieved, found.sorted_by("RR").values):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(FrozenInstanceError):
        found.runs = ()  # type: ignore[misc]


def test_asking_leaves_it_as_it_was(found: Evaluation) -> None:
    before = pickle.dumps(found)
    found.sorted_by("RR"), found["RR"], found.to_dict(), found.to_json(), found.to_latex()
    found.to_markdown(), found.to_pandas(), found.to_polars(), found.to_arrow(), found._repr_html_()
    assert found == pickle.loads(before)


def test_progress_rises_to_all_runs() -> None:
    told: list[tuple[int, int]] = []
    runs = {f"{number}": RUNS["late"] for number in range(50)}
    evaluate(QRELS, runs, "AP", progress=lambda done, of: told.append((done, of)))
    done = [done for done, _ in told]
    assert len(done) > 1
    assert done == sorted(set(done))
    assert told[-1] == (50, 50)
    assert {of for _, of in told} == {50}


def test_runs_are_chosen_by_name_or_row() -> None:
    result = evaluate({"1": {"a": 1}}, {"x": {"1": {"a": 1}}, "y": {"1": {"b": 1}}}, "AP")
    assert result.of_runs(["y"]) == result.of_runs([1])
    with pytest.raises(UnknownNameError, match="unknown run 'z'"):
        result.of_runs(["z"])


def test_rankings_are_counted_once_for_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may hold tens of thousands of runs: what is looked at again after some of them is kept as a sum."""
    counted: list[str] = []
    count = evaluation_of_runs._rankings

    def counting(run: OneRun) -> int:
        counted.append(run.name)
        return count(run)

    monkeypatch.setattr(evaluation_of_runs, "_rankings", counting)
    evaluate({"1": {"a": 1}}, {f"r{number}": {"1": {"a": 1.0}} for number in range(200)}, "AP")
    assert len(counted) == 200


def test_the_grades_of_a_topic_are_listed_once_for_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a topic has very many grades, and very many runs have it; values are those of runs on their own."""
    qrels = {"1": {f"d{number}": number for number in range(1500)}, "2": {"a": 1, "b": 0}}
    runs = {f"r{number}": {"1": {f"d{7 * number}": 2.0, "d3": 1.0}, "2": {"a": 1.0}} for number in range(200)}
    measures = ["AP", "nDCG@10", "Bpref", "RR", "P@10", "Judged@10"]
    listed: list[int] = []
    levels_of = Qrels.levels_of

    def listing(qrels: Qrels, rows: Ints) -> Ints:
        listed.append(len(rows))
        return levels_of(qrels, rows)

    alone = np.concatenate([evaluate(qrels, {name: runs[name]}, measures).values for name in list(runs)[::20]], axis=1)
    monkeypatch.setattr(Qrels, "levels_of", listing)
    together = evaluate(qrels, runs, measures).values
    assert 0 < len(listed) < 20
    np.testing.assert_array_equal(together[:, ::20], alone)
