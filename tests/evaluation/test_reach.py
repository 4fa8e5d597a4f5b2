"""Curves read against a reference: horizontally, vertically, as an area, and as marginal or essential differences."""

import math
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.sample import QRELS, RUNS

# The example of Järvelin and Kekäläinen 2002, as in SPEC 3.
PAPER = {"1": {f"d{place}": grade for place, grade in enumerate([3, 2, 3, 0, 0, 1, 2, 2, 3, 0, 1, 1, 1])}}
RANKING = {"mine": {"1": {f"d{place}": 20.0 - place for place in range(10)}}}
CG, IDEAL = [3, 5, 8, 8, 8, 9, 11, 13, 16, 16], [3, 6, 9, 11, 13, 15, 16, 17, 18, 19]
NCG = [1, 0.8333, 0.8889, 0.7273, 0.6154, 0.6, 0.6875, 0.7647, 0.8889, 0.8421]
# A run that is better early, and one that is better late.
FEW: Any = {
    "1": dict(zip("abcdefgh", [3, 2, 1, 1, 0, 0, 0, 0], strict=True)),
    "2": dict(zip("abcdefgh", [1, 0, 2, 0, 3, 0, 1, 0], strict=True)),
}
TWO: Any = {
    "early": {topic: dict(zip("abghcdef", range(8, 0, -1), strict=True)) for topic in FEW},
    "late": {topic: dict(zip("hgfedcba", range(8, 0, -1), strict=True)) for topic in FEW},
}


def test_the_worked_example() -> None:
    rows = list(rs.curves(PAPER, RANKING, "CG", ideal=True).readings(ranks=range(1, 11)).table())
    assert [row["value"] for row in rows] == CG
    assert [row["reference_value"] for row in rows] == IDEAL
    # 3 at rank 1; 6 and 9 at ranks 3 and 6; 11 at 7; 13 at 8; 15 and 16 at 9; 17 and more not in ten documents.
    assert [row["reached_at"] for row in rows] == [1, 3, 6, 7, 8, 9, 9, None, None, None]
    assert [row["distance"] for row in rows] == [best - own for best, own in zip(IDEAL, CG, strict=True)]
    areas = [1 - sum(NCG[:rank]) / rank for rank in range(1, 11)]
    assert [row["area"] for row in rows] == pytest.approx(areas, abs=5e-5)
    assert rows[0]["size"] == "marginal"
    assert rows[1]["size"] == "essential"
    assert rows[1]["relative_difference"] == pytest.approx(5 / 6 - 1, abs=1e-10)
    normalised = list(rs.curves(PAPER, RANKING, "nCG", ideal=True).readings(ranks=[10]).table())
    assert normalised[0]["area"] == pytest.approx(areas[-1], abs=5e-5)
    assert normalised[0]["reached_at"] == 1


def slow_reached(curve: list[float], value: float) -> int | None:
    for rank, own in enumerate(curve, start=1):
        if own >= value - 1e-12:
            return rank
    return None


@pytest.mark.parametrize("to", [None, "early", "late"])
@pytest.mark.parametrize("means", [True, False])
def test_against_a_plain_program(to: str | None, means: Any) -> None:
    curves = rs.curves(FEW, TWO, ["DCG(base=2)", "P", "nDCG"], ideal=True)
    shown = curves.mean() if means else curves
    rows = list(shown.readings(to, ranks=[1, 3, 8]).table())
    assert len(rows) == 2 * len(shown.topics) * 3 * 3
    for row in rows:
        run, measure, topic, rank = str(row["run"]), str(row["measure"]), str(row["topic"]), int(row["rank"] or 0)
        by_run = {name: curve.tolist() for name, curve in shown.by_run(topic, measure).items()}
        own, reference = by_run[run], by_run[to or "ideal"]
        assert run != (to or "ideal")
        assert row["reference"] == (to or "ideal")
        assert (row["value"], row["reference_value"]) == (own[rank - 1], reference[rank - 1])
        assert row["reached_at"] == slow_reached(own, reference[rank - 1])
        assert row["distance"] == reference[rank - 1] - own[rank - 1]
        ideal = [1.0] * 8 if measure == "nDCG" else by_run["ideal"]
        assert row["area"] == pytest.approx(1 - np.mean([a / b for a, b in zip(own[:rank], ideal, strict=False)]))
        apart, of = own[rank - 1] - reference[rank - 1], reference[rank - 1]
        relative = apart / of if of else 0.0 if apart == 0 else math.inf
        size = "marginal" if abs(relative) < 0.05 else "essential" if abs(relative) > 0.1 else "noticeable"
        assert row["size"] == size
        assert row.get("topics") == (2 if means else None)


def test_where_low_is_good_a_value_is_reached_from_above() -> None:
    curves = rs.curves(FEW, TWO, "RankPower", ideal=True)
    assert curves.measures[0].low_is_good
    for row in curves.readings(ranks=[2, 8]).table():
        own = curves.by_run(str(row["topic"]))[str(row["run"])]
        reached = np.flatnonzero(own <= float(row["reference_value"] or 0) + 1e-12)
        assert row["reached_at"] == (int(reached[0]) + 1 if len(reached) else None)
        assert row["area"] is None


def test_undefined_values_have_no_size() -> None:
    curves = rs.curves(FEW, TWO, "nDCG(gains=[-1,1,2,3])", depth=60, ideal=True)
    last = list(curves.readings(ranks=[60]).table())
    assert all(math.isnan(float(row["value"] or 0)) for row in last)
    assert {row["size"] for row in last} == {None}
    assert {row["reached_at"] for row in last} == {None}
    dcg = rs.curves(FEW, TWO, "DCG(gains=[-1,1,2,3])", depth=60, ideal=True).readings(ranks=[60]).table()
    assert all(math.isnan(float(row["area"] or 0)) for row in dcg)


def test_what_cannot_be_read_is_refused() -> None:
    curves = rs.curves(FEW, TWO, "DCG")
    with pytest.raises(ParameterError, match="there is no ideal to read curves against"):
        curves.readings()
    with pytest.raises(UnknownNameError, match="unknown run 'nobody'"):
        curves.readings("nobody")
    with pytest.raises(ParameterError, match="rank 9 is beyond it"):
        curves.readings("late", ranks=[9])
    with pytest.raises(ParameterError, match="no value to reach"):
        rs.curves(FEW, TWO, "CRP", ideal=True).readings()
    with pytest.raises(ParameterError, match="the reference itself"):
        rs.curves(FEW, {"late": TWO["late"]}, "DCG").readings("late")


def test_every_form() -> None:
    readings = rs.curves(QRELS, RUNS[:3], ["DCG(base=2)", "nDCG"], ideal=True).mean().readings(ranks=[5, 10])
    frame = readings.to_polars()
    assert frame.shape == (3 * 2 * 2, 13)
    assert str(readings).count("against ideal") == 2
    assert "reached_at: - where not down to rank 200" in str(readings)
    assert "\\toprule" in readings.to_latex()
    assert "| run | topics | rank |" in readings.to_markdown()
    assert '"reached_at"' in readings.to_json()
    assert "▁" not in rs.curves(QRELS, RUNS[:3], "nDCG").to_latex()  # which no font of LaTeX has
