"""evaluate() against pytrec_eval, topic by topic: the sample collection, TREC-8 and Deep Learning 2021."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.sample import QRELS, RUNS

# Ours -> theirs, written by hand: depths in no order, so that those that share a curve are mixed up
THEIRS = {
    "nDCG@10": "ndcg_cut_10",
    "AP": "map",
    "P@100": "P_100",
    "P@5": "P_5",
    "P@1000": "P_1000",
    "nDCG": "ndcg",
    "nDCG@1000": "ndcg_cut_1000",
    "nDCG@1": "ndcg_cut_1",
    "R@10": "recall_10",
    "R@200": "recall_200",
    "AP@30": "map_cut_30",
    "AP@5": "map_cut_5",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "infAP": "infAP",
    "Success@10": "success_10",
    "Success@1": "success_1",
    "IPrec@0.3": "iprec_at_recall_0.30",
    "IPrec@1": "iprec_at_recall_1.00",
    "AP11": "11pt_avg",
    "SetP": "set_P",
    "SetR": "set_recall",
    "SetF": "set_F",
    "G": "G",
    "Rndcg": "Rndcg",
    "nDCGRel": "ndcg_rel",
    "binG": "binG",
    "RelP@20": "relative_P_20",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
}
DEPTHS = "1,5,10,30,100,200,1000"
ASKED = {
    *(f"{name}.{DEPTHS}" for name in ("ndcg_cut", "P", "recall", "map_cut", "success")),
    "relative_P.20",
    "iprec_at_recall.0.30,1.00",
    *("map", "ndcg", "recip_rank", "Rprec", "bpref", "infAP", "11pt_avg", "set_P", "set_recall", "set_F"),
    *("G", "Rndcg", "ndcg_rel", "binG", "num_ret", "num_rel", "num_rel_ret"),
}


def assert_equal(found: Evaluation, run: str, theirs: dict[str, dict[str, float]]) -> None:
    """Every value of one run, and that no topic is missing or too many."""
    mine = found.to_dict()[run]
    assert mine.keys() == theirs.keys()
    for topic, values in mine.items():
        assert values.keys() == THEIRS.keys()
        for measure, value in values.items():
            assert math.isclose(value, theirs[topic][THEIRS[measure]], rel_tol=1e-12, abs_tol=1e-12), (topic, measure)


@pytest.mark.parametrize("name", ["bm25", "dense-int8", "dense-zero", "manual"])  # few ties, all tied, a topic missing
@pytest.mark.parametrize("options", [{}, {"judged_only": True}], ids=str)
def test_sample(name: str, options: dict[str, Any], judgments_of: Any, scores_of: Any, pytrec: Any) -> None:
    (path,) = (path for path in RUNS if path.name == f"{name}.txt.xz")
    theirs = pytrec(
        scores_of(path), judgments_of(QRELS), ASKED, judged_docs_only_flag=options.get("judged_only", False)
    )
    assert_equal(evaluate(QRELS, path, THEIRS, **{"missing": "skip", **options}), name, theirs)


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("trec8_adhoc/trec8.qrels.gz", "trec8_adhoc/runs/input.1.xz"),
        ("trec8_adhoc/trec8.qrels.gz", "trec8_adhoc/runs/input.UB99SW.xz"),
        ("trec8_adhoc/trec8.qrels.gz", "trec8_adhoc/runs/input.kdd8qe01.xz"),
        ("dl21_passage_judged/qrels-pass.txt.gz", "dl21_passage_judged/runs/NLE_P_v1.xz"),
        ("dl21_passage_judged/qrels-pass.txt.gz", "dl21_passage_judged/runs/WLUPassage.xz"),
    ],
)
def test_real_runs(qrels: str, run: str, shared_data: Path, judgments_of: Any, scores_of: Any, pytrec: Any) -> None:
    judgments = judgments_of(shared_data / qrels)
    found = evaluate(shared_data / qrels, shared_data / run, THEIRS)
    scores = scores_of(shared_data / run)
    assert_equal(found, found.runs[0], pytrec(scores, judgments, ASKED))


def test_a_relevance_level_is_part_of_the_measure(judgments_of: Any, scores_of: Any, pytrec: Any) -> None:
    names = {"AP": "map", "P@10": "P_10", "RR": "recip_rank", "Bpref": "bpref", "Rprec": "Rprec"}
    measures = [name.replace("@", "(rel=2)@") if "@" in name else f"{name}(rel=2)" for name in names]
    found = evaluate(QRELS, RUNS[0], [*measures, *names])
    scores, judgments = scores_of(RUNS[0]), judgments_of(QRELS)
    high = pytrec(scores, judgments, set(names.values()), relevance_level=2)
    low = pytrec(scores, judgments, set(names.values()))
    for measure, (plain, theirs) in zip(measures, names.items(), strict=True):
        for topic, value in found.by_topic(found.runs[0], measure).items():
            assert value == pytest.approx(high[topic][theirs], rel=1e-12, abs=1e-12)
            assert found.by_topic(found.runs[0], plain)[topic] == pytest.approx(low[topic][theirs], rel=1e-12)


@pytest.mark.parametrize("order", ["score", "score64"])
def test_score_orders_in_32_and_64_bits(order: str, written: Callable[[str, str], Path], pytrec: Any) -> None:
    # 16777217 is no 32-bit number: there it ties with 16777216, and document z goes before a
    run = written("run", "1 Q0 a 1 16777217 x / 1 Q0 z 2 16777216 x / 1 Q0 m 3 1 x")
    qrels = written("qrels", "1 0 a 1 / 1 0 z 0 / 1 0 m 1")
    first = {"score": "z", "score64": "a"}[order]
    scores = {"1": {"a": 3.0 - 2 * (first == "z"), "z": 2.0, "m": 0.0}}
    theirs = pytrec(scores, {"1": {"a": 1, "z": 0, "m": 1}}, {"map", "recip_rank"})
    found = evaluate(qrels, run, ["AP", "RR"], order=order).to_dict()["x"]["1"]
    assert found == {"AP": theirs["1"]["map"], "RR": theirs["1"]["recip_rank"]}
    assert found["RR"] == (1.0 if first == "a" else 0.5)


def test_rank_and_file_orders(written: Callable[[str, str], Path]) -> None:
    run = written("run", "1 Q0 a 3 9 x / 1 Q0 b 1 8 x / 1 Q0 c 2 7 x")
    for relevant, by_order in {
        "a": {"score": 1, "file": 1, "rank": 3},
        "b": {"score": 2, "file": 2, "rank": 1},
        "c": {"score": 3, "file": 3, "rank": 2},
    }.items():
        for order, rank in by_order.items():
            found = evaluate({"1": {relevant: 1}}, run, "RR", order=order)
            assert found.values.item() == pytest.approx(1 / rank)


def test_depth_cuts_every_ranking_first(made_up: Any, pytrec: Any) -> None:
    scores, judgments = made_up(3)
    cut = {
        topic: dict(sorted(ranking.items(), key=lambda entry: (entry[1], entry[0]), reverse=True)[:7])
        for topic, ranking in scores.items()
    }
    found = evaluate(judgments, scores, THEIRS, depth=7)
    assert found.signature != evaluate(judgments, scores, THEIRS).signature
    theirs = pytrec(cut, judgments, ASKED)
    assert_equal(found, "run", theirs)


def test_made_up_rankings_with_judged_documents_only(made_up: Any, pytrec: Any) -> None:
    for seed in range(4):
        scores, judgments = made_up(seed)
        found = evaluate(judgments, scores, THEIRS, judged_only=True)
        theirs = pytrec(scores, judgments, ASKED, judged_docs_only_flag=True)
        for topic in theirs:  # where nothing is left of a ranking, trec_eval divides 0 by 0; we say 0
            theirs[topic] = {name: 0.0 if math.isnan(value) else value for name, value in theirs[topic].items()}
        assert_equal(found, "run", theirs)
        by_measure = evaluate(judgments, scores, [f"{name}(judged_only=True)" for name in ("AP", "nDCG", "Bpref")])
        plain = evaluate(judgments, scores, ["AP", "nDCG", "Bpref"], judged_only=True)
        assert by_measure.values.tobytes() == plain.values.tobytes()


def test_rbp_by_hand(made_up: Any) -> None:
    scores, judgments = made_up(5)
    found = evaluate(judgments, scores, ["RBP(p=0.8)", "RBP(p=0.5)@3"]).to_dict()["run"]
    for topic, ranking in scores.items():
        order = sorted(ranking, key=lambda document: (ranking[document], document), reverse=True)
        weights = [0.2 * 0.8**place for place, d in enumerate(order) if judgments[topic].get(d, 0) >= 1]
        first = [0.5 * 0.5**place for place, d in enumerate(order[:3]) if judgments[topic].get(d, 0) >= 1]
        assert np.allclose([found[topic]["RBP"], found[topic]["RBP(p=0.5)@3"]], [sum(weights), sum(first)], atol=1e-14)
