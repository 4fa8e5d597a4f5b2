"""Runs above others as a heat map: the data drawn, the drawing and the command."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.partial_order import partial_order_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("partial-order")


@pytest.fixture(scope="module")
def study() -> rs.PartialOrder:
    return rs.partial_order(QRELS, RUNS[:8], depths=(1, 10, 20))


def test_cells_are_numbers_of_topics(study: rs.PartialOrder) -> None:
    figure = partial_order_figure(study)
    assert (figure.depth, figure.topics, len(figure.cells)) == (10, 50, 8 * 7)
    above = study.above(10).sum(axis=0)
    for row in figure.cells:
        i, j = study.runs.index(str(row["run"])), study.runs.index(str(row["other"]))
        assert (row["above"], row["below"]) == (above[i, j], above[j, i])
        assert row["share"] == above[i, j] / 50
        assert sum(int(row[name] or 0) for name in ("above", "below", "equal", "not_comparable")) == 50
        assert row["every"] == ("yes" if study.on_every_topic(10)[i, j] else "no")
    often = [above[study.runs.index(name)].sum() for name in figure.runs]
    assert often == sorted(often, reverse=True)
    assert f"{np.mean(study.comparable(10)):.0%} of the pairs" in figure.description


def test_any_depth_that_the_study_reaches(study: rs.PartialOrder) -> None:
    assert partial_order_figure(study, depth=3).depth == 3
    with pytest.raises(ParameterError, match="down to rank 20"):
        partial_order_figure(study, depth=21)


def test_is_drawn_without_overlap(study: rs.PartialOrder, check_drawing: Any) -> None:
    check_drawing(partial_order_figure(study))


@pytest.mark.slow
def test_many_runs_and_dots_are_drawn(check_drawing: Any) -> None:
    figure = partial_order_figure(rs.partial_order(QRELS, list(RUNS), depths=(1,)))
    assert any(row["every"] == "yes" for row in figure.cells)
    check_drawing(figure)


def test_the_command(tmp_path: Path) -> None:
    output, files = tmp_path / "above.tsv", [str(QRELS), *map(str, RUNS[:4])]
    made = CliRunner().invoke(command, [*files, "-o", str(output), "--depth", "5"])
    assert made.exit_code == 0, made.output
    assert len(output.read_text().splitlines()) == 1 + 4 * 3
    assert CliRunner().invoke(command, [*files, "-o", str(output), "--depth", "0"]).exit_code == 2
