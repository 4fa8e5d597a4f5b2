"""Critical-difference diagrams: the data drawn, the drawing and the command."""

from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import rankdata, studentized_range

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.base.look import Appearance
from rankscale.figures.critical_difference import critical_difference_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("critical-difference")


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return rs.evaluate(QRELS, RUNS, "AP")


def many(runs: int, name: str = "run") -> Any:
    """Runs of which some do as well as others."""
    draw = np.random.default_rng(7)
    qrels = {str(topic): {"a": 1} for topic in range(20)}
    given = {}
    for run in range(runs):
        ranks = np.minimum(draw.geometric(1 / (1 + run / 8), size=20), 30)
        given[f"{name} {run}"] = {
            topic: {f"x{place}": 99.0 - place for place in range(rank - 1)} | {"a": 99.0 - rank}
            for topic, rank in zip(qrels, ranks.tolist(), strict=True)
        }
    return rs.evaluate(qrels, given, "RR")


def test_runs_stand_at_their_mean_ranks(evaluation: Any) -> None:
    figure: Any = critical_difference_figure(rs.compare(evaluation, "friedman"))
    ranks = dict(zip(evaluation.runs, rankdata(-evaluation.values[0], axis=0).mean(axis=1), strict=True))
    drawn = {row["run"]: row["position"] for row in figure.data()["runs"]}
    assert drawn == pytest.approx(ranks)
    assert list(drawn) == sorted(ranks, key=lambda run: ranks[run])


def test_the_critical_difference_is_that_of_nemenyi(evaluation: Any) -> None:
    """Without ties it is q sqrt(k(k+1)/(6n)), q over sqrt 2; few values of AP are tied."""
    figure: Any = critical_difference_figure(rs.compare(evaluation, "friedman"))
    nemenyi = studentized_range.ppf(0.95, 24, np.inf) / np.sqrt(2) * np.sqrt(24 * 25 / (6 * 50))
    assert figure.difference == pytest.approx(nemenyi, rel=0.01)
    for row in figure.groups:
        assert row["right"] - row["left"] < figure.difference


def test_bars_join_all_that_do_not_differ_side_by_side(evaluation: Any) -> None:
    compared: Any = rs.compare(evaluation, "friedman")
    figure: Any = critical_difference_figure(compared)
    p = {frozenset((row["run"], row["other"])): row["p"] for row in compared.rows()}
    names = list(figure.runs.columns["run"])
    bars = [set(names[names.index(row["first"]) : names.index(row["last"]) + 1]) for row in figure.data()["groups"]]
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            joined = any({one, other} <= bar for bar in bars)
            assert joined == (p[frozenset((one, other))] >= 0.05)


def test_bars_on_one_line_do_not_meet(evaluation: Any) -> None:
    groups: list[Any] = list(critical_difference_figure(rs.compare(evaluation, "friedman")).groups)
    for one in groups:
        for other in groups:
            if one is not other and one["line"] == other["line"]:
                assert one["right"] < other["left"] or other["right"] < one["left"]


def test_other_tests_stand_at_means(evaluation: Any) -> None:
    figure: Any = critical_difference_figure(rs.compare(evaluation, "student"))
    assert figure.difference is None
    for row in figure.runs:
        assert row["position"] == pytest.approx(evaluation.means()[row["run"], "AP"])
    assert "Holm's correction" in figure.subtitle


def test_of_too_many_runs_the_best_are_drawn() -> None:
    figure: Any = critical_difference_figure(rs.compare(many(60), "friedman"))
    assert len(figure.runs) == 40
    assert figure.subtitle.startswith("The best 40 of 60 runs by mean rank; runs differ if their intervals do not meet")
    assert len(critical_difference_figure(rs.compare(many(60), "friedman"), best=5).runs) == 5


def test_in_rows_runs_differ_if_their_intervals_do_not_meet() -> None:
    compared: Any = rs.compare(many(30), "friedman")
    figure: Any = critical_difference_figure(compared)
    p = {frozenset((row["run"], row["other"])): row["p"] for row in compared.rows()}
    rows = list(figure.data()["runs"])
    assert figure.in_rows
    for one, other in combinations(rows, 2):
        apart = one["high"] < other["low"] or other["high"] < one["low"]
        assert apart == (p[frozenset((one["run"], other["run"]))] < 0.05)


def test_in_rows_other_tests_reach_to_the_last_run_that_does_not_differ() -> None:
    compared: Any = rs.compare(many(30), "student", "none")
    figure: Any = critical_difference_figure(compared)
    p = {frozenset((row["run"], row["other"])): row["p"] for row in compared.rows()}
    at = {row["run"]: row["position"] for row in figure.data()["runs"]}
    for row in figure.data()["runs"]:
        alike = [at[run] for run in at if run == row["run"] or p[frozenset((run, row["run"]))] >= 0.05]
        assert (row["low"], row["high"]) == pytest.approx((min(alike), max(alike)))
    assert "lines reach to the last runs" in figure.subtitle


def test_titles_say_what_was_found(evaluation: Any) -> None:
    compared: Any = rs.compare(evaluation, "friedman")
    alike = [row for row in compared.rows() if "manual" in (row["run"], row["other"]) and row["p"] >= 0.05]
    figure = critical_difference_figure(compared)
    assert figure.title == f"AP: {len(alike)} of 23 other runs do not differ from manual"
    same = rs.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {name: {"1": {"a": 1}, "2": {"a": 1}} for name in "xyz"}, "AP")
    assert critical_difference_figure(rs.compare(same, "student")).title == "AP: none of the 3 runs differ"


def test_what_cannot_be_drawn_is_refused(evaluation: Any) -> None:
    with pytest.raises(ParameterError, match="not with bm25 alone"):
        critical_difference_figure(rs.compare(evaluation, baseline="bm25"))
    with pytest.raises(ParameterError, match="between 2 and 40"):
        critical_difference_figure(rs.compare(evaluation), best=41)


@pytest.mark.parametrize("test", ["friedman", "student"])
def test_is_drawn_without_overlap(evaluation: Any, test: str, check_drawing: Any) -> None:
    check_drawing(critical_difference_figure(rs.compare(evaluation, test)))


@pytest.mark.parametrize("runs", [2, 24, 60])
def test_few_and_many_long_names_are_drawn(runs: int, check_drawing: Any, text_boxes: Any) -> None:
    figure: Any = critical_difference_figure(rs.compare(many(runs, "<b>a long & strange name"), "friedman"))
    check_drawing(figure)
    boxes = text_boxes(figure.svg(Appearance(height=300)))
    assert not [(a.text, b.text) for a in boxes for b in boxes if a is not b and a.overlaps(b)]


def test_the_command(tmp_path: Path) -> None:
    output = tmp_path / "differences.svg"
    files = [str(QRELS), *map(str, RUNS[:6])]
    made = CliRunner().invoke(command, [*files, "-o", str(output), "--best", "4"])
    assert made.exit_code == 0, made.output
    assert "The best 4 of 6 runs" in output.read_text()
    assert CliRunner().invoke(command, [*files, "-o", str(output), "--best", "1"]).exit_code == 2


def test_a_page_has_the_subtitle_under_its_title(evaluation: Any) -> None:
    figure = critical_difference_figure(rs.compare(evaluation, "friedman"))
    assert f"</h1>\n<p>{escape(figure.subtitle)}</p>" in figure.html()
    assert "bars join groups" not in figure.html(Appearance(title="Other words")).split('id="figure"')[0]
