"""Figures of odd but legal input, and refusals in words of what cannot be drawn."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure
from rankscale.sample import QRELS, RUNS

hasse = figure_command("hasse")

SOME = [path for path in RUNS if path.name.startswith("bm25")]
RANKING = {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 1.0}}
JUDGED = {"1": {"a": 1}, "2": {"b": 1, "c": 1}}
UNRELEVANT = {"1": {"a": 0}, "2": {"b": 0, "c": 0}}


def of(measure: str, runs: list[Path] = SOME) -> Any:
    return rs.evaluate(QRELS, runs, measure)


def hasse_saved(path: Path, **how: Any) -> None:
    rs.figure("hasse", 2).save(str(path), **how)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: rs.figure("curves", rs.curves(JUDGED, {"x": {"1": {"a": 1.0}}}, "AP", missing="skip"), topic="2"),
            "no run has a value",
        ),
        (
            lambda: rs.figure("curves", rs.curves(UNRELEVANT, {"x": RANKING}, "ASL")),
            "no run has a value of ASL anywhere",
        ),
        (lambda: rs.figure("critical-difference", rs.compare(of("balance"))), "has no finite mean for bm25"),
        (lambda: rs.figure("crp", QRELS, SOME[0], 1), "unknown topic '1'; .* has 101, 102"),
        (lambda: rs.figure("crp", QRELS, SOME[0], 1055), "unknown topic '1055'; did you mean 105"),
        (lambda: rs.figure("crp", QRELS, SOME[0], "105", foo=1), "unexpected keyword argument 'foo'"),
        (lambda: rs.figure("pools", QRELS, SOME[:2], foo=1), "unexpected keyword argument 'foo'"),
        (lambda: rs.figure("archetypes", QRELS), "give qrels and runs, or neither"),
        (lambda: rs.figure("crp", QRELS, SOME[0], "105", depth=0), "whole number from 1, got 0"),
        (lambda: rs.figure("indicators", QRELS, SOME[0], depth=0), "whole number from 1, got 0"),
        (lambda: rs.report(QRELS, SOME[:2], []), "no measure is requested"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(make: Callable[[], Figure], words: str) -> None:
    with pytest.raises(rs.errors.RankscaleError, match=words):
        make()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"dpi": 300}, "saved with width, height, theme, palette, font, font_size, title and ppi, got 'dpi'"),
        ({"font_size": "9"}, "must lie between 3 and 40 points, got '9'"),
    ],
)
def test_unknown_looks_are_refused(how: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=words):
        hasse_saved(tmp_path / "figure.svg", **how)
    assert not list(tmp_path.iterdir())


def test_a_size_that_several_plots_do_not_fit_into_is_refused(tmp_path: Path) -> None:
    figure = rs.figure("crp", QRELS, SOME[0], "105")
    with pytest.raises(
        ParameterError, match=r"'crp' does not fit into 238 x 113 points: it takes 238 x \d+; ask for more"
    ):
        figure.save(str(tmp_path / "figure.pdf"), width="84mm", height="40mm")
    figure.save(str(tmp_path / "figure.pdf"), width="84mm", height="110mm")


def test_one_name_or_number_does_where_several_may_be_given() -> None:
    curves = rs.curves(QRELS, SOME[:3], "nDCG", depth=20, ideal=True)
    first: Any = rs.figure("curves", curves, runs="bm25-bo1", topic=105)
    assert (first.named, first.topic) == (("bm25-bo1",), "105")
    twice: Any = rs.figure("curves", curves, runs=["bm25-bo1", "bm25-bo1", "ideal"])
    assert twice.named == ("bm25-bo1",)
    named: Any = rs.figure("indicators", QRELS, SOME[0], named=[101])
    assert named.named == ("101",)
    assert rs.figure("values", "AP@4").data() == rs.figure("values", [rs.scale("AP@4")]).data()
    assert rs.report(QRELS, SOME[:2], rs.parse("AP"), inspect="bm25-bo1").results.inspected == ("bm25-bo1",)


def test_more_lines_than_colours_are_told_apart_by_dashes() -> None:
    curves = rs.curves(QRELS, RUNS[:12], "nDCG", depth=20)
    figure = rs.figure("curves", curves, runs=list(curves.runs))
    spec: Any = figure.spec()
    encoding = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "line")["encoding"]
    looks = zip(encoding["color"]["scale"]["range"], map(tuple, encoding["strokeDash"]["scale"]["range"]), strict=True)
    assert len(set(looks)) == 12


@pytest.mark.parametrize("name", ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"])
def test_names_that_objects_of_javascript_have_are_drawn(name: str, complaints_of: Any) -> None:
    figure = rs.figure("curves", rs.curves(JUDGED, {name: RANKING, "x": RANKING}, "nDCG"))
    assert name in figure.svg()
    assert complaints_of(figure) == []


def test_positions_are_in_the_unit_of_the_critical_difference() -> None:
    found = rs.compare(of("NumRelRet"), "two-way")
    figure: Any = rs.figure("critical-difference", found)
    assert figure.runs.columns["position"] == pytest.approx((found.means / 50).tolist())
    geometric = rs.compare(of("GMAP"), "two-way")
    drawn: Any = rs.figure("critical-difference", geometric)
    assert drawn.runs.columns["position"] == pytest.approx(geometric.means.tolist())
    assert drawn.difference is None  # a ratio that is critical is no one distance between geometric means
    assert "highest at the right" in str(rs.figure("critical-difference", rs.compare(of("CRP"))).spec())


def test_totals_are_not_called_means_and_topics_are_counted() -> None:
    half = {topic: ranking for topic, ranking in RANKING.items() if topic == "1"}
    assert rs.figure("curves", rs.curves(QRELS, SOME[:2], "NumRelRet")).title.endswith("total over 50 topics")
    skipped = rs.evaluate(JUDGED, {"a": half, "b": RANKING}, "AP", missing="skip")
    assert "over 1 to 2 topics" in rs.figure("means", skipped).title


def test_equal_runs_have_no_tau_at_all() -> None:
    figure: Any = rs.figure("robustness", rs.robustness(JUDGED, {"a": RANKING, "b": RANKING}, "AP", iterations=2))
    assert np.isnan(figure.tau.columns["tau"]).all()


def test_the_highest_gain_lies_within_its_quadrant() -> None:
    found = rs.effort_gain(rs.evaluate(QRELS, SOME, ["Utility", "Twist"]), "Utility")
    figure: Any = rs.figure("effort-gain", found)
    assert max(figure.quadrants.columns["top"]) >= max(figure.points.columns["gain"])


def test_rankings_of_grades_with_two_digits_have_commas_throughout() -> None:
    names = rs.figure("hasse", 2, levels=[0, 1, 10]).data()["rankings"].columns["ranking"]
    assert len(set(names)) == 9
    assert all("," in str(name) for name in names)


def test_one_rank_and_one_pair_are_points(check_drawing: Any) -> None:
    single = rs.figure("curves", rs.curves(QRELS, SOME[:3], "P@1"))
    assert single.svg().count("mark-symbol role-mark") >= 1
    check_drawing(single)
    pair = rs.figure("asl", rs.discriminate(of("AP", SOME[:2])))
    assert "mark-symbol role-mark" in pair.svg()


def test_a_title_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "figure.svg"
    hasse_saved(path, title="My own words")
    assert "My own words" in path.read_text(encoding="utf-8")
    outcome = CliRunner().invoke(hasse, ["-o", str(path), "--title", "Other words"])
    assert outcome.exit_code == 0, outcome.output
    assert "Other words" in path.read_text(encoding="utf-8")
    both = CliRunner().invoke(hasse, ["-o", str(path), "--title", "Other words", "--no-title"])
    assert (both.exit_code, "exclude each other" in both.output) == (2, True)
