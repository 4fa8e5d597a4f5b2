"""The bar of relative positions: where each document of a ranking stands, too early, in place or too late."""

from collections.abc import Sequence

from rankscale.data.table import Table
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Space, Spec
from rankscale.figures.base.look import Look, ink_on
from rankscale.figures.base.relative_positions import EARLY, IN_PLACE, LATE, SINGLE_CELLS
from rankscale.figures.base.vega import by_kind, calculated, layer, mark_spec, nominal, plot, quantitative

KINDS = (LATE, IN_PLACE, EARLY)


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


def kind_colours(look: Look) -> list[str]:
    """The colours of KINDS; pale where documents are in place, since what stands elsewhere is to be seen first."""
    return [look.late, look.pale, look.early]


def _has_room(cells: Table, last: int | None, space: Space) -> bool:
    """Whether the numbers fit into their cells."""
    if last is None:
        return False
    widest = max((len(str(rp)) for rp in cells.columns["RP"]), default=1)
    return last <= SINGLE_CELLS and space.width / last > (widest * WIDTH_OF_LETTER + 0.5) * space.look.font_size


def _numbers(look: Look) -> Spec:
    text = mark_spec("text", aria=False, fontSize=0.9 * look.font_size, clip=True)
    inks = by_kind("kind", KINDS, color=[ink_on(colour) for colour in kind_colours(look)])
    return layer(text, x=quantitative("middle"), x2=None, text={"field": "RP", "format": "d"}, **inks)
