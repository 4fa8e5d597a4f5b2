"""CRP and the bar of relative positions of the topic that is chosen in another plot of a page."""

from collections.abc import Sequence

import numpy as np

from rankscale.data.table import Table
from rankscale.figures.base.crp_parts import FULL_SCALE_DASH, POINTS, crp_domain, key_points, zero_rule
from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.keys import Sign, hollow, key
from rankscale.figures.base.position_bar import bar_height, rank_axis, rp_bar
from rankscale.figures.base.relative_positions import Course, Rankings
from rankscale.figures.base.vega import by_kind, layer, mark_spec, plot, quantitative

CURVES = {"full scale": FULL_SCALE_DASH, "CRP": (1, 0)}
HEIGHT = 0.28  # of the plot of CRP, against the width


def tables_of_topics(rankings: Rankings, topics: Sequence[str]) -> dict[str, Table]:
    """By name, what is drawn of each topic: `curves`, `cells` of the bar, and the `points` that CRP is read by."""
    made: dict[str, list[Table]] = {"curves": [], "cells": [], "points": []}
    for topic in topics:
        of = rankings.course(topic)
        for name, table in {
            "curves": _curves(of),
            "cells": of.cells(of.telling),
            "points": key_points(of, of.telling),
        }.items():
            made[name].append(Table({"topic": [topic] * len(table), **table.columns}))
    return {name: _joined(tables) for name, tables in made.items()}


def _curves(of: Course) -> Table:
    """Where CRP and the full scale bend; the full scale ends where it would leave the plot."""
    last = of.telling
    top = crp_domain(of, last)[1]
    beyond = np.flatnonzero(of.full_scale[:last] > top)
    corners = list(of.corners(last))
    rows: list[tuple[str, float, float]] = [("CRP", row["rank"], row["CRP"]) for row in corners]  # type: ignore[misc]
    end = int(beyond[0]) if len(beyond) else last  # ranks that are drawn
    rows += [("full scale", row["rank"], row["full_scale"]) for row in corners if int(row["rank"] or 0) <= end]  # type: ignore[misc]
    if end < last:
        before, after = of.full_scale[end - 1], of.full_scale[end]
        rows.append(("full scale", end + float((top - before) / (after - before)), top))
    return Table.of(("curve", "rank", "value"), rows)


def _joined(tables: Sequence[Table]) -> Table:
    return Table({name: [cell for one in tables for cell in one.columns[name]] for name in tables[0].columns})


def chosen_ranking(param: str, tables: dict[str, Table], space: Space) -> Spec:
    """CRP and bar of the topic that the selection `param` holds, and its name above them."""
    look = space.look
    chosen = [{"filter": {"param": param, "empty": False}}]
    signs = [
        Sign("CRP of the ranking", look.ink, (1, 0)),
        Sign("full scale", look.grey, FULL_SCALE_DASH),
        *(Sign(what, look.ink, shape=shape) for what, shape in POINTS.items()),
    ]
    both = {
        "spacing": look.font_size,
        "resolve": {"scale": {"x": "shared", "color": "independent", "shape": "independent"}},
        "vconcat": [
            _crp_plot(chosen, space),
            rp_bar(tables["cells"], None, space, bar_height(space), axis=True, transform=chosen),
        ],
    }
    return {
        "spacing": look.font_size,
        "resolve": {"scale": {"x": "independent", "color": "independent", "shape": "independent"}},
        "vconcat": [_heading(chosen, space), key(signs, space), both],
    }


def _heading(chosen: Sequence[Spec], space: Space) -> Spec:
    """The name of the topic, with its recall base."""
    size = space.look.font_size
    text = mark_spec("text", align="left", baseline="middle", fontWeight="bold", limit=space.width, fontSize=size)
    words = {"calculate": "'Topic ' + datum.topic + ', recall base ' + datum.R", "as": "words"}
    return plot([layer(text, x=0, y=size, text="words")], space.width, round(2 * size), "topics", [*chosen, words])


def _crp_plot(chosen: Sequence[Spec], space: Space) -> Spec:
    look, height = space.look, round(HEIGHT * space.width)
    value = quantitative("value", title="CRP", scale={"nice": False, "zero": False}, axis={"tickCount": 5})
    styles = by_kind("curve", [*CURVES], color=[look.grey, look.ink], strokeDash=list(map(list, CURVES.values())))
    point = mark_spec("point", filled=True, opacity=1, **hollow(look))
    shapes = by_kind("what", [*POINTS], shape=[*POINTS.values()])
    recall_base = mark_spec("rule", color=look.grey, strokeDash=[1, 2])
    layers = [
        zero_rule(look.grey),
        layer(recall_base, "topics", chosen, x=quantitative("R")),
        layer(mark_spec("line", strokeWidth=1.4, aria=False), "curves", chosen, y=value, **styles),
        layer(
            point,
            "points",
            chosen,
            y={**value, "field": "CRP"},
            **shapes,
            tooltip=[{"field": "what", "title": "point"}, "rank", "CRP"],
        ),
    ]
    return plot(layers, space.width, height, x=rank_axis(None, labels=False))
