"""Real runs measured by pytrec_eval, topic by topic: every measure it has, to the twelfth decimal."""

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from rankscale.evaluation.evaluate import evaluate
from rankscale.measures.base.parser import parse
from rankscale.measures.base.trec_names import expand
from tests.measures.peers import judgments, scores

NAMES = sorted(pytrec_eval.supported_measures - {"runid", "relstring"})  # texts, no values
TREC8 = "trec8_adhoc/trec8.qrels.gz"
DL21 = "dl21_passage_judged/qrels-pass.txt.gz"
RUNS = [
    *((TREC8, f"trec8_adhoc/runs/input.{name}.xz") for name in ("1", "READWARE2", "CL99XT", "ok8amxc")),
    *((TREC8, f"trec8_adhoc/runs/input.{name}.xz") for name in ("UB99SW", "cirtrc82", "kdd8qe01")),  # ties, disorder
    *((DL21, f"dl21_passage_judged/runs/{name}.xz") for name in ("NLE_P_v1", "WLUPassage", "p_bm25", "top1000")),
    *((DL21, f"dl21_passage_judged/runs/{name}.xz") for name in ("pash_r2", "uogTrPot5", "ielab-uniCOIL")),
]


@pytest.mark.parametrize(("qrels", "run"), RUNS, ids=lambda path: Path(path).stem)
def test_every_measure_of_pytrec_eval(qrels: str, run: str, shared_data: Path) -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(judgments(shared_data / qrels), set(NAMES))
    theirs = evaluator.evaluate(scores(shared_data / run))
    ours = dict(pair for name in NAMES for pair in expand(name))
    found = evaluate(shared_data / qrels, shared_data / run, ours.values())
    topics = [topic for topic, there in zip(found.topics, found.retrieved[0].tolist(), strict=True) if there]
    assert set(topics) == theirs.keys()
    for name, text in ours.items():
        by_topic = found.by_topic(found.runs[0], text)
        values = np.array([by_topic[topic] for topic in topics])
        if parse(text).summary == "geometric":  # of a single topic, trec_eval has the logarithm
            values = np.log(np.maximum(values, 1e-5))
        expected = [theirs[topic][name] for topic in topics]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12, err_msg=name)
