"""Correlations of measures as a heat map: the data drawn, the drawing and the command."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.figures.base.look import CROSS, Appearance, inks_on, lightness
from rankscale.figures.correlate import correlate_figure
from rankscale.measures.base.parser import parse_all
from rankscale.sample import QRELS, RUNS
from rankscale.studies.correlate import correlate, with_interval_versions

command = figure_command("correlate")

MEASURES = ["AP", "P@10", "nDCG@10", "RBP(p=0.8)", "RR", "Twist"]


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return rs.evaluate(QRELS, RUNS, MEASURES)


@pytest.fixture(scope="module")
def with_versions() -> Any:
    measures = with_interval_versions(parse_all(["P@5", "AP@5", "RR@5"]))
    return correlate(rs.evaluate(QRELS, RUNS, measures), samples=0, by_topic=False)


def test_cells_are_taus_of_means(evaluation: Any) -> None:
    figure: Any = correlate_figure(correlate(evaluation, samples=0, by_topic=False))
    cells = {(row["measure"], row["other"]): row for row in figure.data()["cells"]}
    assert len(cells) == 6 * 5 / 2  # below the diagonal
    assert all(figure.measures.index(one) > figure.measures.index(other) for one, other in cells)
    means = dict(zip(map(str, evaluation.measures), evaluation.means().values, strict=True))
    for (one, other), row in cells.items():
        assert row["value"] == pytest.approx(kendalltau(means[one].round(8), means[other].round(8)).statistic)
        expected = "equivalent" if row["value"] > 0.9 else "similar" if row["value"] >= 0.8 else "different"
        assert row["reading"] == expected


def test_interval_versions_stand_above_the_diagonal(with_versions: Any) -> None:
    figure: Any = correlate_figure(with_versions)
    assert sorted(figure.measures) == ["AP@5", "P@5", "RR@5"]
    matrix = {row["measure"]: row for row in with_versions.table("matrix")}
    place = {name: at for at, name in enumerate(figure.measures)}
    for row in figure.data()["cells"]:
        one, other = str(row["measure"]), str(row["other"])
        above, below = place[one] < place[other], place[one] > place[other]
        assert row["of"] == (
            "interval versions" if above else "measures" if below else "a measure and its interval version"
        )
        versions = {name: f"Interval({name})" for name in place}
        i, j = (versions[one] if above else one), (other if below else versions[other])
        assert row["value"] == pytest.approx(matrix[i][j])


def test_measures_that_agree_stand_side_by_side(evaluation: Any) -> None:
    """No other order of the tree of measures brings neighbours closer, and every measure is there once."""
    figure: Any = correlate_figure(correlate(evaluation, samples=0, by_topic=False))
    tau = {frozenset((row["measure"], row["other"])): row["value"] for row in figure.cells}

    def agreed(order: Any) -> float:
        return float(sum(tau[frozenset(pair)] for pair in pairwise(order)))

    assert sorted(figure.measures) == sorted(map(str, evaluation.measures))
    assert agreed(figure.measures) > agreed(map(str, evaluation.measures))
    closest = max(tau, key=lambda pair: tau[pair])
    assert closest in [frozenset(pair) for pair in pairwise(figure.measures)]


def test_measures_show_the_parameters_that_others_vary() -> None:
    figure = correlate_figure(correlate(rs.evaluate(QRELS, RUNS[:4], ["RBP", "RBP(p=0.5)", "AP"]), samples=0))
    assert sorted(figure.measures) == ["AP", "RBP(p=0.5)", "RBP(p=0.8)"]


def test_without_symmetry_the_whole_matrix_is_drawn(evaluation: Any) -> None:
    figure: Any = correlate_figure(correlate(evaluation, "tau_ap", samples=0, by_topic=False))
    cells = {(row["measure"], row["other"]): row for row in figure.cells}
    assert cells["AP", "RR"]["value"] != cells["RR", "AP"]["value"]
    assert {row["reading"] for row in figure.cells} == {""}
    assert "the row taken as the truth" in figure.title


def test_the_description_tells_the_ends(evaluation: Any) -> None:
    figure: Any = correlate_figure(correlate(evaluation, samples=0, by_topic=False))
    assert f"{max(row['value'] for row in figure.cells):.4f}" in figure.description
    assert f"{min(row['value'] for row in figure.cells):.4f}" in figure.description


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("scale", ["sequence", "diverging"])
def test_numbers_can_be_read_on_every_colour(theme: str, scale: str) -> None:
    from rankscale.figures.base.look import colour_at

    colours = getattr(Appearance(theme=theme), scale)
    change, inks = inks_on(colours, [0, 1])
    assert len(inks) == len(change) + 1
    for step in range(101):
        ink = inks[sum(step / 100 >= value for value in change)]
        light, dark = sorted([lightness(colour_at(colours, step / 100)), float(ink == "#ffffff")], reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 4.2, step


def test_is_drawn_without_overlap(evaluation: Any, check_drawing: Any) -> None:
    check_drawing(correlate_figure(correlate(evaluation, samples=0, by_topic=False)))


def test_versions_are_drawn_without_overlap(with_versions: Any, check_drawing: Any) -> None:
    check_drawing(correlate_figure(with_versions))


def test_many_measures_and_negative_values_are_drawn(check_drawing: Any) -> None:
    measures = [f"P@{depth}" for depth in range(1, 21)] + ["nDCG(base=10,gains=[0,5,10,15])@15", "ASL"]
    figure: Any = correlate_figure(correlate(rs.evaluate(QRELS, RUNS[:3], measures), samples=0))
    assert any(row["value"] < 0 for row in figure.cells)
    check_drawing(figure)


def test_the_command(tmp_path: Path) -> None:
    output = tmp_path / "correlations.tsv"
    files = [str(QRELS), *map(str, RUNS[:6])]
    made = CliRunner().invoke(command, [*files, "-o", str(output), "-m", "AP@5", "-m", "RR@5", "--interval"])
    assert made.exit_code == 0, made.output
    assert len(output.read_text().splitlines()) == 1 + 4
    assert CliRunner().invoke(command, [*files, "-o", str(tmp_path / "c.svg")]).exit_code == 0
    assert CliRunner().invoke(command, [*files, "-o", str(output), "--method", "gamma"]).exit_code == 2


def test_what_is_undefined_is_crossed_out() -> None:
    same = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    equal = rs.evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"one": same, "other": same}, ["AP", "RR"])
    figure: Any = correlate_figure(correlate(equal, samples=0, by_topic=False))
    crosses = [layer for layer in figure.spec()["layer"] if layer["mark"].get("shape") == CROSS]
    assert len(crosses) == 1
    assert "It is undefined in 1 of 1 cells." in figure.description
    assert "AP" in figure.svg()


def test_where_low_is_good_agreement_is_negative_in_the_description() -> None:
    study = rs.correlate(rs.evaluate(QRELS, RUNS, ["AP", "ASL", "RR"]), samples=0)
    values = {frozenset((row["measure"], row["other"])): float(row["value"] or 0) for row in study.table("pairs")}
    agreed = {pair: -tau if "ASL" in pair else tau for pair, tau in values.items()}
    description = correlate_figure(study).description
    pairs_named = re.search(r"agree most are (\S+) and (\S+), .*; least, (\S+) and (\S+),", description)
    assert pairs_named, description
    assert frozenset(pairs_named.groups()[:2]) == max(agreed, key=lambda pair: agreed[pair])
    assert frozenset(pairs_named.groups()[2:]) == min(agreed, key=lambda pair: agreed[pair])
