"""Drawings in cells of the leaderboard: where dots, intervals and ticks stand."""

import math
import re

import pytest

from rankscale.reporting.sections.leaderboard import Axis, axis_picture, interval_picture, line_picture, share_picture

AXIS = Axis(0.0, 1.0)


def places(drawn: str, kind: str) -> list[float]:
    """Numbers across in the path of a kind: from M to H."""
    (path,) = re.findall(rf'class="{kind}" d="([^"]*)"', drawn)
    return [float(one) for one in re.findall(r"[MH](-?[\d.]+)", path)]


def test_a_dot_and_its_interval_stand_where_the_axis_has_them() -> None:
    drawn = interval_picture(AXIS, 0.5, 0.25, 1.0)
    assert places(drawn, "dot") == [100.0]
    assert places(drawn, "whisker") == [53.0, 194.0]
    assert "hole" not in drawn
    assert places(interval_picture(Axis(-1, 1), -0.5, math.nan, math.nan, zero=0.0, apart=False), "zero") == [100.0]
    assert "whisker" not in interval_picture(AXIS, 0.5, math.nan, 0.7)
    assert "path" not in interval_picture(AXIS, math.nan, math.nan, math.nan)


@pytest.mark.parametrize("values", [[], [math.nan], [0.5], [0.5, 0.5], [-3.0, 700.0, math.inf]])
def test_every_axis_has_a_width_and_ticks_within_it(values: list[float]) -> None:
    axis = Axis.over(values)
    assert axis.high > axis.low
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 6
    assert all(axis.low - 1e-6 <= tick <= axis.high + 1e-6 for tick in ticks)
    assert axis_picture(axis).count("<i ") == len(ticks)


def test_lines_take_means_of_neighbours() -> None:
    line = line_picture([float(place % 2) for place in range(400)], AXIS)
    heights = set(re.findall(r"\d+ (\d+\.\d)", line))
    assert heights == {"10.0"}, "0 and 1 in turns are a level line"
    assert line_picture([math.nan], AXIS) == ""
    assert share_picture(math.nan) == ""
    assert "H100" in share_picture(0.5)
