"""The stand-in for pytrec_eval beside pytrec_eval itself: same keys, same values to the last bit, same errors."""

import gzip
import lzma
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval as theirs

from rankscale.compat import pytrec_eval as ours

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}, "3": {"a": 0}, "4": {"a": -1, "b": 1}}
RUN = {"2": {"a": 0.5}, "1": {"b": 3.5, "x": 3.5, "a": 2.5}, "3": {"a": 1.0, "b": 2.0}, "4": {"a": 2.0, "b": 1.0}}
TEXTS = ("runid", "relstring")  # no numbers, so that theirs are what happens to be in memory
# bpref of trec_eval reads beyond its arrays where the ranking or the level leaves no relevant document
SAFE = sorted(theirs.supported_measures - {"bpref", "gm_bpref"})


def same(left: Any, right: Any) -> bool:
    """Equal with the same order of keys; NaN is equal to NaN."""
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(key in TEXTS or same(left[key], right[key]) for key in left)
    assert isinstance(left, float)
    assert isinstance(right, float)
    return left == right or (math.isnan(left) and math.isnan(right))


def check(qrels: Any, run: Any, measures: Any, **options: Any) -> None:
    expected = theirs.RelevanceEvaluator(qrels, measures, **options).evaluate(run)
    assert same(ours.RelevanceEvaluator(qrels, measures, **options).evaluate(run), expected)


def test_the_names_are_the_same() -> None:
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames
    assert set(theirs.__all__) <= set(ours.__all__)


@pytest.mark.parametrize("measure", sorted(theirs.supported_measures))
def test_every_measure(measure: str) -> None:
    check(QRELS, RUN, {measure})


@pytest.mark.parametrize("measure", SAFE)
def test_every_measure_at_a_higher_level(measure: str) -> None:
    check(QRELS, RUN, {measure}, relevance_level=2)


@pytest.mark.parametrize("nickname", ["official", "set", "all_trec"])
@pytest.mark.parametrize("judged_only", [False, True])
def test_nicknames_in_the_order_of_trec_eval(nickname: str, judged_only: Any) -> None:
    check(QRELS, RUN, [nickname], judged_docs_only_flag=judged_only)


@pytest.mark.parametrize(
    "measures",
    [
        ["ndcg_cut.10", "map", "P.5", "ndcg_cut_5", "recall_3"],
        {f"{name}.1,3,5,10,100,1000" for name in ("map_cut", "ndcg_cut", "recall", "P")},  # as in BEIR and MTEB
        ["P_10,9"],
        ["P_5,5"],
        ["P", "P.5"],
        ["P.5.5", "map_cut_5.7"],
        ["P_10x", "success_3 "],
        ["11pt_avg.0.1,0.2"],
        ["iprec_at_recall.0.10,0.5", "Rprec_mult.0.5"],
        ["map.5", "bpref_10", "gm_map.3", "relstring_5", "recip_rank_10"],
        [],
        "P",
    ],
)
def test_parameters_in_every_spelling(measures: Any) -> None:
    check(QRELS, RUN, measures)


@pytest.mark.parametrize("measure", ["set_F.0.5", "set_F_4,2", "set_F.9"])
def test_set_f_with_a_weight_to_the_last_digit_but_one(measure: str) -> None:
    expected = theirs.RelevanceEvaluator(QRELS, {measure}).evaluate(RUN)
    values = ours.RelevanceEvaluator(QRELS, {measure}).evaluate(RUN)
    assert list(values) == list(expected)
    for topic, of_topic in values.items():
        assert of_topic == pytest.approx(expected[topic], rel=1e-15)


@pytest.mark.parametrize(
    "run",
    [
        {},
        {"9": {"a": 1.0}},
        {"1": {}, "2": {"a": 1.0}},
        {"1": {"a": 1, "b": True}},
        {"1": {"a": float("inf"), "b": -float("inf"), "c": 1e300}},
        {"1": {"a": 1.00000001, "b": 1.0, "c": 1.0}},
        {"1": {"x": 1.0, "y": 2.0}},
    ],
)
@pytest.mark.parametrize("judged_only", [False, True])
def test_odd_runs(run: Any, judged_only: Any) -> None:
    check(QRELS, run, SAFE, judged_docs_only_flag=judged_only)


