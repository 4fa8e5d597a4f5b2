"""The effort/gain plot of a report: it shows the measures that were requested, and refuses those that cannot be."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.report import command
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.measures.base.parser import parse_all
from rankscale.reporting.effort_measures import effort_measures
from rankscale.sample import QRELS, RUNS

SOME = [path for path in RUNS if path.name.startswith("bm25")][:3]


def points_of(page: str) -> dict[tuple[str, str], tuple[float, float]]:
    """By run and topic, effort and gain of the points in the page."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert data
    return {(point["run"], point["topic"]): (point["effort"], point["gain"]) for point in json.loads(data[1])["points"]}


@pytest.mark.parametrize(
    ("measures", "effort", "gain", "drawn"),
    [
        (["nDCG@10", "AP"], None, None, ("Twist", "nDCG@10")),
        (["AP", "Twist(rel=2)@100"], None, None, ("Twist(rel=2)@100", "AP")),
        (["Twist(rel=2)@100", "P@5"], None, None, ("Twist(rel=2)@100", "P@5")),
        (["Twist(rel=2)@100"], None, None, ("Twist(rel=2)@100", "AP(rel=2)")),
        (["AP", "Twist@100"], "Twist@20", None, ("Twist@20", "AP")),
        (["AP"], None, "RBP(p=0.5)", ("Twist", "RBP(p=0.5)")),
        (["ESL(n=1)", "AP"], None, None, ("Twist", "AP")),
        (["ESL(n=1)"], None, None, ("Twist", None)),
        (["rho", "AP"], "rho", None, ("rho", "AP")),
    ],
)
def test_which_measures_are_drawn(
    measures: list[str], effort: str | None, gain: str | None, drawn: tuple[str, str | None]
) -> None:
    chosen = effort_measures(parse_all(measures), effort, gain, 1)
    assert (str(chosen.effort), None if chosen.gain is None else str(chosen.gain)) == drawn
    default = effort_measures(parse_all("AP"), None, None, 3)
    assert str(default.effort) == "Twist(rel=3)"


def test_points_are_the_values_of_the_measures_requested() -> None:
    made = rs.report(QRELS, SOME, ["AP", "Twist(rel=2)@100"])
    values = rs.evaluate(QRELS, SOME, ["Twist(rel=2)@100", "AP"]).to_dict()
    expected = {
        (run, topic): (round(of["Twist(rel=2)@100"], 6), round(of["AP"], 6))
        for run, topics in values.items()
        for topic, of in topics.items()
    }
    assert points_of(made.html()) == expected
    named = rs.report(QRELS, SOME, "P@10", effort="Twist@50", gain="RBP(p=0.5)")
    values = rs.evaluate(QRELS, SOME, ["Twist@50", "RBP(p=0.5)"]).to_dict()
    points = points_of(named.html())
    for (run, topic), (effort, gain) in points.items():
        assert effort == round(values[run][topic]["Twist@50"], 6)
        assert gain == round(values[run][topic]["RBP(p=0.5)"], 6)
    assert [str(measure) for measure in named.results.measures] == ["P@10"]


def test_rankings_are_opened_with_the_lowest_relevant_grade_of_effort() -> None:
    data = re.search(
        r'<script type="application/json" id="data">(.*?)</script>',
        rs.report(QRELS, SOME, "AP", effort="Twist(rel=2)").html(),
        re.DOTALL,
    )
    assert data
    topics: dict[str, Any] = json.loads(data[1])["rankings"]["topics"]
    bases = rs.evaluate(QRELS, SOME[:1], "NumRel(rel=2)").to_dict()
    (of_run,) = bases.values()
    assert {topic: of["recall_base"] for topic, of in topics.items()} == {
        topic: of["NumRel(rel=2)"] for topic, of in of_run.items() if of["NumRel(rel=2)"]
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"effort": "CRP@10"}, r"from 0 \(all of it\) to 1 \(none\), as Twist is, and CRP@10 is not one"),
        ({"gain": "ESL(n=1)"}, r"whose highest value is the best, and ESL.* is not one"),
        ({"gain": "Twist"}, "effort and gain are both Twist: name two different measures"),
        ({"effort": "Twits"}, "did you mean Twist"),
    ],
)
def test_what_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises((ParameterError, UnknownNameError), match=message):
        rs.report(QRELS, SOME, "AP", **options)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"none of ESL.* is one; name one, as in gain='AP'"):
        rs.report(QRELS, SOME, "ESL(n=1)", effort="Twist")


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    files = [str(QRELS), *map(str, SOME), "-m", "AP", "-o", str(path)]
    done = CliRunner().invoke(command, [*files, "-m", "Twist(rel=2)@100"])
    assert done.exit_code == 0, done.output
    assert "Effort and gain of 150 rankings: Twist(rel=2)@100 and AP" in path.read_text()
    done = CliRunner().invoke(command, [*files, "--effort", "Twist@100", "--gain", "P@10", "--rel", "2"])
    assert done.exit_code == 0, done.output
    assert "Effort and gain of 150 rankings: Twist(rel=2)@100 and P(rel=2)@10" in path.read_text()
