"""Effort: points are those of the study `effort_gain`, curves and indicators those of the figures."""

import json
import shlex
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

import rankscale as rs
from rankscale.cli import main
from rankscale.errors import ParameterError, RankscaleError
from rankscale.figures.crp_dcg import crp_dcg_figure
from rankscale.figures.indicators import indicators_figure
from rankscale.measures.base.parser import Relevance
from rankscale.sample import QRELS
from rankscale.studies.effort_gain import effort_gain
from rankscale.workbench.app import VIEWS
from rankscale.workbench.bench import Bench
from rankscale.workbench.state import State
from rankscale.workbench.views import effort as lines
from rankscale.workbench.views import effort as view
from tests.workbench.conftest import RUNS
from tests.workbench.made_up import asking, collection, opened, state
from tests.workbench.test_values import random_state, same

Answer = Callable[[str, str], Any]
GAINS = ("AP", "nDCG@10", "P@5", "RBP(p=0.85)", "RR")


def study_of(chosen: dict[str, Any]) -> Any:
    """The same study through the front door, from the files."""
    relevance = Relevance(chosen.get("rel"))
    gain, effort = relevance.measure(chosen["m"]), relevance.measure("Twist")
    evaluation = rs.evaluate(
        QRELS,
        str(RUNS),
        [gain, effort],
        depth=chosen.get("depth"),
        judged_only=bool(chosen.get("judged")),
        missing=chosen.get("missing", "zero"),
    )
    return effort_gain(evaluation, gain, effort)


