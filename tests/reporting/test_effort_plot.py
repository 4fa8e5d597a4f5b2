"""The effort/gain plot of a report: it shows the measures that were requested, and refuses those that cannot be."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.report import command
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.measures.base.parser import parse_all
from rankscale.reporting.measured import effort_measures
from rankscale.sample import QRELS, RUNS
from tests.reporting.conftest import by_ranking, data_of, unpacked

SOME = [path for path in RUNS if path.name.startswith("bm25")][:3]


def points_of(page: str) -> dict[tuple[str, str], tuple[float, float]]:
    """By run and topic, effort and gain of the points in the page."""
    data = data_of(page)
    effort, gain = (by_ranking(data, unpacked(data["effort"][name], "f4")) for name in ("effort", "gain"))
    return {ranking: (effort[ranking], gain[ranking]) for ranking in effort}


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
    of_effort, of_gain = effort_measures(parse_all(measures), effort, gain, 1)
    assert (str(of_effort), None if of_gain is None else str(of_gain)) == drawn
    default, _ = effort_measures(parse_all("AP"), None, None, 3)
    assert str(default) == "Twist(rel=3)"


def test_points_are_the_values_of_the_measures_requested() -> None:
    made = rs.report(QRELS, SOME, ["AP", "Twist(rel=2)@100"])
    values = rs.evaluate(QRELS, SOME, ["Twist(rel=2)@100", "AP"]).to_dict()
    expected = {
        (run, topic): (of["Twist(rel=2)@100"], of["AP"])
        for run, topics in values.items()
        for topic, of in topics.items()
    }
    points = points_of(made.html())
    assert points.keys() == expected.keys()
    for ranking, point in points.items():
        assert point == pytest.approx(expected[ranking], abs=1e-6)
    named = rs.report(QRELS, SOME, "P@10", effort="Twist@50", gain="RBP(p=0.5)")
    values = rs.evaluate(QRELS, SOME, ["Twist@50", "RBP(p=0.5)"]).to_dict()
    points = points_of(named.html())
    for (run, topic), (effort, gain) in points.items():
        assert effort == pytest.approx(values[run][topic]["Twist@50"], abs=1e-6)
        assert gain == pytest.approx(values[run][topic]["RBP(p=0.5)"], abs=1e-6)
    assert [str(measure) for measure in named.results.measures] == ["P@10"]


def test_rankings_are_opened_with_the_lowest_relevant_grade_of_effort() -> None:
    data = data_of(rs.report(QRELS, SOME, "AP", effort="Twist(rel=2)").html())
    rankings = data["rankings"]
    assert rankings["rel"] == 2
    relevant = [level >= 2 for level in rankings["levels"]]
    counts = unpacked(rankings["counts"], "i4").reshape(-1, len(relevant))[:, relevant].sum(axis=1)
    (of_run,) = rs.evaluate(QRELS, SOME[:1], "NumRel(rel=2)").to_dict().values()
    assert counts.tolist() == [of_run[topic]["NumRel(rel=2)"] for topic in data["topics"]]


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