def test_odd_qrels() -> None:
    check({}, RUN, ["map"])
    check({"1": {}, "2": {"a": 1}}, RUN, ["map"])
    check({"é": {"ü b": True}}, {"é": {"ü b": 1.0, "ä": 2.0}}, ["map"])


@pytest.mark.parametrize("seed", range(5))
def test_made_up_runs_with_ties_and_negative_grades(seed: int) -> None:
    draw = random.Random(seed)
    topics = [str(topic) for topic in range(30)]
    qrels = {topic: {f"d{n}": draw.choice([-1, 0, 0, 1, 2, 3]) for n in draw.sample(range(60), 25)} for topic in topics}
    run = {
        topic: {f"d{n}": float(draw.randint(0, 20)) for n in draw.sample(range(90), draw.randint(1, 60))}
        for topic in draw.sample([*topics, "other"], 25)
    }
    for level in (1, 2, 3):
        for judged_only in (False, True):
            check(qrels, run, SAFE, relevance_level=level, judged_docs_only_flag=judged_only)


def lines(path: Path) -> list[str]:
    unpack = gzip.decompress if path.suffix == ".gz" else lzma.decompress
    return unpack(path.read_bytes()).decode().splitlines()


@pytest.mark.parametrize(
    ("scores", "value"), [((1.0, 0.0, 1.5), 0.5), ((1.0, 2.0, 1.5), 1.0), ((4.0, 2.0, 1.5), 0.6309297535714575)]
)
def test_a_topic_beside_an_empty_ranking(scores: tuple[float, ...], value: float) -> None:
    qrels = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
    run = {"q1": dict(zip(("d1", "d2", "d3"), scores, strict=True)), "q2": {}}
    values = ours.RelevanceEvaluator(qrels, {"map", "ndcg", "ndcg_cut.3"}).evaluate(run)
    assert values["q1"]["ndcg"] == values["q1"]["ndcg_cut_3"] == pytest.approx(value, rel=1e-15)
    assert values["q2"] == {"map": 0.0, "ndcg": 0.0, "ndcg_cut_3": 0.0}
    check(qrels, run, {"map", "ndcg", "ndcg_cut.3"})


@pytest.mark.parametrize(
    ("judgments", "expected", "level"), [("qrels.test", "out.test.a", 1), ("qrels.rel_level", "out.test.aql", 2)]
)
def test_the_test_suite_of_trec_eval(judgments: str, expected: str, level: int, shared_data: Path) -> None:
    folder = shared_data / "trec_eval_test" / "test_v10.0-rc3"
    qrels = ours.parse_qrel((folder / judgments).read_text().splitlines())
    run = ours.parse_run((folder / "results.test").read_text().splitlines())
    values = ours.RelevanceEvaluator(qrels, ["all_trec"], relevance_level=level).evaluate(run)
    printed = [line.split() for line in (folder / expected).read_text().splitlines()]
    means = {line[0]: float(line[2]) for line in printed if line[1] == "all" and line[0] not in TEXTS}
    # version 10 has measures of its own, rounds recall levels otherwise, and prints the number of topics
    compared = [name for name in means if name in values["301"] and not name.startswith(("iprec", "11pt", "num_q"))]
    assert len(compared) > 70
    for name in compared:
        mean = ours.compute_aggregated_measure(name, [of_topic[name] for of_topic in values.values()])
        assert mean == pytest.approx(means[name], abs=0.5001e-4), name


@pytest.mark.slow
def test_all_measures_on_trec_8(shared_data: Path) -> None:
    folder = shared_data / "trec8_adhoc"
    qrels = theirs.parse_qrel(lines(folder / "trec8.qrels.gz"))
    for path in sorted((folder / "runs").iterdir())[::16]:
        run = theirs.parse_run(lines(path))
        check(qrels, run, ["all_trec"])
        check(qrels, run, SAFE, judged_docs_only_flag=True)


