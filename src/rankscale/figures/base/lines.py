"""Lines that are distinguished by colour, dash and shape, and their legend."""

import math
from collections.abc import Sequence

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.labels import label_axis, short_labels, width_of
from rankscale.figures.base.look import DASHES, NAMED, SHAPES
from rankscale.figures.base.vega import by_kind, layer, mark_spec, only

LABEL = 2.6  # heights of type that the label of a number takes along an axis
LONGEST_NAME = 14.0  # heights of type that a name in a legend may be wide
SIGN = 4.5  # the same of the sign beside it, with the room around


def line_legend(names: Sequence[str], space: Space) -> dict[str, object]:
    """A legend under the plot, in as many columns as fit; long names are cut so that they still differ."""
    size = space.look.font_size
    labels = short_labels(names, min(LONGEST_NAME, space.width / size - SIGN))
    column = (max(map(width_of, labels.values()), default=1) + SIGN) * size
    return {
        "orient": "bottom",
        "columns": max(1, min(len(names), int(space.width / column))),
        "title": None,
        "symbolSize": 20 * size,
        **label_axis(labels),
    }


def run_lines(names: Sequence[str], space: Space, *, point: bool, ideal: str = "") -> Spec:
    """A layer with a line for each run, or with a point where lines would have no length; the ideal is dotted."""
    styles = run_styles(names, space, line_legend(names, space), ideal)
    return layer(mark_spec("line", strokeWidth=1.4, point=point), None, [only("run", *names)], **styles)


def run_styles(names: Sequence[str], space: Space, legend: Spec | None = None, ideal: str = "") -> dict[str, Spec]:
    """Channels color and strokeDash of runs, with one legend if any."""
    look = space.look
    colours = [look.ink if name == ideal else look.colours[place % NAMED] for place, name in enumerate(names)]
    # Where colours come again, dashes are other ones.
    turns = [place + place // NAMED for place in range(len(names))]
    dashes = [[1, 2] if name == ideal else DASHES[turn % NAMED] for turn, name in zip(turns, names, strict=True)]
    return by_kind("run", names, legend, color=colours, strokeDash=dashes)


def line_styles(field: str, names: Sequence[str], space: Space) -> dict[str, Spec]:
    """Channels color, strokeDash and shape, with one legend: up to 49 names, no two of them alike in all."""
    turns = [place + place // NAMED for place in range(len(names))]
    colours = [space.look.colours[place % NAMED] for place in range(len(names))]
    legend = {**line_legend(names, space), "symbolSize": 8 * space.look.font_size, "symbolOpacity": 1}
    shapes, dashes = [SHAPES[turn % NAMED] for turn in turns], [list(DASHES[turn % NAMED]) for turn in turns]
    return {
        **by_kind(field, names, legend, color=colours, shape=shapes),
        **by_kind(field, names, strokeDash=dashes),  # not in the legend: dashed points would be hard to make out
    }


def far_apart(values: Sequence[float], ends: Sequence[float], width: float, *, logarithmic: bool) -> list[float]:
    """Those whose labels have room along an axis so many heights of type wide, the first one always."""
    place = math.log if logarithmic else float
    across = abs(place(ends[1]) - place(ends[0]))
    kept: list[float] = []
    for value in values:
        if all(abs(place(value) - place(other)) * width >= LABEL * across for other in kept):
            kept.append(value)
    return kept


def apart(places: Sequence[float], step: float, lowest: float, highest: float) -> list[float]:
    """Rising places moved as little as makes each stand a step above the one before, within limits where they can.

    >>> apart([0.0, 0.5, 4.0], 1, -0.5, 5)
    [-0.25, 0.75, 4.0]
    """
    moved: list[float] = spread(np.array(places), np.full(len(places), step)).tolist()
    floor = lowest
    for place, at in enumerate(moved):
        moved[place] = max(at, floor)
        floor = moved[place] + step
    ceiling = highest
    for place in range(len(moved) - 1, -1, -1):
        moved[place] = min(moved[place], ceiling)
        ceiling = moved[place] - step
    return moved


def spread(wanted: Floats, rooms: Floats) -> Floats:
    """The nearest places to those wanted, in their order, that leave room for each: squared distances are least."""
    offsets = np.concatenate([[0], np.cumsum((rooms[1:] + rooms[:-1]) / 2)])
    pools: list[tuple[float, int]] = []  # neighbours that move together: their mean, and how many they are
    for target in (wanted - offsets).tolist():
        mean, count = target, 1
        while pools and pools[-1][0] > mean:
            before, number = pools.pop()
            mean, count = (mean * count + before * number) / (count + number), count + number
        pools.append((mean, count))
    apart: Floats = np.repeat([mean for mean, _ in pools], [count for _, count in pools]) + offsets
    return apart
