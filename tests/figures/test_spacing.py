"""Order and spacing of rankings as a figure: the data drawn against SPEC 7, and the drawing."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Space
from rankscale.figures.base.look import Appearance
from rankscale.figures.spacing import MEASURES, SpacingFigure, spacing_figure

command = figure_command("spacing")


@pytest.fixture(scope="module")
def figure() -> SpacingFigure:
    return spacing_figure([rs.scale(f"{name}@4") for name in MEASURES])


def rows_of(figure: SpacingFigure, measure: str) -> list[dict[str, Any]]:
    return [row for row in figure.data()["values"] if row["measure"] == measure]


def test_ranks_are_those_of_the_paper(figure: SpacingFigure) -> None:
    ranks = {name: row["rank"] for row in rows_of(figure, "DCG(base=2)@4") for name in row["rankings"].split()}
    assert len(ranks) == 16
    expected = {"1111": 12, "1110": 11, "1101": 10, "1011": 9, "0111": 9, "1001": 6, "0011": 5, "0001": 2, "0000": 1}
    assert {name: ranks[name] for name in expected} == expected


def test_values_are_those_of_the_paper(figure: SpacingFigure) -> None:
    values = {name: row["value"] for row in rows_of(figure, "DCG(base=2)@4") for name in row["rankings"].split()}
    assert (values["0011"], values["1001"]) == pytest.approx((1.131, 1.5), abs=5e-4)


def test_only_precision_and_rbp_with_one_half_are_equally_spaced(figure: SpacingFigure) -> None:
    even = [row["measure"] for row in figure.data()["measures"] if float(row["ratio"] or 0) < 1 + 1e-9]
    assert even == ["P@4", "RBP(p=0.5)@4"]
    for row in figure.data()["values"]:
        assert (row["measure"] in even) <= (row["value"] == pytest.approx(row["even"])), row
    assert "AP@4 has 15 values, the largest gap 12 times the smallest" in figure.description


def test_every_ranking_is_drawn_once_for_each_measure(figure: SpacingFigure) -> None:
    for measure in {str(row["measure"]) for row in figure.data()["values"]}:
        names = [name for row in rows_of(figure, measure) for name in row["rankings"].split()]
        assert sorted(names) == [f"{number:04b}" for number in range(16)]


def test_labels_are_thinned_where_height_is_asked_for(figure: SpacingFigure) -> None:
    look = Appearance(height=200)
    panels: Any = figure.draw(Space(look, 400, 200))["concat"]
    labels = panels[4]["layer"][-1]["data"]["values"]
    assert len(labels) < 16
    assert labels[0]["lines"] == ["0000"]
    assert labels[-1]["lines"] == ["1111"]


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ParameterError, match="of one length"):
        spacing_figure([rs.scale("P@4"), rs.scale("P@5")])
    with pytest.raises(ParameterError, match="1024 rankings"):
        spacing_figure([rs.scale("P@10")])
    with pytest.raises(ParameterError, match="over all rankings"):
        spacing_figure([rs.scale("Twist@4", counts=(0, 2))])


def test_is_drawn_without_overlap(figure: SpacingFigure, check_drawing: Any) -> None:
    check_drawing(figure)
    check_drawing(spacing_figure([rs.scale(f"{name}@3", levels=(0, 1, 2, 3)) for name in ("nDCG", "ERR", "P(rel=3)")]))
    check_drawing(spacing_figure([rs.scale("DCG(base=2,gains=[0,1,10])@2", levels=(0, 1, 2))]))


def test_the_command(tmp_path: Path) -> None:
    output = tmp_path / "spacing.tsv"
    made = CliRunner().invoke(command, ["-o", str(output), "-m", "AP", "-m", "RR", "-n", "3"])
    assert made.exit_code == 0, made.output
    assert len(output.read_text().splitlines()) == 1 + rs.scale("AP@3").size + rs.scale("RR@3").size
    assert CliRunner().invoke(command, ["-o", str(tmp_path / "spacing.svg")]).exit_code == 0
    assert CliRunner().invoke(command, ["-o", str(output), "-n", "0"]).exit_code == 2
    assert isinstance(CliRunner().invoke(command, ["-o", str(output), "-n", "12"]).exception, ParameterError)


def test_measures_show_the_parameters_that_others_vary() -> None:
    figure = spacing_figure(["RBP@4", "RBP(p=0.5)@4"])
    assert list(figure.measures.columns["measure"]) == ["RBP(p=0.8)@4", "RBP(p=0.5)@4"]
    assert set(figure.values.columns["measure"]) == set(figure.measures.columns["measure"])
