"""Medians and quantiles of an evaluation."""

import math

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.sample import QRELS, RUNS

TEN = (0.05, 0.1, 0.1, 0.2, 0.3, 0.4, 0.4, 0.6, 0.7, 1.0)


@pytest.fixture(scope="module")
def sample() -> rs.Evaluation:
    return rs.evaluate(QRELS, list(RUNS)[:4], ["RR@10", "AP", "P@10", "NumRelRet"], summary="median")


def test_medians_by_name(sample: rs.Evaluation) -> None:
    medians = sample.medians()
    for run in sample.runs:
        for measure in ("RR@10", "P@10"):
            values = sorted(sample.by_topic(run, measure).values())
            assert medians[run, measure] == (values[24], values[25])
    with pytest.raises(UnknownNameError):
        medians["none", "AP"]


def test_an_evaluation_shows_what_was_requested(sample: rs.Evaluation) -> None:
    assert sample.text() == sample.medians().text()
    assert sample.text() != sample.means().text()
    assert sample.text(table="means") == sample.means().text()
    assert sample.text(table="quantiles") == str(sample.quantiles())
    assert sample["AP"].summary == "median"
    assert sample.to_frame("medians").height == 16
    assert sample.to_frame("quantiles").height == 80


def test_counts_have_no_decimals(sample: rs.Evaluation) -> None:
    lower, upper = sample.medians()[sample.runs[0], "NumRelRet"]
    assert lower == upper
    assert f"  {lower:.0f} [" in sample["NumRelRet"].text()


def test_observed_quantiles(sample: rs.Evaluation) -> None:
    quantiles = sample.quantiles((0, 0.3, 1))
    values = sorted(sample.by_topic(sample.runs[1], "AP").values())
    assert quantiles[sample.runs[1], "AP"] == {0: values[0], 0.3: values[14], 1: values[-1]}


def test_interpolated_quantiles_are_for_interval_measures_only(sample: rs.Evaluation) -> None:
    interpolated = sample["P@10"].quantiles((0.1, 0.9), interpolated=True)
    values = np.array(list(sample.by_topic(sample.runs[0], "P@10").values()))
    assert list(interpolated[sample.runs[0], "P@10"].values()) == np.quantile(values, [0.1, 0.9]).tolist()
    with pytest.raises(ParameterError, match="ask for an interval scale, and RR@10, AP are ordinal"):
        sample.quantiles(interpolated=True)


def test_topics_that_do_not_count_are_left_out() -> None:
    qrels = {topic: {"a": 1} for topic in "123"}
    run = {"1": {"a": 1.0}, "2": {"b": 2.0, "a": 1.0}}
    zero, skip = (rs.evaluate(qrels, run, "RR", missing=rule) for rule in ("zero", "skip"))
    assert zero.medians()["run", "RR"] == (0.5, 0.5)
    assert skip.medians()["run", "RR"] == (0.5, 1.0)
    assert skip.medians().counted.tolist() == [[2]]


def test_nothing_to_sum_up() -> None:
    run = rs.evaluate({"1": {"a": 0}}, {"1": {"a": 1.0}}, "Twist")
    assert all(map(math.isnan, run.medians()["run", "Twist"]))
    assert run.medians().text().splitlines()[1].split() == ["run", "0", "-"]
    assert run.quantiles((0.5,)).text().splitlines()[1].split() == ["run", "Twist", "0", "-"]


def test_best_medians_are_bold() -> None:
    qrels = {topic: {"a": 1} for topic in "1234"}
    good, mixed, bad = (
        {topic: {"a": 1.0, "b": score} for topic, score in zip("1234", scores, strict=True)}
        for scores in ((0, 0, 0, 2), (0, 0, 2, 2), (2, 2, 2, 2))
    )
    latex = rs.evaluate(qrels, {"good": good, "mixed": mixed, "bad": bad}, "RR").medians().to_latex()
    assert latex.count("\\textbf") == 2  # that of mixed lies between 0.5 and 1: nothing is above it
    assert "\\textbf{0.5000 to 1.0000}" in latex


def test_confidence_is_checked(sample: rs.Evaluation) -> None:
    for refused in (sample.medians, sample.quantiles):
        with pytest.raises(ParameterError, match="is usual"):
            refused(confidence=95)


def test_arguments_of_another_type(sample: rs.Evaluation) -> None:
    with pytest.raises(ParameterError, match="confidence must be a number, got 'high'"):
        sample.medians("high")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="shares must be"):
        sample.quantiles(0.5)  # type: ignore[arg-type]


def test_a_share_beyond_1_is_refused(sample: rs.Evaluation) -> None:
    with pytest.raises(ParameterError, match="a quantile lies between 0 and 1, got 50"):
        sample.quantiles((50,))
