"""Values compared with trec_eval: through pytrec_eval on made-up collections, and with its own test folder."""

from collections import defaultdict
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

from rankscale.data.arrays import UNJUDGED, Floats
from rankscale.data.judged import BEYOND, Judged
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.trec_names import ENTRIES, expand, split

Rankings = list[list[str]]  # for each topic the documents, best first
Judgments = list[dict[str, int]]  # for each topic the grades of documents

TESTS = Path(__file__).parents[3] / "shared" / "data" / "trec_eval_test"
TOPICS = 60
NOT_OURS = {"runid", "relstring"}
ASKED = {  # parameters that reach where the defaults do not
    "P": "P.1,2,3,5,10,40",
    "recall": "recall.1,2,3,5,10,40",
    "ndcg_cut": "ndcg_cut.1,2,3,5,10,40",
    "map_cut": "map_cut.1,2,3,5,10,40",
    "relative_P": "relative_P.1,2,3,5,10,40",
    "success": "success.1,2,3,5,10,40",
    "iprec_at_recall": "iprec_at_recall.0.0,0.05,0.1,0.25,0.4,0.5,0.75,0.9,1.0",
    "Rprec_mult": "Rprec_mult.0.1,0.2,0.5,1.0,1.5,2.0,3.5",
}


def table(rankings: Rankings, judgments: Judgments) -> Judged:
    """Rankings seen through the judgments."""
    levels = np.unique([float(grade) for judgment in judgments for grade in judgment.values()])
    found = [
        [(rank, judgment[document]) for rank, document in enumerate(ranking, start=1) if document in judgment]
        for ranking, judgment in zip(rankings, judgments, strict=True)
    ]
    shape = (len(found), max(map(len, found)))
    rank, code = np.full(shape, BEYOND, np.int32), np.full(shape, UNJUDGED, np.int16)
    for topic, entries in enumerate(found):
        rank[topic, : len(entries)] = [place for place, _ in entries]
        code[topic, : len(entries)] = np.searchsorted(levels, [grade for _, grade in entries])
    grades = [np.searchsorted(levels, list(judgment.values())) for judgment in judgments]
    counts = np.array([np.bincount(codes, minlength=len(levels)) for codes in grades])
    length = np.array([len(ranking) for ranking in rankings], np.int32)
    return Judged(rank, code, code.astype(np.int32), rank, rank, length, counts, levels, float(levels[-1]))


def made_up(seed: int) -> tuple[Rankings, Judgments]:
    """Rankings and judgments with unjudged documents, pooled ones without a grade and topics without relevant ones."""
    rng = np.random.default_rng(seed)
    rankings, judgments = [], []
    for _ in range(TOPICS):
        documents = [f"d{number}" for number in rng.permutation(50)]
        share = rng.dirichlet([0.5, 2, 1, 0.7, 0.4])
        judged = rng.choice(documents, rng.integers(1, 40), replace=False).tolist()
        grades = (rng.choice(5, len(judged), p=share) - 1).tolist()
        # trec_eval reads what it has not set where a topic has no grade of 0 or more
        judgments.append({**dict(zip(judged, grades, strict=True)), "judged not relevant": 0})
        rankings.append(documents[: rng.integers(1, 31)])
    return rankings, judgments


def theirs(rankings: Rankings, judgments: Judgments, asked: str, **options: Any) -> list[dict[str, float]]:
    """What pytrec_eval finds, by topic."""
    runs = {f"q{topic}": {document: -float(n) for n, document in enumerate(r)} for topic, r in enumerate(rankings)}
    qrels = {f"q{topic}": judgment for topic, judgment in enumerate(judgments)}
    found = pytrec_eval.RelevanceEvaluator(qrels, {asked}, **options).evaluate(runs)
    return [found[topic] for topic in runs]


def with_options(measure: Measure, **options: Any) -> Measure:
    """The measure with those of the options that it has."""
    return replace(measure, **{field.name: options[field.name] for field in fields(measure) if field.name in options})


def ours(measure: Measure, judged: Judged) -> Floats:
    """What pytrec_eval gives for a topic: before a geometric mean that is the logarithm."""
    values = measure.value(judged)
    return np.log(np.maximum(values, 1e-5)) if measure.summary == "geometric" else values


