"""Lines that are distinguished by colour, dash and shape, and their legend."""

import math
from collections.abc import Sequence

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
    look, legend = space.look, line_legend(names, space)
    colours = [look.ink if name == ideal else look.colours[place % NAMED] for place, name in enumerate(names)]
    # Where colours come again, dashes are other ones.
    turns = [place + place // NAMED for place in range(len(names))]
    dashes = [[1, 2] if name == ideal else DASHES[turn % NAMED] for turn, name in zip(turns, names, strict=True)]
    styles = by_kind("run", names, legend, color=colours, strokeDash=dashes)
    return layer(mark_spec("line", strokeWidth=1.4, point=point), None, [only("run", *names)], **styles)


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
