"""CRP with its bar of relative positions above DCG, of one ranking, as a page opens them: the page brings the data."""

from rankscale.figures.base.figure import Spec
from rankscale.figures.base.look import Look
from rankscale.figures.base.position_bar import KINDS, kind_colours, stretch
from rankscale.figures.base.rendering import on_page
from rankscale.figures.base.vega import by_kind, layer, mark_spec, nominal, plot, quantitative

WIDTH, HEIGHT = 640, 190
RANKS = {"title": "rank", "values": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], "format": "d"}
DASHES = {"crp": ("worst order", "CRP"), "dcg": ("ideal", "DCG(base=2)")}  # what each is compared with, and its axis


def inspection_spec(look: Look) -> Spec:
    """Vega-Lite over `crp` and `dcg` (rank, value, curve), `cells` (first, last, kind, RP) and `recall_base` (rank)."""
    shown = on_page(look)
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": "CRP, relative positions and DCG of one ranking by rank, the recall base as a line across.",
        "vconcat": [_plot(shown, "crp"), _bar(shown), _plot(shown, "dcg")],
        "resolve": {"scale": {"x": "shared", "color": "independent", "strokeDash": "independent"}},
        "config": shown.config(),
    }


def _bar(look: Look) -> Spec:
    """The bar of relative positions, in lanes."""
    lane = nominal("kind", title=None, scale={"domain": KINDS}, axis={"domain": False, "ticks": False, "grid": True})
    cells = layer(
        mark_spec("rect", clip=True, aria=False),
        x=quantitative("from", scale={"type": "log", "nice": False}, axis=None),
        x2="to",
        y=lane,
        **by_kind("kind", KINDS, color=kind_colours(look)),
        tooltip=["first", "last", "kind", "RP"],
    )
    return plot([cells], WIDTH, round(3 * 1.4 * look.font_size), "cells", stretch("first", "last"))


def _plot(look: Look, name: str) -> Spec:
    other, title = DASHES[name]
    styles = by_kind(
        "curve",
        ["this ranking", other],
        {"orient": "top", "title": None},
        color=[look.colours[0], look.grey],
        strokeDash=[[1, 0], [4, 3]],
    )
    curves = layer(
        mark_spec("line", strokeWidth=2, clip=True),
        name,
        x=quantitative("rank", scale={"type": "log", "nice": False}, axis=RANKS),
        y=quantitative("value", title=title),
        **styles,
        tooltip=["rank", "value", "curve"],
    )
    recall_base = layer(mark_spec("rule", strokeDash=[2, 3], color=look.ink), "recall_base", x=quantitative("rank"))
    return plot([curves, recall_base], WIDTH, HEIGHT)
