"""What a user hears about sub-topics: what was taken for them, topics without any, ideals that were not found."""

import pytest

from rankscale.data.notices import is_warning
from rankscale.errors import ParameterError
from rankscale.evaluation.curves.curves import curves
from rankscale.evaluation.evaluate import evaluate
from tests.data.made_aspects import made_qrels

ROWS = [("1", "1", "a", 1.0), ("1", "2", "b", 2.0), ("1", "2", "a", 0.0), ("2", "1", "a", 0.0), ("2", "2", "b", 0.0)]
QRELS = made_qrels(ROWS)
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
TWO = made_qrels([("t", s, d, 1.0) for d, of in {"a": "24", "b": "13", "c": "34"}.items() for s in of])


def heard(measures: list[str], qrels: object = QRELS, run: object = RUN) -> list[str]:
    return [str(one) for one in evaluate(qrels, {"run": run}, measures).warnings]


def test_ordinary_measures_say_nothing() -> None:
    assert heard(["AP", "nDCG@5"]) == []


def test_what_was_taken_for_subtopics_is_no_warning() -> None:
    notices = evaluate(TWO, {"run": {"t": {"c": 1.0}}}, ["alpha_nDCG@10", "IA(P)@5", "AP"]).notices
    assert [is_warning(one) for one in notices] == [False]
    assert heard(["alpha_nDCG@10", "IA(P)@5", "AP"], TWO, {"t": {"c": 1.0}}) == [
        "alpha_nDCG@10, IA(P)@5: the second column of qrels names sub-topics"
    ]


def test_topics_without_a_relevant_subtopic_are_counted() -> None:
    assert heard(["alpha_nDCG@10", "StRecall@5"])[1:] == [
        (
            "alpha_nDCG@10, StRecall@5: 1 of 2 topics has no sub-topic with a relevant document and a probability (2); "
            "its values are 0"
        )
    ]
    assert "2 of 2 topics have no" in heard(["alpha_nDCG(rel=3)@10"])[-1]


def test_qrels_without_subtopics_are_pointed_out() -> None:
    assert heard(["alpha_nDCG@10", "AvgPos(alpha_nDCG)@5"], {"1": {"a": 1}}, {"1": {"a": 1.0}}) == [
        "alpha_nDCG@10, AvgPos(alpha_nDCG)@5: qrels names no sub-topics, and each topic is taken as one"
    ]


def test_one_subtopic_for_each_topic_is_pointed_out() -> None:
    qrels = made_qrels([("1", "x", "a", 1.0), ("2", "y", "a", 1.0)])
    assert heard(["P_IA@5"], qrels)[1:] == [
        "P_IA@5: no topic of qrels has more than one sub-topic; check that its second column names them"
    ]


def test_values_above_1_are_flagged() -> None:
    run = {"t": {"a": 2.0, "b": 1.0}}
    assert heard(["alpha_nDCG@2"], TWO, run)[1:] == [
        (
            "alpha_nDCG@2: values are above 1 for 1 of 1 rankings, which are better than the greedy ideal; "
            "ideal='exact' finds the best one"
        )
    ]
    assert heard(["alpha_nDCG(ideal='exact')@2"], TWO, run)[1:] == []


def test_an_ideal_that_is_too_long_to_compute_is_flagged() -> None:
    """21 documents, each relevant to a set of sub-topics of its own: 2^21 states."""
    rows = [("t", str(bit), f"d{d:02d}", 1.0) for d in range(1, 22) for bit in range(5) if d >> bit & 1]
    qrels, run = made_qrels([*rows, ("u", "1", "a", 1.0)]), {"t": {"d03": 1.0}, "u": {"a": 1.0}}
    flagged = heard(["alpha_nDCG(ideal='exact')@21"], qrels, run)[1:]
    assert len(flagged) == 1
    assert "the best ranking of 1 of 2 topics is too long to compute (t), and the greedy one is the ideal" in flagged[0]
    assert "no ranking is better by more than" in flagged[0]
    greedy, exact = evaluate(qrels, {"run": run}, ["alpha_nDCG@21", "alpha_nDCG(ideal='exact')@21"]).values[:, 0]
    assert greedy.tolist() == exact.tolist()


def test_curves_say_the_same_and_have_no_ideal() -> None:
    assert (
        "the second column of qrels names sub-topics"
        in curves(TWO, {"run": {"t": {"a": 1.0}}}, "alpha_nDCG").warnings[0]
    )
    above = curves(TWO, {"run": {"t": {"a": 3.0, "b": 2.0, "c": 1.0}}}, "alpha_nDCG@3").warnings
    assert "values are above 1 for 1 of 1 rankings, which are better than the greedy ideal" in above[-1]
    with pytest.raises(ParameterError, match="looks at sub-topics, and the ideal run has its documents by grade"):
        curves(TWO, {"run": {"t": {"a": 1.0}}}, "alpha_nDCG", ideal=True)
