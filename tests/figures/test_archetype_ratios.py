"""Ratios of archetypes as a figure: the data drawn, and the drawing."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.archetype_ratios import BINS, ORDER, ArchetypeRatiosFigure, archetype_ratios_figure
from rankscale.measures.families.relative_position import ARCHETYPES
from rankscale.sample import QRELS, RUNS
from rankscale.studies.archetypes import Archetypes, archetypes

command = figure_command("archetype-ratios")


@pytest.fixture(scope="module")
def study() -> Archetypes:
    return archetypes(QRELS, RUNS)


@pytest.fixture(scope="module")
def figure(study: Archetypes) -> ArchetypeRatiosFigure:
    return archetype_ratios_figure(study, spaces=True)


def test_every_archetype_has_its_place() -> None:
    assert set(ORDER) == set(ARCHETYPES)


def test_bars_count_the_rankings(study: Archetypes, figure: ArchetypeRatiosFigure) -> None:
    """Each ranking counted by itself, in bars of 0.02."""
    rankings = list(study.table("rankings"))
    for ratio in ("rho", "sigma", "Twist", "sigma_plus", "sigma_minus"):
        for name in ARCHETYPES:
            own = [float(row[ratio] or 0) for row in rankings if row["archetype"] == name]
            bars = [row for row in figure.bins if (row["ratio"], row["archetype"]) == (ratio, name)]
            assert sum(int(row["rankings"] or 0) for row in bars) == len(own)
            assert sum(float(row["share"] or 0) for row in bars) == pytest.approx(1 if own else 0)
            assert not bars or max(float(row["height"] or 0) for row in bars) == 1
            for row in bars:
                low, high = float(row["from"] or 0), float(row["to"] or 0)
                assert high - low == pytest.approx(1 / BINS)
                assert row["rankings"] == sum(low <= value < high or value == high == 1 for value in own)


def test_boxes_are_those_of_the_study(study: Archetypes, figure: ArchetypeRatiosFigure) -> None:
    of_study = {(row["ratio"], row["archetype"]): row for row in study.table("ratios")}
    assert len(figure.ratios) == 5 * sum(bool(study.share(name)) for name in ARCHETYPES)
    assert all(of_study[row["ratio"], row["archetype"]] == row for row in figure.ratios)
    without = archetype_ratios_figure(study)
    assert set(without.ratios.columns["ratio"]) == {"rho", "sigma", "Twist"}
    assert "typical B (63 rankings): rho median 0.0000 (0.0000 to 0.0000)" in without.description


def test_is_drawn_without_overlap(figure: ArchetypeRatiosFigure, check_drawing: Any) -> None:
    check_drawing(figure)
    one = archetypes({"1": {"a": 1}}, {"one": {"1": {"a": 1.0}}})
    check_drawing(archetype_ratios_figure(one))


def test_every_archetype_is_labelled(figure: ArchetypeRatiosFigure) -> None:
    drawn = figure.svg()
    for label in ("ideal (1)", "excellent A (2)", "ups and downs (24)", "typical A (1,109)", "typical B (63)"):
        assert f">{label}<" in drawn


def test_without_relevant_documents_there_is_nothing_to_draw() -> None:
    study = archetypes({"1": {"a": 0}}, {"one": {"1": {"a": 1.0}}})
    with pytest.raises(ParameterError, match="no topic has a document of grade 1 or more"):
        rs.figure("archetype-ratios", study)


def test_the_command(tmp_path: Path) -> None:
    files, target = [str(QRELS), *map(str, RUNS[:3])], tmp_path / "ratios.tsv"
    done = CliRunner().invoke(command, [*files, "-o", str(target), "--depth", "100", "--rel", "2"])
    assert done.exit_code == 0, done.output
    assert target.read_text().splitlines()[0].split("\t")[:3] == ["ratio", "archetype", "rankings"]
    rows = [dict(row) for row in archetypes(QRELS, RUNS[:3], depth=100, rel=2).table("ratios") if row["rankings"]]
    assert len(target.read_text().splitlines()) == 1 + sum(row["ratio"] in {"rho", "sigma", "Twist"} for row in rows)
    assert CliRunner().invoke(command, [*files, "-o", str(tmp_path / "ratios.svg"), "--spaces"]).exit_code == 0
    refused = CliRunner().invoke(command, [*files, "-o", str(target), "--depth", "0"])
    assert refused.exit_code == 2
