"""Indicators of CRP by topic as a figure: the data drawn, and the drawing."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import InputError, ParameterError
from rankscale.figures.indicators import IndicatorsFigure, indicators_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("indicators")

BM25 = next(path for path in RUNS if path.name.startswith("bm25."))


@pytest.fixture(scope="module")
def figure() -> IndicatorsFigure:
    return indicators_figure(QRELS, BM25)


def test_what_is_drawn_are_the_values_of_the_topics(figure: IndicatorsFigure) -> None:
    names = ["rho_w", "rho", "b_ratio", "CRP_min", "CRP_N"]
    values = rs.evaluate(QRELS, [BM25], ["NumRel", *names]).to_dict()["bm25"]
    highest = max(of["NumRel"] for of in values.values())
    rows = list(figure.data()["topics"])
    assert len(rows) == 50
    for row in rows:
        of = values[str(row["topic"])]
        assert row["R"] == of["NumRel"]
        assert row["R_share"] == of["NumRel"] / highest
        assert [row[name] for name in names] == [of[name] for name in names]


def test_topics_go_by_their_recall_base(figure: IndicatorsFigure) -> None:
    bases = [int(base or 0) for base in figure.data()["topics"].columns["R"]]
    assert bases == sorted(bases)
    assert "R from 3 to 123" in figure.description


def test_every_topic_has_a_corner_on_every_axis(figure: IndicatorsFigure) -> None:
    drawn = {(row["topic"], row["axis"]): row["value"] for row in figure.data()["lines"]}
    assert len(drawn) == 50 * 6
    for row in figure.data()["topics"]:
        assert drawn[row["topic"], "rho"] == row["rho"]
        assert drawn[row["topic"], "R / max R"] == row["R_share"]


def test_the_best_and_the_worst_topic_are_named(figure: IndicatorsFigure) -> None:
    rho = dict(zip(figure.topics.columns["topic"], figure.topics.columns["rho"], strict=True))
    best, worst = figure.named
    assert rho[best] == max(float(value or 0) for value in rho.values())
    assert rho[worst] == min(float(value or 0) for value in rho.values())
    assert indicators_figure(QRELS, BM25, named=["103", "101"]).named == ("103", "101")


def test_what_is_undefined_has_no_corner() -> None:
    # One grade, and N = 2 RB: the full scale ends at 0.
    figure = indicators_figure({"1": {"a": 1, "b": 0}, "2": {"b": 0}}, {"1": {"a": 2.0, "b": 1.0}}, depth=2)
    assert [row["topic"] for row in figure.data()["topics"]] == ["1"]
    assert "CRP_N" not in figure.data()["lines"].columns["axis"]


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InputError, match="unknown topic 'none'"):
        indicators_figure(QRELS, BM25, named=["none"])
    with pytest.raises(ParameterError, match="at most 7"):
        indicators_figure(QRELS, BM25, named=[str(topic) for topic in range(101, 109)])
    with pytest.raises(ParameterError, match="one run, got 2"):
        indicators_figure(QRELS, RUNS[:2])
    with pytest.raises(ParameterError, match="no topic"):
        indicators_figure({"1": {"a": 0}}, {"1": {"a": 2.0}})


def test_is_drawn_without_overlap(figure: IndicatorsFigure, check_drawing: Any) -> None:
    check_drawing(figure)


def test_long_names_and_one_topic_are_drawn_without_overlap(check_drawing: Any) -> None:
    topics = [f"{'a very long name of a topic' * 3} {number}" for number in range(7)]
    ranking = {"a": 3.0, "b": 2.0, "c": 1.0}
    run, qrels = dict.fromkeys(topics, ranking), {topic: {"a": 1, "c": 2} for topic in topics}
    check_drawing(indicators_figure(qrels, {"long name" * 30: run}, named=topics))
    check_drawing(indicators_figure({"1": {"c": 1}}, {"1": ranking}))


def test_the_command(tmp_path: Path) -> None:
    arguments = [str(QRELS), str(BM25), "-o", str(tmp_path / "indicators.html")]
    done = CliRunner().invoke(command, [*arguments, "--topic", "103"])
    assert done.exit_code == 0, done.output
    assert "CRP indicators of bm25" in (tmp_path / "indicators.html").read_text()
    assert CliRunner().invoke(command, [*arguments, "--gains", "exp"]).exit_code == 2
