"""Precision by recall at each grade, against a plain program and trec_eval."""

from typing import Any

import numpy as np
import pytest
import pytrec_eval
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.study import study_command
from rankscale.errors import ParameterError
from rankscale.sample import QRELS, RUNS
from rankscale.studies.recall_precision import RECALLS, recall_precision

RANDOM = np.random.default_rng(3)
NAMES = [f"d{place}" for place in range(40)]
MADE_UP: Any = {str(topic): {name: int(RANDOM.choice([0, 0, 1, 2, 3])) for name in NAMES[:30]} for topic in range(6)}
MADE_UP["none"] = {"d0": 1, "d1": 0}  # nothing of a higher grade
RETRIEVED: Any = {
    run: {topic: {name: float(RANDOM.random()) for name in RANDOM.permutation(NAMES)[:25]} for topic in MADE_UP}
    for run in ("a", "b")
}


def slow_precision(grades: list[int], recall_base: int, threshold: int, recall: float) -> float:
    """The highest precision at any rank with so many relevant documents; trec_eval 9 rounds up what is not whole."""
    wanted = int(recall * recall_base + 0.9)
    best = met = 0.0
    for rank, grade in enumerate(grades, start=1):
        met += grade >= threshold
        if met >= wanted and grade >= threshold:
            best = max(best, met / rank)
    return best


def test_against_a_plain_program() -> None:
    result = recall_precision(MADE_UP, RETRIEVED)
    assert result.thresholds == (1, 2, 3)
    assert result.recalls == RECALLS
    for place, threshold in enumerate((1, 2, 3)):
        for row, run in enumerate(RETRIEVED):
            for column, recall in enumerate(RECALLS):
                values = []
                for topic, judgments in MADE_UP.items():
                    ranked = sorted(RETRIEVED[run][topic].items(), key=lambda pair: -pair[1])
                    recall_base = sum(grade >= threshold for grade in judgments.values())
                    grades = [judgments.get(name, 0) for name, _ in ranked]
                    values.append(slow_precision(grades, recall_base, threshold, recall) if recall_base else 0.0)
                assert result.precision[place, row, column] == pytest.approx(np.mean(values), abs=1e-15)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_against_trec_eval(level: int) -> None:
    theirs = pytrec_eval.RelevanceEvaluator(MADE_UP, {"iprec_at_recall"}, relevance_level=level)
    result = recall_precision(MADE_UP, RETRIEVED, thresholds=[level])
    for row, run in enumerate(RETRIEVED):
        by_topic = theirs.evaluate(RETRIEVED[run])
        for column, recall in enumerate(RECALLS):
            mean = np.mean([by_topic[topic][f"iprec_at_recall_{recall:.2f}"] for topic in MADE_UP])
            assert result.precision[0, row, column] == pytest.approx(mean, abs=1e-14)


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("mapped", [None, {0: 1}])
def test_each_grade_by_itself_against_trec_eval(level: int, mapped: Any) -> None:
    """trec_eval on judgments in which exactly the grade is relevant; grades are mapped first."""
    exact = {
        topic: {name: int((mapped or {}).get(grade, grade) == level) for name, grade in judged.items()}
        for topic, judged in MADE_UP.items()
    }
    theirs = pytrec_eval.RelevanceEvaluator(exact, {"iprec_at_recall"})
    result = recall_precision(MADE_UP, RETRIEVED, thresholds=[level], exactly=True, grades=mapped)
    at_all = recall_precision(MADE_UP, RETRIEVED, exactly=True, grades=mapped)
    np.testing.assert_array_equal(at_all.precision[at_all.thresholds.index(level)], result.precision[0])
    for row, run in enumerate(RETRIEVED):
        by_topic = theirs.evaluate(RETRIEVED[run])
        for column, recall in enumerate(RECALLS):
            mean = np.mean([by_topic[topic][f"iprec_at_recall_{recall:.2f}"] for topic in MADE_UP])
            assert result.precision[0, row, column] == pytest.approx(mean, abs=1e-14)
    assert result.relevant_topics.tolist() == [sum(any(judged.values()) for judged in exact.values())]


