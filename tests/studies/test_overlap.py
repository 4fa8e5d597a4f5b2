"""Runs against runs: worked values, slow loops, scipy."""

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.sample import QRELS, RUNS
from tests.stats.reference_rbo import rbo

A = ["d1", "d2", "d3", "d4", "d5"]
B = ["d2", "d1", "d6", "d3", "d7"]
TWO = [str(path) for path in RUNS if path.name.startswith(("bm25.", "dense-zero"))]


def of(a: list[str], b: list[str], **settings: Any) -> dict[str, float]:
    return rs.overlap({"a": {"1": a}, "b": {"1": b}}, **settings).pair("a", "b")


def renamed(ranking: list[str]) -> list[str]:
    return ["z1" if document == "d1" else document for document in ranking]


WORKED = {
    "overlap": 0.6,
    "jaccard": 0.428571,
    "tau": 0.333333,
    "tau_ap": 0,
    "tau_union": 0.35,
    "RBO": 0.592335,
    "KTU": 0.6,
}


def test_worked_values() -> None:
    found = of(A, B, depth=5)
    assert {name: found[name] for name in WORKED} == pytest.approx(WORKED, abs=5e-7)
    assert of(A, B, depth=2)["overlap"] == 1
    assert of(A, B, union="docno")["KTU(docno)"] == pytest.approx(0.6)
    again = of(renamed(A), renamed(B), depth=5)
    assert {name: again[name] for name in WORKED} == pytest.approx(WORKED, abs=5e-7)
    assert of(renamed(A), renamed(B), union="docno")["KTU(docno)"] == pytest.approx(-0.6)
    assert of(A, B, norm="depth", depth=5)["RBO"] == pytest.approx(0.581283, abs=5e-7)
    assert of(A, B, norm="depth", p=0.95)["RBO"] == pytest.approx(0.284219, abs=5e-7)
    assert of(A, A, norm="depth", p=0.95)["RBO"] == pytest.approx(0.476300, abs=5e-7)


def test_rbo_comes_with_the_bounds_of_the_statistics() -> None:
    found, expected = of(A, B, p=0.8), rbo(A, B, p=0.8)
    three = expected.extrapolated, expected.lower, expected.upper
    assert (found["RBO"], found["RBO_lower"], found["RBO_upper"]) == pytest.approx(three, abs=1e-14)


def values_of(base: list[float], cand: list[float]) -> Any:
    """Runs whose values of P@100 are these, through judgments."""
    qrels = {str(topic): {f"r{number}": 1 for number in range(100)} for topic in range(len(base))}

    def run(values: list[float]) -> dict[str, dict[str, float]]:
        return {
            str(topic): {f"{'r' if rank < round(100 * value) else 'x'}{rank}": 100.0 - rank for rank in range(100)}
            for topic, value in enumerate(values)
        }

    return qrels, {"base": run(base), "cand": run(cand)}


BASE = [0.42, 0.31, 0.55, 0.20, 0.68, 0.47, 0.36, 0.59]
CAND = [0.40, 0.33, 0.54, 0.19, 0.66, 0.48, 0.33, 0.59]


def test_worked_values_with_judgments() -> None:
    qrels, runs = values_of(BASE, CAND)
    (pair,) = rs.overlap(runs, qrels, "P@100", margin=0.02).values
    assert (pair.rmse, pair.nrmse) == pytest.approx((0.017321, 0.027150), abs=5e-7)
    assert pair.difference.p == pytest.approx(0.244341, abs=5e-7)
    assert pair.difference.p_equivalence == pytest.approx(0.035951, abs=5e-7)
    assert (pair.collection, pair.test) == ("same collection", "Student's paired t")


