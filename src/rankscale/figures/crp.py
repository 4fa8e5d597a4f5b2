"""CRP of one ranking, with the points it is read by, and the bar of relative positions under it."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Unpack

import numpy as np

from rankscale.data.arguments import AtLeast, Declaration, check_arguments
from rankscale.data.notices import Notice
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import RankingOptions
from rankscale.figures.base.crp_plots import (
    CURVES,
    FULL_SCALE_DASH,
    POINTS,
    bar_height,
    crp_domain,
    curves_layer,
    key_points,
    rank_axis,
    recall_base_rule,
    rp_bar,
    zero_rule,
)
from rankscale.figures.base.figure import Figure, Space, Spec, number
from rankscale.figures.base.labels import Name, PlotArea, named_marks, place_names
from rankscale.figures.base.legends import KeySign, hollow, key
from rankscale.figures.base.relative_positions import Course, TopicCourse, course, read_ranking
from rankscale.figures.base.vega import by_kind, layer, mark_spec, plot, quantitative
from rankscale.inputs.read import QrelsLike, RunsLike

CRP_NAME, FULL_SCALE_NAME = "CRP of the ranking", "full scale"
SAMPLES = 150  # points of each curve that names keep clear of
LONGEST = 32.0  # heights of type that a name may be wide
DOT = 0.9  # area of the dot of a relevant document, in font sizes


@dataclass(frozen=True, eq=False, repr=False)
class CrpFigure(Figure):
    """One ranking. The full scale leaves the plot where it would take more than half of it.

    Curves and points are named where they stand; what has no room there is in a key above.
    """

    name: ClassVar[str] = "crp"

    run: str
    topic: str
    course: Course
    last: int  # the last rank drawn
    ranks: Table  # rank, document, grade, RP, CRP, full_scale
    cells: Table  # first, last, kind, RP, CRP: the bar
    corners: Table  # rank, CRP, full_scale, where the lines bend
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
            crp_key(self.course, self.points, space, {str(name["name"]) for name in names}),
            crp_plot(self.course, self.last, self.rel, space, height, names),
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
        panel = PlotArea(
            np.array([[0.5, self.last + 0.5], [low, high]]), np.array([space.width, height]), space.look.font_size
        )
        ranks = np.arange(1, self.last + 1)
        along = [panel.along(np.column_stack([ranks, curve[: self.last]]), SAMPLES) for curve in curves.values()]
        clear = [place for line in along for place in line.tolist() if place[1] <= high]
        clear += [[rank, 0.0] for rank in np.linspace(1, self.last, SAMPLES // 2)]  # the line at 0
        clear += [[float(self.course.recall_base), value] for value in np.linspace(low, high, 20)]
        at = np.array([*(place for _, place in named), *clear])
        names = [*(text for text, _ in named), *[""] * len(clear)]
        return place_names(names, at, range(len(named)), len(named), panel, LONGEST)


LastRank = Annotated[int, AtLeast(2)]


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
    ranks = made.rows(ranking.documents).columns
    return CrpFigure(
        run=ranking.run,
        topic=ranking.topic,
        course=made,
        last=end,
        ranks=Table({name: column[:end] for name, column in ranks.items()}),
        cells=made.cells(end),
        corners=made.corners(end),
        points=key_points(made, end),
        rel=ranking.rel,
        notices=ranking.notices,
    )


def crp_plot(course: Course, last: int, rel: float, space: Space, height: float, names: Sequence[Name]) -> Spec:
    """The curve of a ranking with its points, and that of the full scale."""
    look = space.look
    value: Spec = quantitative(
        "CRP",
        title="CRP",
        scale={"domain": crp_domain(course, last), "nice": False, "zero": False},
        axis={"tickCount": max(3, round(height / (2.8 * look.font_size)))},
    )
    zoom = {"name": "zoom", "select": {"type": "interval", "encodings": ["x"]}, "bind": "scales"}
    layers = [
        zero_rule(look.grey),
        recall_base_rule(course.recall_base, look.grey, clip=True),
        {"params": [zoom], **curves_layer(CURVES, look, y={**value, "field": "value"})},
        _relevant(rel, space, value),
        _points(space, value),
        *named_marks(names, {**rank_axis(last, labels=False), "field": "rank"}, value, space),
    ]
    return plot(layers, space.width, height, "corners", x=rank_axis(last, labels=False))


def _relevant(rel: float, space: Space, value: Spec) -> Spec:
    """A dot at each relevant document."""
    look = space.look
    dot = mark_spec("point", filled=True, opacity=1, color=look.ink, clip=True, aria=False, size=DOT * look.font_size)
    tooltip = ["rank", "document", "grade", "RP", "CRP"]
    return layer(dot, "ranks", [{"filter": {"field": "grade", "gte": rel}}], y=value, tooltip=tooltip)


def _points(space: Space, value: Spec) -> Spec:
    """The points, each with its own shape."""
    point = mark_spec("point", filled=True, opacity=1, clip=True, **hollow(space.look))
    shape = by_kind("what", [*POINTS], shape=[*POINTS.values()])
    tooltip = [{"field": "what", "title": "point"}, "rank", "CRP"]
    return layer(point, "points", x="rank", y=value, **shape, tooltip=tooltip)


def _point_names(points: Table) -> dict[str, tuple[float, float]]:
    """What is written beside points, with rank and CRP: those that stand on each other have one name."""
    at: dict[tuple[float, float], list[str]] = {}
    for row in points:
        at.setdefault((number(row["rank"]), number(row["CRP"])), []).append(str(row["what"]))
    return {f"{' and '.join(several)}, rank {place[0]:g}": place for place, several in at.items()}


def crp_key(course: Course, points: Table, space: Space, named: Collection[str]) -> Spec:
    """What the dots are, and what curves and points are whose names are not beside them."""
    look = space.look
    signs = [
        KeySign(CRP_NAME, look.ink, (1, 0)),
        KeySign(FULL_SCALE_NAME, look.grey, FULL_SCALE_DASH),
        KeySign("relevant document", look.ink, size=2 * DOT * look.font_size),
    ]
    signs = [sign for sign in signs if sign.text not in named]
    for text, (rank, _) in _point_names(points).items():
        if text not in named:
            here = [str(row["what"]) for row in points if number(row["rank"]) == rank and str(row["what"]) in text]
            signs += [KeySign(f"{what}, rank {rank:g}", look.ink, shape=POINTS[what]) for what in here]
    if not math.isfinite(course.balance):
        signs.append(KeySign("no balance point", look.ink, shape=POINTS["balance point"]))
    return key(signs, space)


COMMAND = Declaration(
    crp_figure,
    source="run",
    shared=("relevance", "grades", "judged_only", "cut", "reading"),
)
