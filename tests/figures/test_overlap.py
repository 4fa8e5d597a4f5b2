"""Overlap of runs as a heat map: the data drawn, the drawing and the command."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.base.look import CROSS
from rankscale.figures.overlap import overlap_figure
from rankscale.sample import RUNS

command = figure_command("overlap")
SOME = [str(path) for path in RUNS[:5]]


@pytest.fixture(scope="module")
def study() -> Any:
    return rs.overlap(SOME, depth=10, draws=50)


def test_cells_are_means_of_pairs(study: Any) -> None:
    figure: Any = overlap_figure(study, show="jaccard")
    cells = {(row["first"], row["second"]): row["value"] for row in figure.data()["cells"]}
    assert len(cells) == 5 * 4  # without the diagonal
    for row in study.table("pairs"):
        assert cells[row["first"], row["second"]] == cells[row["second"], row["first"]] == row["jaccard"]


def test_half_is_drawn_where_the_order_of_runs_matters(study: Any) -> None:
    assert len(overlap_figure(study, show="tau_ap").cells) == len(overlap_figure(study, show="KTU").cells) == 10


def test_the_description_tells_the_ends(study: Any) -> None:
    figure: Any = rs.figure("overlap", study)
    values = [row["RBO"] for row in study.table("pairs")]
    assert f"{max(values):.4f}" in figure.description
    assert f"{min(values):.4f}" in figure.description
    assert figure.title == "Rank-biased overlap (RBO), 5 runs to depth 10, mean over topics"


def test_is_drawn_without_overlap(study: Any, check_drawing: Any) -> None:
    check_drawing(overlap_figure(study))


def test_many_runs_and_negative_values_are_drawn(check_drawing: Any) -> None:
    many = rs.overlap([str(path) for path in RUNS], depth=3, coefficients="tau_union", draws=2)
    figure: Any = overlap_figure(many, show="tau_union")
    assert any(row["value"] < 0 for row in figure.cells)
    check_drawing(figure)


def test_what_is_undefined_is_crossed_out() -> None:
    runs = {"a": {"1": ["x"]}, "b": {"1": ["y"], "2": ["x"]}, "c": {"2": ["y"]}}
    figure: Any = overlap_figure(rs.overlap(runs), show="overlap")
    assert [layer for layer in figure.spec()["layer"] if layer["mark"].get("shape") == CROSS]
    assert "a" in figure.svg()


def test_a_coefficient_that_the_study_lacks_is_refused() -> None:
    with pytest.raises(ParameterError, match="which has tau; got 'RBO'"):
        overlap_figure(rs.overlap(SOME, depth=5, coefficients="tau", draws=2))


def test_the_command(tmp_path: Path) -> None:
    output = tmp_path / "overlap.tsv"
    made = CliRunner().invoke(command, [*SOME[:3], "-o", str(output), "--show", "overlap", "--depth", "5"])
    assert made.exit_code == 0, made.output
    assert len(output.read_text().splitlines()) == 1 + 6
