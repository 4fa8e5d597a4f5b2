"""Threads, executors, blocks and levels left out: all of them ways to work, none changes a bit."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.data import run as run_module
from rankscale.data.judged import judged
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.executors import Inline
from rankscale.executors.processes import Processes
from rankscale.inputs.read import read_qrels, read_run
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find, names
from rankscale.measures.dcg import nDCG
from rankscale.sample import QRELS, RUNS

MEASURES = ["AP", "nDCG@10", "nDCG@100", "P@5", "P@100", "RBP", "Bpref", "Judged@10", "AP(rel=2)", "SetF", "infAP"]
VARIED = {
    "rel": (-1, 0, 0.5, 2, 4),
    "gains": ("exp", (0, 0, 1, 1), ((-1, 2), (2, 0)), ((0, 1), (3, -2))),
    "judged_only": (True,),
    "version": (10,),
    "depth": (1, 3, 100),
}


def variants() -> Iterator[Measure]:
    """Every measure of the register, and each again with every parameter of the table above that it has."""
    for name in names():
        written = find(name).example or name
        for text in (written, f"{written}@5", f"{written}@0.5"):
            try:
                measure = parse(text)
            except ParameterError:
                continue
            yield measure
            for parameter, values in VARIED.items():
                for value in values if hasattr(measure, parameter) else ():
                    try:
                        given: dict[str, Any] = {parameter: value}
                        varied = replace(measure, **given)
                        varied.value(judged("3 2 1 0 -1"))  # some refuse gains when they meet the grades
                    except ParameterError:
                        continue
                    yield varied


@cache
def every() -> list[Measure]:
    """All of them, made when the first test needs them."""
    return list(dict.fromkeys(variants()))


def test_the_table_of_variants_reaches_every_measure() -> None:
    assert {measure.name for measure in every()} == set(names())
    assert len(every()) > 200


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_levels_that_a_measure_ignores_change_no_value(seed: int, complete: Any, made_up: Any) -> None:
    scores, judgments = made_up(seed)
    for topic in list(scores)[::4]:
        del scores[topic]
    qrels = read_qrels(judgments)
    run = read_run(qrels, scores, name="run", keep_scores=True)
    whole = (run.completed(len(qrels.topics)) if complete else run).judged(qrels)
    found = evaluate(qrels, scores, every(), missing="zero" if complete else "skip")
    for place, measure in enumerate(every()):
        alone = measure.value(whole)
        together = found.values[place, 0, found.retrieved[0]]
        assert np.array_equal(together, alone, equal_nan=True), measure


def test_some_measures_do_ignore_levels() -> None:
    levels = np.array([-1.0, 0.0, 1.0, 2.0])
    assert parse("AP").ignored(levels).tolist() == [True, True, False, False]
    assert parse("nDCG@10").ignored(levels).tolist() == [True, True, False, False]
    assert not parse("Bpref").ignored(levels).any()


@pytest.mark.parametrize("options", [{}, {"missing": "skip"}, {"judged_only": True}, {"depth": 20}], ids=str)
@pytest.mark.parametrize("entries", [1, 40, 1000])
def test_blocks_of_any_size(entries: int, options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [path for path in RUNS if path.name.startswith(("dense-zero", "bm25."))]
    at_once = evaluate(QRELS, files, MEASURES, **options)
    monkeypatch.setattr(run_module, "BLOCK_ENTRIES", entries)
    blocks = list(read_run(read_qrels(QRELS), files[0]).blocks(read_qrels(QRELS)))
    assert len(blocks) > 4, "the setting is not heeded: the test says nothing"
    assert evaluate(QRELS, files, MEASURES, **options) == at_once
    assert evaluate(QRELS, files, MEASURES, **options).values.tobytes() == at_once.values.tobytes()


@pytest.mark.parametrize("complete", [False, True])
def test_blocks_of_every_measure(complete: Any, made_up: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scores, judgments = made_up(9)
    del scores["t3"]
    at_once = evaluate(judgments, scores, every(), missing="zero" if complete else "skip")
    monkeypatch.setattr(run_module, "BLOCK_ENTRIES", 30)
    assert (
        evaluate(judgments, scores, every(), missing="zero" if complete else "skip").values.tobytes()
        == at_once.values.tobytes()
    )


@pytest.mark.parametrize("options", [{}, {"missing": "skip"}, {"judged_only": True}, {"depth": 20}], ids=str)
def test_a_run_measured_alone_has_the_values_it_has_among_many(options: Any, made_up: Any) -> None:
    scores, judgments = made_up(11)
    rng = np.random.default_rng(11)
    runs = {
        f"run {number}": {topic: scores[topic] for topic in scores if rng.random() < 0.1 + number / 40}
        for number in range(37)
    }
    runs = {name: run for name, run in runs.items() if run}
    together = evaluate(judgments, runs, MEASURES, **options)
    for place, (name, run) in enumerate(runs.items()):
        alone = evaluate(judgments, {name: run}, MEASURES, **options)
        assert together.runs[place] == name
        assert together.retrieved[place].tobytes() == alone.retrieved[0].tobytes()
        assert together.values[:, place].tobytes() == alone.values[:, 0].tobytes()


def test_any_number_of_threads() -> None:
    one = evaluate(QRELS, list(RUNS), MEASURES, threads=1)
    for threads in (2, 8, None):
        other = evaluate(QRELS, list(RUNS), MEASURES, threads=threads)
        assert other == one
        assert other.values.tobytes() == one.values.tobytes()


@pytest.mark.parametrize("options", [{}, {"missing": "skip", "depth": 50, "grades": {3: 2}}], ids=str)
def test_processes_give_the_same_evaluation(options: Any) -> None:
    files = list(RUNS[:7])
    here = evaluate(QRELS, files, MEASURES, executor=Inline(), **options)
    elsewhere = evaluate(QRELS, files, MEASURES, executor=Processes(2), **options)
    assert elsewhere == here
    assert elsewhere.values.tobytes() == here.values.tobytes()
    assert elsewhere.means().values.tobytes() == here.means().values.tobytes()


def test_processes_take_patterns_names_tables_and_runs_alike(tmp_path: Path, made_up: Any) -> None:
    scores, judgments = made_up(2)
    qrels = read_qrels(judgments)
    run = tmp_path / "run.txt"
    run.write_text("".join(f"{t} Q0 {d} 0 {s} tag\n" for t, ranking in scores.items() for d, s in ranking.items()))
    given = {"file": str(run), "pattern": str(tmp_path / "r*.txt"), "table": scores, "run": read_run(qrels, scores)}
    here = evaluate(qrels, given, MEASURES)
    assert evaluate(qrels, given, MEASURES, executor=Processes(2)) == here
    assert len({here.values[:, place].tobytes() for place in range(4)}) == 1


def test_one_topic_measured_alone_has_the_value_it_has_among_many(made_up: Any) -> None:
    scores, judgments = made_up(7)
    many = evaluate(judgments, scores, every()).to_dict()["run"]
    # all grades of the collection belong to every topic's table of levels
    grades = {grade for of_topic in judgments.values() for grade in of_topic.values()}
    other = {f"document{place}": grade for place, grade in enumerate(sorted(grades))}
    for topic in list(scores)[:5]:
        alone = evaluate({topic: judgments[topic], "other": other}, {topic: scores[topic]}, every())
        found = alone.to_dict()["run"][topic]
        assert list(found) == list(many[topic])
        np.testing.assert_array_equal(list(found.values()), list(many[topic].values()))  # undefined equals undefined


@given(st.integers(1, 4), st.lists(st.integers(0, 6), min_size=1, max_size=12))
def test_what_depends_on_the_topic_alone_is_the_same_for_each_of_its_rankings(grades, rows):
    counts = np.arange(7 * (grades + 1)).reshape(7, grades + 1) % 5
    one = judged(*["1"] * len(rows))
    levels = np.arange(grades + 1, dtype=float)
    many = replace(one, counts=counts[rows], levels=levels, row=np.array(rows))
    once, place = many.each_topic_once()
    if place is not None:
        assert once.row is not None
        assert many.row is not None
        assert len(once.row) == len(set(rows))
        assert np.array_equal(once.row[place], many.row)
    alone = replace(many, row=None)
    for rank in (None, np.array([[1, 2, 5]]), np.arange(1, len(rows) + 1)[:, None]):
        assert np.array_equal(nDCG().ideal(many, rank), nDCG().ideal(alone, rank))
