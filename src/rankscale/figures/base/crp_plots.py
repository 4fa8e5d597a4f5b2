"""Drawings of CRP that figures share: its curve with the points it is read by, a small plot, the bar of positions."""

from collections.abc import Mapping, Sequence

import numpy as np

from rankscale.data.table import Cell, Table
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Space, Spec
from rankscale.figures.base.legends import hollow
from rankscale.figures.base.look import Appearance, ink_on
from rankscale.figures.base.relative_positions import EARLY, IN_PLACE, LATE, SINGLE_CELLS, Course
from rankscale.figures.base.vega import by_kind, calculated, layer, mark_spec, nominal, plot, quantitative

FULL_SCALE_DASH = (5, 3)
CURVES = {"full_scale": FULL_SCALE_DASH, "CRP": (1, 0)}
POINTS = {  # what each point is, and its shape
    "recall base": "square",
    "turn-around point": "triangle-down",
    "balance point": "diamond",
    "full scale's balance point": "cross",
}
KINDS = (LATE, IN_PLACE, EARLY)


def key_points(course: Course, last: int) -> Table:
    """The points that CRP is read by, on the curves, as far as they are drawn."""
    at = {
        "recall base": (course.recall_base, course.crp),
        "turn-around point": (course.turn_around, course.crp),
        "balance point": (course.balance, course.crp),
        "full scale's balance point": (course.full_scale_balance, course.full_scale),
    }
    drawn: list[tuple[Cell, Cell, Cell]] = [
        (what, int(rank), int(curve[int(rank) - 1])) for what, (rank, curve) in at.items() if rank <= last
    ]
    return Table.of(("what", "rank", "CRP"), drawn)


def zero_rule(colour: str, **options: object) -> Spec:
    """A line at 0."""
    return layer(mark_spec("rule", color=colour, **options), [{}], y={"datum": 0}, x=None)


def recall_base_rule(recall_base: Cell, colour: str, **options: object) -> Spec:
    """A dotted line at the recall base."""
    return layer(mark_spec("rule", color=colour, strokeDash=[1, 2], **options), [{"rank": recall_base}])


def curves_layer(curves: Mapping[str, Sequence[int]], look: Appearance, y: Spec) -> Spec:
    """Two lines: what a curve is compared with, dashed and grey, and the curve; `curves` are columns with dashes."""
    names, dashes = list(curves), list(map(list, curves.values()))
    return layer(
        mark_spec("line", strokeWidth=1.4, clip=True, aria=False),
        None,
        [{"fold": names, "as": ["curve", "value"]}],
        y=y,
        **by_kind("curve", names, color=[look.grey, look.ink], strokeDash=dashes),
    )


def crp_domain(course: Course, last: int) -> list[float]:
    """From the lowest CRP of the full scale to the highest that is drawn, with a little room."""
    bottom = int(course.full_scale.min())
    top = max(0, int(course.crp[:last].max()))
    reached = int(course.full_scale[:last].max())
    if reached <= 2 * top - bottom:  # it takes less than half of the plot
        top = max(top, reached)
    room = 0.04 * max(1, top - bottom)
    return [bottom - room, top + room]


def rank_axis(last: int | None, field: str = "rank", *, labels: bool = True) -> Spec:
    """The axis of ranks, the same in all plots of a figure; without a last rank it goes down to that of the data."""
    domain = {} if last is None else {"domain": [0.5, last + 0.5]}
    return quantitative(
        field,
        title="rank" if labels else None,
        scale={**domain, "nice": False, "zero": False},
        axis={"tickMinStep": 1, "grid": False, "labels": labels, "ticks": labels},
    )


def bar_height(space: Space) -> float:
    """Three lanes, each as high as a line of text."""
    return round(3 * 1.4 * space.look.font_size)


def rp_bar(
    cells: Table, last: int | None, space: Space, height: float, *, axis: bool, transform: Sequence[Spec] = ()
) -> Spec:
    """The bar of relative positions, a lane each for too late, in place and too early, so that it needs no colour.

    Without a last rank the data decide how long it is: those cells that a transform leaves.
    """
    look = space.look
    lane = nominal(
        "kind",
        title=None,
        scale={"domain": KINDS},
        axis={"domain": False, "ticks": False, "grid": True, "bandPosition": 0},
    )
    width = 0.5 if last is not None and last <= SINGLE_CELLS else 0
    bars = layer(
        mark_spec("rect", clip=True, aria=False, stroke=look.ground, strokeWidth=width),
        **by_kind("kind", KINDS, color=kind_colours(look)),
        tooltip=["first", "last", "kind", "RP", "CRP"],
    )
    drawn = plot(
        [bars, *([_numbers(look)] if _has_room(cells, last, space) else [])],
        space.width,
        height,
        "cells",
        [*transform, *stretch("first", "last"), *calculated(middle="(datum.first + datum.last) / 2")],
        x=rank_axis(last, "from", labels=axis),
        x2="to",
        y=lane,
    )
    return {**drawn, "resolve": {"scale": {"color": "independent"}}}  # of cells, and of the numbers on them


def stretch(first: str, last: str) -> list[Spec]:
    """Transforms that add where the stretch from one rank to another begins and ends on the axis of ranks."""
    return [
        {"calculate": f"datum.{first} - 0.5", "as": "from"},
        {"calculate": f"datum.{last} + 0.5", "as": "to"},
    ]


def kind_colours(look: Appearance) -> list[str]:
    """The colours of KINDS; pale where documents are in place, since what stands elsewhere is to be seen first."""
    return [look.late, look.pale, look.early]


def _has_room(cells: Table, last: int | None, space: Space) -> bool:
    """Whether the numbers fit into their cells."""
    if last is None:
        return False
    widest = max((len(str(rp)) for rp in cells.columns["RP"]), default=1)
    return last <= SINGLE_CELLS and space.width / last > (widest * WIDTH_OF_LETTER + 0.5) * space.look.font_size


def _numbers(look: Appearance) -> Spec:
    text = mark_spec("text", aria=False, fontSize=0.9 * look.font_size, clip=True)
    inks = by_kind("kind", KINDS, color=[ink_on(colour) for colour in kind_colours(look)])
    return layer(text, x=quantitative("middle"), x2=None, text={"field": "RP", "format": "d"}, **inks)


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


def few_ranks(last: int, title: str | None) -> Spec:
    """The axis of ranks of a small plot."""
    scale = {"domain": [1, last], "nice": False, "zero": False}
    axis = {"tickCount": 3, "grid": False, "tickMinStep": 1, "labelFlush": False}
    return quantitative("rank", title=title, scale=scale, axis=axis)


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
    return plot(layers, *size, name, x=few_ranks(last, "rank" if titles[1] else None))
