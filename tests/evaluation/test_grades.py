"""Grades: mapped before anything else, negative ones, and those that count as not relevant."""

import math
from typing import Any

import pytest

from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation

MEASURES = ["AP", "nDCG@10", "P@5", "Bpref", "Judged@10", "infAP", "NumRel"]
THEIRS = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@5": "P_5", "Bpref": "bpref", "infAP": "infAP", "NumRel": "num_rel"}


def same_values(a: Evaluation, b: Evaluation) -> bool:
    return a.values.tobytes() == b.values.tobytes()


@pytest.mark.parametrize("grades", [{3: 2, 1: 0}, {-1: 0}, {2: 0.5}, {3: -1}, {0: 1}], ids=str)
def test_a_map_changes_the_grades_that_it_names(grades: dict[float, float], made_up: Any) -> None:
    scores, judgments = made_up(2)
    mapped = {
        topic: {document: grades.get(grade, grade) for document, grade in judged.items()}
        for topic, judged in judgments.items()
    }
    assert same_values(evaluate(judgments, scores, MEASURES, grades=grades), evaluate(mapped, scores, MEASURES))


def test_mapped_grades_give_what_pytrec_eval_gives_for_mapped_grades(made_up: Any, pytrec: Any) -> None:
    scores, judgments = made_up(4)
    mapped = {
        topic: {document: {3: 2, 1: 0}.get(grade, grade) for document, grade in judged.items()}
        for topic, judged in judgments.items()
    }
    found = evaluate(judgments, scores, THEIRS, grades={3: 2, 1: 0}).to_dict()["run"]
    theirs = pytrec(scores, mapped, {"map", "ndcg_cut.10", "P.5", "bpref", "infAP", "num_rel"})
    for topic, values in found.items():
        for measure, value in values.items():
            assert math.isclose(value, theirs[topic][THEIRS[measure]], rel_tol=1e-12, abs_tol=1e-12)


def test_a_list_names_all_grades_from_zero() -> None:
    scores, judgments = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 0, "b": 1, "c": 2}}
    listed = evaluate(judgments, scores, MEASURES, grades=[0, 0, 1])
    assert same_values(listed, evaluate({"1": {"a": 0, "b": 0, "c": 1}}, scores, MEASURES))
    assert listed.by_topic("run", "AP") == {"1": 1 / 3}


@pytest.mark.parametrize(("grade", "grades"), [(-1, [0, 1, 1]), (3, [0, 1, 1]), (0.5, [0, 1, 1])])
def test_a_list_must_have_an_entry_for_every_grade(grade: float, grades: list[float]) -> None:
    with pytest.raises(ParameterError, match=f"no entry for grade {grade:g}"):
        evaluate({"1": {"a": 1, "b": grade}}, {"1": {"a": 1.0}}, "AP", grades=grades)


def test_negative_grades_are_unjudged_unless_said_otherwise(made_up: Any) -> None:
    scores, judgments = made_up(6)
    zeroed = {t: {d: max(grade, 0) for d, grade in judged.items()} for t, judged in judgments.items()}
    without = {t: {d: grade for d, grade in judged.items() if grade >= 0} for t, judged in judgments.items()}
    measures = ["AP", "nDCG@10", "Bpref", "Judged@10"]  # infAP is the one that tells pooled from never seen
    assert same_values(
        evaluate(judgments, scores, measures, negative="not relevant"), evaluate(zeroed, scores, measures)
    )
    assert same_values(evaluate(judgments, scores, measures), evaluate(without, scores, measures))
    assert not same_values(
        evaluate(judgments, scores, measures), evaluate(judgments, scores, measures, negative="not relevant")
    )


def test_a_map_comes_before_negative_grades_are_looked_at() -> None:
    scores, judgments = {"1": {"s": 2.0, "a": 1.0}}, {"1": {"s": -2, "a": 1, "b": 0}}
    mapped = evaluate(judgments, scores, "Judged@2", grades={-2: 1})
    assert mapped.by_topic("run", "Judged@2") == {"1": 1.0}
    still_negative = evaluate(judgments, scores, "Judged@2", grades={0: -1})
    assert still_negative.by_topic("run", "Judged@2") == {"1": 0.5}


def test_what_a_negative_grade_may_mean() -> None:
    with pytest.raises(ParameterError, match="negative must be 'unjudged' or 'not relevant', got 'spam'"):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP", negative="spam")


def test_grades_between_zero_and_rel_are_counted_in_a_warning() -> None:
    scores, judgments = {"1": {"a": 1.0}}, {"1": {"a": 1, "b": 0.5, "c": 0.25, "d": 2, "e": 0, "f": -1}}
    found = evaluate(judgments, scores, ["AP", "AP(rel=2)", "P(rel=2)@5", "AP(rel=0.5)", "nDCG@10"])
    assert found.warnings == (
        "1 judgment with grades between 0 and 0.5 (0.25) counts as not relevant for measures with rel=0.5",
        "2 judgments with grades between 0 and 1 (0.25, 0.5) count as not relevant for measures with rel=1",
        "3 judgments with grades between 0 and 2 (0.25, 0.5, 1) count as not relevant for measures with rel=2",
    )


def test_a_measure_without_a_threshold_gives_no_reason_to_warn() -> None:
    assert evaluate({"1": {"a": 0.5}}, {"1": {"a": 1.0}}, ["nDCG@10", "DCG@5"]).warnings == ()


def test_grades_are_looked_at_for_warnings_after_they_are_mapped() -> None:
    judgments = {"1": {"a": 0.5, "b": 2}}
    assert evaluate(judgments, {"1": {"a": 1.0}}, "AP", grades={0.5: 1}).warnings == ()
    assert len(evaluate(judgments, {"1": {"a": 1.0}}, "AP", grades={2: 0.5}).warnings) == 1


def test_gains_of_a_measure_stand_in_for_grades() -> None:
    scores, judgments = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "b": 0, "c": 3}}
    found = evaluate(judgments, scores, ["DCG", "DCG(gains='exp')", "DCG(gains=[0,1,1,10])", "DCG(gains={3:5})"])
    expected = [1 + 3 / 2, 1 + 7 / 2, 1 + 10 / 2, 1 + 5 / 2]  # ranks 1 and 3 are divided by 1 and log2(4)
    assert found.values[:, 0, 0].tolist() == pytest.approx(expected, rel=1e-15)
