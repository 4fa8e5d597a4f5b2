"""CRP beside DCG as a figure: the data drawn, and the drawing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.crp_dcg import crp_dcg_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("crp-dcg")

BM25 = next(path for path in RUNS if path.name.startswith("bm25."))
NEGATIVE = "DCG(base=2,gains=[-1,1,2,3])"


def test_the_worked_example_of_the_dcg_paper() -> None:
    grades = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    missed = [2, 1, 1, 1]  # the ideal is 3 3 3 2 2 2 1 1 1 1
    run = {"1": {f"d{place}": 20.0 - place for place in range(10)}}
    qrels = {"1": {f"d{place}": grade for place, grade in enumerate(grades)}}
    qrels["1"] |= {f"m{place}": grade for place, grade in enumerate(missed)}
    figure = crp_dcg_figure(qrels, {"mine": run}, "1", depth=20, last=10)
    drawn: Any = figure.data()["ranks"].columns
    assert np.round(drawn["DCG"], 2).tolist() == [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    assert np.round(drawn["ideal_DCG"], 4).tolist()[:4] == [3, 6, 7.8928, 8.8928]
    assert drawn["difference"][:3] == [0, -1, 0]
    assert drawn["kind"][:3] == ["as the ideal", "less than the ideal", "as the ideal"]
    assert next(iter(figure.data()["equal"])) == {"first": 1, "last": 1}


@pytest.mark.parametrize("measure", ["DCG(base=2)", "DCG", NEGATIVE])
def test_what_is_drawn_are_the_curves(measure: str) -> None:
    figure = crp_dcg_figure(QRELS, BM25, "103", measure=measure, last=150)
    curves = rs.curves(QRELS, [BM25], measure, topics=["103"], ideal=True, depth=150).by_run("103")
    drawn: Any = figure.data()["ranks"].columns
    assert drawn["DCG"] == pytest.approx(curves["bm25"].tolist())
    assert drawn["ideal_DCG"] == pytest.approx(curves["ideal"].tolist())
    apart = np.diff(curves["bm25"] - curves["ideal"], prepend=0)
    assert drawn["difference"] == pytest.approx(apart.tolist(), abs=1e-9)
    corners: Any = figure.data()["gains"].columns
    assert np.interp(range(1, 151), corners["rank"], corners["DCG"]).tolist() == pytest.approx(drawn["DCG"])
    assert f"{curves['bm25'][-1]:.4f}" in figure.description
    which = str(rs.parse(measure))  # as the label tells, since DCG and DCG(base=2) differ from rank 2 on
    assert figure.title == f"CRP and {which} of bm25, topic 103"
    assert f"{which} of the ranking" in json.dumps(figure.spec())


def test_a_perfect_ranking_differs_nowhere_from_the_ideal() -> None:
    """The example of the CRP paper: 10 relevant documents, then ten that are not; the bar is 0 at every rank."""
    grades = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, *[0] * 5]
    qrels = {"1": {f"d{place:02}": grade for place, grade in enumerate(grades)}}
    run = {"perfect": {"1": {f"d{place:02}": 20.0 - place for place in range(20)}}}  # the last five are unjudged
    figure = crp_dcg_figure(qrels, run, "1", measure=NEGATIVE, last=20)
    drawn: Any = figure.data()["ranks"].columns
    assert drawn["difference"] == [0.0] * 20
    assert drawn["kind"] == ["as the ideal"] * 20
    assert drawn["DCG"] == drawn["ideal_DCG"]
    assert round(drawn["ideal_DCG"][-1], 4) == 9.2758
    free = crp_dcg_figure(qrels, run, "1", measure="DCG(base=2,gains=[-1,1,2,3],unjudged=0)", last=20)
    apart: Any = free.data()["ranks"].columns["difference"]
    assert [one < 0 for one in apart] == [10 <= place < 15 for place in range(20)]


def test_both_show_the_same_ranking() -> None:
    figure = crp_dcg_figure(QRELS, BM25, "103", last=100)
    assert figure.data()["ranks"].columns["CRP"] == figure.course.crp[:100].tolist()


def test_other_measures_are_refused() -> None:
    with pytest.raises(ParameterError, match="beside DCG"):
        crp_dcg_figure(QRELS, BM25, "103", measure="AP")
    with pytest.raises(ParameterError, match="rather than a depth"):
        crp_dcg_figure(QRELS, BM25, "103", measure="DCG@10")


def test_is_drawn_without_overlap(check_drawing: Any) -> None:
    check_drawing(crp_dcg_figure(QRELS, BM25, "103", measure=NEGATIVE))


def test_a_short_ranking_is_drawn_without_overlap(check_drawing: Any) -> None:
    check_drawing(crp_dcg_figure({"1": {"b": 1}}, {"m" * 200: {"1": {"a": 2.0, "b": 1.0}}}, "1", depth=5))


def test_the_command(tmp_path: Path) -> None:
    arguments = [str(QRELS), str(BM25), "--topic", "103", "-o", str(tmp_path / "both.tsv")]
    done = CliRunner().invoke(command, [*arguments, "-m", NEGATIVE])
    assert done.exit_code == 0, done.output
    assert "difference" in (tmp_path / "both.tsv").read_text()
    assert CliRunner().invoke(command, [*arguments, "--last", "1"]).exit_code == 2


def test_a_key_tells_the_colours_of_both_bars() -> None:
    svg = crp_dcg_figure(QRELS, RUNS[7], "105").svg()
    for words in ("too late; gains less", "in place; gains as", "too early; gains more"):
        assert words in svg
