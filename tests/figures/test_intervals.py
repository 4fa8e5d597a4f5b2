"""Interval versions as a figure: places against those counted another way, names, the drawing."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.base.labels import PlotArea, place_names, width_of
from rankscale.figures.intervals import MOVES, intervals_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("intervals")


@pytest.fixture(scope="module")
def study() -> Any:
    return rs.intervals(QRELS, RUNS, ["P@10", "RR@10", "nDCG@10"])


def test_means_are_those_of_the_measure_and_its_interval_version(study: Any) -> None:
    drawn = {(row["measure"], row["run"]): row for row in intervals_figure(study).data()["runs"]}
    values = {row["run"]: row for row in study.table("values")}
    assert len(drawn) == 3 * len(RUNS)
    for (measure, run), row in drawn.items():
        assert row["mean"] == values[run][measure]
        assert row["interval_mean"] == values[run][f"Interval({measure})"]


def test_places_give_the_same_tau(study: Any) -> None:
    from scipy.stats import kendalltau

    figure = intervals_figure(study)
    for fact in figure.data()["measures"]:
        rows = [row for row in figure.data()["runs"] if row["measure"] == fact["measure"]]
        before, after = ([float(row[name] or 0) for row in rows] for name in ("place", "interval_place"))
        assert kendalltau(before, after).statistic == pytest.approx(fact["tau"])
        assert sum(before) == sum(after) == len(RUNS) * (len(RUNS) + 1) / 2


def test_moves_are_told(study: Any) -> None:
    figure = intervals_figure(study)
    for row in figure.data()["runs"]:
        shift = float(row["place"] or 0) - float(row["interval_place"] or 0)
        assert row["moved"] == MOVES[0 if shift > 0 else 1 if shift < 0 else 2]
    assert "P@10: tau 1.000, no run changes its place" in figure.description
    assert "nDCG@10: surrogate" in figure.description


def test_means_over_scales_of_topics_are_called_surrogate(study: Any) -> None:
    assert [row["surrogate"] for row in intervals_figure(study).data()["measures"]] == [0, 0, 1]
    panels: Any = intervals_figure(study).spec()["concat"]
    assert ["surrogate" in panel["title"]["subtitle"] for panel in panels] == [False, False, True]


def test_names_stay_within_and_apart() -> None:
    draw = np.random.default_rng(3)
    names = [f"Run-{number:x}-of-somebody" for number in range(129)]
    panel = PlotArea(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([150.0, 120.0]), 8.0)
    chosen = place_names(names, draw.uniform(size=(129, 2)), list(range(40)), 6, panel)
    boxes = []
    for name in chosen:
        wide = width_of(str(name["name"])) * 7.2
        x, y = float(name["x"]) * 150, (1 - float(name["y"])) * 120
        left = x - wide * {"left": 0, "center": 0.5, "right": 1}[str(name["align"])]
        assert -1e-6 <= left <= left + wide <= 150 + 1e-6
        assert -1e-6 <= y <= 120 + 1e-6
        boxes.append((left, y - 4, left + wide, y + 4))
    for one, other in combinations(boxes, 2):
        assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]


def test_many_measures_are_refused(study: Any) -> None:
    from dataclasses import replace

    with pytest.raises(ParameterError, match="up to 12 measures"):
        intervals_figure(replace(study, pairs=study.pairs * 5))


def test_is_drawn_without_overlap(study: Any, check_drawing: Any) -> None:
    check_drawing(intervals_figure(study))
    check_drawing(intervals_figure(study, means=True))


def test_a_line_for_each_run_leads_from_place_to_place(study: Any) -> None:
    panels: Any = intervals_figure(study).spec()["concat"]
    assert [panel["transform"][1] for panel in panels] == [
        {"fold": ["place", "interval_place"], "as": ["side", "order"]}
    ] * 3
    named = [row["run"] for row in panels[1]["layer"][2]["data"]["values"]]
    rows = [row for row in intervals_figure(study).data()["runs"] if row["measure"] == "RR@10"]
    far = max(rows, key=lambda row: abs(float(row["place"] or 0) - float(row["interval_place"] or 0)))
    assert far["run"] in named


def test_of_one_measure_the_title_says_how_many_move(study: Any) -> None:
    one = intervals_figure(rs.intervals(QRELS, RUNS, "RR@10"))
    moved = sum(row["place"] != row["interval_place"] for row in one.data()["runs"])
    assert one.title == f"{moved} of 24 runs change their places by the interval version of RR@10"


def test_many_runs_with_strange_names_are_drawn_without_overlap(check_drawing: Any) -> None:
    draw = np.random.default_rng(5)
    qrels = {f"t{topic}": {f"d{document}": 1 for document in range(8)} for topic in range(6)}
    runs = {
        f"<script>alert({number})</script> & WWW": {
            topic: {
                f"d{document}": 1.0 / (rank + 1) for rank, document in enumerate(draw.permutation(16)[:10].tolist())
            }
            for topic in qrels
        }
        for number in range(60)
    }
    study = rs.intervals(qrels, runs, ["RR@10", "AP@10"])
    check_drawing(intervals_figure(study))
    check_drawing(intervals_figure(study, means=True))


def test_the_command(tmp_path: Path) -> None:
    files, output = [str(QRELS), *map(str, RUNS[:4])], tmp_path / "intervals.tsv"
    made = CliRunner().invoke(command, [*files, "-o", str(output), "-m", "RR@5", "--means"])
    assert made.exit_code == 0, made.output
    assert len(output.read_text().splitlines()) == 5
    assert CliRunner().invoke(command, [*files, "-o", str(tmp_path / "i.svg"), "-m", "RR@5"]).exit_code == 0
    assert CliRunner().invoke(command, [*files, "-o", str(output), "--method", "guess"]).exit_code == 2
