"""Curves by rank as a figure: the data drawn, and the drawing."""

from typing import Any

import pytest

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.figures.curves import curves_figure
from rankscale.sample import QRELS, RUNS


@pytest.fixture(scope="module")
def curves() -> Any:
    return rs.curves(QRELS, RUNS, "nDCG", ideal=True, depth=100)


def test_what_is_drawn_are_the_mean_curves(curves: Any) -> None:
    drawn = {(row["run"], row["rank"]): row["value"] for row in curves_figure(curves).data()["curves"]}
    means = curves.mean()
    for run, rank in (("bm25", 1), ("bm25", 100), ("ideal", 10)):
        assert drawn[run, rank] == means.by_topic(run)["all"][rank - 1]
    assert len(drawn) == 100 * len(curves.runs)


def test_the_best_runs_are_named_and_the_ideal(curves: Any) -> None:
    figure = curves_figure(curves)
    ends = {run: curve[-1] for run, curve in curves.mean().by_run("all").items()}
    assert list(figure.named) == sorted(ends.keys() - {"ideal"}, key=lambda run: -ends[run])[:6]
    assert figure.ideal == "ideal"
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


def test_the_description_tells_of_the_named_lines() -> None:
    figure = curves_figure(rs.curves(QRELS, RUNS, "ASL", depth=100))
    description = figure.description
    assert all(f"{run} " in description for run in figure.named)
    assert "for 24 runs." in description
    assert "mean over 7 to 50 topics" in figure.title  # at rank 1 few rankings have anything relevant
    assert "for 24 runs and the ideal." in curves_figure(rs.curves(QRELS, RUNS, "P", depth=9, ideal=True)).description
