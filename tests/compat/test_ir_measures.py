"""Measures of ir_measures as measures here, and rankscale as one of its providers."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import ir_measures
import pandas as pd
import pytest

import rankscale as rs
from rankscale.compat.ir_measures import leave, prefer, provider
from rankscale.errors import UnknownNameError

theirs: Any = ir_measures
AP, P, R, RR, Rprec, Bpref, nDCG, IPrec = (  # noqa: N816
    *(theirs.AP, theirs.P, theirs.R, theirs.RR, theirs.Rprec, theirs.Bpref, theirs.nDCG, theirs.IPrec),
)
SetP, SetF, SetAP, Success, NumRet, NumRel = (
    *(theirs.SetP, theirs.SetF, theirs.SetAP, theirs.Success, theirs.NumRet, theirs.NumRel),
)
MEASURES = [
    *(AP, AP @ 100, AP(rel=2), AP(judged_only=True), P @ 10, P(rel=2) @ 5, R @ 100, RR, Rprec, Bpref, nDCG, nDCG @ 10),
    *(nDCG(gains={1: 0, 2: 1}) @ 10, IPrec @ 0.3, SetP, SetP(relative=True), SetF, SetAP, Success @ 5, NumRet),
    NumRet(rel=1),
]


@pytest.fixture
def own_pipeline() -> Iterator[None]:
    """The order of providers is what it was, whatever a test does."""
    before = list(ir_measures.DefaultPipeline.providers)
    yield
    leave()
    assert ir_measures.DefaultPipeline.providers == before


@pytest.fixture(scope="module")
def sample() -> tuple[Any, Any]:
    from rankscale.sample import QRELS

    qrels = rs.read_qrels(QRELS).to_dict()
    frame = pd.read_csv(QRELS.parent / "runs" / "bm25.txt.xz", sep=r"\s+", header=None, dtype={0: str, 2: str})
    run: dict[str, dict[str, float]] = {}
    for topic, document, score in zip(frame[0], frame[2], frame[4], strict=True):
        run.setdefault(topic, {})[document] = float(score)
    run.pop(next(iter(run)))  # a topic that the run lacks
    return {topic: {name: int(grade) for name, grade in of.items()} for topic, of in qrels.items()}, run


def test_the_provider_is_registered_as_the_others_are() -> None:
    assert ir_measures.providers.registry["rankscale"] is provider
    assert isinstance(provider, ir_measures.Provider)
    assert provider.is_available()


def test_each_topic_has_the_value_of_pytrec_eval(sample: tuple[Any, Any]) -> None:
    def values(of: Any) -> dict[Any, float]:
        return {(str(one.measure), one.query_id): one.value for one in of.iter_calc(MEASURES, *sample)}

    assert values(provider) == values(ir_measures.pytrec_eval)


def test_means_are_those_of_the_default_pipeline(sample: tuple[Any, Any], own_pipeline: None) -> None:
    before = ir_measures.calc_aggregate(MEASURES, *sample)
    prefer()
    prefer()
    assert [one.NAME for one in ir_measures.DefaultPipeline.providers].count("rankscale") == 1
    assert ir_measures.calc_aggregate(MEASURES, *sample) == pytest.approx(before, rel=1e-12)
    assert isinstance(ir_measures.evaluator(MEASURES, sample[0]), type(provider.evaluator(MEASURES, sample[0])))


BY_SUBTOPIC = [
    theirs.alpha_nDCG @ 10,
    theirs.ERR_IA @ 5,
    theirs.NRBP,
    theirs.AP_IA,
    theirs.P_IA @ 2,
    theirs.StRecall @ 3,
]


@pytest.mark.parametrize("form", ["rows", "frame", "iterator"])
def test_measures_of_subtopics_are_those_of_pyndeval(form: str) -> None:
    of = {"1": ["1 a", "1 b", "2 b", "2 c", "3 d"], "2": ["1 a", "2 e"], "3": ["1 z"]}
    rows = [ir_measures.Qrel(topic, d, 1, i) for topic, pairs in of.items() for i, d in map(str.split, pairs)]
    run = {"1": {"b": 5.0, "x": 4.0, "a": 3.0, "e": 2.0, "d": 1.0}, "2": {"e": 1.0}}

    def qrels() -> object:
        return {"rows": rows, "frame": pd.DataFrame(rows), "iterator": iter(rows)}[form]

    for measures in (BY_SUBTOPIC, [*BY_SUBTOPIC, AP]):
        found = {(str(one.measure), one.query_id): one.value for one in provider.iter_calc(measures, qrels(), run)}
        expected = {
            (str(one.measure), one.query_id): one.value
            for measure in BY_SUBTOPIC
            for one in ir_measures.pyndeval.iter_calc([measure], rows, run)
        }
        assert {key: value for key, value in found.items() if key[0] != "AP"} == pytest.approx(expected, abs=1e-12)
    assert found["AP", "1"] == pytest.approx((1 + 2 / 3 + 3 / 5) / 4)
    assert provider.calc_aggregate([theirs.alpha_nDCG @ 100], qrels(), run)[theirs.alpha_nDCG @ 100] > 0


def test_other_providers_compute_what_rankscale_lacks(own_pipeline: None) -> None:
    prefer()
    assert not provider.supports(theirs.ERR_IA)  # a depth is needed
    assert provider.supports(theirs.ERR_IA @ 100)
    assert not provider.supports(theirs.RBP)
    assert provider.supports(theirs.RBP(rel=1))
    own = ir_measures.define_byquery(lambda qrels, run: 0.5, name="own")
    assert ir_measures.calc_aggregate([own, AP], {"1": {"a": 1}}, {"1": {"a": 1.0}}) == {own: 0.5, AP: 1.0}


@pytest.mark.parametrize("run", [{}, {"9": {"a": 1.0}}])
def test_a_run_without_topics_of_the_qrels_counts_as_zero(run: Any) -> None:
    assert provider.calc_aggregate([AP, nDCG @ 5], {"1": {"a": 1}}, run) == {AP: 0.0, nDCG @ 5: 0.0}


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Qrels and results of the shape that PyTerrier has: qid, docno, label and qid, docno, score, rank."""
    qrels = pd.DataFrame({"qid": ["1", "1", "1", "2"], "docno": ["a", "b", "c", "a"], "label": [1, 0, 2, 1]})
    results = pd.DataFrame(
        {
            "qid": ["1", "1", "2"],
            "docid": [7, 3, 7],
            "docno": ["b", "a", "a"],
            "rank": [0, 1, 0],
            "score": [3.5, 2.5, 0.5],
            "query": ["one", "one", "two"],
        }
    )
    return qrels, results