def test_each_grade_by_itself_in_words() -> None:
    result = recall_precision(
        MADE_UP, RETRIEVED, exactly=True, missing="common", order="score", negative="not relevant"
    )
    plain = recall_precision(MADE_UP, RETRIEVED, missing="common", order="score", negative="not relevant")
    assert result.sentence().endswith("relevant if its grade is exactly the threshold, and not if it is higher.")
    assert "1 of 7 topics have no document of grade 3; their precision is 0, as in trec_eval" in result.warnings
    assert "|exactly:True|" in result.signature
    assert result.signature.replace("exactly:True|", "") == plain.signature
    np.testing.assert_array_equal(result.precision[2], plain.precision[2])  # there is no higher grade
    assert (result.precision[0] != plain.precision[0]).any()
    assert result.evaluation.measures == plain.evaluation.measures
    drawn = rs.figure("recall-precision", result)
    assert "relevant at grade 1 alone: " in drawn.description
    with pytest.raises(ParameterError, match=r"grades above 0 that occur, 1, 2, 3, in qrels; got 1\.5"):
        recall_precision(MADE_UP, RETRIEVED, thresholds=(1, 1.5), exactly=True)


def test_tables_and_notices() -> None:
    result = recall_precision(MADE_UP, RETRIEVED, thresholds=(3, 1), recalls=(0, 0.5, 1))
    curves: Any = result.table("curves").columns
    assert curves["threshold"] == [1, 1, 3, 3]
    assert curves["run"] == ["a", "b", "a", "b"]
    assert list(curves) == ["threshold", "run", "topics", "0", "0.5", "1", "mean"]
    assert curves["mean"][2] == pytest.approx(result.precision[1, 0].mean(), abs=1e-16)
    points = list(result.table("points"))
    assert len(points) == 2 * 2 * 3
    assert points[4] == {"run": "a", "threshold": 3, "recall": 0.5, "precision": result.precision[1, 0, 1], "topics": 7}
    assert result.relevant_topics.tolist() == [7, 6]
    assert result.warnings == (
        "1 of 7 topics have no document of grade 3 or higher; their precision is 0, as in trec_eval",
    )


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ParameterError, match="grades above 0, up to 3, the highest in qrels; got 0, 4"):
        recall_precision(MADE_UP, RETRIEVED, thresholds=(0, 1, 4))
    with pytest.raises(ParameterError, match="got none"):
        recall_precision(MADE_UP, RETRIEVED, thresholds=())
    for recalls in ((0.5,), (-0.1, 1), (0, 1.1), ()):
        with pytest.raises(ParameterError, match="two or more levels between 0 and 1"):
            recall_precision(MADE_UP, RETRIEVED, recalls=recalls)
    with pytest.raises(ParameterError, match="no grade above 0"):
        recall_precision({"1": {"a": 0}}, {"a": {"1": {"a": 1.0}}})


def test_grades_are_mapped_first() -> None:
    mapped = recall_precision(MADE_UP, RETRIEVED, grades={3: 2})
    assert mapped.thresholds == (1, 2)
    np.testing.assert_array_equal(mapped.precision, recall_precision(MADE_UP, RETRIEVED, thresholds=(1, 2)).precision)


def test_the_command() -> None:
    runs = [str(path) for path in RUNS[:2]]
    done = CliRunner().invoke(
        study_command("recall-precision"), [str(QRELS), *runs, "--thresholds", "2", "--format", "tsv"]
    )
    assert done.exit_code == 0, done.output
    head, first, *_ = done.stdout.splitlines()
    assert head.split("\t")[:4] == ["threshold", "run", "topics", "0"]
    expected = rs.recall_precision(QRELS, RUNS[:2], thresholds=[2]).precision[0, 0, 0]
    assert float(first.split("\t")[3]) == expected
    alone = CliRunner().invoke(
        study_command("recall-precision"), [str(QRELS), *runs, "--thresholds", "2", "--exactly", "--format", "tsv"]
    )
    expected = rs.recall_precision(QRELS, RUNS[:2], thresholds=[2], exactly=True).precision[0, 0, 0]
    assert float(alone.stdout.splitlines()[1].split("\t")[3]) == expected
    refused = CliRunner().invoke(study_command("recall-precision"), [str(QRELS), *runs, "--thresholds", "9"])
    assert isinstance(refused.exception, ParameterError)  # which ends the program with 2
