"""One number for each run: exact sums over topics, rounded once; undefined values are left out."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rankscale.errors import UnknownNameError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS

MEASURES = ["AP", "nDCG@10", "RBP(p=0.8)", "GMAP", "GMBpref", "NumRel", "NumRelRet", "NumQ"]


@pytest.fixture(scope="module")
def sample() -> Evaluation:
    return evaluate(QRELS, list(RUNS), MEASURES)


def one_by_one(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


def test_means_are_exact_sums_rounded_once(sample: Evaluation) -> None:
    differ_from_loops = 0
    for run in sample.runs:
        for measure in ("AP", "nDCG@10", "RBP(p=0.8)"):
            values = list(sample.by_topic(run, measure).values())
            mean = sample.means()[run, measure]
            assert mean == float(sum(map(Fraction, values))) / len(values)
            differ_from_loops += mean != one_by_one(values) / len(values)
    assert differ_from_loops, "adding one by one would pass as well: the test says nothing"


def test_the_order_of_topics_does_not_change_a_mean(sample: Evaluation) -> None:
    turned = replace(sample, values=sample.values[..., ::-1], retrieved=sample.retrieved[..., ::-1])
    assert turned.means().values.tobytes() == sample.means().values.tobytes()


def test_topics_are_in_byte_order_of_their_names() -> None:
    qrels = {topic: {"a": 1} for topic in ("9", "10", "é", "B", "a", "100")}
    found = evaluate(qrels, {topic: {"a": 1.0} for topic in qrels}, "AP")
    assert list(found.topics) == sorted(qrels, key=str.encode)
    assert list(found.by_topic("run", "AP")) == list(found.topics)


def test_geometric_means_are_products(sample: Evaluation) -> None:
    for run in sample.runs:
        for geometric, plain in (("GMAP", "AP"), ("GMBpref", "Bpref")):
            values = [max(value, 1e-5) for value in sample.by_topic(run, geometric).values()]
            assert sample.means()[run, geometric] == pytest.approx(math.prod(values) ** (1 / len(values)), rel=1e-12)
            if plain == "AP":
                assert sample.by_topic(run, plain) == sample.by_topic(run, geometric)


def test_a_topic_of_value_zero_counts_as_one_in_a_hundred_thousand() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    found = evaluate(qrels, {"1": {"a": 1.0}, "2": {"b": 1.0}}, "GMAP")
    assert found.means()["run", "GMAP"] == pytest.approx(math.sqrt(1e-5), rel=1e-14)


def test_counts_are_added_up(sample: Evaluation) -> None:
    for run in sample.runs:
        for measure in ("NumRel", "NumRelRet", "NumQ"):
            values = sample.by_topic(run, measure).values()
            assert sample.means()[run, measure] == sum(values)
        assert sample.means()[run, "NumQ"] == 50


def test_undefined_values_are_left_out_and_the_count_says_so() -> None:
    values = np.array([[[0.5, math.nan, 1.0]], [[0.25, 0.5, 0.75]]])
    found = Evaluation(
        measures=(parse("AP"), parse("RR")),
        runs=("r",),
        topics=("1", "2", "3"),
        values=values,
        retrieved=np.ones((1, 3), dtype=bool),
    )
    assert found.means().values.tolist() == [[0.75], [0.5]]
    assert found.means().counted.tolist() == [[2], [3]]
    header, row = str(found.means()).splitlines()
    assert header.split() == ["run", "topics", "AP", "RR"]
    assert row.split() == ["r", "3", "0.7500", "(2)", "0.5000"]


def test_no_defined_value_has_no_mean() -> None:
    found = Evaluation((parse("AP"),), ("r",), ("1",), np.array([[[math.nan]]]), np.ones((1, 1), dtype=bool))
    assert math.isnan(found.means()["r", "AP"])
    assert found.means().counted.tolist() == [[0]]
    assert str(found.means()).splitlines()[1].split() == ["r", "0", "-"]


def test_means_show_and_give_the_same_numbers(sample: Evaluation) -> None:
    means = sample.means()
    assert repr(means) == str(means)
    assert list(means.to_dict()) == list(sample.runs)
    for run, row in means.to_dict().items():
        assert list(row) == [str(measure) for measure in sample.measures]
        assert all(value == means[run, measure] for measure, value in row.items())
    assert means["bm25", "map"] == means["bm25", "AP"]  # names in trec_eval's spelling are understood


@pytest.mark.parametrize("asked", [("no such run", "AP"), ("bm25", "P@7")])
def test_a_mean_that_is_not_there_is_an_error_of_ours(sample: Evaluation, asked: Any) -> None:
    with pytest.raises(UnknownNameError):
        sample.means()[asked]