def test_frames_of_pyterrier() -> None:
    qrels, results = frames()
    result = rs.evaluate(qrels, {"BM25": results}, [AP, nDCG @ 10, P @ 5])
    assert result.means()["BM25", AP] == 0.625
    renamed = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    run = results.rename(columns={"qid": "query_id", "docno": "doc_id"})
    assert provider.calc_aggregate([AP], renamed, run) == {AP: 0.625}  # as pt.Experiment calls ir_measures


def test_measures_of_ir_measures_wherever_measures_are_named() -> None:
    qrels, results = frames()
    assert rs.parse(nDCG @ 10) == rs.parse("nDCG@10")
    assert rs.parse(ir_measures.AP(rel=2)) == rs.parse("AP(rel=2)")  # whose types mypy checks
    assert str(rs.evaluate(qrels, results, [ir_measures.RR, "P@5"]).measures[0]) == "RR"
    result = rs.evaluate(qrels, {"x": results, "y": results.assign(score=-results.score)}, AP)
    assert [str(measure) for measure in result.measures] == ["AP"]
    assert str(rs.compare(result[AP])) == str(rs.compare(result["AP"]))
    assert result.by_topic("x", AP) == {"1": 0.25, "2": 1.0}
    assert [str(measure) for measure in rs.curves(qrels, {"x": results}, nDCG).measures] == ["nDCG"]
    assert str(rs.scale(P @ 5)) == str(rs.scale("P@5"))


def test_a_measure_that_rankscale_lacks_is_named_with_where_it_comes_from() -> None:
    own = ir_measures.define_byquery(lambda qrels, run: 0.5, name="Stranger")
    with pytest.raises(UnknownNameError, match=r"Stranger of ir_measures: unknown measure 'Stranger'"):
        rs.parse(own)


def test_rankscale_does_not_import_ir_measures() -> None:
    code = "import sys, rankscale as rs; rs.parse('AP'); assert 'ir_measures' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_relevant_documents_of_all_topics() -> None:
    assert provider.calc_aggregate([NumRel], {"1": {"a": 1, "b": 1}}, {"1": {"a": 1.0}}) == {NumRel: 2}