def test_real_runs(shared_data: Path) -> None:
    folder = shared_data / "dl21_passage_judged"
    qrels = theirs.parse_qrel(lines(folder / "qrels-pass.txt.gz"))
    runs = sorted((folder / "runs").iterdir())[:4]
    assert runs
    for path in runs:
        run = theirs.parse_run(lines(path))
        assert ours.parse_run(lines(path)) == run
        check(qrels, run, ["all_trec"])
        check(qrels, run, SAFE, relevance_level=2)
    assert ours.parse_qrel(lines(folder / "qrels-pass.txt.gz")) == qrels


def test_an_evaluator_serves_several_runs() -> None:
    evaluator = ours.RelevanceEvaluator(QRELS, {"map"})
    assert evaluator.evaluate({"2": {"a": 1.0}}) == {"2": {"map": 1.0}}
    assert evaluator.evaluate(scores={"2": {"b": 1.0}}) == {"2": {"map": 0.0}}


@pytest.mark.parametrize("measure", ["bogus", "P_", "dcg", "prefs", "nDCG@10", "", "iprec_at_recall_.50"])
def test_unknown_measures_are_value_errors_in_both(measure: str) -> None:
    for module in (theirs, ours):
        with pytest.raises(ValueError, match="unsupported measure"):
            module.RelevanceEvaluator(QRELS, {measure})


@pytest.mark.parametrize("measure", ["ndcg.1=3", "ndcg_rel.10", "P.0", "P.05,5", "utility.1,2"])
def test_what_ends_the_program_there_is_a_value_error_here(measure: str) -> None:
    with pytest.raises(ValueError, match=measure.partition(".")[0]):
        ours.RelevanceEvaluator(QRELS, {measure})


@pytest.mark.parametrize(
    "qrels",
    [
        {"1": {"a": 1.0}},
        {"1": {"a": "1"}},
        {"1": {"a": None}},
        {1: {"a": 1}},
        {"1": [("a", 1)]},
        {"1": {"a": 1, "b": 1.5}},
    ],
)
def test_other_qrels_are_type_errors_in_both(qrels: Any) -> None:
    for module in (theirs, ours):
        with pytest.raises(TypeError):
            module.RelevanceEvaluator(qrels, {"map"})


@pytest.mark.parametrize("run", [{"1": {"a": "1"}}, {"1": {"a": None}}, {1: {"a": 1.0}}, [1], {"1": [("a", 1.0)]}])
def test_other_runs_are_type_errors_in_both(run: Any) -> None:
    for module in (theirs, ours):
        evaluator = module.RelevanceEvaluator(QRELS, {"map"})
        with pytest.raises(TypeError):
            evaluator.evaluate(run)


@pytest.mark.parametrize("level", [0, 1.5, "1", None])
def test_other_levels_are_type_errors_in_both(level: Any) -> None:
    for module in (theirs, ours):
        with pytest.raises(TypeError):
            module.RelevanceEvaluator(QRELS, {"map"}, relevance_level=level)


def test_numbers_of_numpy_are_taken_here() -> None:
    qrels: Any = {"1": {"a": np.int64(1)}}
    run: Any = {"1": {"a": np.float32(1), "b": np.int64(2)}}
    assert ours.RelevanceEvaluator(qrels, {"map"}).evaluate(run) == {"1": {"map": 0.5}}


def test_a_score_that_is_not_a_number_is_an_error_here() -> None:
    with pytest.raises(TypeError, match="topic 1, document a: expected a number as score, found NaN"):
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"1": {"a": math.nan}})


@pytest.mark.parametrize("bad", ["1 Q0 a 1 2.5", "1 Q0 a 1 x t", ""])
def test_lines_that_are_no_run(bad: str) -> None:
    for module in (theirs, ours):
        with pytest.raises(ValueError):
            module.parse_run([bad])


def test_a_document_twice_is_an_assertion_error_in_both() -> None:
    for module in (theirs, ours):
        with pytest.raises(AssertionError):
            module.parse_run(["1 Q0 a 1 2.5 t", "1 Q0 a 2 1.5 t"])
        with pytest.raises(AssertionError):
            module.parse_qrel(["1 0 a 1", "1 0 a 1"])


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map"])
def test_means_of_topics(measure: str) -> None:
    values = [0.1, 0.2, 0.4]
    assert ours.compute_aggregated_measure(measure, values) == theirs.compute_aggregated_measure(measure, values)
