"""CRP of one ranking as a figure: the data drawn, and the drawing."""

import math
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.data.judged import judged
from rankscale.errors import InputError, ParameterError
from rankscale.figures.base.look import Appearance, lightness, rgb
from rankscale.figures.base.relative_positions import course
from rankscale.figures.crp import CrpFigure, crp_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("crp")

BM25 = next(path for path in RUNS if path.name.startswith("bm25."))
# Ranking B of the Twist paper, and the CRP of its full scale.
TWIST_B = "3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"
FULL_SCALE = [-7, -13, -18, -22, -25, -27, -28, -28, -26, -23, -19, -11, -2, 10, 23]


def ranking(grades: str, missed: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """Qrels and a run that give these grades, best first."""
    of = dict(enumerate(grades.split()))
    qrels = {f"d{place}": int(grade) for place, grade in of.items()}
    qrels |= {f"m{place}": int(grade) for place, grade in enumerate(missed.split())}
    return {"1": qrels}, {"mine": {"1": {f"d{place}": 100.0 - place for place in of}}}


@pytest.fixture(scope="module")
def paper_b() -> CrpFigure:
    """Ranking B of the CRP paper."""
    return crp_figure(*ranking("3 3 1 0 2 1 0 0 2 1 2 0 3 1 0"), "1", depth=20)


def test_the_worked_example_of_the_crp_paper(paper_b: CrpFigure) -> None:
    drawn = paper_b.data()["ranks"].columns
    assert drawn["RP"] == [0, 0, -4, -7, 0, -1, -4, -3, 3, 0, 5, 0, 10, 4, 0, 0, 0, 0, 0, 0]
    assert drawn["CRP"][-1] == 3
    assert drawn["document"][:2] == ["d0", "d1"]
    kinds = paper_b.data()["cells"].columns["kind"]
    assert kinds[:4] == ["in place", "in place", "too early", "too early"]
    assert kinds[8] == "too late"


def test_the_full_scale_and_the_points_of_the_twist_paper() -> None:
    one = course(judged(TWIST_B), depth=15)
    assert one.full_scale.tolist() == FULL_SCALE
    figure = crp_figure(*ranking(TWIST_B), "1", depth=15)
    points = {row["what"]: (row["rank"], row["CRP"]) for row in figure.data()["points"]}
    assert points == {
        "recall base": (7, -14),
        "turn-around point": (7, -14),
        "balance point": (12, -6),
        "full scale's balance point": (13, -2),
    }


WORST = "0 0 0 0 0 0 0 0 0 0 1 1 1 1 2 2 2 3 3 3"  # the worst case of the CRP paper: its curve is back at 0 at rank 18


def test_the_balance_point_of_the_papers_worst_case_lies_on_the_curve() -> None:
    figure = crp_figure(*ranking(WORST), "1", depth=20)
    assert figure.course.crp[16:18].tolist() == [-15, 0]
    points = {row["what"]: (row["rank"], row["CRP"]) for row in figure.data()["points"]}
    assert points["balance point"] == points["full scale's balance point"] == (17, -15)


@pytest.mark.parametrize("text", [TWIST_B, WORST, "0 1 1", "1 0 1 0 0 1", "0 0 0 1"])
def test_every_point_lies_on_its_curve(text: str) -> None:
    figure = crp_figure(*ranking(text), "1", depth=20)
    ranks = figure.course.rows()
    curves = {"full scale's balance point": "full_scale"}
    for row in figure.data()["points"]:
        assert row["CRP"] == ranks.columns[curves.get(str(row["what"]), "CRP")][int(str(row["rank"])) - 1]
    balance = int(figure.course.balance) if math.isfinite(figure.course.balance) else 0
    if balance > figure.course.recall_base:  # the crossing: the last rank below 0
        assert figure.course.crp[balance - 1] < 0 <= figure.course.crp[balance]
        assert f"rank {balance}, the last before it comes back to 0" in figure.description


def test_the_recall_base_is_a_dotted_line(paper_b: CrpFigure) -> None:
    assert paper_b.svg().count('stroke-dasharray="1,2"') == 1


def test_what_is_drawn_is_what_curves_and_evaluate_say() -> None:
    figure = crp_figure(QRELS, BM25, "103", last=500)
    curves = rs.curves(QRELS, [BM25], ["CRP", "RP"], topics=["103"], depth=200)
    drawn = figure.data()["ranks"].columns
    assert drawn["CRP"][:200] == curves.by_run("103", measure="CRP")["bm25"].tolist()
    assert drawn["RP"][:200] == curves.by_run("103", measure="RP")["bm25"].tolist()
    values = rs.evaluate(QRELS, [BM25], ["turn_around", "balance", "rho_w", "NumRel"]).to_dict()["bm25"]["103"]
    assert figure.course.turn_around == values["turn_around"]
    assert figure.course.balance == values["balance"]
    assert figure.course.recall_base / figure.course.full_scale_balance == pytest.approx(values["rho_w"])
    assert f"rank {values['balance']:.0f}" in figure.description


def test_cells_of_many_ranks_are_joined_and_none_is_lost() -> None:
    figure = crp_figure(QRELS, BM25, "103")
    cells = list(figure.data()["cells"])
    assert len(cells) < figure.last
    ranks = [rank for cell in cells for rank in range(int(cell["first"] or 0), int(cell["last"] or 0) + 1)]
    assert ranks == list(range(1, figure.last + 1))
    assert sum(int(cell["RP"] or 0) for cell in cells) == figure.course.crp[figure.last - 1]


def test_lines_lose_nothing_between_their_corners() -> None:
    import numpy as np

    figure = crp_figure(QRELS, BM25, "103")
    corners: Any = figure.data()["corners"].columns
    for name in ("CRP", "full_scale"):
        drawn = np.interp(np.arange(1, figure.last + 1), corners["rank"], corners[name])
        assert drawn.tolist() == pytest.approx(figure.data()["ranks"].columns[name])


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InputError, match="unknown topic 'none'"):
        crp_figure(QRELS, BM25, "none")
    with pytest.raises(ParameterError, match="no ranking for topic 137"):
        crp_figure(QRELS, next(path for path in RUNS if path.name.startswith("dense-zero.")), "137")
    with pytest.raises(ParameterError, match="one run, got 2"):
        crp_figure(QRELS, RUNS[:2], "101")
    with pytest.raises(ParameterError, match="no ideal ranking"):
        crp_figure(*ranking("0 0"), "1")
    with pytest.raises(ParameterError, match="down to 2"):
        crp_figure(QRELS, BM25, "103", last=1)


