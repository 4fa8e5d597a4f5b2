"""Indicators of CRP by topic as a figure: the data drawn, and the drawing."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import InputError, ParameterError
from rankscale.figures.base.look import Appearance
from rankscale.figures.crp import crp_figure
from rankscale.figures.indicators import IndicatorsFigure, indicators_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("indicators")

BM25 = next(path for path in RUNS if path.name.startswith("bm25."))


@pytest.fixture(scope="module")
def figure() -> IndicatorsFigure:
    return indicators_figure(QRELS, BM25)


def test_what_is_drawn_are_the_values_of_the_topics(figure: IndicatorsFigure) -> None:
    names = ["rho_w", "rho", "b_ratio", "CRP_min", "CRP_N"]
    values = rs.evaluate(QRELS, [BM25], ["NumRel", *names]).to_dict()["bm25"]
    highest = max(of["NumRel"] for of in values.values())
    rows = list(figure.data()["topics"])
    assert len(rows) == 50
    for row in rows:
        of = values[str(row["topic"])]
        assert row["R"] == of["NumRel"]
        assert row["R_share"] == of["NumRel"] / highest
        assert [row[name] for name in names] == [of[name] for name in names]


def test_topics_go_by_their_recall_base(figure: IndicatorsFigure) -> None:
    bases = [int(base or 0) for base in figure.data()["topics"].columns["R"]]
    assert bases == sorted(bases)
    assert "R from 3 to 123" in figure.description


def test_every_topic_has_a_corner_on_every_axis(figure: IndicatorsFigure) -> None:
    drawn = {(row["topic"], row["axis"]): row["value"] for row in figure.data()["lines"]}
    assert len(drawn) == 50 * 6
    for row in figure.data()["topics"]:
        assert drawn[row["topic"], "rho"] == row["rho"]
        assert drawn[row["topic"], "R / max R"] == row["R_share"]


def test_what_is_beyond_an_axis_is_drawn_at_its_end_with_its_value(figure: IndicatorsFigure) -> None:
    """CRP_N is above 1 for three topics of bm25, and no axis is longer for that."""
    beyond = {row["topic"]: row["value"] for row in figure.data()["lines"] if row["value"] != row["drawn"]}
    values = rs.evaluate(QRELS, [BM25], "CRP_N").by_topic("bm25", "CRP_N")
    assert beyond == {topic: value for topic, value in values.items() if value > 1}
    assert {row["drawn"] for row in figure.data()["lines"] if row["topic"] in beyond and row["axis"] == "CRP_N"} == {1}
    spec: Any = figure.spec()
    assert spec["vconcat"][-1]["encoding"]["y"]["scale"]["domain"] == [0, 1]
    drawn = figure.svg()
    for topic, value in beyond.items():
        assert f">{value:.4f} ({topic})<" in drawn


def test_both_ends_have_arrows_and_at_most_six_values() -> None:
    qrels = {str(topic): {"a": 3, **{f"r{n}": 1 for n in range(4)}} for topic in range(9)}
    late = {str(topic): {f"x{n}": 20.0 - n for n in range(topic % 3 + 5)} | {"a": 0.5} for topic in range(8)}
    figure = indicators_figure(qrels, {**late, "8": {f"r{n}": 9.0 - n for n in range(4)} | {"a": 1.0}}, depth=10)
    above = [row for row in figure.lines if float(row["value"] or 0) > 1]
    assert len(above) > 6
    words = re.findall(r">(-?\d+\.\d{4} \(\d\)|and \d+ more)<", figure.svg())
    assert len(words) == 6
    assert words[-1] == f"and {len(above) - 5} more"
    listed = [float(text.split()[0]) for text in words[:-1]]
    assert listed == sorted((round(float(row["value"] or 0), 4) for row in above), reverse=True)[:5]
    # The ranking 0 1 0 0 1 2 ends at 3 and the full scale at 2, since N < 3RB - 1.
    ranking = {"1": {"x": 6.0, "a": 5.0, "y": 4.0, "z": 3.0, "b": 2.0, "c": 1.0}}
    below = indicators_figure({"1": {"a": 1, "b": 1, "c": 2}}, ranking, depth=6)
    assert [(row["axis"], row["value"], row["drawn"]) for row in below.lines if row["value"] != row["drawn"]] == [
        ("CRP_N", -0.5, 0.0)
    ]
    assert ">-0.5000 (1)<" in below.svg()


def test_a_click_on_a_line_opens_its_topic(figure: IndicatorsFigure, browser: Any, tmp_path: Path) -> None:
    """In a browser: the heading, the curve and the bar under the lines are those of the topic that is clicked."""
    path = tmp_path / "indicators.html"
    figure.save(str(path))
    page = browser.new_page(viewport={"width": 1000, "height": 1100})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    heading = page.locator("#figure svg text", has_text=re.compile(r"^Topic .*, recall base \d+$"))
    best = figure.named[0]
    bases = dict(zip(figure.topics.columns["topic"], figure.topics.columns["R"], strict=True))
    assert heading.text_content() == f"Topic {best}, recall base {bases[best]}"
    # The line of the largest recall base stands alone at the top of the first axis.
    frame = page.locator("#figure svg path[stroke-opacity='0']")
    assert frame.count() == 50
    topic = str(figure.topics.columns["topic"][-1])
    at = page.evaluate(CORNER, 49)
    page.mouse.click(at["x"], at["y"])
    page.wait_for_function(
        "t => [...document.querySelectorAll('#figure svg text')].some(n => n.textContent === t)",
        arg=f"Topic {topic}, recall base {bases[topic]}",
    )
    assert bar_of(page) == cells_of(figure, topic)
    page.select_option(".vega-bindings select", "103")
    page.wait_for_function(
        "t => [...document.querySelectorAll('#figure svg text')].some(n => n.textContent === t)",
        arg=f"Topic 103, recall base {bases['103']}",
    )
    assert bar_of(page) == cells_of(figure, "103")
    assert complaints == []
    page.close()


CORNER = """place => {
    const line = document.querySelectorAll("#figure svg path[stroke-opacity='0']")[place];
    const near = line.getPointAtLength(0.05 * line.getTotalLength()).matrixTransform(line.getScreenCTM());
    return {x: near.x, y: near.y};
}"""


def bar_of(page: Any) -> int:
    """How many cells the bar of relative positions has."""
    count: int = page.locator("#figure svg .mark-rect.role-mark path").count()
    return count


def cells_of(figure: IndicatorsFigure, topic: str) -> int:
    """The same from the figure of that ranking alone."""
    return len(crp_figure(QRELS, BM25, topic).cells)


def test_topics_with_hostile_names_are_opened_as_text(browser: Any, tmp_path: Path) -> None:
    topics = ["</script><b>'x'", "constructor", "__proto__", "'];alert(1);//"]
    qrels = {topic: {"a": 2, "b": 1, "c": place} for place, topic in enumerate(topics)}
    run = {key: {"x": 4.0, "b": 3.0, "a": 2.0, "c": 1.0} for key in topics}
    path = tmp_path / "hostile.html"
    indicators_figure(qrels, {"<b>run</b>": run}).save(str(path))
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto(path.as_uri())
    choices = page.locator(".vega-bindings select")
    choices.wait_for()
    for place in range(len(topics)):
        choices.select_option(index=place)
        shown = choices.evaluate("select => select.selectedOptions[0].textContent")
        heading = page.locator("#figure svg text", has_text=re.compile(r"^Topic "))
        heading.filter(has_text=f"Topic {shown}, recall base").wait_for()
    assert complaints == []
    page.close()


def test_the_page_draws_crp_as_the_figure_of_the_topic_does(figure: IndicatorsFigure) -> None:
    spec: Any = figure.page_spec(Appearance())
    for topic in ("103", *figure.named):
        alone = crp_figure(QRELS, BM25, topic)
        of_topic = [row for row in spec["datasets"]["curves"] if row["topic"] == topic]
        assert [(row["rank"], row["value"]) for row in of_topic if row["curve"] == "CRP"] == [
            (row["rank"], row["CRP"]) for row in alone.corners
        ]
        full_scale = {row["rank"]: row["full_scale"] for row in alone.corners}
        drawn = [(row["rank"], row["value"]) for row in of_topic if row["curve"] == "full scale"]
        assert all(full_scale.get(rank, value) == value for rank, value in drawn)
        cells = [
            {key: row[key] for key in row if key != "topic"}
            for row in spec["datasets"]["cells"]
            if row["topic"] == topic
        ]
        assert cells == list(alone.cells)
        points = [
            {key: row[key] for key in row if key != "topic"}
            for row in spec["datasets"]["points"]
            if row["topic"] == topic
        ]
        assert points == list(alone.points)


def test_the_best_and_the_worst_topic_are_named(figure: IndicatorsFigure) -> None:
    rho = dict(zip(figure.topics.columns["topic"], figure.topics.columns["rho"], strict=True))
    best, worst = figure.named
    assert rho[best] == max(float(value or 0) for value in rho.values())
    assert rho[worst] == min(float(value or 0) for value in rho.values())
    assert indicators_figure(QRELS, BM25, named=["103", "101"]).named == ("103", "101")


def test_what_is_undefined_has_no_corner() -> None:
    # One grade, and N = 2 RB: the full scale ends at 0.
    figure = indicators_figure({"1": {"a": 1, "b": 0}, "2": {"b": 0}}, {"1": {"a": 2.0, "b": 1.0}}, depth=2)
    assert [row["topic"] for row in figure.data()["topics"]] == ["1"]
    assert "CRP_N" not in figure.data()["lines"].columns["axis"]


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InputError, match="unknown topic 'none'"):
        indicators_figure(QRELS, BM25, named=["none"])
    with pytest.raises(ParameterError, match="at most 7"):
        indicators_figure(QRELS, BM25, named=[str(topic) for topic in range(101, 109)])
    with pytest.raises(ParameterError, match="one run, got 2"):
        indicators_figure(QRELS, RUNS[:2])
    with pytest.raises(ParameterError, match="no topic"):
        indicators_figure({"1": {"a": 0}}, {"1": {"a": 2.0}})


def test_is_drawn_without_overlap(figure: IndicatorsFigure, check_drawing: Any) -> None:
    check_drawing(figure)


def test_long_names_and_one_topic_are_drawn_without_overlap(check_drawing: Any) -> None:
    topics = [f"{'a very long name of a topic' * 3} {number}" for number in range(7)]
    ranking = {"a": 3.0, "b": 2.0, "c": 1.0}
    run, qrels = dict.fromkeys(topics, ranking), {topic: {"a": 1, "c": 2} for topic in topics}
    check_drawing(indicators_figure(qrels, {"long name" * 30: run}, named=topics))
    check_drawing(indicators_figure({"1": {"c": 1}}, {"1": ranking}))


def test_the_command(tmp_path: Path) -> None:
    arguments = [str(QRELS), str(BM25), "-o", str(tmp_path / "indicators.html")]
    done = CliRunner().invoke(command, [*arguments, "--topic", "103"])
    assert done.exit_code == 0, done.output
    assert "CRP indicators of bm25" in (tmp_path / "indicators.html").read_text()
    assert CliRunner().invoke(command, [*arguments, "--gains", "exp"]).exit_code == 2


def test_of_many_topics_quartiles_and_outliers_stand_over_a_haze(figure: IndicatorsFigure) -> None:
    rho = np.array([row["rho"] for row in figure.topics], dtype=float)
    band = {row["axis"]: row for row in figure.data()["band"]}
    assert [band["rho"][name] for name in ("q1", "median", "q3")] == pytest.approx(np.quantile(rho, [0.25, 0.5, 0.75]))
    assert figure.outliers
    for topic, axis in figure.outliers.items():
        drawn = {row["topic"]: float(row["drawn"] or 0) for row in figure.lines if row["axis"] == axis}
        low, high = (float(band[axis][name] or 0) for name in ("q1", "q3"))
        assert max(low - drawn[topic], drawn[topic] - high) > 1.5 * (high - low)
    labels: Any = figure.spec()["datasets"]["labels"]  # type: ignore[index]
    assert {row["topic"] for row in labels} <= {*figure.named, *figure.outliers}
    assert {row["topic"] for row in labels if row["axis"] == "rho"} >= set(figure.named)


def test_few_topics_have_plain_lines() -> None:
    qrels = {str(topic): {"a": 1, "b": 1} for topic in range(20)}
    few = indicators_figure(qrels, {topic: {"a": 2, "x": 1} for topic in qrels})
    assert few.outliers == {}
    assert few.subtitle == ""
