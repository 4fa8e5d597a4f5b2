"""Tau by judgments that are left as a figure: the data drawn, and the drawing."""

import json
import math
import statistics
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.figures.base.figure import Space
from rankscale.figures.base.labels import line_styles
from rankscale.figures.base.look import Appearance
from rankscale.figures.robustness import robustness_figure
from rankscale.sample import QRELS, RUNS
from rankscale.studies.robustness import robustness

command = figure_command("robustness")

MEASURES = ["AP", "nDCG@10", "Bpref", "RBP(p=0.8)", "Twist"]


@pytest.fixture(scope="module")
def collection() -> Any:
    qrels = rs.read_qrels(QRELS)
    return qrels, rs.read_runs(qrels, RUNS)


@pytest.fixture(scope="module")
def study(collection: Any) -> Any:
    return robustness(
        collection[0], collection[1], MEASURES, sizes=[10, 50, 90], iterations=3, power="bootstrap", samples=50
    )


def test_means_and_deviations_over_iterations_are_drawn(study: Any) -> None:
    drawn: Any = {(row["measure"], row["size"]): row for row in robustness_figure(study).data()["tau"]}
    each: dict[Any, list[Any]] = {}
    for row in study.table("iterations"):
        each.setdefault((row["measure"], float(row["size"])), []).append(row["tau"])
    for key, taus in each.items():
        mean, deviation = statistics.mean(taus), statistics.stdev(taus)
        assert math.isclose(drawn[key]["tau"], mean)
        assert math.isclose(drawn[key]["low"], mean - deviation, abs_tol=1e-12)
        assert math.isclose(drawn[key]["high"], mean + deviation)
    assert len(drawn) == len(each) + len(MEASURES)


def test_lines_start_with_all_judgments(study: Any) -> None:
    figure = robustness_figure(study)
    assert figure.sizes == (100, 90, 50, 10)
    for name, start in (("tau", [1.0] * len(MEASURES)), ("power", study.full_power.tolist())):
        assert [row[name] for row in figure.data()[name] if row["size"] == 100] == start


def test_all_judgments_are_not_drawn_twice(collection: Any) -> None:
    study = robustness(collection[0], collection[1], ["AP"], sizes=[100, 50], iterations=1)
    assert [(row["size"], row["tau"] == 1) for row in robustness_figure(study).data()["tau"]] == [
        (100, True),
        (50, False),
    ]


def test_the_least_robust_measure_is_told_last(study: Any) -> None:
    figure = robustness_figure(study)
    least = {row["measure"]: float(row["tau"] or 0) for row in study.table() if row["size"] == 10}
    worst = min(least, key=lambda name: least[name])
    assert f"{worst} {least[worst]:.4f}. Discriminative power" in figure.description


def test_plots_stand_under_each_other_in_a_column(study: Any) -> None:
    figure = robustness_figure(study)
    assert "hconcat" in figure.spec(Appearance())
    assert "vconcat" in figure.spec(Appearance(width=238))


def test_axes_hold_all_that_is_drawn_where_nothing_deviates(collection: Any) -> None:
    qrels, runs = collection
    study = robustness(qrels, runs[:6], ["P@100"], sampling="depth", sizes=[1])
    figure: Any = robustness_figure(study)
    (tau,) = figure.data()["tau"].columns["tau"]
    low, high = figure.spec()["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low < min(0.8, float(tau or 0))
    assert high == 1


def test_no_two_of_many_measures_look_alike() -> None:
    names = [f"measure {number}" for number in range(20)]
    styles: Any = line_styles("measure", names, Space(Appearance(), 400, 300))
    ranges = [map(str, styles[channel]["scale"]["range"]) for channel in ("color", "strokeDash", "shape")]
    assert len(set(zip(*ranges, strict=True))) == 20


def test_is_drawn_without_overlap(study: Any, check_drawing: Any) -> None:
    check_drawing(robustness_figure(study))


def test_depths_and_many_measures_with_long_names_too(collection: Any, check_drawing: Any) -> None:
    many = [f"RBP(p={0.5 + number / 1000}, rel=2)@{number + 10}" for number in range(9)]
    check_drawing(
        robustness_figure(robustness(collection[0], collection[1], many, sampling="depth", sizes=[100, 99, 50, 2, 1]))
    )


def test_command(tmp_path: Path) -> None:
    arguments = [str(QRELS), *map(str, RUNS[:5]), "-m", "AP", "--iterations", "2", "--sizes", "50"]
    made = tmp_path / "robustness.svg"
    ended = CliRunner().invoke(command, [*arguments, "-o", str(made)])
    assert ended.exit_code == 0, ended.output
    assert "judgments kept (%)" in made.read_text()
    assert CliRunner().invoke(command, [*arguments, "-o", str(made), "--power", "guess"]).exit_code == 2


def test_marks_stand_at_their_sizes() -> None:
    """No mark is moved aside: the axis is one of numbers."""
    figure = robustness_figure(rs.robustness(QRELS, RUNS[:4], ["RBP", "RBP(p=0.5)"], iterations=2, sizes=(10, 50)))
    assert "xOffset" not in json.dumps(figure.spec())
    assert figure.measures == ("RBP(p=0.8)", "RBP(p=0.5)")
