"""All values of measures as a figure: against values counted one by one, and against Fig. 6 of the paper."""

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError, ScaleError
from rankscale.figures.scale_values import ValuesFigure, scale_values_figure

command = figure_command("values")


def line(figure: ValuesFigure, measure: str, length: int) -> list[tuple[float, float]]:
    return [
        (float(row["share"] or 0), float(row["value"] or 0))
        for row in figure.data()["points"]
        if (row["measure"], row["length"]) == (measure, length)
    ]


def test_precision_at_5_is_the_paper_s() -> None:
    """1 ranking of 32 gets 0, 5 get .2, 10 get .4, 10 get .6, 5 get .8 and 1 gets 1."""
    found = line(scale_values_figure([rs.scale("P@5")]), "P", 5)
    ends = np.cumsum([0, 1, 5, 10, 10, 5, 1]) / 32
    expected = [(ends[place + side], place / 5) for place in range(6) for side in (0, 1)]
    assert np.array(found) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("measure", ["AP", "DCG(base=2)", "ERR"])
def test_shares_are_those_of_all_rankings(measure: str) -> None:
    scale = rs.scale(f"{measure}@6")
    values = np.round(scale.values_of(list(product((0, 1), repeat=6))), 10)
    counts = Counter(values.tolist())
    at = 0
    expected = []
    for value in sorted(counts):
        expected += [(at / 64, value), ((at + counts[value]) / 64, value)]
        at += counts[value]
    found = [(share, round(value, 10)) for share, value in line(scale_values_figure([scale]), measure, 6)]
    assert set(found) <= set(expected)
    assert len(expected) - len(found) < 3  # which nobody would see


def test_interval_scales_are_straight_lines_by_values() -> None:
    figure = scale_values_figure([rs.scale("P@30"), rs.scale("RBP(p=0.5)@30"), rs.scale("RR@30")], "values")
    for measure in ("P", "RBP(p=0.5)"):
        assert all(abs(share - value) < 1e-8 for share, value in line(figure, measure, 30)), measure
    assert line(figure, "RR", 30)[-2] == pytest.approx((29 / 30, 0.5))


def test_long_rankings_have_their_exact_places() -> None:
    figure = scale_values_figure([rs.scale("DCG(base=2)@30")])
    found = line(figure, "DCG(base=2)", 30)
    shares, values = np.array(found).T
    assert (np.diff(shares) > 0).all()
    assert (np.diff(values) > 0).all()
    assert found[0] == (0, 0)
    assert found[-1][0] == 1
    drawn = np.sort(rs.scale("DCG(base=2)@30").values_of(np.random.default_rng(7).integers(2, size=(20_000, 30))))
    assert np.interp(np.linspace(0.02, 0.98, 30), shares, values) == pytest.approx(
        np.quantile(drawn, np.linspace(0.02, 0.98, 30)), abs=0.06
    )
    assert "805,306,368 distinct values" in figure.description


def test_brackets_are_drawn_from_a_sample() -> None:
    shares, values = np.array(line(scale_values_figure([rs.scale("RBP(p=0.8)@200")]), "RBP", 200)).T
    assert np.interp(0.5, shares, values) == pytest.approx(0.5, abs=0.02)
    assert (shares[0], shares[-1]) == (0, 1)


def test_what_cannot_be_seen_is_left_out() -> None:
    figure = scale_values_figure([rs.scale(f"RBP(p=0.{p})@{n}") for p in (3, 5, 8) for n in (5, 12, 20, 30)])
    assert len(figure.data()["points"]) < 6000


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ParameterError, match="over all rankings"):
        scale_values_figure([rs.scale("Twist@20", counts=(0, 5))])
    with pytest.raises(ParameterError, match="'rankings' or 'values'"):
        scale_values_figure([rs.scale("P@5")], "runs")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="up to 9 measures"):
        scale_values_figure([])
    with pytest.raises(ScaleError):
        scale_values_figure([rs.scale("AP@200")], "values")


def test_is_drawn_without_overlap(check_drawing: Any) -> None:
    lengths = (5, 10, 20, 30)
    check_drawing(scale_values_figure([rs.scale(f"{name}@{n}") for name in ("P", "RBP(p=0.5)", "RR") for n in lengths]))
    graded = [rs.scale(f"{name}@6", levels=(0, 1, 2)) for name in ("DCG(base=10)", "nDCG", "ERR", "AP(rel=2)", "P")]
    check_drawing(scale_values_figure(graded, "values"))


def test_the_command(tmp_path: Path) -> None:
    output = tmp_path / "values.tsv"
    made = CliRunner().invoke(command, ["-o", str(output), "-m", "AP", "-m", "P@4", "-n", "5"])
    assert made.exit_code == 0, made.output
    assert {tuple(row.split("\t")[:2]) for row in output.read_text().splitlines()[1:]} == {("AP", "5"), ("P", "4")}
    assert CliRunner().invoke(command, ["-o", str(tmp_path / "values.svg")]).exit_code == 0
    assert CliRunner().invoke(command, ["-o", str(output), "-n", "0"]).exit_code == 2
