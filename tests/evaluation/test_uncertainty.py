"""Bounds and ties through `evaluate`: beside the values, in every form, however the work is done."""

import json
from typing import Any

import numpy as np
import pytest

from rankscale.data import run as run_module
from rankscale.errors import BoundsError, ParameterError
from rankscale.evaluation.curves.curves import curves
from rankscale.evaluation.evaluate import evaluate
from rankscale.executors.processes import Processes
from rankscale.inputs.read import read_qrels, read_run
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS

BOUNDED = ["RBP(p=0.9)", "P@10", "RR", "ERR@20", "DCG(base=2)@30", "Success@5"]
TIED = ["AP", "nDCG@10", "RR", "P@5", "RBP", "Twist", "Bpref", "AP11", "NERR10"]


@pytest.mark.parametrize("complete", [False, True])
def test_bounds_are_those_of_the_measure(complete: Any, made_up: Any) -> None:
    scores, judgments = made_up(3)
    del scores[next(iter(scores))]
    qrels = read_qrels(judgments)
    run = read_run(qrels, scores)
    found = evaluate(qrels, run, BOUNDED, bounds=True, missing="zero" if complete else "skip")
    table = (run.completed(len(qrels.topics)) if complete else run).judged(qrels)
    for place, text in enumerate(BOUNDED):
        for bounds, expected in zip((found.lower, found.upper), parse(text).bounds(table), strict=True):
            assert bounds is not None
            np.testing.assert_array_equal(bounds[place, 0, found.retrieved[0]], expected)
            assert np.isnan(bounds[place, 0, ~found.retrieved[0]]).all()


def test_means_lie_within_their_bounds() -> None:
    found = evaluate(QRELS, list(RUNS[:6]), ["RBP(p=0.9)", "P@10", "RR"], bounds=True, ties="range")
    extra = found.extra_means()
    assert list(extra) == ["lower", "upper", "ties_lower", "ties_upper"]
    means = found.means().values
    for lower, upper in (("lower", "upper"), ("ties_lower", "ties_upper")):
        assert (extra[lower] <= means + 1e-12).all()
        assert (means <= extra[upper] + 1e-12).all()


@pytest.mark.parametrize(
    "options", [{"bounds": True}, {"ties": "range"}, {"ties": "expected"}, {"ties": "range", "depth": 7}]
)
def test_blocks_and_executors_change_no_bit(options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    measures = BOUNDED if "bounds" in options else TIED
    files = list(RUNS[:3])
    at_once = evaluate(QRELS, files, measures, **options)
    assert evaluate(QRELS, files, measures, executor=Processes(2), **options) == at_once
    monkeypatch.setattr(run_module, "BLOCK_ENTRIES", 5000)
    in_blocks = evaluate(QRELS, files, measures, **options)
    for name in ("values", "lower", "upper", "ties_lower", "ties_upper", "ties_error"):
        one, other = getattr(at_once, name), getattr(in_blocks, name)
        assert (one is None) == (other is None)
        assert one is None or one.tobytes() == other.tobytes()


def test_tied_documents_are_worth_their_mean() -> None:
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 1.0}}  # trec_eval puts b first
    assert evaluate(qrels, run, "P@1").values[0, 0, 0] == 0
    assert evaluate(qrels, run, "P@1", ties="expected").values[0, 0, 0] == 0.5
    ranged = evaluate(qrels, run, "P@1", ties="range")
    assert ranged.ties_lower is not None
    assert ranged.ties_upper is not None
    assert (ranged.values[0, 0, 0], ranged.ties_lower[0, 0, 0], ranged.ties_upper[0, 0, 0]) == (0, 0, 1)


