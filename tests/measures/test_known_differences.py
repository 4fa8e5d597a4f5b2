"""Where other tools give another number: both numbers are computed here, and each difference has its reason.

What the other tool says is from hand arithmetic, or measured by others (PEERS.md), never from rankscale.
"""

import math
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rankscale.evaluation.evaluate import evaluate
from tests.measures.peers import Grades, Scores, ir_measures, provided

TIED = {"1": {f"d{number:02}": 1.0 for number in range(30)}}
SQUARES = sum(1 / rank**2 for rank in range(2, 1002))  # INSQ's weights at T=1, as far as cwl_eval adds them up
ALL_SQUARES = math.pi**2 / 6 - 1


class Difference(NamedTuple):
    """One ranking that two tools measure differently."""

    peer: str
    theirs: str  # the measure as ir_measures writes it
    their_value: float
    ours: str
    our_value: float
    scores: Scores
    grades: Grades
    reason: str


def ranked(*documents: str) -> Scores:
    return {"1": {document: float(len(documents) - place) for place, document in enumerate(documents)}}


DIFFERENCES = [
    Difference(
        *("pytrec_eval", "RR", 1, "RR", 1, TIED, {"1": {"d29": 1}}),
        reason="trec_eval puts tied documents in descending order of their names, and so do we",
    ),
    Difference(
        *("msmarco", "RR@30", 1 / 30, "RR@30", 1, TIED, {"1": {"d29": 1}}),
        reason="within ir_measures RR@k comes from another program, which puts tied documents in ascending order",
    ),
    Difference(
        *("msmarco", "RR@30", 1, "RR@30", 1 / 30, TIED, {"1": {"d00": 1}}),
        reason="the same, seen from the other end",
    ),
    Difference(
        *("cwl_eval", "RR", 1 / 30, "RR", 1, TIED, {"1": {"d29": 1}}),
        reason="cwl_eval takes tied documents as they come",
    ),
    Difference(
        *("cwl_eval", "AP", 0.8333, "AP", 0.5556, ranked("a", "x", "b"), {"1": {"a": 1, "b": 1, "c": 1}}),
        reason="cwl_eval divides by the two relevant documents retrieved, not by the three that there are",
    ),
    Difference(
        *("cwl_eval", "INSQ(max_rel=1)", 0.25 / SQUARES, "INSQ(max_rel=1)", 0.25 / ALL_SQUARES),
        *(ranked("a", "x"), {"1": {"a": 1}}),
        reason="the weights of cwl_eval add up to 1 over 1000 ranks, those of the paper over all ranks",
    ),
    Difference(
        *("cwl_eval", "INSQ(max_rel=1)", 0, "INSQ(max_rel=1)", 1 / 1002**2 / ALL_SQUARES),
        *(ranked(*(f"x{place}" for place in range(1000)), "a"), {"1": {"a": 1}}),
        reason="cwl_eval does not see rank 1001",
    ),
    Difference(
        *("cwl_eval", "RBP(p=0.999,rel=1)", 0.001 / (1 - 0.999**1000), "RBP(p=0.999)", 0.001),
        *(ranked("a", "x"), {"1": {"a": 1}}),
        reason="cwl_eval makes the weights of 1000 ranks add up to 1; for patient users much is beyond",
    ),
    Difference(
        *("cwl_eval", "BPM(max_rel=10)@20", 1 / 20, "BPM(max_rel=10)@20", 1 / 10),
        *(ranked(*(f"d{place}" for place in range(10))), {"1": {f"d{place}": 1 for place in range(10)}}),
        reason="ten times 0.1 is a little less than 1 to cwl_eval, whose user goes on reading to the depth",
    ),
    Difference(
        *("cwl_eval", "SDCG(max_rel=1)@2", 1 / (1 + 1 / math.log2(3)), "nDCG@2", 1),
        *(ranked("a", "x"), {"1": {"a": 1}}),
        reason="what cwl_eval calls NDCG is over k documents of the highest grade, not over the topic's ideal",
    ),
    Difference(
        *("gdeval", "ERR@10", 1 / 16, "ERR@10", 1 / 2, ranked("a", "x"), {"1": {"a": 1}}),
        reason="gdeval has four grades, whatever the qrels hold: (2^1 - 1) / 2^4 in place of (2^1 - 1) / 2^1",
    ),
    Difference(
        *("gdeval", "ERR@10", 1 / 16, "ERR(gmax=4)@10", 1 / 16, ranked("a", "x"), {"1": {"a": 1}}),
        reason="with gmax=4 both are the same",
    ),
    Difference(
        *("judged", "Judged@10", 1 / 2, "P(rel=0)@10", 1 / 10, ranked("a", "x"), {"1": {"a": 0}}),
        reason="ir_measures calls Judged@k a precision with a low rel, but divides by min(k, length), as Judged here",
    ),
    Difference(
        *("judged", "Judged@10", 1, "Judged@10", 1 / 2, ranked("a", "x"), {"1": {"a": 0, "x": -1}}),
        reason="a negative grade means pooled but unjudged; ir_measures counts it as a judgment",
    ),
    Difference(
        *("compat", "Compat(p=0.5)", 0.25 / 1.25, "Compat(p=0.5)", (math.log(2) - 0.5) / math.log(2)),
        *(ranked("x", "a"), {"1": {"a": 1}}),
        reason="ir_measures stops at rank 2, where the longer ranking ends; the overlap of the paper goes on",
    ),
    Difference(
        *("compat", "Compat(p=0.5)", 5 / 21, "Compat(p=0.5)", (2 * math.log(2) - 0.5) / (3 * math.log(2) - 1.125)),
        *({"1": {"a": -1.0, "b": -2.0}}, {"1": {"a": 1, "b": 1, "c": 1}}),
        reason="ir_measures takes a document not retrieved for one of score 0, ahead of all with a negative score",
    ),
]


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: f"{row.peer}-{row.theirs}")
def test_both_numbers_are_what_the_table_says(row: Difference) -> None:
    if row.peer == "cwl_eval":
        pytest.importorskip("cwl", reason="cwl-eval is among the development dependencies")
    theirs = provided(row.peer, [row.theirs], row.grades, row.scores)["1", row.theirs]
    ours = evaluate(row.grades, {"run": row.scores}, row.ours).values.item()
    printed = 5e-5 if row.their_value in {0.8333, 0.5556} else 1e-12  # four decimals, or all
    assert theirs == pytest.approx(row.their_value, rel=0, abs=printed), row.reason
    assert ours == pytest.approx(row.our_value, rel=0, abs=printed), row.reason


