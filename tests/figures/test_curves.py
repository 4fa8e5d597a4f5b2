"""Curves by rank as a figure: the data drawn, and the drawing."""

from typing import Any

import pytest

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.figures.base.look import Appearance
from rankscale.figures.curves import curves_figure
from rankscale.sample import QRELS, RUNS


@pytest.fixture(scope="module")
def curves() -> Any:
    return rs.curves(QRELS, RUNS, "nDCG", ideal=True, depth=100)


def test_what_is_drawn_are_the_mean_curves(curves: Any) -> None:
    drawn = {(row["run"], row["rank"]): row["value"] for row in curves_figure(curves).data()["curves"]}
    means = curves.mean()
    for run, rank in (("bm25", 1), ("bm25", 100)):
        assert drawn[run, rank] == means.by_topic(run)["all"][rank - 1]
    assert len(drawn) == 100 * len(RUNS)


@pytest.mark.parametrize(("measure", "drawn"), [("nDCG", ""), ("DCG(base=2)", "ideal")])
def test_the_ideal_is_drawn_where_it_is_not_1(measure: str, drawn: str) -> None:
    figure = curves_figure(rs.curves(QRELS, RUNS[:3], measure, ideal=True, depth=9))
    assert figure.ideal == drawn
    assert ("ideal" in figure.data()["curves"].columns["run"]) == bool(drawn)


def test_runs_without_a_name_are_counted(curves: Any) -> None:
    assert "17 other runs" in curves_figure(curves).svg()
    assert "other run" not in curves_figure(rs.curves(QRELS, RUNS[:3], "P", depth=9)).svg()


def test_the_axis_of_ranks_is_logarithmic_beyond_100_or_on_request(curves: Any) -> None:
    deep = rs.curves(QRELS, RUNS[:3], "P", depth=101)
    assert [curves_figure(one).logarithmic for one in (curves, deep)] == [False, True]
    assert curves_figure(curves, ranks="log").logarithmic
    assert not curves_figure(deep, ranks="linear").logarithmic
    with pytest.raises(ParameterError, match="'linear' or 'log', got 'square'"):
        curves_figure(curves, ranks="square")  # type: ignore[arg-type]


def test_on_a_page_lines_can_be_pointed_at(curves: Any) -> None:
    page: Any = curves_figure(curves).page_spec(Appearance())
    assert page["layer"][-1]["encoding"]["tooltip"] == {"field": "run"}


def test_the_best_runs_are_named(curves: Any) -> None:
    figure = curves_figure(curves)
    ends = {run: curve[-1] for run, curve in curves.mean().by_run("all").items()}
    assert list(figure.named) == sorted(ends.keys() - {"ideal"}, key=lambda run: -ends[run])[:7]
    assert "50 topics" in figure.title
    assert f"manual {ends['manual']:.4f}" in figure.description


def test_of_one_topic(curves: Any) -> None:
    topic = curves.topics[0]
    figure = curves_figure(curves, topic, runs=["bm25"])
    assert figure.named == ("bm25",)
    assert f"topic {topic}" in figure.title


def test_more_points_than_can_be_seen_are_thinned() -> None:
    curves = rs.curves(QRELS, RUNS, "P", depth=1000)
    ranks = sorted({int(row["rank"] or 0) for row in curves_figure(curves).data()["curves"]})
    assert ranks[0] == 1
    assert ranks[-1] == 1000
    assert len(ranks) * len(curves.runs) < 8000


def test_runs_that_are_not_there_are_refused(curves: Any) -> None:
    with pytest.raises(ParameterError, match="no curve of 'nobody'"):
        curves_figure(curves, runs=["nobody"])


def test_is_drawn_without_overlap(curves: Any, check_drawing: Any) -> None:
    check_drawing(curves_figure(curves))
    check_drawing(curves_figure(curves, ranks="log"))
    long = {f"{'a very ' * 9}long name {run}": {"1": {"a": run, "b": 2, "c": 1}} for run in range(9)}
    check_drawing(curves_figure(rs.curves({"1": {"a": 1, "b": 0}}, long, "DCG(base=2)", ideal=True, depth=200)))


def test_the_description_tells_of_the_named_lines() -> None:
    figure = curves_figure(rs.curves(QRELS, RUNS, "ASL", depth=100))
    description = figure.description
    assert all(f"{run} " in description for run in figure.named)
    assert "for 24 runs." in description
    assert "mean over 7 to 50 topics" in figure.title  # at rank 1 few rankings have anything relevant
    assert "for 24 runs and the ideal." in curves_figure(rs.curves(QRELS, RUNS, "P", depth=9, ideal=True)).description
