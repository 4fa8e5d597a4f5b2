"""Bounds of RBP as a figure: the data drawn, and the drawing."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.figures.bounds import bounds_figure
from rankscale.sample import QRELS, RUNS
from rankscale.studies.bounds import bounds
from rankscale.studies.pooling import pool

command = figure_command("bounds")

# Moffat and Zobel's ranking, with unjudged documents (SPEC 4): `$$---$----$-??--?---`.
WORKED = {"1": {f"d{rank:02}": 100 - rank for rank in range(1, 21)}}
RELEVANT, UNJUDGED = {1, 2, 6, 11}, {13, 14, 17}
JUDGED = {"1": {f"d{rank:02}": int(rank in RELEVANT) for rank in range(1, 21) if rank not in UNJUDGED}}


@pytest.fixture(scope="module")
def study() -> Any:
    return bounds(QRELS, RUNS, depths=(1, 2, 5, 10, 20, 50, 100, 1000), accuracy=())


def test_published_bounds_are_at_the_end_of_the_bands() -> None:
    figure = bounds_figure(bounds(JUDGED, {"it": WORKED}, pool_depths=(), accuracy=()))
    ends = {row["p"]: (row["lower"], row["upper"]) for row in figure.data()["bounds"] if row["depth"] == 1000}
    expected = {0.5: (0.7661, 0.7663), 0.8: (0.4470, 0.4889), 0.95: (0.1661, 0.5993)}
    for p, both in expected.items():
        assert ends[p] == pytest.approx(both, abs=5e-5)
    assert figure.pools == ("all judgments",)
    assert "all judgments, p = 0.8: 0.4470 to 0.4889" in figure.description


def test_by_depth_are_the_bounds_that_evaluate_gives_with_the_pool(study: Any) -> None:
    drawn = {(row["pool"], row["p"], row["depth"]): row for row in bounds_figure(study, runs=["bm25"]).data()["bounds"]}
    assert len(drawn) == 2 * 3 * 8
    qrels = rs.read_qrels(QRELS)
    runs = rs.read_runs(qrels, RUNS)
    bm25 = next(run for run in runs if run.name == "bm25")
    values: Any = rs.evaluate(pool(qrels, runs, 10).qrels, [bm25], ["RBP(p=0.95)@20"], bounds=True)
    row = drawn["pool depth 10", 0.95, 20]
    assert row["lower"] == pytest.approx(values.lower.mean())
    assert row["upper"] == pytest.approx(values.upper.mean())


def test_by_p_one_plot_for_each_pool_with_a_band_for_each_run(study: Any) -> None:
    figure: Any = bounds_figure(study, "p", ["bm25", "manual"])
    assert figure.kinds == ("bm25", "manual")
    assert [plot["title"]["text"] for plot in figure.spec()["concat"]] == [["pool depth 10"], ["pool depth 100"]]
    residuals: Any = {
        (row["pool"], row["p"]): row["residual"] for row in figure.data()["bounds"] if row["run"] == "manual"
    }
    assert len(residuals) == 2 * 11
    assert residuals["pool depth 10", 0.95] > 2 * residuals["pool depth 100", 0.95] - 0.01
    assert residuals["pool depth 10", 0.1] < 1e-4


def test_the_best_runs_are_drawn_unless_others_are_named(study: Any) -> None:
    lower = {row["run"]: float(row["lower"] or 0) for row in study.table() if row["p"] == 0.5}
    best = sorted(lower, key=lambda run: -lower[run])
    assert list(bounds_figure(study).runs) == best[:1]
    assert list(bounds_figure(study, "p").runs) == best[:2]
    assert bounds_figure(study, runs=["ql", "bm25"]).runs == ("ql", "bm25")


def test_what_cannot_be_drawn_is_refused(study: Any) -> None:
    with pytest.raises(UnknownNameError, match="nobody"):
        bounds_figure(study, runs=["nobody"])
    with pytest.raises(ParameterError, match="12 plots"):
        bounds_figure(study, runs=study.evaluation.runs[:7])
    with pytest.raises(ParameterError, match="room for 7 runs, got 8"):
        bounds_figure(study, "p", runs=study.evaluation.runs[:8])
    with pytest.raises(ParameterError, match="from one depth to another"):
        bounds_figure(bounds(JUDGED, {"it": WORKED}, depths=5, accuracy=()))
    with pytest.raises(ParameterError, match="'depth' or by 'p'"):
        bounds_figure(study, "rank")  # type: ignore[arg-type]


def test_is_drawn_without_overlap(study: Any, check_drawing: Any) -> None:
    check_drawing(bounds_figure(study))
    check_drawing(bounds_figure(study, "p"))


def test_many_plots_and_long_names_too(check_drawing: Any) -> None:
    runs = {f"{'a very ' * 12}long name {number}": WORKED for number in range(4)}
    several = bounds(JUDGED, runs, p=[0.5 + number / 100 for number in range(9)], depths=[1, 3, 900], accuracy=())
    check_drawing(bounds_figure(several, runs=list(runs)))


def test_command(tmp_path: Path) -> None:
    arguments = [str(QRELS), *map(str, RUNS[:5])]
    made = tmp_path / "bounds.svg"
    for by, words in (("depth", "depth of the ranking"), ("p", "p, persistence")):
        ended = CliRunner().invoke(command, [*arguments, "--by", by, "--run", "bm25-bo1", "-o", str(made)])
        assert ended.exit_code == 0, ended.output
        assert words in made.read_text()
    assert CliRunner().invoke(command, [*arguments, "--by", "rank", "-o", str(made)]).exit_code == 2
    assert CliRunner().invoke(command, [*arguments, "--judged-only", "-o", str(made)]).exit_code == 2


def test_a_page_complains_of_nothing(study: Any, browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "bounds.html"
    bounds_figure(study).save(str(path))
    page, complaints = browser.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(path.as_uri())
    page.locator("#figure svg.marks").wait_for()
    page.close()
    assert complaints == []
