"""Measures of user models against cwl_eval, through ir_measures and by its own classes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import polygamma

from rankscale.evaluation.evaluate import evaluate
from rankscale.measures.base.parser import parse
from tests.measures.peers import Grades, Scores, judgments, provided, scores, without_ties

ruler: Any = pytest.importorskip("cwl.ruler.cwl_ruler", reason="cwl-eval is among the development dependencies")
RANKS = 1000  # that cwl_eval reads; all its weights are on them

COLLECTIONS = {
    "trec8": ("trec8_adhoc/trec8.qrels.gz", "trec8_adhoc/runs/input.{}.xz", 1),
    "dl21": ("dl21_passage_judged/qrels-pass.txt.gz", "dl21_passage_judged/runs/{}.xz", 3),
}
real = pytest.mark.parametrize(
    ("collection", "name"),
    [("trec8", "READWARE2"), ("trec8", "UB99SW"), ("dl21", "NLE_P_v1"), ("dl21", "p_bm25"), ("dl21", "WLUPassage")],
)


def read(folder: Path, collection: str, name: str) -> tuple[Grades, Scores, int]:
    qrels, runs, highest = COLLECTIONS[collection]
    return judgments(folder / qrels), without_ties(scores(folder / runs.format(name))), highest


@real
def test_measures_whose_weights_end(collection: str, name: str, shared_data: Path) -> None:
    # RBP and NERR10 do not end, but at rank 1000 nothing is left of their weights
    grades, run, highest = read(shared_data, collection, name)
    scale = f"max_rel={highest}"
    texts = [
        *("P@20", "RR", "RBP(p=0.8,rel=1)", "RBP(p=0.95,rel=1)", f"SDCG({scale})@10", f"SDCG({scale})@1000"),
        *(f"BPM({scale})@10", f"BPM(T=2.9,{scale})@50", f"BPM(T=0.5,{scale})@5", f"NERR8({scale})@10"),
        *(f"NERR8({scale})@100", f"NERR9({scale})@20", f"NERR9({scale})@1000", f"NERR10({scale})"),
        f"NERR10(p=0.5,{scale})",
    ]
    if highest == 3:
        texts += ["SDCG(min_rel=1,max_rel=3)@10", "NERR9(min_rel=1,max_rel=2)@10", "BPM(T=2,min_rel=1,max_rel=3)@30"]
    theirs = provided("cwl_eval", texts, grades, run)
    found = evaluate(grades, {"run": run}, texts)
    for text in texts:
        for topic, value in found.by_topic("run", text).items():
            assert value == pytest.approx(theirs[topic, text], rel=0, abs=1e-12), (topic, text)


@real
def test_insq_is_scaled_to_all_ranks(collection: str, name: str, shared_data: Path) -> None:
    grades, run, highest = read(shared_data, collection, name)
    texts = {wanted: f"INSQ(T={wanted},max_rel={highest})" for wanted in (0.5, 1, 2.5)}
    theirs = provided("cwl_eval", texts.values(), grades, run)
    found = evaluate(grades, {"run": run}, texts.values())
    for wanted, text in texts.items():
        within = 1 - polygamma(1, RANKS + 2 * wanted) / polygamma(1, 2 * wanted)
        for topic, value in found.by_topic("run", text).items():
            assert value == pytest.approx(theirs[topic, text] * within, rel=0, abs=1e-12), (topic, text)


@real
@pytest.mark.parametrize("wanted", [0.5, 1, 2.5])
def test_inst_and_nerr11_are_scaled_to_all_ranks(collection: str, name: str, wanted: float, shared_data: Path) -> None:
    grades, run, highest = read(shared_data, collection, name)
    inst, nerr = str(parse(f"INST(T={wanted})")), str(parse(f"NERR11(T={wanted})"))
    found = evaluate(grades, {"run": run}, [inst, nerr])
    for topic, values in found.to_dict()["run"].items():
        order = sorted(run[topic], key=run[topic].__getitem__, reverse=True)
        gains = [max(grades[topic].get(document, 0), 0) / highest for document in order]
        ranking = ruler.Ranking(topic, gains, [1.0] * len(gains), max_n=RANKS)
        found_there = sum(gains[:RANKS])
        for text, metric, start in (
            (inst, ruler.INSTCWLMetric(wanted), RANKS + 2 * wanted - found_there),
            (nerr, ruler.NERReq11CWLMetric(wanted), RANKS + 2 * wanted),
        ):
            value = metric.measure(ranking)
            # What cwl_eval leaves out: below rank 1000, where nothing is gained, users go on as 1 / rank squared.
            left = np.prod(metric.c_vector(ranking)) * start**2 * polygamma(1, start)
            expected = value * metric.expected_items / (metric.expected_items + left)
            assert values[text] == pytest.approx(expected, rel=0, abs=1e-12), (topic, text)
