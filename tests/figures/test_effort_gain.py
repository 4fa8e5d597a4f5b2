"""Effort and gain as a figure: the data drawn, the drawing, its page and its command."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.figures.base.labels import apart
from rankscale.figures.base.look import Appearance
from rankscale.figures.effort_gain import effort_gain_figure
from rankscale.sample import QRELS, RUNS
from rankscale.studies.effort_gain import effort_gain

command = figure_command("effort-gain")


@pytest.fixture(scope="module")
def study() -> Any:
    return effort_gain(rs.evaluate(QRELS, RUNS, ["AP", "nDCG@10", "Twist"]), ["AP", "nDCG@10"])


@pytest.fixture(scope="module")
def strange() -> Any:
    """Few points, most of no gain, runs with long names that want to be something else."""
    qrels = {str(topic): {"a": 1, "b": 1} for topic in range(4)}
    ranking = {str(topic): {"x": 3.0, "a": 2.0} if topic == 2 else {"x": 1.0} for topic in range(4)}
    names = ["<script>alert(1)</script>" + "W" * 60, "'];alert(1);//\\textbf{all runs}"]
    return effort_gain(rs.evaluate(qrels, dict.fromkeys(names, ranking), ["AP", "Twist"]))


def test_points_are_the_values_of_the_evaluation(study: Any) -> None:
    figure: Any = effort_gain_figure(study)
    evaluation = study.evaluation
    twist, gain = ({run: evaluation.by_topic(run, measure) for run in evaluation.runs} for measure in ("Twist", "AP"))
    rows = list(figure.data()["points"])
    assert len(rows) == 24 * 50
    for row in rows[::37]:
        assert row["effort"] == twist[row["run"]][row["topic"]]
        assert row["gain"] == gain[row["run"]][row["topic"]]


def test_points_lie_within_their_quadrants(study: Any) -> None:
    figure: Any = effort_gain_figure(study)
    quadrants = {row["quadrant"]: row for row in figure.data()["quadrants"]}
    assert len(quadrants) == 16
    counted: Counter[Any] = Counter()
    for row in figure.data()["points"]:
        of = quadrants[row["quadrant"]]
        assert of["left"] <= row["effort"] <= of["right"]
        assert of["bottom"] <= row["gain"] <= of["top"]
        counted[row["quadrant"]] += 1
    assert {name: row["points"] for name, row in quadrants.items() if row["points"]} == counted
    assert figure.cuts == tuple(np.quantile(figure.points.columns["gain"], [0.25, 0.5, 0.75]))


def test_measures_of_gain_by_name(study: Any) -> None:
    assert effort_gain_figure(study, "nDCG@10").measure == "nDCG@10"
    assert "Twist and nDCG@10" in effort_gain_figure(study, "nDCG@10").title
    with pytest.raises(UnknownNameError, match="the study has AP, nDCG@10"):
        effort_gain_figure(study, "RR")


def test_the_description_tells_shares(study: Any) -> None:
    share = {row["area"]: row["share"] for row in study.table("areas") if row["measure"] == "AP"}
    assert f"{share['diagonal']:.0%} gain and effort agree" in effort_gain_figure(study).description


def test_names_of_rows_stand_apart() -> None:
    assert apart([0.1, 0.12, 0.5, 0.98], 0.1, 0.0, 1.0) == pytest.approx([0.06, 0.16, 0.5, 0.98])
    assert apart([0.95, 0.97, 0.99], 0.1, 0.0, 1.0) == pytest.approx([0.8, 0.9, 1.0])


def test_is_drawn_without_overlap(study: Any, check_drawing: Any) -> None:
    check_drawing(effort_gain_figure(study))


def test_strange_points_and_names_are_drawn(strange: Any, check_drawing: Any) -> None:
    check_drawing(effort_gain_figure(strange))


def test_thousands_of_points_stay_small(study: Any) -> None:
    figure = effort_gain_figure(study)
    for size in (len(figure.svg()), len(figure.pdf())):
        assert size / 1200 * 6450 < 3_000_000


def test_a_list_of_runs_is_there_if_asked_for(study: Any) -> None:
    without: Any = effort_gain_figure(study, bind_runs=False).spec()["params"]
    with_runs: Any = effort_gain_figure(study).spec()["params"]
    (with_list,) = with_runs
    assert with_list["name"] == "run_shown"
    assert with_list["bind"]["options"] == ["all runs", *study.evaluation.runs]
    assert "bind" not in without[0]


def test_the_page_shows_one_run_and_brushes(strange: Any, browser: Any) -> None:
    page = browser.new_page()
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(dialog.message))
    page.set_content(effort_gain_figure(strange).html())
    page.wait_for_selector("#figure svg")
    page.select_option(".vega-bindings select", index=1)
    faint = """count => [...document.querySelectorAll('#figure svg .mark-symbol path')]
        .filter(point => point.getAttribute('fill-opacity') === '0.03').length === count"""
    page.wait_for_function(faint, arg=4)  # the points of the other run
    page.select_option(".vega-bindings select", index=0)
    page.wait_for_function(faint, arg=0)
    box = page.locator("#figure svg .layer_0_marks").first.bounding_box()
    across, down = box["x"] + 0.6 * box["width"], box["y"] + 0.9 * box["height"]
    page.mouse.move(across, down)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.95 * box["width"], down - 0.2 * box["height"], steps=3)
    page.mouse.up()
    page.wait_for_function(faint, arg=8)  # no point lies where little effort brings little
    assert not requests
    assert not errors
    page.close()


def test_the_command(tmp_path: Path) -> None:
    output = tmp_path / "effort.tsv"
    files = [str(QRELS), *map(str, RUNS[:3])]
    made = CliRunner().invoke(command, [*files, "-o", str(output)])
    assert made.exit_code == 0, made.output
    assert output.read_text().splitlines()[0].split("\t") == ["run", "topic", "effort", "gain", "quadrant"]
    assert CliRunner().invoke(command, [*files, "-o", str(tmp_path / "e.svg"), "--width", "84mm"]).exit_code == 0
    assert CliRunner().invoke(command, files).exit_code == 2


def test_every_quadrant_with_points_has_its_share(study: Any) -> None:
    figure = effort_gain_figure(study)
    for look in (Appearance(), Appearance(width=238.1)):
        shares = [
            text for text in re.findall(r">([^<>]*%)</text>", figure.svg(look).replace("&lt;", "-")) if " " not in text
        ]
        assert len(shares) == sum(bool(row["points"]) for row in figure.data()["quadrants"])


def test_by_quantiles_rows_are_equally_high(study: Any) -> None:
    figure = effort_gain_figure(study, quantiles=True)
    gains = np.array(figure.data()["points"].columns["gain"], dtype=float)
    heights = np.array(figure.data()["points"].columns["height"], dtype=float)
    quartiles = np.searchsorted(figure.cuts, gains, side="left")
    assert (np.floor(4 * heights) == quartiles).all()
    order = np.argsort(gains, kind="stable")
    assert (np.diff(heights[order]) >= 0).all()
    assert {(row["bottom"], row["top"]) for row in figure.data()["quadrants"]} == {
        (0.0, 0.25),
        (0.25, 0.5),
        (0.5, 0.75),
        (0.75, 1.0),
    }


def test_insets_are_rankings_of_one_gain_and_different_effort(study: Any, check_drawing: Any) -> None:
    figure: Any = effort_gain_figure(study, insets=3, qrels=QRELS, runs=RUNS)
    rows = list(figure.data()["insets"])
    gains, efforts = ([row[name] for row in rows] for name in ("gain", "effort"))
    assert max(gains) - min(gains) < 0.02
    assert efforts == sorted(efforts)
    assert efforts[-1] - efforts[0] > 0.2
    for row in rows:
        run = next(path for path in RUNS if path.name == f"{row['run']}.txt.xz")
        for name, measure in (("CRP", "CRP"), ("DCG", "DCG(base=2)")):
            curve = rs.curves(QRELS, run, measure, depth=1000).by_topic(row["run"])[row["topic"]]
            for corner in figure.data()[f"{name.lower()}{row['number']}"]:
                assert curve[min(corner["rank"], len(curve)) - 1] == pytest.approx(corner[name])
    check_drawing(figure)
    with pytest.raises(ParameterError, match="give qrels and runs, too"):
        effort_gain_figure(study, insets=3)
    with pytest.raises(ParameterError, match="room for 4 insets, got 5"):
        effort_gain_figure(study, insets=5, qrels=QRELS, runs=RUNS)


def test_insets_are_drawn_with_the_gains_and_the_discount_of_the_plot() -> None:
    gain = "nDCG(base=10,gains=[0,1,10,100])"
    figure: Any = effort_gain_figure(
        rs.effort_gain(rs.evaluate(QRELS, RUNS[:3], [gain, "Twist"]), gain), insets=2, qrels=QRELS, runs=RUNS[:3]
    )
    for row in figure.data()["insets"]:
        run = next(path for path in RUNS if path.name == f"{row['run']}.txt.xz")
        measure = gain.removeprefix("n")
        curve = rs.curves(QRELS, run, measure, depth=1000).by_topic(row["run"])[row["topic"]]
        for corner in figure.data()[f"dcg{row['number']}"]:
            assert curve[min(corner["rank"], len(curve)) - 1] == pytest.approx(corner["DCG"])


def test_the_command_draws_insets(tmp_path: Path) -> None:
    files, output = [str(QRELS), *map(str, RUNS[:3])], tmp_path / "effort.svg"
    made = CliRunner().invoke(command, [*files, "-o", str(output), "--insets", "2", "--quantiles", "--rel", "2"])
    assert made.exit_code == 0, made.output
    assert ">1: " in output.read_text()
    assert CliRunner().invoke(command, [*files, "-o", str(output), "--insets", "9"]).exit_code == 2
