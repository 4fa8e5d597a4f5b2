"""Two judges as a figure: the data drawn, and the drawing."""

import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.figures.agree import agree_figure
from rankscale.figures.base.look import Appearance
from rankscale.sample import QRELS, RUNS

command = figure_command("agree")


@pytest.fixture(scope="module")
def other() -> Any:
    chance = random.Random(2)
    return {
        topic: {document: min(3.0, grade + (chance.random() < 0.3)) for document, grade in grades.items()}
        for topic, grades in rs.read_qrels(QRELS).to_dict().items()
    }


@pytest.fixture(scope="module")
def study(other: Any) -> Any:
    return rs.agree(QRELS, other, RUNS, "AP", draws=5)


def test_what_is_drawn_is_what_the_study_has(study: Any) -> None:
    data: Any = agree_figure(study).data()
    assert sum(row["items"] for row in data["matrix"]) == study.overlap.both
    assert {(row["grade_A"], row["grade_B"]): row["items"] for row in data["matrix"]} == {
        (row["A"], name.removeprefix("B=")): row[name]
        for row in study.table("matrix")
        for name in row
        if name.startswith("B=")
    }
    for level in study.judges.levels.tolist():
        shares = [row["share"] for row in data["matrix"] if row["grade_A"] == f"{level:g}"]
        assert sum(shares) == pytest.approx(1)
    of_study = {row["run"]: row for row in study.table("runs")}
    for row in data["runs"]:
        assert row["place"] == of_study[row["run"]][f"place_{row['side']}"]
        assert row["mean"] == of_study[row["run"]][row["side"]]
        drop = of_study[row["run"]]["drop"]
        assert row["move"] == ("falls" if drop > 0 else "rises" if drop < 0 else "keeps its place")
    for side in "AB":
        assert sorted(row["order"] for row in data["runs"] if row["side"] == side) == list(range(1, len(RUNS) + 1))
    pairs = next(iter(study.table("pairs")))
    assert {row["outcome"]: row["pairs"] for row in data["outcomes"]} == {
        name: pairs[name] for name in ("kept", "flipped", "lost", "gained", "neither")
    }


def test_the_description_has_the_main_numbers(study: Any) -> None:
    figure = agree_figure(study)
    assert f"kappa {study.judges['kappa'].pooled:.3f}" in figure.description
    assert f"tau {study.judged.by_measure[0].orders['tau'].value:.3f}" in figure.description
    assert f"{study.judged.by_measure[0].tests.count('kept')} kept" in figure.description


def test_plots_stand_under_each_other_in_a_column(study: Any) -> None:
    assert "hconcat" in agree_figure(study).spec(Appearance())
    assert "vconcat" in agree_figure(study).spec(Appearance(width=238))


def test_is_drawn_without_overlap(study: Any, other: Any, check_drawing: Any) -> None:
    check_drawing(agree_figure(study))
    check_drawing(agree_figure(rs.agree(QRELS, other)))
    check_drawing(agree_figure(rs.agree(QRELS, other, RUNS[:1], "AP", draws=5)))


def test_many_runs_with_strange_names_are_drawn_without_overlap(check_drawing: Any) -> None:
    chance = random.Random(3)
    qrels, other = (
        {f"t{topic}": {f"d{document}": chance.choice([0, 0.5, 2]) for document in range(12)} for topic in range(6)}
        for _ in range(2)
    )
    runs = {
        f"<script>alert({number})</script> & WWW": {
            topic: {document: chance.random() for document in grades} for topic, grades in qrels.items()
        }
        for number in range(90)
    }
    check_drawing(agree_figure(rs.agree(qrels, other, runs, "nDCG@5", draws=5)))


def test_the_command(tmp_path: Path, other: Any) -> None:
    rs.write_qrels(other, tmp_path / "other.txt")
    files = [str(QRELS), str(tmp_path / "other.txt"), *map(str, RUNS[:3])]
    output = tmp_path / "agree.svg"
    made = CliRunner().invoke(command, [*files, "-m", "P@10", "-t", "sign", "--judgments", "common", "-o", str(output)])
    assert made.exit_code == 0, made.output
    assert "Order by P@10" in output.read_text()
    alone = CliRunner().invoke(command, [*files[:2], "-o", str(tmp_path / "matrix.tsv")])
    assert alone.exit_code == 0, alone.output
    assert (tmp_path / "matrix.tsv").read_text().startswith("grade_A\tgrade_B\titems\tshare")
