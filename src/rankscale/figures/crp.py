"""CRP of one ranking, with the points it is read by, and the bar of relative positions under it."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from rankscale.data.declared import AtLeast, Declaration
from rankscale.data.notices import Notice
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import ONCE, Figure, Space, Spec
from rankscale.figures.base.keys import Sign, hollow, key
from rankscale.figures.base.position_bar import bar_height, rank_axis, rp_bar
from rankscale.figures.base.relative_positions import Course, course, read_ranking
from rankscale.figures.base.vega import mark_spec, nominal, quantitative

FULL_SCALE_DASH = (5, 3)
DOT = 0.9  # area of the dot of a relevant document, in font sizes
POINTS = {  # what each point is, and its shape
    "recall base": "square",
    "turn-around point": "triangle-down",
    "balance point": "diamond",
    "full scale's balance point": "cross",
}


@dataclass(frozen=True, eq=False, repr=False)
class CrpFigure(Figure):
    """One ranking. The full scale leaves the plot where it would take more than half of it."""

    name: ClassVar[str] = "crp"

    run: str
    topic: str
    course: Course
    last: int  # the last rank drawn
    ranks: Table  # rank, document, grade, RP, CRP, full scale
    cells: Table  # first, last, kind, RP, CRP: the bar
    corners: Table  # rank, CRP, full scale, where the lines bend
    points: Table  # what, rank, CRP
    rel: float  # the lowest grade that is relevant
    notices: tuple[Notice, ...] = ()

    @property
    def title(self) -> str:
        """The run and the topic."""
        return f"Cumulated relative position of {self.run}, topic {self.topic}"

    @property
    def description(self) -> str:
        """The points, and how the curve ends."""
        shown = self.course.rp[: self.last]
        early, late = int((shown < 0).sum()), int((shown > 0).sum())
        return (
            f"{self.title}. {self.course.sentence()} Of {self.last} ranks, {early} hold what stands too early, "
            f"{self.last - early - late} what is in place, and {late} what comes too late; ranks beyond the end of the "
            "ranking hold nothing relevant."
        )

    def data(self) -> dict[str, Table]:
        """The ranking rank by rank, the cells of the bar, the corners of the lines, and the points."""
        return {"ranks": self.ranks, "cells": self.cells, "corners": self.corners, "points": self.points}

    def draw(self, space: Space) -> Spec:
        """The curve, and the bar under it, on one axis of ranks."""
        bar = bar_height(space)
        return {
            "spacing": space.look.font_size,
            "resolve": {"scale": {"x": "shared", "color": "independent", "shape": "independent"}},
            "vconcat": [
                crp_key(self.course, self.points, space),
                crp_plot(self.course, self.last, self.rel, space, max(40.0, space.height - bar)),
                rp_bar(self.cells, self.last, space, bar, axis=True),
            ],
        }


LastRank = Annotated[int, AtLeast(2)]


def crp_figure(
    qrels: Any,  # noqa: ANN401
    run: Any,  # noqa: ANN401  # whatever read_run() reads
    topic: str,
    *,
    last: LastRank | None = None,
    depth: int | None = None,
    rel: float = 1,
    **reading: Any,  # noqa: ANN401  # those of read_ranking()
) -> CrpFigure:
    """Draw the cumulated relative position (CRP) of one ranking.

    Under it is the bar of relative positions. CRP falls at documents that belong further down, and rises at relevant
    ones that come too late. Marked are the recall base (RB), where CRP is lowest (turn-around point) and where it comes
    back to 0 (balance point). The full scale is the ideal ranking reversed, at the end of the ranks. In the bar, a cell
    stands for each rank: too late, in place, or too early; of more than 80 ranks, neighbours of one kind are one cell.

    Parameters
    ----------
    qrels : qrels
        Judgments: a file, a dict, a frame, or what `read_qrels` returns.
    run : run
        Rankings of one run: a file, a dict, a frame, or what `read_run` returns.
    topic : str
        Topic whose ranking is drawn.
    last : int, default 2RB, or the last relevant document
        Draw down to this rank.
    depth : int, default 1000
        Cut the ranking at this rank first.
    rel : float
        Lowest relevant grade.
    **reading
        Further keywords on how the run is read and judged.

    Returns
    -------
    CrpFigure
        The curve and the bar.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.

    Command line
    ------------
        rankscale figure crp qrels.txt run.txt --topic 101 -o crp.svg
        rankscale figure crp qrels.txt run.txt --topic 101 -o crp.pdf --width 84mm
        rankscale figure crp qrels.txt run.txt --topic 101 --last 50 --palette papers -o crp.html
    """
    result = read_ranking(qrels, run, topic, depth=depth, rel=rel, **reading)
    made = course(result.judged, result.depth, rel)
    shown = last_drawn(made, last)
    return CrpFigure(
        run=result.run,
        topic=result.topic,
        course=made,
        last=shown,
        ranks=_down_to(made.rows(result.documents), shown),
        cells=made.cells(shown),
        corners=made.corners(shown),
        points=key_points(made, shown),
        rel=rel,
        notices=result.notices,
    )


def last_drawn(course: Course, last: int | None) -> int:
    """The last rank drawn: the one requested, if the ranking goes so far down."""
    if last is not None and last < 2:
        raise ParameterError(f"ranks are drawn down to 2 at least, got {last}")
    return course.telling if last is None else min(last, course.length)


def _down_to(rows: Table, last: int) -> Table:
    return Table({name: column[:last] for name, column in rows.columns.items()})


def key_points(course: Course, last: int) -> Table:
    """The points that CRP is read by, as far as they are drawn; balance points stand on the line of 0."""
    at = {
        "recall base": (course.recall_base, True),
        "turn-around point": (course.turn_around, True),
        "balance point": (course.balance, False),
        "full scale's balance point": (course.full_scale_balance, False),
    }
    result: list[tuple[Cell, Cell, Cell]] = [
        (what, int(rank), int(course.crp[int(rank) - 1]) if on_curve else 0)
        for what, (rank, on_curve) in at.items()
        if rank <= last
    ]
    return Table.of(("what", "rank", "CRP"), result)


def crp_plot(course: Course, last: int, rel: float, space: Space, height: float) -> Spec:
    """The curve of a ranking with its points, and that of the full scale."""
    look = space.look
    value: Spec = quantitative(
        "CRP",
        title="CRP",
        scale={"domain": crp_domain(course, last), "nice": False, "zero": False},
        axis={"tickCount": max(3, round(height / (2.8 * look.font_size)))},
    )
    return {
        "data": {"name": "corners"},
        "width": space.width,
        "height": height,
        "encoding": {"x": rank_axis(last, labels=False)},
        "layer": [
            {**ONCE, "mark": mark_spec("rule", color=look.grey), "encoding": {"y": {"datum": 0}, "x": None}},
            recall_base_rule(course, look.grey),
            _curves(space, value),
            _relevant(rel, space, value),
            _points(space, value),
        ],
    }


def recall_base_rule(course: Course, colour: str) -> Spec:
    """A dotted line at the recall base."""
    return {
        "data": {"values": [{"rank": course.recall_base}]},
        "mark": mark_spec("rule", color=colour, strokeDash=[1, 2], clip=True),
    }


def _curves(space: Space, value: Spec) -> Spec:
    look = space.look
    fields = ["full scale", "CRP"]
    by_curve = nominal("curve", legend=None)
    return {
        "params": [{"name": "zoom", "select": {"type": "interval", "encodings": ["x"]}, "bind": "scales"}],
        "transform": [{"fold": fields, "as": ["curve", "value"]}],
        "mark": mark_spec("line", strokeWidth=1.4, clip=True, aria=False),
        "encoding": {
            "y": {**value, "field": "value"},
            "color": {**by_curve, "scale": {"domain": fields, "range": [look.grey, look.ink]}},
            "strokeDash": {**by_curve, "scale": {"domain": fields, "range": [list(FULL_SCALE_DASH), [1, 0]]}},
        },
    }


def _relevant(rel: float, space: Space, value: Spec) -> Spec:
    """A dot at each relevant document."""
    look = space.look
    return {
        "data": {"name": "ranks"},
        "transform": [{"filter": {"field": "grade", "gte": rel}}],
        "mark": {"type": "point", "filled": True, "opacity": 1, "color": look.ink, "clip": True, "aria": False}
        | {"size": DOT * look.font_size},
        "encoding": {"y": value, "tooltip": [{"field": name} for name in ("rank", "document", "grade", "RP", "CRP")]},
    }


def _points(space: Space, value: Spec) -> Spec:
    """The points, each with its own shape."""
    look = space.look
    return {
        "data": {"name": "points"},
        "mark": mark_spec("point", filled=True, opacity=1, clip=True, **hollow(look)),
        "encoding": {
            "x": {"field": "rank"},
            "y": value,
            "shape": nominal("what", scale={"domain": list(POINTS), "range": list(POINTS.values())}, legend=None),
            "tooltip": [{"field": "what", "title": "point"}, {"field": "rank"}, {"field": "CRP"}],
        },
    }


def crp_key(course: Course, points: Table, space: Space) -> Spec:
    """What the curves and points of CRP are, and at which ranks."""
    look = space.look
    result = zip(points.columns["what"], points.columns["rank"], strict=True)
    signs = [
        Sign("CRP of the ranking", look.ink, (1, 0)),
        Sign("full scale", look.grey, FULL_SCALE_DASH),
        Sign("relevant document", look.ink, size=2 * DOT * look.font_size),
        *(Sign(f"{what}, rank {rank}", look.ink, shape=POINTS[str(what)]) for what, rank in result),
    ]
    if not math.isfinite(course.balance):
        signs.append(Sign("no balance point", look.ink, shape=POINTS["balance point"]))
    return key(signs, space)


def crp_domain(course: Course, last: int) -> list[float]:
    """From the lowest CRP of the full scale to the highest that is drawn, with a little room."""
    bottom = int(course.full_scale.min())
    top = max(0, int(course.crp[:last].max()))
    reached = int(course.full_scale[:last].max())
    if reached <= 2 * top - bottom:  # it takes less than half of the plot
        top = max(top, reached)
    room = 0.04 * max(1, top - bottom)
    return [bottom - room, top + room]


COMMAND = Declaration(
    crp_figure,
    source="run",
    shared=("relevance", "grades", "judged_only", "cut", "reading"),
)