def test_groups_are_formed_before_rankings_are_cut() -> None:
    qrels, run = {"1": {"a": 1, "b": 0, "c": 2}}, {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert evaluate(qrels, run, "SetP", ties="expected", depth=1).values[0, 0, 0] == pytest.approx(2 / 3, abs=1e-15)
    cut = read_run(read_qrels(qrels), run, depth=1)
    with pytest.raises(ParameterError, match="ties are not known of runs that were cut"):
        evaluate(qrels, cut, "P@1", ties="expected")


def test_orders_without_a_value_are_left_out_and_counted() -> None:
    """Of three tied documents one is relevant, and two are looked at: it is first, second or below in 2 orders each."""
    qrels, tied = {"1": {"a": 1}, "2": {"a": 1}}, {"a": 1.0, "b": 1.0, "c": 1.0}
    runs = {"x": {"1": tied, "2": {"a": 2.0, "b": 1.0}}, "y": {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}}}
    values = evaluate(qrels, runs, ["Accuracy@2", "ASL@2", "RHL@2", "P@2"], ties="expected")
    assert values.values[:, 0, 0].tolist() == pytest.approx([1 / 2, 3 / 2, (1 / 2 + 3 / 2) / 2, 1 / 3])
    assert values.values[:, 0, 1].tolist() == [1, 1, 0.5, 0.5]
    for measure in ("Accuracy@2", "ASL@2", "RHL@2"):
        words = (
            "undefined for some orders of the tied documents of 1 of 4 rankings, whose mean is over the other orders"
        )
        assert f"{measure}: {words}" in values.warnings
    assert not any("P@2" in text for text in values.warnings)
    ranges = evaluate(qrels, runs, ["Accuracy@2", "ASL@2", "RHL@2"], ties="range")
    assert ranges.ties_lower is not None
    assert ranges.ties_upper is not None
    assert ranges.ties_lower[:, 0, 0].tolist() == [0, 1, 0.5]
    assert ranges.ties_upper[:, 0, 0].tolist() == [1, 2, 1.5]
    for measure in ("Accuracy@2", "ASL@2", "RHL@2"):
        assert f"{measure}: {words.replace('mean', 'range')}" in ranges.warnings
    traced = curves(qrels, runs, ["ASL"], depth=3, ties="expected")
    assert traced.by_topic("x", "ASL")["1"].tolist() == pytest.approx([1, 1.5, 2], abs=1e-15)
    assert any("ASL: undefined for some orders" in text for text in traced.warnings)


@pytest.mark.parametrize("depth", [0, -2, "3", 1.5])
def test_a_depth_is_a_whole_number(depth: Any) -> None:
    with pytest.raises(ParameterError, match="whole number"):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP", ties="expected", depth=depth)


def test_a_cut_before_unjudged_documents_are_taken_out() -> None:
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"u": 3.0, "a": 2.0, "b": 1.0}}
    assert evaluate(qrels, run, "P@1", judged_only=True, depth=1).values[0, 0, 0] == 0
    found = evaluate(qrels, run, "P@1", judged_only=True, depth=1, bounds=True)
    assert found.upper is not None
    assert found.values[0, 0, 0] <= found.upper[0, 0, 0]
    # Tied, one of three documents is left by the cut: none that is judged, or one, relevant or not.
    tied = {"1": dict.fromkeys("uab", 1.0)}
    for measure, judged_only in (("P@1", True), ("P(judged_only=True)@1", False)):
        mean = evaluate(qrels, tied, measure, depth=1, ties="expected", judged_only=judged_only)
        assert mean.values[0, 0, 0] == pytest.approx(1 / 3, abs=1e-15)
        ranged = evaluate(qrels, tied, measure, depth=1, ties="range", judged_only=judged_only, bounds=True)
        assert {name: column.item() for name, column in ranged.extra_columns.items()} == {
            "lower": 0,
            "upper": 1,
            "ties_lower": 0,
            "ties_upper": 1,
        }


def test_those_without_bounds_are_left_without_and_told() -> None:
    found = evaluate(QRELS, RUNS[0], ["AP", "P@10", "nDCG@10", "NumRel"], bounds=True)
    assert found.lower is not None
    assert np.isnan(found.lower[[0, 2, 3]]).all()
    assert not np.isnan(found.lower[1]).any()
    assert [warning.partition(":")[0] for warning in found.warnings] == ["AP, nDCG@10, NumRel have no bounds"]
    means = found.extra_means()["lower"]
    assert np.isnan(means[[0, 2, 3]]).all()
    with pytest.raises(BoundsError, match="the recall base is used"):
        evaluate(QRELS, RUNS[0], ["AP", "nDCG"], bounds=True)


def test_what_cannot_be_asked() -> None:
    for options in ({"tie_orders": 1}, {"tie_orders": 2.5}, {"seed": -1}, {"seed": True}):
        with pytest.raises(ParameterError, match=r"(tie_orders|seed) must be a whole number from [02], got"):
            evaluate(QRELS, RUNS[0], ["AP", "Twist"], ties="expected", **options)
    with pytest.raises(ParameterError, match="give ties='expected' or 'range' too"):
        evaluate(QRELS, RUNS[0], "Twist", tie_orders=500)
    with pytest.raises(BoundsError, match="ERR has no bounds: the mean over tied documents has bounds where gains add"):
        evaluate(QRELS, RUNS[0], "ERR", ties="expected", bounds=True)
    with pytest.raises(ParameterError, match="ties must be"):
        evaluate(QRELS, RUNS[0], "P@5", ties="random")  # type: ignore[arg-type]