def test_accuracy_without_pairs() -> None:
    grades, nothing, everything = {"1": {"a": 1, "b": 1}}, ranked("x", "y"), ranked("a", "b")
    assert provided("accuracy", ["Accuracy"], grades, nothing) == {}  # left out without a word
    with pytest.raises(ZeroDivisionError):
        provided("accuracy", ["Accuracy"], grades, everything)
    for run in (nothing, everything):
        assert math.isnan(evaluate(grades, {"run": run}, "Accuracy").values.item())


def test_graded_rbp_of_ir_measures_is_documented_and_not_there() -> None:
    with pytest.raises(ValueError, match="Unsupported measures"):
        ir_measures.calc_aggregate([ir_measures.parse_measure("RBP(p=0.8)")], {"1": {"a": 2}}, ranked("a"))
    assert evaluate({"1": {"a": 2}}, {"run": ranked("a")}, "gRBP(p=0.8)").values.item() == pytest.approx(0.2, abs=1e-15)


def test_trec_eval_10_scales_rbp_by_the_highest_grade_of_each_topic(shared_data: Path) -> None:
    folder = shared_data / "trec_eval_test" / "test_v10.0-rc3"
    printed: dict[str, Any] = {}
    for line in (folder / "out.test.aql").read_text().splitlines():
        name, topic, value = line.split("\t")
        if name.strip() == "rbp":
            printed[topic] = value
    found = evaluate(folder / "qrels.rel_level", folder / "results.test", ["gRBP(p=0.9)"], order="score64")
    ours = found.by_topic(found.runs[0], "gRBP(p=0.9)")
    tops: dict[str, int] = {}
    for topic, _, _, grade in map(str.split, (folder / "qrels.rel_level").read_text().splitlines()):
        tops[topic] = max(tops.get(topic, 0), int(grade))
    assert len(set(tops.values())) > 1
    for topic, top in tops.items():
        assert f"{ours[topic] * max(tops.values()) / top:.4f}" == printed[topic]
