"""Measures that come from other programs through ir_measures, on rankings without ties; and the names it prints."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rankscale.evaluation.evaluate import evaluate
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from tests.measures.peers import Grades, Scores, ir_measures, judgments, provided, scores, without_ties

TREC8 = ("trec8_adhoc/trec8.qrels.gz", "trec8_adhoc/runs/input.{}.xz")
DL21 = ("dl21_passage_judged/qrels-pass.txt.gz", "dl21_passage_judged/runs/{}.xz")
REAL = [(*TREC8, "READWARE2"), (*TREC8, "UB99SW"), (*DL21, "NLE_P_v1"), (*DL21, "p_bm25")]
real = pytest.mark.parametrize(("qrels", "folder", "name"), REAL, ids=lambda text: Path(text).stem)


def compare(grades: Grades, run: Scores, theirs: dict[tuple[str, str], float], name: str, ours: str, within: float):
    found = evaluate(grades, {"run": run}, ours).by_topic("run", ours)
    expected = {topic: value for (topic, asked), value in theirs.items() if asked == name}
    assert len(expected) > 40
    for topic, value in expected.items():
        assert abs(found[topic] - value) <= within, (topic, name, found[topic], value)
    return found, expected


@real
def test_judgments_found_and_reciprocal_ranks(qrels: str, folder: str, name: str, shared_data: Path) -> None:
    grades, run = judgments(shared_data / qrels), without_ties(scores(shared_data / folder.format(name)))
    asked = {"judged": ["Judged@10", "Judged@1000", "Judged"], "msmarco": ["RR", "RR@10", "RR(rel=2)@100"]}
    for provider, names in asked.items():
        theirs = provided(provider, names, grades, run)
        for text in names:
            if text == "RR(rel=2)@100" and "trec8" in qrels:
                continue  # no document has that grade, and msmarco says nothing about topics without a relevant one
            compare(grades, run, theirs, text, text, 1e-15)


@real
def test_accuracy(qrels: str, folder: str, name: str, shared_data: Path) -> None:
    grades, run = judgments(shared_data / qrels), without_ties(scores(shared_data / folder.format(name)))
    texts = ["Accuracy", "Accuracy@50"]
    theirs = provided("accuracy", texts, grades, run)
    for text in texts:
        found, expected = compare(grades, run, theirs, text, text, 1e-12)
        assert {topic for topic, value in found.items() if not np.isnan(value)} == expected.keys()


@pytest.mark.parametrize("name", ["CL99XT", "UB99SW", "ok8amxc"])
def test_compatibility(name: str, shared_data: Path) -> None:
    # ir_measures counts down to the end of the longer ranking, we without end: 0.95^1000 is far below any digit
    qrels, folder = TREC8
    grades, run = judgments(shared_data / qrels), without_ties(scores(shared_data / folder.format(name)))
    run = {topic: ranking for topic, ranking in run.items() if len(ranking) == 1000}
    texts = ["Compat", "Compat(p=0.8)", "Compat(p=0.9,normalize=False)"]
    theirs = provided("compat", texts, grades, run)
    for text in texts:
        compare(grades, run, theirs, text, text, 1e-12)


@pytest.mark.parametrize("name", ["NLE_P_v1", "p_bm25"])
def test_compatibility_with_grades(name: str, shared_data: Path) -> None:
    qrels, folder = DL21  # 100 documents deep
    grades, run = judgments(shared_data / qrels), without_ties(scores(shared_data / folder.format(name)))
    theirs = provided("compat", ["Compat(p=0.7)"], grades, run)
    compare(grades, run, theirs, "Compat(p=0.7)", "Compat(p=0.7)", 1e-12)


@real
def test_gdeval_prints_five_decimals(qrels: str, folder: str, name: str, shared_data: Path) -> None:
    grades, run = judgments(shared_data / qrels), without_ties(scores(shared_data / folder.format(name)))
    names = ["ERR@5", "ERR@20", "ERR@1000", "nDCG(dcg='exp-log2')@20"]
    theirs = provided("gdeval", names, grades, run)
    for text in names:
        compare(grades, run, theirs, text, text.replace("ERR@", "ERR(gmax=4)@"), 5.000001e-6)


def test_gdeval_where_the_highest_grade_is_four(shared_data: Path) -> None:
    grades = judgments(shared_data / "qrels_only" / "qrels.web.201-250.txt.gz")  # from -2 to 4
    rng = np.random.default_rng(4)
    orders = {topic: rng.permutation(sorted(judged))[:200].tolist() for topic, judged in grades.items()}
    run = {topic: {d: float(1000 - place) for place, d in enumerate(order)} for topic, order in orders.items()}
    theirs = provided("gdeval", ["ERR@20", "ERR@100"], grades, run)
    for text in ("ERR@20", "ERR@100"):
        compare(grades, run, theirs, text, text, 5.000001e-6)


OTHERS = {"NumRet", "SetP"}  # have parameters of their own there
GIVEN = {  # each parameter of ir_measures, with what it may be
    "cutoff": 10,
    "rel": 2,
    "judged_only": True,
    "dcg": "log2",
    "gains": {1: 2, 2: 4},
    "p": 0.7,
    "recall": 0.3,
    "beta": 0.8,
    "normalize": False,
    "T": 2.5,
    "min_rel": 1,
    "max_rel": 3,
    "alpha": 0.3,
}


def of_ir_measures() -> list[str]:
    """Every measure, as bare as it can be, and with each parameter given."""
    texts = set()
    for measure in ir_measures.measures.registry.values():
        if measure.NAME in OTHERS:
            continue
        known = measure.SUPPORTED_PARAMS
        needed = {name: GIVEN[name] for name, info in known.items() if info.required}
        if find(measure.NAME).needs_depth:  # with sub-topics, ir_measures may go without
            needed["cutoff"] = GIVEN["cutoff"]
        at = "recall" if "recall" in known else "cutoff"
        for given in (
            needed,
            *({**needed, name: GIVEN[name]} for name in known),
            {name: GIVEN[name] for name in known},
        ):
            inside = {name: value for name, value in given.items() if name != at}
            texts.add(str(measure(**inside) @ given[at] if at in given else measure(**inside)))
    return sorted(texts)


@pytest.mark.parametrize("text", of_ir_measures())
def test_names_of_ir_measures_are_understood(text: str) -> None:
    measure = parse(text)
    assert measure.name == text.partition("(")[0].partition("@")[0]
    assert parse(str(measure)) == measure


@pytest.mark.parametrize("alias", ["Precision@5", "Recall@5", "RPrec", "BPref", "NDCG@10", "MAP", "MRR@10"])
def test_other_spellings_of_ir_measures_are_understood(alias: str) -> None:
    assert parse(alias) == parse(str(ir_measures.parse_measure(alias)))


def test_a_scale_of_grades_as_ir_measures_spells_it(written: Callable[[str, str], Path]) -> None:
    run = written("run", "1 Q0 a 1 3 x / 1 Q0 b 2 2 x")
    found = evaluate({"1": {"a": 2, "b": 3}}, run, ["INST(T=1,min_rel=0,max_rel=3)", "INST"])
    assert found.values[0].item() == found.values[1].item()
    assert str(parse("INST(T=1,min_rel=0,max_rel=3)")) == "INST(max_rel=3)"
