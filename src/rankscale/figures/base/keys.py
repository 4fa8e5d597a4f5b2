"""Keys: what lines and points stand for, over the plots of a figure that has several."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankscale.figures.base.figure import ONCE, Space, Spec
from rankscale.figures.base.look import Look
from rankscale.figures.base.vega import mark_spec

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

    A legend of Vega would stand beside the plot that it belongs to, and make all plots narrower.
    """
    size = space.look.font_size
    longest = min(LONGEST_TEXT, max(len(sign.text) for sign in signs))
    columns = max(1, min(len(signs), int(space.width / ((longest * 0.47 + 3.6) * size))))
    return {
        **ONCE,
        "width": space.width,
        "height": round(-(-len(signs) // columns) * 1.5 * size),
        "layer": [
            layer
            for place, sign in enumerate(signs)
            for layer in _entry(
                sign,
                space,
                (place % columns) * space.width / columns,
                (place // columns + 0.5) * 1.5 * size,
                space.width / columns,
            )
        ],
    }


def _entry(sign: Sign, space: Space, x: float, y: float, width: float) -> list[Spec]:
    """One sign of a key, and what it stands for."""
    look = space.look
    line = 2.2 * look.font_size
    down = {"y": {"value": y}}
    if sign.dash:
        mark: Spec = mark_spec("rule", strokeDash=list(sign.dash), color=sign.colour, strokeWidth=1.6)
        drawn = {"mark": mark, "encoding": {"x": {"value": x}, "x2": {"value": x + line}, **down}}
    else:
        filled = {"size": sign.size, "color": sign.colour} if sign.size else hollow(look)
        mark = mark_spec("point", filled=True, opacity=1, shape=sign.shape, **filled)
        drawn = {"mark": mark, "encoding": {"x": {"value": x + line / 2}, **down}}
    text = mark_spec("text", align="left", baseline="middle", limit=width - line - look.font_size)
    return [
        drawn,
        {
            "data": {"values": [{"text": sign.text}]},
            "mark": text,
            "encoding": {"x": {"value": x + line + 0.6 * look.font_size}, "text": {"field": "text"}, **down},
        },
    ]
