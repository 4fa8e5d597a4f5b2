"""A small plot of CRP of one ranking, on axes of its own: among examples what counts is the course of the curve."""

from collections.abc import Mapping

import numpy as np

from rankscale.data.table import Cell, Table
from rankscale.figures.base.crp_parts import POINTS, recall_base_rule, zero_rule
from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.keys import hollow
from rankscale.figures.base.relative_positions import Course
from rankscale.figures.base.vega import layer, mark_spec, plot, quantitative


def facts(made: Course) -> dict[str, Cell]:
    """What is marked in the plot, and how the curve ends."""
    balance = made.balance
    return {
        "recall_base": made.recall_base,
        "turn_around_point": made.turn_around,
        "balance_point": int(balance) if balance < float("inf") else None,
        "last_CRP": int(made.crp[-1]),
    }


def corners(made: Course, last: int) -> Table:
    """rank, CRP: where the line bends, down to a rank."""
    columns = made.corners(last).columns
    return Table({axis: columns[axis] for axis in ("rank", "CRP")})


def small_crp_plot(
    name: str,
    curve: Table,
    marked: Mapping[str, Cell],
    space: Space,
    size: tuple[float, float],
    titles: tuple[bool, bool],
) -> Spec:
    """The curve of the dataset `name`, its recall base as a dotted line and its balance point as a diamond.

    `titles` says whether the axes up and across have titles.
    """
    look = space.look
    ends = [float(value or 0) for value in curve.columns["CRP"]]
    low, high = min(0.0, *ends), max(0.0, *ends)
    room = 0.06 * (high - low)
    last = int(curve.columns["rank"][-1] or 1)
    value = quantitative(
        "CRP",
        title="CRP" if titles[0] else None,
        scale={"domain": [low - room, high + room] if room else [-1.2, 1.2], "nice": False},
        axis={"tickCount": 3, "grid": False, **({} if room else {"values": [-1, 0, 1], "format": "d"})},
    )
    rank = quantitative(
        "rank",
        title="rank" if titles[1] else None,
        scale={"domain": [1, last], "nice": False, "zero": False},
        axis={"tickCount": 3, "grid": False, "tickMinStep": 1, "labelFlush": False},
    )
    line = mark_spec("line", strokeWidth=1.4, color=look.colours[0], aria=False)
    layers: list[Spec] = [
        zero_rule(look.grey, strokeWidth=0.7),
        recall_base_rule(marked["recall_base"], look.grey, clip=True),
        layer(line, y=value),
    ]
    balance = marked["balance_point"]
    if isinstance(balance, int) and balance <= last:
        shape = {**hollow(look), "shape": POINTS["balance point"], "size": 4 * look.font_size, "strokeWidth": 1}
        point = mark_spec("point", filled=True, opacity=1, **shape)
        reached = float(np.interp(balance, [float(rank or 1) for rank in curve.columns["rank"]], ends))
        layers.append(layer(point, [{"rank": balance, "CRP": reached}], y=value))
    return plot(layers, *size, name, x=rank)
