"""Precision by recall as a figure: the data drawn, and the drawing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.figures.recall_precision import recall_precision_figure
from rankscale.sample import QRELS, RUNS


@pytest.fixture(scope="module")
def study() -> Any:
    return rs.recall_precision(QRELS, RUNS)


def test_what_is_drawn_are_the_means(study: Any) -> None:
    figure = recall_precision_figure(study)
    drawn = {(row["run"], row["threshold"], row["recall"]): row["precision"] for row in figure.data()["curves"]}
    assert len(drawn) == len(RUNS) * 3 * 11
    place = study.evaluation.runs.index("bm25")
    assert drawn["bm25", 2, 0.5] == study.precision[1, place, 5]
    panels: Any = figure.spec()["concat"]
    assert [panel["title"]["text"] for panel in panels] == [f"grade {grade} and higher" for grade in (1, 2, 3)]
    assert [panel["title"]["subtitle"] for panel in panels] == [f"in {n} of 50 topics" for n in (50, 50, 48)]


def test_the_best_runs_are_named(study: Any) -> None:
    best = np.argsort(-study.precision[0].mean(axis=-1))[:7]
    figure = recall_precision_figure(study)
    assert list(figure.named) == [study.evaluation.runs[place] for place in best]
    assert f"{figure.named[0]} {study.precision[2, best[0]].mean():.4f}" in figure.description
    assert recall_precision_figure(study, runs=["bm25", "ql"]).named == ("bm25", "ql")
    with pytest.raises(UnknownNameError, match="nobody"):
        recall_precision_figure(study, runs=["nobody"])


def test_one_threshold_is_in_the_title(study: Any) -> None:
    figure = recall_precision_figure(rs.recall_precision(QRELS, RUNS[:2], thresholds=[2]))
    assert "relevant from grade 2" in figure.title
    assert "grade" not in recall_precision_figure(study).title


def test_too_many_thresholds_are_refused() -> None:
    qrels = {"1": {f"d{grade}": grade for grade in range(14)}}
    with pytest.raises(ParameterError, match="room for 12 plots, and there are 13"):
        recall_precision_figure(rs.recall_precision(qrels, {"a": {"1": {"d1": 1.0}}}))


@pytest.mark.parametrize("thresholds", [None, [1]])
def test_is_drawn_without_overlap(thresholds: Any, check_drawing: Any) -> None:
    check_drawing(recall_precision_figure(rs.recall_precision(QRELS, RUNS, thresholds=thresholds)))


def test_the_command(tmp_path: Path) -> None:
    runs = [str(path) for path in RUNS[:2]]
    where = tmp_path / "precision.tsv"
    command = figure_command("recall-precision")
    done = CliRunner().invoke(command, [str(QRELS), *runs, "--thresholds", "1,3", "-o", str(where)])
    assert done.exit_code == 0, done.output
    head, *rows = where.read_text().splitlines()
    assert head.split("\t")[:4] == ["run", "threshold", "recall", "precision"]
    assert len(rows) >= 2 * 2 * 11