def points_of(data: dict[str, Any]) -> dict[tuple[str, str], tuple[float, float]]:
    """Effort and gain of each ranking that is drawn."""
    of = data["points"]
    names = [(of["runs"][run], of["topics"][topic]) for run, topic in zip(of["run"], of["topic"], strict=True)]
    return dict(zip(names, zip(of["effort"], of["gain"], strict=True), strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_points_are_those_of_the_study(answer: Answer, seed: int) -> None:
    chosen = {**random_state(seed), "m": GAINS[seed % len(GAINS)]}
    data = answer("effort", urlencode(chosen))["data"]
    study = study_of(chosen)
    expected = {(str(row["run"]), str(row["topic"])): row for row in study.table("points")}
    assert points_of(data) == {name: (row["effort"], row["gain"]) for name, row in expected.items()}
    assert data["gain_cuts"] == study.plots[0].cuts.tolist()
    for shown, row in zip(data["areas"], study.table("areas"), strict=True):
        assert [shown["area"], shown["points"], shown["share"]] == [row["area"], row["points"], row["share"]]
    for shown, row in zip(data["quadrants"], study.table("quadrants"), strict=True):
        assert [shown["quadrant"], shown["area"], shown["points"], shown["share"]] == [
            row[name] for name in ("quadrant", "area", "points", "share")
        ]
    topics = set(chosen["topics"].split(",")) if "topics" in chosen else None
    kept = [name for name in expected if topics is None or name[1] in topics]
    assert data["chosen"] == len(kept)
    gains = np.array([float(row["gain"] or 0) for row in expected.values()])
    for run, topic, effort, gain, *_, quadrant, area, apart in data["listed"]:
        row = expected[run, topic]
        assert [effort, gain, quadrant, area] == [row[name] for name in ("effort", "gain", "quadrant", "area")]
        share = (np.count_nonzero(gains < gain) + 0.5 * np.count_nonzero(gains == gain)) / len(gains)
        assert apart == pytest.approx(share - effort, abs=1e-12)
    sizes = [abs(row[-1]) for row in data["listed"]]
    assert sizes == sorted(sizes, reverse=True)


def test_boxes_areas_and_runs_choose_rankings(answer: Answer) -> None:
    study = study_of({"m": "AP"})
    rows = list(study.table("points"))
    box = answer("effort", "m=AP&box=0.2:0.4:0.3:0.9")["data"]
    inside = [row for row in rows if 0.2 <= row["effort"] <= 0.4 and 0.3 <= row["gain"] <= 0.9]
    assert {(row[0], row[1]) for row in box["listed"]} == {(row["run"], row["topic"]) for row in inside}
    assert box["chosen"] == len(box["points"]["chosen"]) == len(inside) < len(rows) == len(box["points"]["run"])
    assert set(box["chosen_topics"]) == {row["topic"] for row in inside}
    zoomed = answer("effort", "m=AP&box=0.2:0.4:0.3:0.9&zoom=1")["data"]
    assert (len(zoomed["points"]["run"]), zoomed["effort_axis"], zoomed["gain_axis"]) == (
        len(inside),
        [0.2, 0.4],
        [0.3, 0.9],
    )
    for area in ("high-high", "huge gain at high effort"):
        data = answer("effort", urlencode({"m": "AP", "area": area}))["data"]
        assert data["chosen"] == len(study.within(area).table("points"))
    own = answer("effort", "m=AP&whose=a&a=bm25")["data"]
    assert {run for run, _ in points_of(own)} == {"bm25"}


def test_a_measure_of_effort_is_the_effort_and_the_gain_is_ap(answer: Answer) -> None:
    data = answer("effort", "m=Twist@100&rel=2")["data"]
    assert (data["effort"], data["gain"]) == ("Twist(rel=2)@100", "AP(rel=2)")
    data = answer("effort", "m=nDCG@10&effort=Twist@50")["data"]
    assert (data["effort"], data["gain"]) == ("Twist@50", "nDCG@10")


@pytest.mark.parametrize("options", ["", "&rel=2", "&judged=1", "&depth=30"])
def test_curves_are_those_of_the_figure(answer: Answer, options: str) -> None:
    query = f"m=AP&box=0:0.5:0.4:1{options}"
    listed = answer("effort", query)["data"]["listed"]
    made = answer("effort", f"{query}&part=tests")["data"]["multiples"]
    assert [(one["run"], one["topic"]) for one in made] == [(row[0], row[1]) for row in listed[:12]]
    kept = state(query)
    for one in made[:3]:
        figure = crp_dcg_figure(
            QRELS,
            str(RUNS / f"{one['run']}.txt.xz"),
            one["topic"],
            rel=kept.rel or 1,
            depth=kept.depth,
            judged_only=kept.judged,
        )
        assert one["crp"] == {name: figure.corners.columns[name] for name in ("rank", "CRP", "full_scale")}
        assert one["dcg"] == {name: figure.gains.columns[name] for name in ("rank", "DCG", "ideal_DCG")}
        assert (one["last"], one["recall_base"]) == (figure.last, figure.course.recall_base)


@pytest.mark.parametrize(("run", "options"), [("bm25", ""), ("dense-zero", ""), ("manual", "&rel=2&judged=1")])
def test_indicators_are_those_of_the_figure(answer: Answer, run: str, options: str) -> None:
    made = answer("effort", f"m=AP&part=tests&a={run}&b=ql{options}")["data"]["indicators"]
    kept = state(options[1:])
    figure = indicators_figure(QRELS, str(RUNS / f"{run}.txt.xz"), rel=kept.rel or 1, judged_only=kept.judged)
    assert made["topics"] == figure.topics.columns["topic"]
    for axis, values in zip(made["axes"], made["values"], strict=True):
        same(values, figure.topics.columns[axis])
    assert (made["passing"], made["within"], made["of_topics"]) == ([], len(made["topics"]), len(made["topics"]))


def test_ranges_of_axes_keep_lines(answer: Answer) -> None:
    whole = answer("effort", "m=AP&part=tests&a=bm25&b=ql")["data"]["indicators"]
    of = dict(zip(whole["axes"], whole["values"], strict=True))
    made = answer("effort", "m=AP&part=tests&a=bm25&b=ql&axes=rho:0.1:1,R:0:0.3")["data"]["indicators"]
    inside = [
        topic
        for topic, rho, base in zip(whole["topics"], of["rho"], of["R"], strict=True)
        if min(max(rho, 0), 1) >= 0.1 and base / whole["largest"] <= 0.3
    ]
    assert [made["topics"][place] for place in made["passing"]] == inside
    assert made["within"] == len(inside) > 0
    beyond = answer("effort", "m=AP&part=tests&a=bm25&b=ql&axes=CRP_N:1:1")["data"]["indicators"]
    assert beyond["within"] == sum(value >= 1 for value in of["CRP_N"])  # what is beyond the end is drawn there


def test_many_rankings_are_counted_in_cells_and_lines_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "MOST_POINTS", 500)
    monkeypatch.setattr(lines, "MOST_LINES", 50)
    qrels, runs, _ = collection(300)
    ask = asking(opened(300))
    data = ask("effort", "m=AP&box=0.5:1:0:1")["data"]
    study = effort_gain(rs.evaluate(qrels, runs, ["AP", "Twist"]), "AP", "Twist")
    (plot,) = study.plots
    assert data["points"] is None
    expected, *_ = np.histogram2d(plot.gain, plot.effort, bins=40, range=[[0, 1], [0, 1]])
    cells = np.zeros((40, 40))
    chosen = 0
    for column, row, count, some in data["cells"]["counts"]:
        cells[row, column] = count
        chosen += some
    assert (cells == expected).all()
    assert chosen == data["chosen"] == int(np.count_nonzero(plot.effort >= 0.5))
    assert ask("effort", "m=AP&whose=a")["data"]["points"] is not None  # a third of them
    made = ask("effort", "m=AP&part=tests")["data"]["indicators"]
    assert len(made["topics"]) == 50 < made["of_topics"]
    some = ask("effort", "m=AP&part=tests&axes=rho:0.9:1")["data"]["indicators"]
    assert 50 <= len(some["passing"]) <= 100 < some["within"]  # of those within, as many again
    assert len(json.dumps(data)) < 100_000


def test_table_figure_and_command(bench: Bench) -> None:
    settled = bench.settled(state("m=AP&rel=2&area=high-high"))
    table = view.table(bench, settled)
    study = study_of({"m": "AP", "rel": 2}).within("high-high")
    assert len(table) == len(study.table("points"))
    assert {(row["run"], row["topic"], row["effort"], row["gain"]) for row in table} == {
        (row["run"], row["topic"], row["effort"], row["gain"]) for row in study.table("points")
    }
    drawn: Any = view.figure(bench, settled)
    assert (drawn.measure, drawn.effort) == ("AP(rel=2)", "Twist(rel=2)")
    assert view.command(bench, settled) == (
        "rankscale effort-gain QRELS RUN... -m AP --rel 2 --effort 'Twist(rel=2)' --area high-high --table points"
    )


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("m=ESL", "gain is read off a measure whose highest value is the best, and ESL is not one; choose another"),
        ("effort=DCG", "effort is read off a measure from 0"),
        ("m=AP&effort=AP", "effort and gain are both AP"),
        ("effort=Twsit", "did you mean Twist"),
        ("area=nowhere", "unknown area 'nowhere'"),
        ("box=1:2:3", "box is EFFORT:EFFORT:GAIN:GAIN"),
        ("box=0.5:0.2:0:1", "box is EFFORT:EFFORT:GAIN:GAIN, the lower one first"),
        ("box=a:b:c:d", "box is a number"),
        ("axes=rho", "axes is AXIS:FROM:TO"),
        ("axes=rho:0:1,rho:0:1", "each axis once"),
        ("axes=luck:0:1&part=tests", "unknown axis 'luck'"),
        ("whose=c", "whose is one of all, a, b"),
    ],
)
def test_mistakes_are_answered_in_words(answer: Answer, query: str, words: str) -> None:
    with pytest.raises(RankscaleError, match=words):
        answer("effort", query)