@pytest.mark.parametrize("grades", ["3 3 1 0 2 1 0 0 2 1 2 0 3 1 0", "0 0 0 1", "1"])
def test_is_drawn_without_overlap(grades: str, check_drawing: Any) -> None:
    check_drawing(crp_figure(*ranking(grades), "1", depth=20))


def test_a_long_ranking_and_a_long_name_are_drawn_without_overlap(check_drawing: Any) -> None:
    grades = " ".join(str(int(place % 7 == 3)) for place in range(1000))
    qrels, run = ranking(grades, "1 " * 300)
    check_drawing(crp_figure(qrels, {"<script>'\"&" * 20: run["mine"]}, "1"))


def test_the_command(tmp_path: Path) -> None:
    arguments = [str(QRELS), str(BM25), "--topic", "103", "-o", str(tmp_path / "crp.svg"), "--width", "84mm"]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "crp.svg").read_text().startswith("<svg")
    assert CliRunner().invoke(command, [*arguments[:2], "-o", "x.svg"]).exit_code == 2
    assert CliRunner().invoke(command, [*arguments, "--gains", "0,1"]).exit_code == 2


def test_the_description_says_no_more_than_the_curve_does() -> None:
    ideal = crp_figure(*ranking("3 2 1 0 0"), "1", depth=5)
    assert "CRP never falls below 0. Its balance point is rank 3" in ideal.description
    early = crp_figure(QRELS, RUNS[0].parent / "bm25-ce-large.txt.xz", "106")
    assert early.course.crp[int(early.course.balance)] < 0  # it crossed 0 before, and is below it again
    assert "back at 0" not in early.description


def test_what_is_in_place_is_pale_and_points_are_named_where_they_stand() -> None:
    figure = crp_figure(QRELS, RUNS[7], "105")
    for theme in ("light", "dark"):
        look = Appearance(theme=theme)
        ground, early, in_place = (lightness(rgb(one)) for one in (look.ground, look.early, look.pale))
        assert abs(in_place - ground) < abs(early - ground)
    texts = re.findall(r">([^<>]+)</text>", figure.svg())
    row = next(row for row in figure.data()["points"] if row["what"] == "balance point")
    assert f"balance point, rank {row['rank']}" in texts
    assert {"CRP of the ranking", "full scale", "relevant document"} <= set(texts)