@pytest.mark.parametrize("options", [{}, {"relevance_level": 2}, {"judged_docs_only_flag": True}], ids=str)
@pytest.mark.parametrize("name", sorted(pytrec_eval.supported_measures - NOT_OURS))
def test_values_are_those_of_trec_eval(name: str, options: dict[str, Any]) -> None:
    asked = ASKED.get(name, name)
    mine = {"rel": options.get("relevance_level", 1), "judged_only": options.get("judged_docs_only_flag", False)}
    for seed in range(5):
        rankings, judgments = made_up(seed)
        if "relevance_level" in options:  # above a topic's highest grade, trec_eval's bpref reads what it has not set
            judgments = [{**judgment, "judged highly relevant": 2} for judgment in judgments]
        found = theirs(rankings, judgments, asked, **options)
        judged = table(rankings, judgments)
        for printed, text in expand(asked):
            values = ours(with_options(parse(text), **mine), judged)
            expected = np.array([topic[printed] for topic in found])
            if "judged_docs_only_flag" in options and name in {"iprec_at_recall", "11pt_avg"}:
                # where nothing is left of a ranking, trec_eval divides 0 by 0; we say 0
                expected[judged.only_judged().length == 0] = 0
            np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["ndcg", "ndcg_rel", "Rndcg", "G"])
@pytest.mark.parametrize("gains", [{1: 3, 2: 9, 3: 4}, {1: 2, 2: 2, 3: 7}, {2: 0}, {0: 1, 3: 5}], ids=str)
def test_gains_stand_in_for_grades(name: str, gains: dict[int, int]) -> None:
    rankings, judgments = made_up(1)
    changed = [{document: gains.get(grade, grade) for document, grade in judged.items()} for judged in judgments]
    found = theirs(rankings, changed, name)
    [(_, text)] = expand(f"{name}." + ",".join(f"{grade}={gain}" for grade, gain in gains.items()))
    judged = table(rankings, judgments)
    relevant = table(rankings, changed).recall_base() > 0  # Rndcg asks for a relevant grade, not for a gain
    values = np.where(relevant, with_options(parse(text), rel=0).value(judged), 0.0)
    np.testing.assert_allclose(values, [topic[name] for topic in found], rtol=1e-12, atol=1e-12)


def from_files(qrels: Path, results: Path) -> tuple[list[str], Judged]:
    """Topics and rankings of TREC files, in trec_eval's order: score as a 32-bit number, then document, descending."""
    judgments: dict[str, dict[str, int]] = defaultdict(dict)
    for topic, _, document, grade in map(str.split, qrels.read_text().splitlines()):
        judgments[topic][document] = int(grade)
    retrieved: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for topic, _, document, _, score, _ in map(str.split, results.read_text().splitlines()):
        retrieved[topic].append((float(np.float32(score)), document))
    topics = sorted(retrieved.keys() & judgments.keys())
    rankings = [[document for _, document in sorted(retrieved[topic], reverse=True)] for topic in topics]
    return topics, table(rankings, [judgments[topic] for topic in topics])


@pytest.mark.skipif(not TESTS.is_dir(), reason=f"trec_eval's test folder is not at {TESTS}")
@pytest.mark.parametrize("version", [9, 10])
@pytest.mark.parametrize(
    ("output", "qrels", "rel"),
    [
        ("out.test.aq", "qrels.test", 1),
        ("out.test.aql", "qrels.rel_level", 2),
        ("out.test.meas_params", "qrels.test", 1),
    ],
)
def test_every_line_that_trec_eval_prints(output: str, qrels: str, rel: int, version: int) -> None:
    folder = TESTS / {9: "test_v9.0.8", 10: "test_v10.0-rc3"}[version]
    topics, judged = from_files(folder / qrels, folder / "results.test")
    compared = set()
    for line in (folder / output).read_text().splitlines():
        printed, topic, value = (field.strip() for field in line.split("\t"))
        entry, _ = split(printed)
        assert entry is not None, printed
        if entry.measure is None and not entry.template:
            continue
        measure = with_options(parse(printed), rel=rel, version=version)
        values = measure.value(judged)
        mine = measure.summarise(values) if topic == "all" else values[topics.index(topic)]
        assert (f"{mine:.0f}" if entry.whole else f"{mine:.4f}") == value, line
        compared.add(entry.name)
    assert len(compared) > 8


def test_every_measure_that_pytrec_eval_has_is_named() -> None:
    assert {entry.name for entry in ENTRIES} >= pytrec_eval.supported_measures
