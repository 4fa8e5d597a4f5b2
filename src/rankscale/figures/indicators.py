"""Parallel coordinates of what CRP says of a run: one line for each topic, by its recall base."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import ClassVar, Unpack, cast

import numpy as np

from rankscale.data.arguments import Declaration, check_arguments
from rankscale.data.arrays import Floats
from rankscale.data.notices import Notice
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import Missing, RankingOptions, judging_of, reading_of
from rankscale.figures import crp
from rankscale.figures.base import parallel_coordinates as coordinates
from rankscale.figures.base.figure import Figure, Space, Spec, number
from rankscale.figures.base.labels import KeySign, apart, hollow, key, short_labels
from rankscale.figures.base.look import NAMED, TEXT_WIDTH, Appearance
from rankscale.figures.base.relative_positions import Course, checked_depth, course_of_topic
from rankscale.figures.base.rendering import on_page
from rankscale.figures.base.vega import by_kind, layer, mark_spec, plot, quantitative
from rankscale.inputs.read import QrelsLike, RunsLike, iterate_runs, read_qrels

CURVES = {"full scale": crp.FULL_SCALE_DASH, "CRP": (1, 0)}
HEIGHT = 0.28  # of the plot of CRP, against the width
FOLLOWED = 20  # lines that can be followed; more are a haze
MOST_OUTLIERS = 6
LONGEST = 6.0  # heights of type that the name of a topic may be wide


@dataclass(frozen=True, eq=False, repr=False)
class IndicatorsFigure(Figure):
    """The recall base and rho_w of each topic, and the four indicators of the run's ranking for it.

    Lines are light where the recall base is small and dark where it is large (the other way round on dark ground). At
    most seven topics are named: those requested, or the ones with the highest and the lowest rho. Of more than 20
    topics, lines are pale behind a band from the first quartile to the third with the median in it; outliers have lines
    of their own, and their names beside the axis on which they are furthest out. All axes go from 0 to 1; CRP_N beyond
    that is drawn at the end of its axis, with an arrow and its value. On a page, a click on a line opens CRP and the
    bar of relative positions of that topic.
    """

    name: ClassVar[str] = "indicators"
    ratio: ClassVar[float] = 0.5

    run: str
    depth: int
    topics: Table  # topic, R, R_share (of the largest R), rho_w, rho, b_ratio, CRP_min, CRP_N; the smallest R first
    lines: Table  # topic, R, axis, value, drawn (the value, or the end of the axis that it is beyond)
    named: tuple[str, ...]
    band: Table  # axis, q1, median, q3, over topics
    outliers: Mapping[str, str]  # by topic, the axis on which it is furthest out
    course_of: Callable[[str], Course]  # what a page opens, by topic
    notices: tuple[Notice, ...] = ()

    @property
    def title(self) -> str:
        """The run, and how many topics."""
        return f"CRP indicators of {self.run}, {len(self.topics)} topics by recall base"

    @property
    def description(self) -> str:
        """Means of the indicators, and the topics that are named."""
        means = ", ".join(f"{name} {self._mean(name):.4f}" for name in list(coordinates.AXES)[1:])
        bases = self.topics.columns["R"]
        rho = dict(zip(self.topics.columns["topic"], self.topics.columns["rho"], strict=True))
        named = ", ".join(f"{topic} ({float(rho[topic] or 0):.4f})" for topic in self.named)
        out = ", ".join(f"{topic} ({axis})" for topic, axis in self.outliers.items())
        far = f" Outliers, with the axis on which they are it: {out}." if out else ""
        return (
            f"{self.title}: one line for each topic, with R from {bases[0]} to {bases[-1]}, rankings cut at rank "
            f"{self.depth}. Means are {means}. Named topics, with their rho: {named}.{far}"
        )

    @property
    def subtitle(self) -> str:
        """What the band is, where there is one."""
        return "Band: the middle half of the topics, with their median" if self._hazy else ""

    @property
    def _hazy(self) -> bool:
        """Whether lines are too many to be followed."""
        return len(self.topics) > FOLLOWED

    def _mean(self, name: str) -> float:
        column = np.array(self.topics.columns[name], dtype=np.float64)
        return float(np.nanmean(column)) if not np.isnan(column).all() else float("nan")

    def draw(self, space: Space) -> Spec:
        """One line for each topic, coloured by the recall base; named ones over the others."""
        # Within a list, so that values beyond axes count in the width: Vega would fit axes and legends alone.
        return {"vconcat": [self._lines(space)]}

    def spec(
        self, look: Appearance | None = None, width: float | None = None, height: float | None = None
    ) -> dict[str, object]:
        """With what is written beside axes and their ends as datasets of their own."""
        look = look or Appearance()
        spec = super().spec(look, width, height)
        down = height or look.height or (width or look.width or TEXT_WIDTH) * self.ratio
        beside = {"beyond": list(coordinates.beyond_table(self.lines)), "labels": self._labels(look.font_size, down)}
        return {**spec, "datasets": {**cast("Spec", spec["datasets"]), **beside}}

    def _labels(self, size: float, height: float) -> list[Spec]:
        """Names beside the axes on which topics stand out, moved apart where they are close to each other."""
        axes = {**self.outliers, **dict.fromkeys(self.named, coordinates.AXES["rho"])}
        texts = short_labels(axes, LONGEST)
        at = {(str(row["topic"]), str(row["axis"])): number(row["drawn"]) for row in self.lines}
        step = 1.1 * size / height
        rows: list[Spec] = []
        for axis in dict.fromkeys(axes.values()):
            here = sorted(
                (at[topic, axis], topic) for topic, own in axes.items() if own == axis and (topic, axis) in at
            )
            places = apart([value for value, _ in here], step, 0.5 * step, 1 - 0.5 * step)
            rows += [
                {"topic": topic, "axis": axis, "at": place, "label": texts[topic]}
                for place, (_, topic) in zip(places, here, strict=True)
                if axis != coordinates.AXES["CRP_N"]  # where values beyond the axis are written
            ]
        return rows

    def page_spec(self, look: Appearance, width: float | None = None) -> dict[str, object]:
        """With the ranking of the topic whose line is clicked, or which is chosen from a list, below."""
        spec = super().page_spec(look, width)
        across = round(width or self.interactive_width)
        space = Space(on_page(look), across, round(across * self.ratio))
        tables = tables_of_topics(self.course_of, self._topics)
        parts = [self._lines(space, [self._chosen()]), chosen_ranking("chosen", tables, space)]
        datasets = {**cast("Spec", spec["datasets"]), **{name: list(table) for name, table in tables.items()}}
        free = {"scale": {"x": "independent", "y": "independent", "color": "independent"}}
        whole = {name: part for name, part in spec.items() if name in ("$schema", "description", "title", "config")}
        return {**whole, "padding": 2, "datasets": datasets, "vconcat": parts, "resolve": free}

    def _lines(self, space: Space, clicks: Sequence[Spec] | None = None) -> Spec:
        """The plot of lines."""
        bases = [number(base) for base in self.topics.columns["R"]]
        outliers = [topic for topic in self.outliers if topic not in self.named] if self._hazy else None
        return coordinates.coordinates_plot(space, bases, self.named, clicks, outliers)

    @property
    def _topics(self) -> list[str]:
        return [str(topic) for topic in self.topics.columns["topic"]]

    def _chosen(self) -> Spec:
        """The topic of the line clicked, or of a list of topics; a named one to begin with."""
        return {
            "name": "chosen",
            "select": {"type": "point", "fields": ["topic"], "on": "click", "toggle": False, "clear": False},
            "value": [{"topic": (*self.named, *self._topics)[0]}],
            "bind": {"topic": {"input": "select", "options": self._topics, "name": "topic "}},
        }


def indicators_figure(
    qrels: QrelsLike,
    run: RunsLike,
    *,
    named: Sequence[str] | None = None,
    depth: int | None = None,
    rel: float = 1,
    missing: Missing = "zero",
    **options: Unpack[RankingOptions],
) -> IndicatorsFigure:
    """Draw the indicators of a run's CRP, topic by topic.

    Parallel coordinates are the recall base and rho_w of each topic, and the four indicators. rho is RB over the
    balance point, b_ratio how much sooner than the full scale CRP balances, CRP_min how much less it falls, CRP_N how
    much lower it ends (above 1 where it ends below 0). rho_w is the rho of the full scale. All axes go from 0 to 1;
    what is beyond is drawn at the end, with an arrow and its value. Of more than 20 topics lines are pale behind the
    median and the quartiles, and outliers are named. As a page (.html), a click on a line opens that
    topic: its CRP and the bar of relative positions.

    Parameters
    ----------
    qrels, run, depth, rel, **options
        As for `crp_figure`; the depth cuts every ranking.
    named : sequence of str, default those with the highest and the lowest rho
        Topic whose line is named, at most seven.
    missing : {'zero', 'common', 'error'}
        Topics that a run lacks: an empty ranking, left out for all runs, or an error.

    Returns
    -------
    IndicatorsFigure
        A line for each topic.

    Raises
    ------
    ParameterError
        If there are several runs, more than seven named topics, or no topic with a relevant document.

    Notes
    -----
    Topics without a recall base have no line. Where the highest and lowest rho are equal, CRP_min decides.

    Command line
    ------------
        rankscale figure indicators qrels.txt run.txt -o indicators.pdf
        rankscale figure indicators qrels.txt run.txt --topic 103 --topic 121 -o indicators.html
        rankscale figure indicators qrels.txt run.txt --rel 2 -o indicators.svg
    """
    named = [str(topic) for topic in named] if isinstance(named, list | tuple) else named  # numbers do, too
    check_arguments(indicators_figure, locals())
    deep, reading, judging = checked_depth(depth), reading_of(options), judging_of(options)
    judgments = read_qrels(qrels, max_size=reading.max_size)
    read = list(iterate_runs(judgments, run, reading))
    if len(read) != 1:
        raise ParameterError(f"indicators are drawn of one run, got {len(read)}")
    evaluation = evaluate(judgments, read, coordinates.measures_drawn(deep, rel), missing=missing, **asdict(judging))
    kept = np.flatnonzero(evaluation.retrieved[0] & (evaluation.values[0, 0] > 0))
    if not len(kept):
        raise ParameterError(f"{evaluation.runs[0]} has no topic with a document of grade {rel:g} or more")
    kept = kept[np.argsort(evaluation.values[0, 0, kept], kind="stable")]
    topics = [evaluation.topics[place] for place in kept.tolist()]
    values = evaluation.values[:, 0, kept]
    run, seen = read[0].completed(len(judgments.topics)), judging.regraded(judgments)
    lines = coordinates.line_table(topics, values)
    band = coordinates.band_table(lines)
    return IndicatorsFigure(
        run=evaluation.runs[0],
        depth=deep,
        topics=Table(
            {
                "topic": topics,
                "R": values[0].astype(int).tolist(),
                "R_share": (values[0] / values[0].max()).tolist(),
                **{name: values[place].tolist() for place, name in enumerate(coordinates.AXES) if place},
            }
        ),
        lines=lines,
        named=_named(topics, values, named),
        band=band,
        outliers=coordinates.outliers_of(lines, band, MOST_OUTLIERS) if len(topics) > FOLLOWED else {},
        course_of=partial(course_of_topic, run, seen, judged_only=judging.judged_only, depth=deep, rel=rel),
        notices=evaluation.notices,
    )


def _named(topics: list[str], values: Floats, named: Sequence[str] | None) -> tuple[str, ...]:
    """The topics requested, or the best and the worst."""
    if named is None:
        rho, lowest = values[list(coordinates.AXES).index("rho")], values[list(coordinates.AXES).index("CRP_min")]
        order = np.lexsort((lowest, rho))
        return tuple(dict.fromkeys(topics[place] for place in (int(order[-1]), int(order[0]))))
    requested = [named] if isinstance(named, str) else list(map(str, named))
    if len(requested) > NAMED:
        raise ParameterError(f"at most {NAMED} topics can be distinguished, got {len(requested)}")
    for topic in requested:
        if topic not in topics:
            raise UnknownNameError("topic", topic, topics, f"there are lines of {', '.join(topics[:5])} ...")
    return tuple(requested)


def tables_of_topics(course_of: Callable[[str], Course], topics: Sequence[str]) -> dict[str, Table]:
    """By name, what is drawn of each topic: `curves`, `cells` of the bar, and the `points` that CRP is read by."""
    rows: dict[str, list[Mapping[str, Cell]]] = {"curves": [], "cells": [], "points": []}
    for topic in topics:
        of = course_of(topic)
        tables = {"curves": _curves(of), "cells": of.cells(of.telling), "points": crp.key_points(of, of.telling)}
        for name, table in tables.items():
            rows[name] += [{"topic": topic, **row} for row in table]
    return {name: Table.from_rows(several) for name, several in rows.items()}


def _curves(of: Course) -> Table:
    """Where CRP and the full scale bend; the full scale ends where it would leave the plot."""
    last = of.telling
    top = crp.crp_domain(of, last)[1]
    beyond = np.flatnonzero(of.full_scale[:last] > top)
    corners = list(of.corners(last))
    rows: list[tuple[str, float, float]] = [("CRP", row["rank"], row["CRP"]) for row in corners]  # type: ignore[misc]
    end = int(beyond[0]) if len(beyond) else last  # ranks that are drawn
    rows += [("full scale", row["rank"], row["full_scale"]) for row in corners if int(row["rank"] or 0) <= end]  # type: ignore[misc]
    if end < last:
        before, after = of.full_scale[end - 1], of.full_scale[end]
        rows.append(("full scale", end + float((top - before) / (after - before)), top))
    return Table.of(("curve", "rank", "value"), rows)


def chosen_ranking(param: str, tables: dict[str, Table], space: Space) -> Spec:
    """CRP and bar of the topic that the selection `param` holds, and its name above them."""
    look = space.look
    chosen = [{"filter": {"param": param, "empty": False}}]
    signs = [
        *crp.curve_signs(look),
        *(KeySign(what, look.ink, shape=shape) for what, shape in crp.POINTS.items()),
    ]
    both = {
        "spacing": look.font_size,
        "resolve": {"scale": {"x": "shared", "color": "independent", "shape": "independent"}},
        "vconcat": [
            _crp_plot(chosen, space),
            crp.rp_bar(tables["cells"], None, space, crp.bar_height(space), axis=True, transform=chosen),
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
    recall_base = mark_spec("rule", color=look.grey, strokeDash=[1, 2])
    layers = [
        crp.zero_rule(look.grey),
        layer(recall_base, "topics", chosen, x=quantitative("R")),
        layer(mark_spec("line", strokeWidth=1.4, aria=False), "curves", chosen, y=value, **styles),
        crp.key_point_layer(chosen, hollow(look), y={**value, "field": "CRP"}),
    ]
    return plot(layers, space.width, height, x=crp.rank_axis(None, labels=False))


COMMAND = Declaration(
    indicators_figure,
    source="run",
    flags={"named": "--topic"},
    shared=("missing_of_runs", "relevance", "grades", "judged_only", "cut", "reading"),
)
