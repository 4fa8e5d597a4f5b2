"""The bar of relative positions: where each document of a ranking stands, too early, in place or too late."""

from rankscale.data.table import Table
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Space, Spec
from rankscale.figures.base.look import Look, ink_on
from rankscale.figures.base.relative_positions import EARLY, IN_PLACE, LATE, SINGLE_CELLS
from rankscale.figures.base.vega import mark_spec, nominal, quantitative


def rank_axis(last: int, field: str = "rank", *, labels: bool = True) -> Spec:
    """The axis of ranks, the same in all plots of a figure."""
    return quantitative(
        field,
        title="rank" if labels else None,
        scale={"domain": [0.5, last + 0.5], "nice": False, "zero": False},
        axis={"tickMinStep": 1, "grid": False, "labels": labels, "ticks": labels},
    )


def bar_height(space: Space) -> float:
    """Three lanes, each as high as a line of text."""
    return round(3 * 1.4 * space.look.font_size)


def rp_bar(cells: Table, last: int, space: Space, height: float, *, axis: bool) -> Spec:
    """The bar of relative positions, a lane each for too late, in place and too early, so that it needs no colour."""
    look = space.look
    kinds = [LATE, IN_PLACE, EARLY]
    colours = [look.late, look.in_place, look.early]
    lane = nominal(
        "kind",
        title=None,
        scale={"domain": kinds},
        axis={"domain": False, "ticks": False, "grid": True, "bandPosition": 0},
    )
    single = last <= SINGLE_CELLS
    bars: Spec = {
        "mark": mark_spec("rect", clip=True, aria=False, stroke=look.ground, strokeWidth=0.5 if single else 0),
        "encoding": {
            "color": nominal("kind", scale={"domain": kinds, "range": colours}, legend=None),
            "tooltip": [{"field": name} for name in ("first", "last", "kind", "RP", "CRP")],
        },
    }
    return {
        "data": {"name": "cells"},
        "transform": [
            {"calculate": "datum.first - 0.5", "as": "from"},
            {"calculate": "datum.last + 0.5", "as": "to"},
            {"calculate": "(datum.first + datum.last) / 2", "as": "middle"},
        ],
        "width": space.width,
        "height": height,
        "encoding": {"x": rank_axis(last, "from", labels=axis), "x2": {"field": "to"}, "y": lane},
        "layer": [bars, *([_numbers(look)] if _has_room(cells, last, space) else [])],
        "resolve": {"scale": {"color": "independent"}},  # of cells, and of the numbers on them
    }


def _has_room(cells: Table, last: int, space: Space) -> bool:
    """Whether the numbers fit into their cells."""
    widest = max((len(str(rp)) for rp in cells.columns["RP"]), default=1)
    return last <= SINGLE_CELLS and space.width / last > (widest * WIDTH_OF_LETTER + 0.5) * space.look.font_size


def _numbers(look: Look) -> Spec:
    return {
        "mark": mark_spec("text", aria=False, fontSize=0.9 * look.font_size, clip=True),
        "encoding": {
            "x": quantitative("middle"),
            "x2": None,
            "text": {"field": "RP", "format": "d"},
            "color": nominal(
                "kind",
                scale={
                    "domain": [LATE, IN_PLACE, EARLY],
                    "range": [ink_on(colour) for colour in (look.late, look.in_place, look.early)],
                },
                legend=None,
            ),
        },
    }
