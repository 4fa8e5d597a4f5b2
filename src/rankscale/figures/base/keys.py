"""Keys: what lines and points stand for, over the plots of a figure that has several."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.look import Look
from rankscale.figures.base.vega import layer, mark_spec, plot

LONGEST_TEXT = 30  # letters of what a sign stands for; longer names are cut where they do not fit


def hollow(look: Look) -> Spec:
    """How a point looks through which the ground is seen."""
    return {"size": 6 * look.font_size, "fill": look.ground, "stroke": look.ink, "strokeWidth": 1.2}


@dataclass(frozen=True)
class Sign:
    """What a line (given a dash), or a point (given a shape), stands for."""

    text: str
    colour: str
    dash: tuple[int, ...] = ()
    shape: str = "circle"
    size: float = 0.0  # of a filled point; others are hollow


def key(signs: Sequence[Sign], space: Space) -> Spec:
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


def _entry(sign: Sign, space: Space, x: float, y: float, width: float) -> list[Spec]:
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
