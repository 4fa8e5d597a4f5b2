"""Means of runs as points with quartiles: the data drawn, the drawing and the command."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.figures.means import SPREAD, means_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("means")

MEASURES = ["AP", "P@10", "nDCG@10", "RBP(p=0.8)", "RR", "Twist"]


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return rs.evaluate(QRELS, RUNS, MEASURES)


def test_points_are_the_means(evaluation: Any) -> None:
    rows: list[Any] = list(means_figure(evaluation).data()["runs"])
    assert len(rows) == 24 * len(MEASURES)
    for row in rows:
        assert row["value"] == evaluation.means()[row["run"], row["measure"]]
        assert abs(row["aside"]) <= SPREAD


def test_ticks_are_quartiles(evaluation: Any) -> None:
    figure: Any = means_figure(evaluation)
    for row, values in zip(figure.data()["quartiles"], evaluation.means().values, strict=True):
        assert [row["q1"], row["median"], row["q3"]] == np.quantile(values, [0.25, 0.5, 0.75]).tolist()
        assert row["best"] == evaluation.runs[int(values.argmax())]
        assert row["worst_value"] == values.min()


def test_where_low_is_good_the_best_is_the_lowest() -> None:
    qrels = {"1": {"a": 1}}
    runs = {"late": {"1": {"x": 2.0, "a": 1.0}}, "early": {"1": {"a": 2.0, "x": 1.0}}}
    figure: Any = means_figure(rs.evaluate(qrels, runs, "ASL"))
    (row,) = figure.quartiles
    assert (row["best"], row["worst"]) == ("early", "late")
    assert row["best_value"] < row["worst_value"]


def test_measures_that_do_not_lie_between_0_and_1_have_axes_of_their_own(check_drawing: Any) -> None:
    figure = means_figure(rs.evaluate(QRELS, RUNS, ["AP", "DCG", "GMAP", "Twist", "NumRet", "CRP"]))
    plots: Any = figure.spec()["vconcat"]
    axes = [(plot["encoding"]["y"]["scale"]["domain"], plot["encoding"]["x"]["title"]) for plot in plots]
    assert axes == [
        (["AP", "Twist"], None),
        (["DCG"], "mean over topics"),
        (["GMAP"], "geometric mean over topics"),
        (["NumRet"], "total over topics"),
        (["CRP"], "mean over topics"),
    ]
    for (measures, _), plot in zip(axes, plots, strict=True):
        low, high = plot["encoding"]["x"]["scale"]["domain"]
        values = [float(row["value"] or 0) for row in figure.runs if row["measure"] in measures]
        assert low <= min(values)
        assert max(values) <= high
    check_drawing(figure)


def test_the_same_figure_twice(evaluation: Any) -> None:
    assert means_figure(evaluation).runs == means_figure(evaluation).runs


def test_nothing_defined_is_refused() -> None:
    nothing = rs.evaluate({"1": {"y": 0}}, {"a": {"1": {"x": 1.0}}}, "Twist")
    assert np.isnan(nothing.means().values).all()
    with pytest.raises(ParameterError, match="nothing to draw"):
        means_figure(nothing)


def test_is_drawn_without_overlap(evaluation: Any, check_drawing: Any) -> None:
    check_drawing(means_figure(evaluation))


def test_long_names_equal_means_and_one_run_are_drawn(check_drawing: Any) -> None:
    qrels = {"1": {"a": 1}}
    one = {"1": {"a": 1.0}}
    long = "<i>" + "a very long name of a run " * 4
    measures = ["AP", "nDCG(base=10,gains=[0,5,10,15])", "P@10"]
    assert means_figure(rs.evaluate(qrels, {long: one}, measures)).svg()
    check_drawing(means_figure(rs.evaluate(qrels, {f"{long}{number}": one for number in range(9)}, measures)))


def test_the_command(tmp_path: Path) -> None:
    output = tmp_path / "means.csv"
    files = [str(QRELS), *map(str, RUNS[:3])]
    made = CliRunner().invoke(command, [*files, "-o", str(output), "-m", "AP", "-m", "RR"])
    assert made.exit_code == 0, made.output
    assert len(output.read_text().splitlines()) == 1 + 3 * 2
    assert CliRunner().invoke(command, [*files, "-o", str(tmp_path / "means.pdf")]).exit_code == 0
    assert CliRunner().invoke(command, [*files, "-o", str(output), "--theme", "pink"]).exit_code == 2
    assert CliRunner().invoke(command, [*files, "-o", str(tmp_path / "m.svg"), "--run", "bm25-bo1"]).exit_code == 0


def test_runs_without_a_finite_mean_are_left_out() -> None:
    topics = {"1": {"a": 1, "b": 1}}
    runs = {"finite": {"1": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}, "infinite": {"1": {"x": 3.0}}}
    figure: Any = means_figure(rs.evaluate(topics, runs, "balance"))
    assert [row["run"] for row in figure.data()["runs"]] == ["finite"]
    assert "(1 without a finite mean left out)" in figure.description
    with pytest.raises(ParameterError, match="defined and finite"):
        means_figure(rs.evaluate(topics, {"infinite": runs["infinite"]}, "balance"))


def test_the_means_of_named_runs_are_joined(evaluation: Any, check_drawing: Any) -> None:
    figure: Any = means_figure(evaluation, runs=["bm25", "manual"])
    assert figure.named == ("bm25", "manual")
    assert "Joined are the means of bm25, manual." in figure.description
    lines = [layer for layer in figure.spec()["layer"] if layer["mark"]["type"] == "line"]
    assert [layer["transform"][1] for layer in lines] == [{"filter": {"field": "run", "oneOf": ["bm25", "manual"]}}]
    check_drawing(figure)
    with pytest.raises(UnknownNameError, match="nobody"):
        means_figure(evaluation, runs=["nobody"])
    with pytest.raises(ParameterError, match="at most 7 runs"):
        means_figure(evaluation, runs=list(evaluation.runs[:8]))


def test_measures_show_the_parameters_that_others_vary() -> None:
    figure = means_figure(rs.evaluate(QRELS, RUNS[:3], ["RBP", "RBP(p=0.5)"]))
    assert figure.measures == ("RBP(p=0.8)", "RBP(p=0.5)")
    assert set(figure.runs.columns["measure"]) == set(figure.measures)


def test_without_a_direction_nothing_is_best() -> None:
    description = means_figure(rs.evaluate(QRELS, RUNS[:4], ["CRP", "AP"])).description
    assert re.search(
        r"CRP, mean over topics: .* highest .*, lowest .*; AP, mean over topics: .* best .*, worst ", description
    )
