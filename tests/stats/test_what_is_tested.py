"""What is averaged is what is tested: laws over every measure of the register, by each verb that tests means.

A measure is none of the cases below by its name: its printed summary says which values are averaged. The values of
topics whose means reverse, and whose geometric means do not, would show any verb that tests others.
"""

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.data.arrays import Floats
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.register import names

# One topic far below, the others a little above: means and geometric means order the two runs differently.
FIRST = np.array([0.50, 0.48, 0.52, 0.47, 0.55, 0.51, 0.49, 0.53])
SECOND = np.array([0.60, 0.59, 0.61, 0.57, 0.66, 0.62, 0.60, 0.00])


def registered() -> Iterator[Measure]:
    """Every measure with its defaults, at depth 10 where it needs one; not those that are made of another measure."""
    for name in names():
        with contextlib.suppress(rs.errors.RankscaleError):
            measure = rs.parse(name)
            yield rs.parse(f"{name}@10") if measure.needs_depth else measure


MEASURES = [measure for measure in registered() if not measure.direction_note]


def summary(measure: Measure, values: Floats) -> float:
    """The one number of a run, as the command prints it."""
    return float(measure.summarise(values))


def averaged(measure: Measure) -> tuple[Floats, Floats]:
    """The values whose arithmetic mean is, or makes, the summary: found from the summary alone."""
    pair = np.array([0.25, 0.5])
    if math.isclose(summary(measure, pair), math.sqrt(pair[0] * pair[1])):
        first, second = (np.log(np.maximum(values, 1e-5)) for values in (FIRST, SECOND))
        return first, second
    assert summary(measure, pair) in {pair.mean(), pair.sum()}
    return FIRST, SECOND


def evaluation(measure: Measure) -> rs.Evaluation:
    runs = {"first": FIRST, "second": SECOND}
    values = {run: {str(t): {str(measure): float(one)} for t, one in enumerate(of)} for run, of in runs.items()}
    return rs.read_values(values, levels=[0, 1])


GEOMETRIC = [one for one in MEASURES if averaged(one)[0] is not FIRST]


def test_some_measures_average_other_values() -> None:
    assert len(GEOMETRIC) >= 2
    for measure in GEOMETRIC:
        assert summary(measure, FIRST) > summary(measure, SECOND)
        assert FIRST.mean() < SECOND.mean()


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_every_verb_tests_the_values_that_it_prints_the_mean_of(measure: Measure) -> None:
    made, (first, second) = evaluation(measure), averaged(measure)
    p = stats.ttest_rel(first, second).pvalue
    printed = {"first": summary(measure, FIRST), "second": summary(measure, SECOND)}

    comparison = rs.compare(made, correction="none")
    assert dict(zip(comparison.runs, comparison.means.tolist(), strict=True)) == printed
    assert comparison.p == pytest.approx([p], rel=1e-9)
    row: dict[str, Any] = dict(next(iter(comparison.table("pairs"))))
    if measure in GEOMETRIC:
        assert row["ratio"] == pytest.approx(printed[str(row["run"])] / printed[str(row["other"])], rel=1e-9)
        assert "difference" not in row
    else:
        assert abs(row["difference"]) == pytest.approx(abs(np.mean(FIRST - SECOND)), rel=1e-9)
    assert row["lower"] < row.get("ratio", row.get("difference")) < row["upper"]

    row = dict(next(iter(rs.diff(made, "first", "second").table("summary"))))
    word = "total" if measure.summary == "sum" else "mean"
    assert (row[f"baseline_{word}"], row[f"candidate_{word}"], row["p"]) == pytest.approx(
        (*printed.values(), p), rel=1e-9
    )

    decided = rs.gate(made, "5%").rows[0]
    if measure.summary != "sum":
        assert decided.means == pytest.approx(tuple(printed.values()), rel=1e-12)
    worse = 1.05 if measure.low_is_good else 0.95
    limit = first + math.log(worse) if first is not FIRST else worse * first
    direction = "less" if measure.low_is_good else "greater"
    assert decided.p.noninferior == pytest.approx(
        stats.ttest_rel(second, limit, alternative=direction).pvalue, rel=1e-9
    )


@pytest.mark.parametrize("measure", GEOMETRIC, ids=str)
@pytest.mark.parametrize("test", ["student", "signed rank", "bootstrap", "randomisation", "two-way"])
def test_every_test_takes_what_is_averaged(measure: Measure, test: str) -> None:
    runs = zip(("first", "second"), averaged(measure), strict=True)
    values = {run: {str(t): float(one) for t, one in enumerate(of)} for run, of in runs}
    there = rs.compare(rs.read_values(values, measure="logarithms"), test)
    assert rs.compare(evaluation(measure), test).results.p == pytest.approx(there.results.p, rel=1e-9)


def test_other_studies_take_what_is_averaged_too() -> None:
    """Topic groups print the p-value of logarithms, and the ratio of the printed summaries."""
    geometric = GEOMETRIC[0]
    first, second = averaged(geometric)
    p = stats.ttest_rel(first, second).pvalue
    made = evaluation(geometric)
    groups = rs.topic_groups(made, {str(t): "all" for t in range(len(FIRST))}, correction="none", family="group")
    (row,) = groups.table("pairs")
    assert row["p_uncorrected"] == pytest.approx(p, rel=1e-9)
    assert row["ratio"] == pytest.approx(summary(geometric, FIRST) / summary(geometric, SECOND), rel=1e-9)


def test_values_that_reproduce_others_have_the_mean_that_is_printed() -> None:
    """20 topics with one relevant document, the original always second, the other first on 16 and missing on 4."""
    qrels = {str(t): {"a": 1} for t in range(20)}
    base = {topic: {"b": 2.0, "a": 1.0} for topic in qrels}
    cand = {topic: {"a": 2.0} if int(topic) < 16 else {"b": 2.0} for topic in qrels}
    result = rs.overlap([("base", base), ("cand", cand)], qrels=qrels, measures=["GMAP"])
    (row,) = result.table("values")
    assert (row["original_mean"], row["reproduced_mean"]) == pytest.approx((0.5, 0.1), rel=1e-9)
    assert "GMAP is an ordinal measure, and a geometric mean needs a ratio scale" in result.sentence()
    assert "equal steps" not in result.sentence()
    logs = [np.log(0.5)] * 20, [0.0] * 16 + [np.log(1e-5)] * 4
    assert row["p"] == pytest.approx(stats.ttest_rel(*logs).pvalue, rel=1e-9)


def test_a_candidate_whose_geometric_mean_falls_does_not_pass() -> None:
    qrels = {str(t): {"a": 1} for t in range(20)}
    base = {topic: {"b": 2.0, "a": 1.0} for topic in qrels}
    cand = {topic: {"a": 2.0} if int(topic) < 16 else {"b": 2.0} for topic in qrels}
    made = rs.gate(rs.evaluate(qrels, {"base": base, "cand": cand}, "GMAP"), "5%")
    assert made.verdict == "inconclusive"
    assert made.rows[0].means == pytest.approx((0.5, 0.1), rel=1e-9)
    with pytest.raises(rs.errors.ParameterError, match="GMAP: geometric means are compared by their ratio"):
        rs.gate(made.evaluation, 0.01)
