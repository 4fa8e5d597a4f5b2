"""The gallery of archetypes as a figure: the data drawn, and the drawing."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.data.judged import judged
from rankscale.errors import ParameterError
from rankscale.figures.archetypes import LENGTH, WORKED, ArchetypesFigure, archetypes_figure
from rankscale.inputs.read import read_qrels, read_runs
from rankscale.measures.families.relative_position import ARCHETYPES, archetype
from rankscale.sample import QRELS, RUNS
from rankscale.studies.archetypes import archetypes

command = figure_command("archetypes")


@pytest.fixture(scope="module")
def from_runs() -> ArchetypesFigure:
    return archetypes_figure(QRELS, RUNS)


@pytest.mark.parametrize("name", WORKED)
def test_worked_rankings_are_of_their_archetype(name: str) -> None:
    kept, missed = WORKED[name]
    ranking = judged(kept, missed=missed)
    assert archetype(ranking, LENGTH).tolist() == [name]
    graded = sorted(f"{kept} {missed}".replace("0", "").split(), reverse=True)
    assert "".join(graded) == "3332221111"


def test_the_gallery_has_all_archetypes() -> None:
    figure = archetypes_figure()
    assert set(figure.data()) == {"rankings", *ARCHETYPES}
    facts = {row["archetype"]: row for row in figure.data()["rankings"]}
    assert facts["typical B"]["last_CRP"] == -11  # rankings A and B of the CRP paper
    assert facts["typical A"]["last_CRP"] == 3
    assert facts["worst"]["balance_point"] is None
    assert set(figure.curves["ideal"].columns["CRP"]) == {0}
    assert figure.curves["worst"].columns["CRP"][-1] == -55


def crp_at(figure: ArchetypesFigure, row: Any) -> float:
    """CRP at the balance point, which lies between two corners of the curve."""
    curve: Any = figure.curves[row["archetype"]].columns
    return float(np.interp(row["balance_point"], curve["rank"], curve["CRP"]))


def diamonds(spec: Any) -> list[Any]:
    """The data of all diamonds of a drawing."""
    if isinstance(spec, dict):
        mark = spec.get("mark")
        if isinstance(mark, dict) and mark.get("shape") == "diamond":
            return list(spec["data"]["values"])
        return [one for part in spec.values() for one in diamonds(part)]
    return [one for part in spec for one in diamonds(part)] if isinstance(spec, list) else []


def test_every_plot_has_its_recall_base_and_its_balance_point() -> None:
    figure = archetypes_figure()
    drawn = figure.svg()
    assert drawn.count('stroke-dasharray="1,2"') == len(ARCHETYPES)
    balanced = [row for row in figure.data()["rankings"] if row["balance_point"] is not None]
    assert len(re.findall(r"mark-symbol role-mark[^>]*><path ", drawn)) == len(balanced) == 6
    points = [one["CRP"] for one in diamonds(figure.spec())]
    assert points == [crp_at(figure, row) for row in balanced]
    assert min(points) < 0


def test_shares_are_those_of_the_study(from_runs: ArchetypesFigure) -> None:
    study = archetypes(QRELS, RUNS)
    drawn = {str(row["archetype"]): row["share"] for row in from_runs.data()["rankings"]}
    assert drawn == {name: study.share(name) for name in ARCHETYPES if study.share(name)}
    assert from_runs.counted == 1200
    assert "1,200 rankings" in from_runs.title


def test_examples_are_medians_of_their_archetype(from_runs: ArchetypesFigure) -> None:
    rankings = list(archetypes(QRELS, RUNS).tables()["rankings"])
    for row in from_runs.data()["rankings"]:
        own = {(one["run"], one["topic"]): one["Twist"] for one in rankings if one["archetype"] == row["archetype"]}
        middle = np.percentile([float(twist or 0) for twist in own.values()], 50, method="lower")
        assert own[row["run"], row["topic"]] == middle


def test_examples_are_the_curves_of_runs(from_runs: ArchetypesFigure) -> None:
    (row,) = (row for row in from_runs.data()["rankings"] if row["archetype"] == "typical A")
    curves = rs.curves(QRELS, RUNS, "CRP", topics=[str(row["topic"])], depth=1000)
    whole = curves.by_run(str(row["topic"]))[str(row["run"])]
    corners: Any = from_runs.curves["typical A"].columns
    last = int(corners["rank"][-1] or 0)
    drawn = np.interp(range(1, last + 1), corners["rank"], corners["CRP"])
    assert drawn.tolist() == whole[:last].tolist()
    assert row["last_CRP"] == whole[-1]


def test_the_gallery_is_drawn_without_overlap(check_drawing: Any) -> None:
    check_drawing(archetypes_figure())


def test_examples_of_runs_with_long_names_are_drawn_without_overlap(check_drawing: Any) -> None:
    qrels = read_qrels(QRELS)
    runs = [replace(run, name=f"<b>'a long name'</b>{'&' * 100} {run.name}") for run in read_runs(qrels, RUNS)]
    check_drawing(archetypes_figure(qrels, runs))


def test_the_command(tmp_path: Path) -> None:
    target = str(tmp_path / "archetypes.svg")
    done = CliRunner().invoke(command, ["-o", target])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(command, [str(QRELS), *map(str, RUNS[:3]), "-o", target, "--depth", "100"])
    assert done.exit_code == 0, done.output
    assert "150 rankings" in Path(target).read_text()
    assert CliRunner().invoke(command, [str(QRELS), "-o", target]).exit_code == 2


def test_without_relevant_documents_there_is_nothing_to_draw() -> None:
    with pytest.raises(ParameterError, match="no topic"):
        archetypes_figure({"1": {"a": 0}}, {"one": {"1": {"a": 1.0}}})


def test_what_is_common_has_the_larger_plots_under_a_bar_of_shares(from_runs: ArchetypesFigure) -> None:
    drawing: Any = from_runs.spec()
    bar, common, rare = drawing["vconcat"]
    parts = bar["data"]["values"]
    shares = {str(row["archetype"]): float(row["share"] or 0) for row in from_runs.rankings}
    assert {part["archetype"]: part["to"] - part["from"] for part in parts} == pytest.approx(shares)
    drawn = [[plot["data"]["name"] for plot in grid["concat"]] for grid in (common, rare)]
    assert sum(shares[name] for name in drawn[0]) >= 0.9
    assert [name for names in drawn for name in names] == sorted(shares, key=lambda name: -shares[name])
    assert common["concat"][0]["width"] > rare["concat"][0]["width"]
