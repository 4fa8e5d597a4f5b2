"""Topics that a run misses, has too many, or does not share at all."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.data.notices import render
from rankscale.errors import InputError, ParameterError, on_command_line
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import Missing
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find, names

Write = Callable[[str, str], Path]
QRELS = "1 0 a 1 / 1 0 b 0 / 2 0 a 1 / 3 0 c 1 / 4 0 a 1 / 4 0 d 0"
RUN = "1 Q0 a 1 3 x / 1 Q0 b 2 2 x / 4 Q0 d 1 2 x / 4 Q0 a 2 1 x"  # AP 1 and 1/2; topics 2 and 3 are missing


def test_missing_topics_are_skipped_and_said(written: Write) -> None:
    qrels, run = written("qrels", QRELS), written("run", RUN)
    found = evaluate(qrels, run, ["AP", "P@5"], missing="skip")
    assert found.topics_rule == "skip"
    assert "|missing:skip|" in found.signature
    assert found.topics == ("1", "2", "3", "4")
    assert np.isnan(found.values[:, 0, [1, 2]]).all()
    assert found.retrieved.tolist() == [[True, False, False, True]]
    assert found.by_topic("x", "AP") == {"1": 1.0, "4": 0.5}
    assert found.to_dict() == {"x": {"1": {"AP": 1.0, "P@5": 0.2}, "4": {"AP": 0.5, "P@5": 0.2}}}
    assert found.means()["x", "AP"] == 0.75
    assert found.means().counted.tolist() == [[2], [2]]
    (warning,) = found.warnings
    assert warning == (
        f"2 of 4 topics in {qrels} are missing from {run} (2, 3) and left out of its means; "
        "missing='zero' counts them as empty"
    )
    (notice,) = found.notices
    assert (notice.kind, notice["topics"]) == ("missing topics", ("2", "3"))
    assert render(notice, on_command_line).endswith("; --missing zero counts them as empty")


def test_missing_topics_are_empty_rankings_by_default(written: Write) -> None:
    qrels, run = written("qrels", QRELS), written("run", RUN)
    found = evaluate(qrels, run, ["AP", "P@5"])
    assert found.by_topic("x", "AP") == {"1": 1.0, "2": 0.0, "3": 0.0, "4": 0.5}
    assert found.means()["x", "AP"] == 0.375
    assert found.means().counted.tolist() == [[4], [4]]
    assert found.warnings == (f"2 of 4 topics in {qrels} are missing from {run} (2, 3) and counted as empty rankings",)


def test_the_rule_changes_nothing_where_no_topic_is_missing(made_up: Any) -> None:
    scores, judgments = made_up(1)
    rules: tuple[Missing, ...] = ("zero", "skip", "common", "error")
    several = [evaluate(judgments, scores, ["AP", "nDCG@10"], missing=rule) for rule in rules]
    assert len({one.values.tobytes() for one in several}) == 1
    assert all(one.warnings == () and one.retrieved.all() for one in several)


# These say something of the qrels, whatever was retrieved; YAAP is a logarithm, and starts below 0.
@pytest.mark.parametrize("name", sorted({*names()} - {"IDCG", "NumRel", "NumQ", "YAAP"}))
def test_a_missing_topic_that_counts_is_worth_an_empty_ranking(name: str) -> None:
    measure = parse_any(name)
    found = evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}}, measure)
    np.testing.assert_array_equal(found.values[0, 0, 1:], measure.value(judged("", missed="1")))
    # Nothing else can be worth nothing where low is good, nor where nothing retrieved leaves the value undefined or
    # the relative position of all that is relevant.
    assert found.values[0, 0, 1] == 0.0 or measure.low_is_good or measure.undefined


def parse_any(name: str) -> Any:
    """A measure by its name alone, with a depth or recall where it needs one."""
    text = find(name).example or name
    try:
        return parse(text)
    except InputError:
        return parse(f"{text}@{'0.5' if name == 'IPrec' else '5'}")


def test_counts_of_topics_and_relevant_documents_with_and_without_the_missing_ones(written: Write) -> None:
    qrels, run = written("qrels", QRELS), written("run", RUN)
    rules: tuple[Missing, ...] = ("skip", "zero")
    plain, complete = (evaluate(qrels, run, ["NumQ", "NumRel", "NumRet"], missing=rule).means() for rule in rules)
    assert plain.to_dict() == {"x": {"NumQ": 2.0, "NumRel": 2.0, "NumRet": 4.0}}
    assert complete.to_dict() == {"x": {"NumQ": 4.0, "NumRel": 4.0, "NumRet": 4.0}}


def test_a_warning_names_five_missing_topics_and_counts_them_all(written: Write) -> None:
    qrels = written("qrels", " / ".join(f"{topic} 0 a 1" for topic in range(10, 20)))
    (warning,) = evaluate(qrels, written("run", "10 Q0 a 1 1 x"), "AP").warnings
    assert "9 of 10 topics" in warning
    assert "(11, 12, 13, 14, 15, ...)" in warning


def test_unknown_topics_are_left_out_and_counted(written: Write) -> None:
    qrels = written("qrels", "1 0 a 1")
    run = written("run", "1 Q0 a 1 1 x / 8 Q0 a 1 1 x / 9 Q0 a 1 1 x / 9 Q0 b 1 1 x")
    found = evaluate(qrels, run, "AP")
    assert found.topics == ("1",)
    assert found.means().to_dict() == {"x": {"AP": 1.0}}
    assert found.warnings == (f"2 topics of {run} not in {qrels}, left out",)


def test_one_topic_is_spoken_of_as_one(written: Write) -> None:
    qrels, run = written("qrels", "1 0 a 1 / 2 0 a 1"), written("run", "1 Q0 a 1 1 x / 9 Q0 a 1 1 x")
    assert evaluate(qrels, run, "AP", missing="skip").warnings == (
        (
            f"1 of 2 topics in {qrels} is missing from {run} (2) and left out of its means; "
            "missing='zero' counts it as empty"
        ),
        f"1 topic of {run} not in {qrels}, left out",
    )


@pytest.mark.parametrize("missing", ["zero", "skip", "common", "error"])
def test_no_topic_in_common_is_an_error_that_shows_how_the_qrels_spell_them(written: Write, missing: Any) -> None:
    qrels, run = written("qrels", QRELS), written("run", "q1 Q0 a 1 1 x")
    with pytest.raises(InputError) as caught:
        evaluate(qrels, run, "AP", missing=missing)
    assert str(caught.value) == (
        f"{run} and {qrels} have no topic in common; the qrels have 1, 2, 3, 4\n"
        "check that both files belong to the same collection and spell topics alike"
    )


def test_missing_topics_are_an_error_where_that_is_wanted(written: Write) -> None:
    qrels, run = written("qrels", QRELS), written("run", RUN)
    with pytest.raises(InputError, match=rf"2 of 4 topics in {qrels} missing from {run} \(2, 3\)"):
        evaluate(qrels, run, "AP", missing="error")


def test_a_rule_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ParameterError, match="missing must be 'zero', 'skip', 'common' or 'error', got 'none'"):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP", missing="none")  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", [rs.robustness, rs.leave_out, rs.intervals, rs.changes])
def test_skipping_topics_is_refused_where_runs_are_compared(verb: Any) -> None:
    with pytest.raises(ParameterError, match="runs are compared over the same topics: give missing='zero'"):
        verb("no such file", ["nor", "these"], "AP", missing="skip")


def test_no_runs_are_an_error() -> None:
    with pytest.raises(InputError, match="there are no runs to evaluate"):
        evaluate({"1": {"a": 1}}, [], "AP")


def test_each_run_says_over_how_many_topics_its_means_are() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}
    found = evaluate(
        qrels, {"one": {"1": {"a": 1.0}}, "all": {topic: {"a": 1.0} for topic in qrels}}, "AP", missing="skip"
    )
    assert found.means().counted.tolist() == [[1, 3]]
    assert str(found.means()).splitlines()[1].split() == ["one", "1", "1.0000"]
    assert str(found.means()).splitlines()[2].split() == ["all", "3", "0.6667"]


def test_topics_without_relevant_documents_count_as_zero() -> None:
    qrels = {"1": {"a": 0, "b": 0}, "2": {"a": -1}, "3": {"a": 1}}
    scores = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    measures = ["AP", "nDCG@10", "nDCG", "R@5", "Rprec", "Bpref", "RR", "F@5", "SetF", "infAP", "IPrec@0", "AP11"]
    found = evaluate(qrels, scores, measures)
    assert (found.values[:, 0, :2] == 0).all()
    assert (found.means().counted == 3).all()
    assert found.means()["run", "AP"] == pytest.approx(1 / 3)


def test_values_below_a_run_s_topics_are_never_mixed_up() -> None:
    """Topics of a run in another order than those of the qrels keep their own values."""
    qrels = {f"{number:02}": {"a": 1} for number in range(30)}
    ranks = {f"{number:02}": number % 7 + 1 for number in range(30) if number % 5}
    scores = {
        topic: {**{f"x{place}": 100.0 - place for place in range(rank - 1)}, "a": 50.0}
        for topic, rank in reversed(ranks.items())
    }
    found = evaluate(qrels, scores, "RR", missing="skip").by_topic("run", "RR")
    assert found == {topic: 1 / rank for topic, rank in ranks.items()}
    assert not any(math.isnan(value) for value in found.values())


def test_a_topic_called_as_means_are_is_refused(tmp_path):
    """Its row could not be told from that of the means; with another name for these it can."""
    evaluation = rs.evaluate({"all": {"a": 1}, "1": {"a": 1}}, {"run": {"all": {"a": 1.0}}}, ["P@1"])
    with pytest.raises(ParameterError, match=r"a topic is called all, as rows of means are: .*mean_name="):
        evaluation.write(tmp_path / "values.tsv", table="values")
    replace(evaluation, mean_name="mean").write(tmp_path / "values.tsv", table="values")
    assert "run\tall\tP@1\t1.0\nrun\tmean\tP@1\t0.5\n" in (tmp_path / "values.tsv").read_text()