def test_worked_values_on_another_collection() -> None:
    qrels, runs = values_of(BASE, CAND)
    result = rs.overlap(
        {"base": runs["base"]}, qrels, "P@100", other_qrels=qrels, other_runs={"cand": runs["cand"]}, margin=0.02
    )
    (pair,) = result.values
    assert pair.difference.p == pytest.approx(0.925203, abs=5e-7)
    assert (pair.collection, pair.test) == ("other collection", "Student's unpaired t")
    assert math.isnan(pair.rmse)
    assert math.isnan(pair.nrmse)
    assert list(result.tables()) == ["values"]
    expected = stats.ttest_ind(CAND, BASE, equal_var=False).pvalue
    welch = rs.overlap(
        {"base": runs["base"]}, qrels, "P@100", other_qrels=qrels, other_runs={"cand": runs["cand"]}, welch=True
    )
    assert welch.values[0].difference.p == pytest.approx(expected)


R, S = [0.7, 0.6, 0.7, 0.8, 0.9], [0.6, 0.5, 0.5, 0.5, 0.4]
R_AGAIN, S_AGAIN = [0.6, 0.6, 0.7, 0.8, 0.9], [0.7, 0.6, 0.5, 0.5, 0.3]


def test_worked_effects() -> None:
    qrels, first = values_of(S, R)
    _, second = values_of(S_AGAIN, R_AGAIN)
    four = {"S": first["base"], "R": first["cand"], "S2": second["base"], "R2": second["cand"]}
    result = rs.overlap(four, qrels, "P@100", baseline="S", reproduced_baseline="S2")
    (effect,) = result.effects
    assert (effect.advanced, effect.reproduced) == ("R", "R2")
    assert (effect.er, effect.delta_ri) == pytest.approx((0.833333, 0.095385), abs=5e-7)
    assert [(one.original, one.reproduced) for one in result.values] == [("S", "S2"), ("R", "R2")]
    elsewhere = rs.overlap(
        {"S": four["S"], "R": four["R"]},
        qrels,
        "P@100",
        baseline="S",
        other_qrels=qrels,
        other_runs={"S": four["S2"], "R": four["R2"]},
    )
    (other,) = elsewhere.effects
    assert (other.er, other.delta_ri) == pytest.approx((0.833333, 0.095385), abs=5e-7)
    assert other.collection == "other collection"


rankings = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)
topics = st.dictionaries(st.sampled_from("12345"), rankings, min_size=1, max_size=4)


@given(first=topics, second=topics)
def test_means_and_intervals_over_all_draws_against_loops(
    first: dict[str, list[str]], second: dict[str, list[str]]
) -> None:
    both = sorted(first.keys() & second.keys())
    if not both:
        with pytest.raises(ParameterError, match="no two of the 2 runs have a topic in common"):
            rs.overlap({"a": first, "b": second})
        return
    result = rs.overlap({"a": first, "b": second}, depth=3, coefficients=["jaccard"], draws="all")
    values = [len({*first[t][:3]} & {*second[t][:3]}) / len({*first[t][:3]} | {*second[t][:3]}) for t in both]
    (pair,) = result.pairs
    assert pair.topics == tuple(both)
    assert pair.left_out == len(first.keys() | second.keys()) - len(both)
    assert pair.values[0].tolist() == values
    assert result.pair("a", "b")["jaccard"] == pytest.approx(np.mean(values))
    if len(both) > 1:
        means = [np.mean(drawn) for drawn in product(values, repeat=len(values))]
        assert pair.intervals[0] == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])))
    else:
        assert math.isnan(pair.intervals[0][0])


