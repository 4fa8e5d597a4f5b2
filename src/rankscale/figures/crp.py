"""CRP of one ranking, with the points it is read by, and the bar of relative positions under it."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Unpack

import numpy as np

from rankscale.data.arguments import AtLeast, Declaration, check_arguments
from rankscale.data.notices import Notice
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import RankingOptions
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec, number
from rankscale.figures.base.labels import KeySign, Name, PlotArea, hollow, key, named_marks, place_names
from rankscale.figures.base.look import Appearance, ink_on
from rankscale.figures.base.relative_positions import KINDS, SINGLE_CELLS, Course, TopicCourse, course, read_ranking
from rankscale.figures.base.vega import by_kind, calculated, layer, mark_spec, nominal, plot, quantitative
from rankscale.inputs.read import QrelsLike, RunsLike

CRP_NAME, FULL_SCALE_NAME = "CRP of the ranking", "full scale"
SAMPLES = 150  # points of each curve that names keep clear of
LONGEST = 32.0  # heights of type that a name may be wide
DOT = 0.9  # area of the dot of a relevant document, in font sizes
FULL_SCALE_DASH = (5, 3)
IDEAL_DASH = (1, 2)  # of the curve of the ideal ranking
CURVES = {"full_scale": FULL_SCALE_DASH, "CRP": (1, 0)}
DCG_CURVES = {"ideal_DCG": IDEAL_DASH, "DCG": (1, 0)}
POINTS = {  # what each point is, and its shape
    "recall base": "square",
    "turn-around point": "triangle-down",
    "balance point": "diamond",
    "full scale's balance point": "cross",
}

LastRank = Annotated[int, AtLeast(2)]


@dataclass(frozen=True, eq=False, repr=False)
class CrpFigure(Figure):
    """One ranking. The full scale leaves the plot where it would take more than half of it.

    Curves and points are named where they stand; what has no room there is in a key above.
    """

    name: ClassVar[str] = "crp"

    ranking: TopicCourse
    course: Course
    last: int  # the last rank drawn
    ranks: Table  # rank, document, grade, RP, CRP, full_scale
    cells: Table  # first, last, kind, RP, CRP: the bar
    corners: Table  # rank, CRP, full_scale, where the lines bend
    points: Table  # what, rank, CRP
    notices: tuple[Notice, ...] = ()

    @property
    def title(self) -> str:
        """The run and the topic."""
        return f"Cumulated relative position of {self.ranking.run}, topic {self.ranking.topic}"

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

    def draw(self, space: Space) -> Spec:
        """The curve, and the bar under it, on one axis of ranks."""
        return {
            "spacing": space.look.font_size,
            "resolve": {"scale": {"x": "shared", "color": "independent", "shape": "independent"}},
            "vconcat": self.crp_parts(space, max(40.0, space.height - bar_height(space)), axis=True),
        }

    def crp_parts(self, space: Space, height: float, *, axis: bool) -> list[Spec]:
        """The key, the curve in a plot of this height, and the bar, with an axis of ranks under it if requested."""
        names = self._names(space, height)
        return [
            self._key(space, {str(name["name"]) for name in names}),
            self._plot(space, height, names),
            rp_bar(self.cells, self.last, space, bar_height(space), axis=axis),
        ]

    def _names(self, space: Space, height: float) -> list[Name]:
        """Names of curves and points, each near what it names, clear of the curves."""
        low, high = crp_domain(self.course, self.last)
        named = [(text, (float(rank), float(value))) for text, (rank, value) in _point_names(self.points).items()]
        curves = {CRP_NAME: self.course.crp, FULL_SCALE_NAME: self.course.full_scale}
        for (text, curve), share in zip(curves.items(), (0.8, 0.45), strict=True):
            drawn = np.flatnonzero(curve[: self.last] <= high)
            place = int(drawn[min(len(drawn) - 1, round(share * self.last))])
            named.append((text, (place + 1.0, float(curve[place]))))
        reach, sides = np.array([[0.5, self.last + 0.5], [low, high]]), np.array([space.width, height])
        panel = PlotArea(reach, sides, space.look.font_size)
        ranks = np.arange(1, self.last + 1)
        along = [panel.along(np.column_stack([ranks, curve[: self.last]]), SAMPLES) for curve in curves.values()]
        clear = [place for line in along for place in line.tolist() if place[1] <= high]
        clear += [[rank, 0.0] for rank in np.linspace(1, self.last, SAMPLES // 2)]  # the line at 0
        clear += [[float(self.course.recall_base), value] for value in np.linspace(low, high, 20)]
        at = np.array([*(place for _, place in named), *clear])
        names = [*(text for text, _ in named), *[""] * len(clear)]
        return place_names(names, at, range(len(named)), len(named), panel, LONGEST)

    def _plot(self, space: Space, height: float, names: Sequence[Name]) -> Spec:
        """The curve of the ranking with its points, and that of the full scale."""
        look, ranks = space.look, rank_axis(self.last, labels=False)
        value: Spec = quantitative(
            "CRP",
            title="CRP",
            scale={"domain": crp_domain(self.course, self.last), "nice": False, "zero": False},
            axis={"tickCount": max(3, round(height / (2.8 * look.font_size)))},
        )
        zoom = {"name": "zoom", "select": {"type": "interval", "encodings": ["x"]}, "bind": "scales"}
        dot = mark_spec("point", filled=True, opacity=1, color=look.ink, clip=True, aria=False)
        relevant = [{"filter": {"field": "grade", "gte": self.ranking.rel}}]
        of_document = ["rank", "document", "grade", "RP", "CRP"]
        layers = [
            *guides(self.course.recall_base, look),
            {"params": [zoom], **curves_layer(CURVES, look, y={**value, "field": "value"})},
            layer({**dot, "size": DOT * look.font_size}, "ranks", relevant, y=value, tooltip=of_document),
            key_point_layer([], {"clip": True, **hollow(look)}, x="rank", y=value),
            *named_marks(names, ranks, value, space),
        ]
        return plot(layers, space.width, height, "corners", x=ranks)

    def _key(self, space: Space, named: Collection[str]) -> Spec:
        """The legend: what the dots mean, and the curves and points that have no label of their own."""
        look = space.look
        dots = KeySign("relevant document", look.ink, size=2 * DOT * look.font_size)
        signs = [sign for sign in (*curve_signs(look), dots) if sign.text not in named]
        for text, (rank, _) in _point_names(self.points).items():
            if text not in named:
                at_rank = [str(row["what"]) for row in self.points if number(row["rank"]) == rank]
                here = [what for what in at_rank if what in text]
                signs += [KeySign(f"{what}, rank {rank:g}", look.ink, shape=POINTS[what]) for what in here]
        if not math.isfinite(self.course.balance):
            signs.append(KeySign("no balance point", look.ink, shape=POINTS["balance point"]))
        return key(signs, space)


def crp_figure(
    qrels: QrelsLike,
    run: RunsLike,
    topic: str,
    *,
    last: LastRank | None = None,
    depth: int | None = None,
    rel: float = 1,
    **options: Unpack[RankingOptions],
) -> CrpFigure:
    """Draw the cumulated relative position (CRP) of one ranking.

    Under it is the bar of relative positions. CRP falls at documents that belong further down, and rises at relevant
    ones that come too late. Marked are the recall base (RB), where CRP is lowest (turn-around point) and the last rank
    before it comes back to 0 (balance point; RB where that is later). The full scale is the ideal ranking reversed, at
    the end of the ranks. In the bar, a cell stands for each rank: too late, in place, or too early; of more than 80
    ranks, neighbours of one kind are one cell.

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
    **options
        Keywords on reading and judging, as `evaluate` explains them: judged_only, grades, negative, order, max_size,
        threads.

    Returns
    -------
    CrpFigure
        The curve and the bar.

    Raises
    ------
    ParameterError
        If there are several runs, or the topic has no relevant document.

    Command line
    ------------
        rankscale figure crp qrels.txt run.txt --topic 101 -o crp.svg
        rankscale figure crp qrels.txt run.txt --topic 101 -o crp.pdf --width 84mm
        rankscale figure crp qrels.txt run.txt --topic 101 --last 50 --palette papers -o crp.html
    """
    topic = str(topic)  # numbers do, too
    check_arguments(crp_figure, locals())
    return figure_of(read_ranking(qrels, run, topic, depth=depth, rel=rel, **options), last)


def figure_of(ranking: TopicCourse, last: int | None) -> CrpFigure:
    """The figure of a ranking that was read."""
    made = course(ranking.judged, ranking.depth, ranking.rel)
    if last is not None and last < 2:
        raise ParameterError(f"ranks are drawn down to 2 at least, got {last}")
    end = made.telling if last is None else min(last, made.length)
    return CrpFigure(
        ranking=ranking,
        course=made,
        last=end,
        ranks=Table({name: column[:end] for name, column in made.rows(ranking.documents).columns.items()}),
        cells=made.cells(end),
        corners=made.corners(end),
        points=key_points(made, end),
        notices=ranking.notices,
    )


def _point_names(points: Table) -> dict[str, tuple[float, float]]:
    """Labels of points, with rank and CRP; points at the same place share one label."""
    at: dict[tuple[float, float], list[str]] = {}
    for row in points:
        at.setdefault((number(row["rank"]), number(row["CRP"])), []).append(str(row["what"]))
    return {f"{' and '.join(several)}, rank {place[0]:g}": place for place, several in at.items()}


def key_points(course: Course, last: int) -> Table:
    """The points that CRP is read by, on the curves, as far as they are drawn."""
    at = {
        "recall base": (course.recall_base, course.crp),
        "turn-around point": (course.turn_around, course.crp),
        "balance point": (course.balance, course.crp),
        "full scale's balance point": (course.full_scale_balance, course.full_scale),
    }
    drawn = [(what, int(rank), int(curve[int(rank) - 1])) for what, (rank, curve) in at.items() if rank <= last]
    return Table.of(("what", "rank", "CRP"), drawn)


def curve_signs(look: Appearance) -> list[KeySign]:
    """What the two curves are."""
    return [KeySign(CRP_NAME, look.ink, (1, 0)), KeySign(FULL_SCALE_NAME, look.grey, FULL_SCALE_DASH)]


def key_point_layer(transform: Sequence[Spec], look_of_marks: Spec, **channels: object) -> Spec:
    """The dataset `points`, each kind with its own shape."""
    point = mark_spec("point", filled=True, opacity=1, **look_of_marks)
    shape = by_kind("what", [*POINTS], shape=[*POINTS.values()])
    tooltip = [{"field": "what", "title": "point"}, "rank", "CRP"]
    return layer(point, "points", transform, **channels, **shape, tooltip=tooltip)


def guides(recall_base: Cell, look: Appearance, **options: object) -> list[Spec]:
    """A line at 0, with options of its mark, and a dotted one at the recall base."""
    dotted = mark_spec("rule", color=look.grey, strokeDash=[1, 2], clip=True)
    return [zero_rule(look.grey, **options), layer(dotted, [{"rank": recall_base}])]


def zero_rule(colour: str, **options: object) -> Spec:
    """A line at 0."""
    return layer(mark_spec("rule", color=colour, **options), [{}], y={"datum": 0}, x=None)


def curves_layer(curves: Mapping[str, Sequence[int]], look: Appearance, y: Spec) -> Spec:
    """Two lines: what a curve is compared with, dashed and grey, and the curve; `curves` are columns with dashes."""
    names, dashes = list(curves), list(map(list, curves.values()))
    return layer(
        mark_spec("line", strokeWidth=1.4, clip=True, aria=False),
        None,
        [{"fold": names, "as": ["curve", "value"]}],
        y=y,
        **by_kind("curve", names, color=[look.grey, look.ink], strokeDash=dashes),
    )


def crp_domain(course: Course, last: int) -> list[float]:
    """From the lowest CRP of the full scale to the highest that is drawn, with a little room."""
    bottom = int(course.full_scale.min())
    top = max(0, int(course.crp[:last].max()))
    reached = int(course.full_scale[:last].max())
    if reached <= 2 * top - bottom:  # it takes less than half of the plot
        top = max(top, reached)
    room = 0.04 * max(1, top - bottom)
    return [bottom - room, top + room]


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


def kind_colours(look: Appearance) -> list[str]:
    """The colours of KINDS; pale where documents are in place, since what stands elsewhere is to be seen first."""
    return [look.late, look.pale, look.early]


def _has_room(cells: Table, last: int | None, space: Space) -> bool:
    """Whether the numbers fit into their cells."""
    if last is None:
        return False
    widest = max((len(str(rp)) for rp in cells.columns["RP"]), default=1)
    return last <= SINGLE_CELLS and space.width / last > (widest * WIDTH_OF_LETTER + 0.5) * space.look.font_size


def _numbers(look: Appearance) -> Spec:
    text = mark_spec("text", aria=False, fontSize=0.9 * look.font_size, clip=True)
    inks = by_kind("kind", KINDS, color=[ink_on(colour) for colour in kind_colours(look)])
    return layer(text, x=quantitative("middle"), x2=None, text={"field": "RP", "format": "d"}, **inks)


def few_ranks(last: int, title: str | None) -> Spec:
    """The axis of ranks of a small plot."""
    scale = {"domain": [1, last], "nice": False, "zero": False}
    axis = {"tickCount": 3, "grid": False, "tickMinStep": 1, "labelFlush": False}
    return quantitative("rank", title=title, scale=scale, axis=axis)


def small_crp_plot(
    name: str, curve: Table, marked: Mapping[str, Cell], space: Space, titles: tuple[bool, bool]
) -> Spec:
    """The curve of the dataset `name`, its recall base as a dotted line and its balance point as a diamond.

    `titles` says whether the axes up and across have titles.
    """
    look = space.look
    ends = [float(value or 0) for value in curve.columns["CRP"]]
    ranks = [float(rank or 1) for rank in curve.columns["rank"]]
    low, high, last = min(0.0, *ends), max(0.0, *ends), int(ranks[-1])
    room = 0.06 * (high - low)
    value = quantitative(
        "CRP",
        title="CRP" if titles[0] else None,
        scale={"domain": [low - room, high + room] if room else [-1.2, 1.2], "nice": False},
        axis={"tickCount": 3, "grid": False, **({} if room else {"values": [-1, 0, 1], "format": "d"})},
    )
    line = mark_spec("line", strokeWidth=1.4, color=look.colours[0], aria=False)
    layers: list[Spec] = [
        *guides(marked["recall_base"], look, strokeWidth=0.7),
        layer(line, y=value),
    ]
    balance = marked["balance_point"]
    if isinstance(balance, int) and balance <= last:
        shape = {**hollow(look), "shape": POINTS["balance point"], "size": 4 * look.font_size, "strokeWidth": 1}
        point = mark_spec("point", filled=True, opacity=1, **shape)
        reached = float(np.interp(balance, ranks, ends))
        layers.append(layer(point, [{"rank": balance, "CRP": reached}], y=value))
    return plot(layers, space.width, space.height, name, x=few_ranks(last, "rank" if titles[1] else None))


COMMAND = Declaration(
    crp_figure,
    source="run",
    shared=("relevance", "grades", "judged_only", "cut", "reading"),
)