def test_forms_for_programs() -> None:
    found = evaluate(QRELS, RUNS[0], ["P@10", "AP"], bounds=True)
    assert found.lower is not None
    rows = b"".join(found.chunks("jsonl")).decode().splitlines()
    first = json.loads(rows[0])
    assert list(first) == ["run", "topic", "measure", "value", "lower", "upper"]
    assert first["lower"] == found.lower[0, 0, 0]
    assert json.loads(rows[1])["lower"] is None
    header = next(found.chunks("csv", "means"))
    assert header == b"run,topic,measure,value,lower,upper\n"
    frame = found.to_polars()
    assert frame.columns == ["run", "topic", "measure", "value", "lower", "upper"]
    assert found.to_arrow().column_names == frame.columns
    document = json.loads(found.to_json("means"))
    assert document["runs"][0]["means_upper"]["AP"] is None
    assert "[" in found.to_markdown()
    assert "[" in str(found.means())


def test_a_part_keeps_its_bounds() -> None:
    found = evaluate(QRELS, list(RUNS[:4]), BOUNDED, bounds=True)
    one = found["P@10"]
    assert one.upper is not None
    assert found.upper is not None
    np.testing.assert_array_equal(one.upper[0], found.upper[1])
    ordered = found.sorted_by("P@10")
    assert ordered.upper is not None
    for place, name in enumerate(ordered.runs):
        np.testing.assert_array_equal(ordered.upper[:, place], found.upper[:, found.runs.index(name)])


def test_undefined_and_odd_values_are_told() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 0}}
    found = evaluate(qrels, {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 1.0}}, ["Twist", "AP", "balance", "ASL"])
    assert found.warnings == (
        "Twist, balance: rankings hold at most 2 documents, and N is 1000: Twist@2 reads them as they are",
        "Twist is undefined for 1 of 2 rankings (the topic has no relevant document), which its means leave out",
        "balance is undefined for 1 of 2 rankings (the topic has no relevant document), which its means leave out",
        "ASL is undefined for 1 of 2 rankings (no relevant document is retrieved), which its means leave out",
    )
    assert "(1)" in str(found.means())
    assert "(1)" in found.to_markdown()
    assert "(1)" in found.to_latex()
    never = evaluate({"1": {"a": 1, "b": 0}}, {"1": {"b": 2.0}}, "balance")
    assert never.warnings[1:] == ("balance is infinite for 1 of 1 rankings, and so are the means over them",)


def test_a_ranking_that_ends_below_zero_is_flagged() -> None:
    found = evaluate({"1": {"a": 1, "b": 0, "c": 1}}, {"1": {"a": 1.0, "b": 2.0}}, "CRP_N@1000")
    assert found.values[0, 0, 0] > 1
    assert [warning.partition(":")[0] for warning in found.warnings] == ["CRP_N@1000 is above 1 for 1 of 1 rankings"]
    assert "**" not in found.to_markdown()  # neither high nor low is best


def test_runs_with_and_without_scores_together(made_up: Any) -> None:
    scores, judgments = made_up(5)
    qrels = read_qrels(judgments)
    runs = {"with": read_run(qrels, scores, keep_scores=True), "without": read_run(qrels, scores)}
    found = evaluate(qrels, runs, "AP")
    np.testing.assert_array_equal(found.values[:, 0], found.values[:, 1])
    with pytest.raises(ParameterError, match="without its scores"):
        evaluate(qrels, runs, "RelRel")
    with pytest.raises(ParameterError, match="order='score'"):
        evaluate(qrels, scores, "RelRel", order="file")


def test_ties_are_those_of_the_precision_of_the_order() -> None:
    qrels, run = {"1": {"a": 0, "b": 1}}, {"1": {"a": 1000000.01, "b": 1000000.0}}
    for measure, mean, lowest in (("Bpref", 0.5, 0), ("Rprec", 0.5, 0), ("INST", None, None)):
        exact = evaluate(qrels, run, measure, ties="expected", order="score64").values[0, 0, 0]
        assert exact == evaluate(qrels, run, measure, order="score64").values[0, 0, 0]
        tied = evaluate(qrels, run, measure, ties="expected").values[0, 0, 0]
        assert tied == mean if mean is not None else tied > exact
        between = evaluate(qrels, run, measure, ties="range")
        assert lowest is None or [column.item() for column in between.extra_columns.values()] == [lowest, 1]


def test_drawn_means_carry_their_errors_over_topics() -> None:
    tied = next(run for run in RUNS if "dense-int8" in str(run))
    found = evaluate(QRELS, tied, ["Twist", "AP"], ties="expected", tie_orders=20)
    assert found == evaluate(QRELS, tied, ["Twist", "AP"], ties="expected", tie_orders=20)
    assert found.ties_error is not None
    errors = found.ties_error[0, 0]
    expected = np.sqrt((errors**2).sum()) / len(errors)
    np.testing.assert_allclose(found.extra_means()["ties_error"], [[expected], [0.0]], rtol=1e-12)