def test_intervals_are_those_of_scipy_with_the_same_draws() -> None:
    pair = rs.overlap(TWO, depth=20, coefficients=["overlap"]).pairs[0]
    expected = stats.bootstrap(
        (pair.values[0],), np.mean, n_resamples=1000, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    assert pair.intervals[0] == pytest.approx((expected.low, expected.high))


def test_values_are_those_of_evaluate() -> None:
    result = rs.overlap(TWO, QRELS, ["AP", "ASL"], coefficients="overlap")
    by_measure = {str(pair.measure): pair for pair in result.values}
    evaluation = rs.evaluate(QRELS, TWO, ["AP", "ASL"])
    x, y = evaluation["AP"].values[0]
    assert by_measure["AP"].rmse == pytest.approx(math.sqrt(np.mean((x - y) ** 2)))
    assert by_measure["AP"].difference.p == pytest.approx(stats.ttest_rel(x, y).pvalue)
    assert by_measure["AP"].topics == (50, 50)
    assert math.isnan(by_measure["ASL"].nrmse)  # not from 0 to 1
    common = rs.overlap(TWO, QRELS, "AP", coefficients="overlap", missing="common")
    assert common.values[0].topics == (49, 49)


def test_undefined_values_are_left_out_and_counted() -> None:
    runs = {"a": {"1": ["x", "y"], "2": ["x"]}, "b": {"1": ["y", "x"], "2": ["z"]}}
    result = rs.overlap(runs)
    row = next(row for row in result.table("overlap") if row["coefficient"] == "tau")
    assert (row["mean"], row["topics"], row["undefined"]) == (-1.0, 1, 1)
    assert any("a coefficient is undefined on 1 of 2 topics" in one for one in result.warnings)


def test_tables_and_provenance(tmp_path: Path) -> None:
    three = [str(path) for path in RUNS if path.name.startswith(("ql", "bm25."))]
    result = rs.overlap(three, QRELS, "P@10", coefficients=["RBO", "tau"], depth=10, draws=20)
    assert list(result.tables()) == ["overlap", "pairs", "topics", "values"]
    assert len(result.table("pairs")) == 3
    assert len(result.table("topics")) == 150
    assert result.shown() == ("pairs", "values")
    assert "draws:20|seed:0" in result.signature
    assert "does not show that runs are alike" in result.sentence()
    result.write(tmp_path / "overlap.tsv", table="topics")
    assert len((tmp_path / "overlap.tsv").read_text().splitlines()) == 151


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"p": 1}, "p of RBO must lie strictly between 0 and 1"),
        ({"union": "odd"}, "union must be 'first' or 'docno'"),
        ({"norm": "odd"}, "norm must be 'extrapolated' or 'depth'"),
        ({"depth": 0}, "depth must be a whole number from 1"),
        ({"baseline": "a"}, "baseline= is about values, which need judgments"),
        ({"margin": 0.01}, "margin= is about values"),
        ({"confidence": 1.0}, "confidence must lie between 0 and 1"),
        ({"welch": True}, "welch= is for runs of another collection"),
        ({"other_runs": {"c": {"1": ["x"]}}}, "other_qrels= and other_runs= go together"),
        ({"reproduced_baseline": "b"}, "reproduced_baseline= goes with baseline="),
        ({"draws": 0}, "must be a whole number from 1, or 'all'"),
    ],
)
def test_parameters_that_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        of(A, B, **settings)


def test_other_refusals() -> None:
    with pytest.raises(ParameterError, match="runs are compared, and there is one"):
        rs.overlap({"a": {"1": A}})
    with pytest.raises(UnknownNameError, match="did you mean jaccard"):
        of(A, B, coefficients=["jacard"])
    with pytest.raises(ParameterError, match="topic 1: KTU with union='docno' pairs lists of one length, got 5 and 3"):
        of(A, B[:3], union="docno")
    with pytest.raises(ParameterError, match="they are taken of up to 6 topics"):
        rs.overlap(TWO, draws="all", coefficients="overlap")
    qrels = {"1": {"d1": 1}}
    with pytest.raises(UnknownNameError, match="unknown run 'c'"):
        rs.overlap({"a": {"1": A}, "b": {"1": B}}, qrels, "AP", baseline="c")
    with pytest.raises(ParameterError, match="need an advanced run and, after it, its reproduction"):
        rs.overlap({"a": {"1": A}, "b": {"1": B}}, qrels, "AP", baseline="a")
    with pytest.raises(ParameterError, match="there is no pair b and a"):
        rs.overlap({"a": {"1": A}, "b": {"1": B}}).pair("b", "a")