def test_where_nothing_is_defined_the_answer_says_so() -> None:
    ask = asking(opened(7))
    with pytest.raises(ParameterError, match="are defined together for no ranking"):
        ask("effort", "m=AP&rel=9")


def test_states_come_back_as_they_were_written() -> None:
    query = "box=0.1:0.2:0.0:1.0&zoom=1&axes=rho:0.1:0.25,R:0.0:1.0&whose=b&order=spread&window=30"
    assert State.of([*state(query).parameters().items()]) == state(query)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("effort", "m=nDCG@10&rel=2&area=high-high"),
        ("effort", "m=Twist@50&judged=1"),
        ("topics", "m=AP&rel=2&depth=20"),
    ],
)
def test_the_command_prints_the_same_numbers(
    bench: Bench,
    answer: Answer,
    name: str,
    query: str,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    shown = answer(name, query)["frame"]["command"]
    words = [*shlex.split(shown.replace("QRELS RUN...", shlex.join([str(QRELS), str(RUNS)]))), "--format", "jsonl"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    rows = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    kept = VIEWS[name].table(bench, bench.settled(state(query)))
    if name == "effort":
        columns = ("run", "topic", "effort", "gain")
        assert {tuple(row[one] for one in columns) for row in kept} == {
            tuple(row[one] for one in columns) for row in rows
        }
        return
    runs = [column.removeprefix("value:") for column in kept.columns if column.startswith("value:")]
    printed = {(row["run"], row["topic"], row["value"]) for row in rows if row["topic"] != "all"}
    assert {(run, row["topic"], row[f"value:{run}"]) for row in kept for run in runs} == printed
