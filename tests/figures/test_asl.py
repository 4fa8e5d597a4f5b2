"""Achieved significance levels as a figure: the data drawn, and the drawing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.figures.asl import asl_figure
from rankscale.figures.base.look import Appearance
from rankscale.sample import QRELS, RUNS
from rankscale.studies.discriminate import discriminate

command = figure_command("asl")

MEASURES = ["RR", "AP", "nDCG@10", "Bpref", "RBP(p=0.8)", "Twist", "P@10", "nDCG"]


@pytest.fixture(scope="module")
def study() -> Any:
    return discriminate(rs.evaluate(QRELS, RUNS, MEASURES))


def test_lines_go_through_the_levels_of_all_pairs(study: Any) -> None:
    """What was left out between two points lies on the line between them, or far above alpha."""
    drawn: dict[Any, list[Any]] = {}
    for row in asl_figure(study).data()["curves"]:
        drawn.setdefault(row["measure"], []).append((row["place"], row["ASL"]))
    assert set(drawn) == set(map(str, study.evaluation.measures))
    for row in study.table("curve"):
        places, levels = zip(*drawn[row["measure"]], strict=True)
        if row["place"] >= places[0]:
            assert np.isclose(np.interp(row["place"], places, levels), row["ASL"], atol=1e-12)
        else:
            assert float(row["ASL"] or 0) > 0.15


def test_table_tells_power_and_delta_the_highest_power_first(study: Any) -> None:
    figure = asl_figure(study)
    by_measure = {row["measure"]: row for row in figure.data()["measures"]}
    for row in study.table():
        assert {name: row[name] for name in by_measure[row["measure"]]} == by_measure[row["measure"]]
        levels = [pair["ASL"] for pair in study.table("pairs") if pair["measure"] == row["measure"]]
        assert by_measure[row["measure"]]["DP"] == sum(float(level or 0) < 0.05 for level in levels) / 276
    powers = [float(power or 0) for power in figure.data()["measures"].columns["DP"]]
    assert powers == sorted(powers, reverse=True)
    assert figure.order == tuple(map(str, study.evaluation.measures))
    assert f"AP tells {by_measure['AP']['DP']:.2%} apart, delta {by_measure['AP']['delta']:.4f}" in figure.description


def test_thousands_of_pairs_are_thinned() -> None:
    qrels = {str(topic): {f"d{number}": number % 2 for number in range(30)} for topic in range(40)}
    random = np.random.default_rng(7)
    runs = {
        f"run {name}": {topic: {f"d{number}": float(random.random()) for number in range(30)} for topic in qrels}
        for name in range(60)
    }
    study = discriminate(rs.evaluate(qrels, runs, ["AP", "RR"]), samples=9000, alpha=0.3)
    curves = asl_figure(study).data()["curves"]
    assert len(study.runs_compared) == 1770
    assert len(curves) <= 6000
    assert curves.columns["place"][-1] == 1770


def test_table_stands_under_the_plot_in_a_column(study: Any) -> None:
    figure = asl_figure(study)
    assert "hconcat" in figure.spec(Appearance())
    assert "vconcat" in figure.spec(Appearance(width=238))


def test_is_drawn_without_overlap(study: Any, check_drawing: Any) -> None:
    check_drawing(asl_figure(study))


def test_two_runs_and_long_names_too(check_drawing: Any) -> None:
    many = [f"RBP(p={0.5 + number / 1000}, rel=2)@{number + 10}" for number in range(9)]
    study = discriminate(rs.evaluate(QRELS, RUNS[:2], [*many, "AP"]), "randomised tukey", alpha=0.4)
    check_drawing(asl_figure(study))


def test_command(tmp_path: Path) -> None:
    arguments = [str(QRELS), *map(str, RUNS[:5]), "-m", "AP", "-m", "P@10"]
    made = tmp_path / "asl.svg"
    ended = CliRunner().invoke(command, [*arguments, "-o", str(made)])
    assert ended.exit_code == 0, ended.output
    assert "alpha = 0.05" in made.read_text()
    assert CliRunner().invoke(command, [*arguments, "-o", str(made), "--alpha", "2"]).exit_code == 2
