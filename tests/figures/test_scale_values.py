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


def rug(figure: ValuesFigure, measure: str, length: int, share: str = "share") -> list[tuple[float, float]]:
    """Share and value of each tick."""
    return [
        (float(row[share] or 0), float(row["value"] or 0))
        for row in figure.data()["ticks"]
        if (row["measure"], row["length"]) == (measure, length)
    ]


def test_precision_at_5_is_the_paper_s() -> None:
    """1 ranking of 32 gets 0, 5 get .2, 10 get .4, 10 get .6, 5 get .8 and 1 gets 1."""
    figure = scale_values_figure([rs.scale("P@5")])
    counts = [1, 5, 10, 10, 5, 1]
    assert rug(figure, "P", 5) == [(count / 32, place / 5) for place, count in enumerate(counts)]
    up_to = [share for share, _ in rug(figure, "P", 5, "up_to")]
    assert up_to == pytest.approx(np.cumsum(counts) / 32)


@pytest.mark.parametrize("measure", ["AP", "DCG(base=2)", "ERR"])
def test_shares_are_those_of_all_rankings(measure: str) -> None:
    scale = rs.scale(f"{measure}@6")
    values = np.round(scale.values_of(list(product((0, 1), repeat=6))), 10)
    counts = Counter(values.tolist())
    found = rug(scale_values_figure([scale]), measure, 6)
    assert sum(share for share, _ in found) == pytest.approx(1)
    assert {round(value, 10) for _, value in found} <= set(counts)
    alone = [(share, value) for share, value in found if share == counts[round(value, 10)] / 64]
    assert len(alone) > 0.7 * len(counts)  # the others are too close to be told apart


def test_interval_scales_are_equally_spaced() -> None:
    figure = scale_values_figure([rs.scale("P@30"), rs.scale("RBP(p=0.5)@30"), rs.scale("RR@30")], "values")
    for measure in ("P", "RBP(p=0.5)"):
        assert all(abs(up_to - value) < 0.004 for up_to, value in rug(figure, measure, 30, "up_to")), measure
    assert rug(figure, "RR", 30, "up_to")[-2] == pytest.approx((29 / 30, 0.5))
    assert [value for _, value in rug(figure, "P", 30)] == pytest.approx(np.arange(31) / 30)


def test_long_rankings_have_their_exact_places() -> None:
    figure = scale_values_figure([rs.scale("DCG(base=2)@30")])
    found = rug(figure, "DCG(base=2)", 30, "up_to")
    shares, values = np.array(found).T
    assert (np.diff(shares) > 0).all()
    assert (np.diff(values) > 0).all()
    assert found[0][1] == 0
    assert found[-1][0] == 1
    drawn = np.sort(rs.scale("DCG(base=2)@30").values_of(np.random.default_rng(7).integers(2, size=(20_000, 30))))
    assert np.interp(np.linspace(0.02, 0.98, 30), shares, values) == pytest.approx(
        np.quantile(drawn, np.linspace(0.02, 0.98, 30)), abs=0.06
    )
    assert "805,306,368 distinct values" in figure.description


def test_brackets_are_drawn_from_a_sample() -> None:
    shares, values = np.array(rug(scale_values_figure([rs.scale("RBP(p=0.8)@200")]), "RBP", 200, "up_to")).T
    assert np.interp(0.5, shares, values) == pytest.approx(0.5, abs=0.02)
    assert shares[0] < 0.01
    assert shares[-1] == 1


def test_gaps_stay_empty_where_rankings_are_too_many_to_list() -> None:
    """RBP with p = 0.3 starts with 0.7 if the first document is relevant, and stays below 0.3 if it is not."""
    figure = scale_values_figure([rs.scale("RBP(p=0.3)@20")])
    assert not [value for _, value in rug(figure, "RBP(p=0.3)", 20) if 0.3 < value < 0.7]


def test_what_cannot_be_seen_is_left_out() -> None:
    figure = scale_values_figure([rs.scale(f"RBP(p=0.{p})@{n}") for p in (3, 5, 8) for n in (5, 12, 20, 30)])
    assert len(figure.data()["ticks"]) < 6000


def test_measures_show_the_parameters_that_others_vary() -> None:
    assert scale_values_figure(["RBP@5", "RBP(p=0.5)@5"]).measures == ("RBP(p=0.8)", "RBP(p=0.5)")


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
