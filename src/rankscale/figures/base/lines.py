"""Lines that are distinguished by colour, dash and shape, and their legend."""

import math
from collections.abc import Sequence
from typing import Any

from rankscale.figures.base.figure import WIDTH_OF_LETTER, Space, Spec
from rankscale.figures.base.look import DASHES, NAMED, SHAPES, Look
from rankscale.figures.base.vega import mark_spec, nominal

LABEL = 2.6  # heights of type that the label of a number takes along an axis
LONGEST_NAME = 24  # letters of a name in a legend


def line_legend(names: Sequence[str], space: Space) -> Spec:
    """A legend under the plot, in as many columns as fit."""
    longest = min(LONGEST_NAME, max(map(len, names), default=1))
    size = space.look.font_size
    column = (longest * WIDTH_OF_LETTER + 5) * size
    return {
        "orient": "bottom",
        "columns": max(1, min(len(names), int(space.width / column))),
        "title": None,
        "labelLimit": LONGEST_NAME * size * 0.6,
        "symbolSize": 20 * size,
    }


def run_lines(names: Sequence[str], look: Look, legend: Spec, field: str = "run", *, ideal: str = "") -> Spec:
    """A layer with a line for each name; the ideal is drawn in ink, dotted."""
    colours = [look.ink if name == ideal else look.colours[place % NAMED] for place, name in enumerate(names)]
    # Where colours come again, dashes are other ones.
    turns = [place + place // NAMED for place in range(len(names))]
    dashes = [[1, 2] if name == ideal else DASHES[turn % NAMED] for turn, name in zip(turns, names, strict=True)]
    scale = {"domain": list(names)}
    return {
        "transform": [{"filter": {"field": field, "oneOf": list(names)}}],
        "mark": mark_spec("line", strokeWidth=1.4),
        "encoding": {
            "color": nominal(field, scale={**scale, "range": colours}, legend=legend),
            "strokeDash": nominal(field, scale={**scale, "range": dashes}, legend=legend),
        },
    }


def told_apart(field: str, names: Sequence[str], space: Space) -> dict[str, Spec]:
    """Encodings as colour, dash and shape, with one legend: up to 49 names, no two of them alike in all."""
    turns = [place + place // NAMED for place in range(len(names))]
    ranges: dict[str, list[Any]] = {
        "color": [space.look.colours[place % NAMED] for place in range(len(names))],
        "strokeDash": [list(DASHES[turn % NAMED]) for turn in turns],
        "shape": [SHAPES[turn % NAMED] for turn in turns],
    }
    legend = {**line_legend(names, space), "symbolSize": 8 * space.look.font_size, "symbolOpacity": 1}
    legends = {"color": legend, "shape": legend, "strokeDash": None}  # dashed points would be hard to make out
    return {
        channel: nominal(field, scale={"domain": list(names), "range": chosen}, legend=legends[channel])
        for channel, chosen in ranges.items()
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
