"""rs.compare with medians and quantiles: order of runs, dominance, verdicts and sentences."""

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError, UnknownNameError, on_command_line
from rankscale.evaluation.options import Summary
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.parser import parse
from rankscale.stats.comparison_tables import sentence as comparison_sentence
from rankscale.stats.verdicts import MEAN, MEDIAN, verdict

# Means .46, .45, .4; medians .3, .5, .4: high's mean owes much to one topic.
HIGH, STEADY, EVEN = [0.2, 0.3, 0.2, 0.3, 1.0, 0.3, 0.92], [0.5, 0.5, 0.5, 0.4, 0.4, 0.35, 0.5], [0.4] * 7


def evaluation(values: object, measure: str = "RR@10", names: str = "hse", summary: Summary = "mean") -> Evaluation:
    table: Floats = np.array(values, dtype=np.float64)
    runs, topics = table.shape
    return Evaluation(
        measures=(parse(measure),),
        runs=tuple(names[:runs]),
        topics=tuple(map(str, range(topics))),
        values=table[None],
        retrieved=np.ones(table.shape, dtype=bool),
        levels=(0.0, 1.0),
        summary=summary,
    )


def test_runs_are_in_the_order_of_their_medians() -> None:
    values = evaluation([HIGH, STEADY, EVEN])
    assert rs.compare(values).runs == ("h", "s", "e")
    by_median = rs.compare(values, summary="median")
    assert (by_median.runs, by_median.test.name) == (("s", "e", "h"), "sign")
    assert by_median.medians == ((0.5, 0.5), (0.4, 0.4), (0.3, 0.3))
    assert rs.compare(values, summary="quantiles").runs == ("s", "e", "h")


def test_the_lowest_median_is_best_where_low_is_good() -> None:
    assert rs.compare(evaluation([HIGH, STEADY, EVEN], "ESL"), summary="median").runs == ("h", "e", "s")


def test_the_summary_of_the_evaluation_is_used() -> None:
    values = evaluation([HIGH, STEADY, EVEN], summary="median")
    assert rs.compare(values).summarised_by == "median"
    assert rs.compare(values, summary="mean").test.name == "student"
    assert values.sorted_by("RR@10").runs == ("s", "e", "h")


def test_dominance_between_two_runs() -> None:
    comparison = rs.compare(evaluation([HIGH, STEADY, EVEN]))
    result = comparison.dominance("s", "e")
    assert result.kind == "cross"
    assert [(one.above, one.text) for one in result.pieces] == [
        ("second", "(0, 1/7]"),
        ("equal", "(1/7, 3/7]"),
        ("first", "(3/7, 1]"),
    ]
    assert comparison.dominances == ("cross", "cross", "cross")
    with pytest.raises(UnknownNameError, match="the evaluation has h, s, e"):
        comparison.dominance("s", "x")


def test_a_comparison_of_means_says_where_medians_and_quantiles_disagree() -> None:
    comparison = rs.compare(evaluation([HIGH, STEADY, EVEN]))
    sentence = comparison.sentence()
    assert "Medians need only the order of values: summary='median'." in sentence
    assert "The quantiles of 3 of 3 pairs cross: some map that keeps the order of values reverses" in sentence
    assert "--summary median" in comparison_sentence(comparison, on_command_line)
    of_interval_scale = rs.compare(evaluation([HIGH, STEADY, EVEN], "P@10")).sentence()
    assert "edians" not in of_interval_scale
    assert "cross" not in of_interval_scale


def test_means_beside_a_test_of_ranks_come_with_their_own_caution() -> None:
    sentence = rs.compare(evaluation([HIGH, STEADY, EVEN]), "sign").sentence()
    caution = "Caution: RR@10 is an ordinal measure, so its mean assumes equal steps. Medians need only the order"
    assert f"Meaningful: the sign test uses only the order of values. {caution}" in sentence


def test_crossing_means_that_a_map_reverses_the_means() -> None:
    values = np.array([HIGH, STEADY])
    assert rs.compare(evaluation(values)).runs == ("h", "s")
    assert rs.compare(evaluation(np.sqrt(values))).runs == ("s", "h")
    assert rs.compare(evaluation(values), summary="median").runs == ("s", "h")
    assert rs.compare(evaluation(np.sqrt(values)), summary="median").runs == ("s", "h")


def test_verdicts_name_the_way_out() -> None:
    assert verdict(parse("RR@10"), MEAN, (0, 1)).way_out() == "medians need only the order of values: summary='median'"
    assert verdict(parse("RR@10"), MEDIAN, (0, 1)).way_out() == ""
    assert verdict(parse("P@10"), MEAN, (0, 1)).way_out() == ""


def test_medians_of_topics_with_scales_of_their_own_are_a_surrogate() -> None:
    sentence = rs.compare(evaluation([HIGH, STEADY, EVEN], "AP"), summary="median").sentence()
    assert "Caution: each topic has its own scale of AP, and the median mixes them." in sentence
    assert "Caution" not in rs.compare(evaluation([HIGH, STEADY, EVEN]), summary="median").sentence()


def test_undefined_values_are_left_out() -> None:
    gaps = evaluation([[*HIGH, np.nan], [*STEADY, 0.9], [*EVEN, 0.9]])
    comparison = rs.compare(gaps, summary="median")
    assert dict(zip(comparison.runs, comparison.medians, strict=True))["h"] == (0.3, 0.3)
    assert dict(zip(comparison.runs, comparison.medians, strict=True))["s"] == (0.5, 0.5)
    row = next(row for row in comparison.rows() if {row["run"], row["other"]} == {"h", "s"})
    assert (row["median_lower"], row["other_median_lower"], row["medians"]) == (0.5, 0.3, "above")


def test_tables() -> None:
    comparison = rs.compare(evaluation([HIGH, STEADY, EVEN]), summary="median")
    assert comparison.table("runs").columns["RR@10"] == [0.5, 0.4, 0.3]
    assert "0.3000 [0.2000, 1.0000]" in comparison.text()
    assert "7 topics: coverage 0.9844" in comparison.text()
    quantiles = rs.compare(evaluation([HIGH, STEADY, EVEN]), summary="quantiles").table("runs")
    assert quantiles.columns["RR@10 0.9"] == [0.5, 0.4, 1.0]
    against = rs.compare(evaluation([HIGH, STEADY, EVEN]), summary="median", baseline="e").table("runs")
    assert list(against.columns) == ["run", "RR@10", "difference", "p", "family", "mark"]


def test_an_unknown_summary() -> None:
    with pytest.raises(ParameterError, match="summary must be 'mean', 'median' or 'quantiles', got 'mode'"):
        rs.compare(evaluation([HIGH, STEADY]), summary="mode")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="summary must be"):
        rs.evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, "AP", summary="mode")  # type: ignore[arg-type]


def test_identical_runs_are_equal_at_every_quantile() -> None:
    comparison = rs.compare(evaluation([HIGH, HIGH]), summary="median")
    assert comparison.dominances == ("equal",)
    assert "In 1 one run is at least as high at every quantile." in comparison.sentence()
