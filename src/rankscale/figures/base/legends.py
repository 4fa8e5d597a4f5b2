"""What lines and points stand for: how they differ by colour, dash and shape, with legends and keys that say so."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.labels import label_axis, short_labels, width_of
from rankscale.figures.base.look import DASHES, NAMED, SHAPES, Appearance
from rankscale.figures.base.vega import by_kind, layer, mark_spec, only, plot

LABEL = 2.6  # heights of type that the label of a number takes along an axis
LONGEST_NAME = 14.0  # heights of type that a name in a legend may be wide
SIGN = 4.5  # the same of the sign beside it, with the room around
LONGEST_TEXT = 30  # letters of what a sign stands for; longer names are cut where they do not fit


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


def hollow(look: Appearance) -> Spec:
    """How a point looks through which the ground is seen."""
    return {"size": 6 * look.font_size, "fill": look.ground, "stroke": look.ink, "strokeWidth": 1.2}


@dataclass(frozen=True)
class KeySign:
    """What a line (given a dash), or a point (given a shape), stands for."""

    text: str
    colour: str
    dash: tuple[int, ...] = ()
    shape: str = "circle"
    size: float = 0.0  # of a filled point; others are hollow


def key(signs: Sequence[KeySign], space: Space) -> Spec:
    """What lines and points are, in as many columns as fit over the plots.

    A legend of Vega would stand next to the plot that it belongs to, and make all plots narrower.
    """
    size = space.look.font_size
    longest = min(LONGEST_TEXT, max(len(sign.text) for sign in signs))
    columns = max(1, min(len(signs), int(space.width / ((longest * 0.47 + 3.6) * size))))
    row, column = 1.5 * size, space.width / columns
    layers = [
        one
        for place, sign in enumerate(signs)
        for one in _entry(sign, space, place % columns * column, (place // columns + 0.5) * row, column)
    ]
    return plot(layers, space.width, round(-(-len(signs) // columns) * row), [{}])


def _entry(sign: KeySign, space: Space, x: float, y: float, width: float) -> list[Spec]:
    """One sign of a key, and what it stands for."""
    look = space.look
    line = 2.2 * look.font_size
    if sign.dash:
        rule = mark_spec("rule", strokeDash=list(sign.dash), color=sign.colour, strokeWidth=1.6)
        drawn = layer(rule, x=x, x2=x + line, y=y)
    else:
        filled = {"size": sign.size, "color": sign.colour} if sign.size else hollow(look)
        drawn = layer(mark_spec("point", filled=True, opacity=1, shape=sign.shape, **filled), x=x + line / 2, y=y)
    text = mark_spec("text", align="left", baseline="middle", limit=width - line - look.font_size)
    return [drawn, layer(text, [{"text": sign.text}], x=x + line + 0.6 * look.font_size, text="text", y=y)]
