"""One measure, run by run and topic by topic: a heat map."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from rankscale.data.arguments import Declaration, OneOf
from rankscale.data.arrays import Floats, Ints
from rankscale.data.exact_sums import mean_of_defined
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.labels import label_axis, short_labels, width_of
from rankscale.figures.base.vega import crosses, defined, gradient_legend, layer, mark_spec, ordinal, plot, quantitative
from rankscale.measures.base.measure import Measure

MOST_CELLS = 8000  # beyond which only the best runs are drawn: cells would be too small to be seen
MOST_TOPICS = 200  # beyond which only some topics are drawn, evenly spaced in their order
ORDERS = ("mean", "name")
BARE: Spec = {"domain": False, "ticks": False, "grid": False, "labelOverlap": False}  # an axis of names
LINE = 1.17  # from one name to the next, in heights of their type
SMALLER = 0.8  # what type may shrink by to make room for all names
GAP, WIDE = 0.6, 1.6  # heights of type between the topics and the means, and that the means take
UNSEEN = "\u200b"  # a letter without width: names of columns that no topic has
HIGHEST, LOWEST = 14.0, 2.6  # of a run's cells, in points


@dataclass(frozen=True, repr=False)
class TopicsFigure(Figure):
    """Runs down, the best first; topics across, the easiest first, or by name.

    Where a measure has no direction, the highest stand first. Where names of runs or topics would overlap,
    only the first, the last and some between them, evenly spaced, are written; a page shows the others when
    pointed at. The last column is what sums up the topics of each run, as a number too where rows are high enough.
    Crosses are values that are undefined or infinite.
    """

    name: ClassVar[str] = "topics"

    evaluation: Evaluation  # of one measure, the best run first
    order: str  # of topics: by mean or by name
    extremes: Table  # what (a run or topic), name, value: over all topics and all runs, drawn or not
    cells: Table  # run, topic, value
    means: Table  # run, value: over all topics, drawn or not
    summary: str  # what the means are: mean, geometric mean
    runs: tuple[str, ...]  # as drawn, the best first
    topics: tuple[str, ...]  # as drawn
    of_topics: int  # that there are

    @property
    def title(self) -> str:
        """The measure, and what of it is drawn."""
        runs = _part(f"the {self._first}", len(self.runs), len(self.evaluation.runs), "runs")
        return f"{self._measure} by run and topic: {runs}, {_part('', len(self.topics), self.of_topics, 'topics')}"

    @property
    def _measure(self) -> Measure:
        return self.evaluation.measures[0]

    @property
    def _first(self) -> str:
        return "highest" if self._measure.direction_note else "best"

    @property
    def description(self) -> str:
        """The first and the last run; the easiest and the hardest topic."""
        ends = "; ".join(f"the {row['what']} is {row['name']}, {float(row['value'] or 0):.4f}" for row in self.extremes)
        return f"Heat map of {self._measure} for {len(self.runs)} runs and {len(self.topics)} topics: {ends}."

    def data(self) -> dict[str, Table]:
        """Run, topic, value; the column of means."""
        return {"cells": self.cells, "means": self.means}

    def draw(self, space: Space) -> Spec:
        """Cells in colours from pale to deep, and a column of means, apart from them."""
        size = space.look.font_size
        height = space.height if space.look.height else self._natural_height(space)
        labels = short_labels(self.runs, min(20 * size, 0.3 * space.width) / size)
        names = max(map(width_of, labels.values())) * size
        across = max(space.width - names + size, 0.4 * space.width)  # what names leave of a figure, about
        values = [cell for cell in self.cells.columns["value"] if isinstance(cell, float) and math.isfinite(cell)]
        domain = [min([0.0, *values]), max([*values, 0.0]) or 1.0]
        gap, means = self._apart(across, size)
        easiest = "highest" if self._measure.direction_note else "easiest"
        missing = [crosses(space.look)] if len(values) < len(self.cells) else []
        value = quantitative("value", format=".4f", title=str(self._measure))
        rect, colour = mark_spec("rect", aria=False), self._colour(space, domain)
        return plot(
            [
                layer(rect, None, [defined("value")], color=colour, tooltip=["run", "topic", value]),
                *missing,
                *self._means(means, colour, height, size),
            ],
            space.width,
            height,
            "cells",
            x=ordinal(
                "topic",
                title=f"topic, the {easiest} first" if self.order == "mean" else "topic",
                scale={"domain": [*self.topics, *gap, *means], "padding": 0},
                axis=self._topic_axis(gap, means, across, size),
            ),
            y=ordinal(
                "run",
                title=f"run, the {self._first} first",
                scale={"domain": list(self.runs), "padding": 0},
                axis={**_names(self.runs, height, size), **label_axis(labels)},
            ),
        )

    def _apart(self, across: float, size: float) -> tuple[list[str], list[str]]:
        """Columns after those of the topics, called as no topic is: empty ones, and those that the means take."""
        column = 0.92 * across / len(self.topics)
        gap, wide = (range(1, 1 + max(1, math.ceil(part * size / column))) for part in (GAP, WIDE))
        return [UNSEEN * step for step in gap], [self.summary + UNSEEN * step for step in wide]

    def _means(self, columns: Sequence[str], colour: Spec, height: float, size: float) -> list[Spec]:
        """The column of means; with numbers beside it where rows are as high as lines of text."""
        rows = [{"calculate": f"'{name}'", "as": "topic"} for name in columns]
        value = quantitative("value", format=".4f", title=self.summary)
        rect = mark_spec("rect", aria=False)
        tooltip = ["run", value]
        cells = [layer(rect, "means", [defined("value"), row], color=colour, tooltip=tooltip) for row in rows]
        if height / len(self.runs) < SMALLER * size * LINE:
            return cells
        text = mark_spec("text", align="left", dx=0.3 * size, baseline="middle", fontSize=SMALLER * size, aria=False)
        at_right, number = {"value": {"expr": "width"}}, quantitative("value", format=".3f")
        numbers = layer(text, "means", [defined("value")], x=at_right, text=number)
        return [*cells, numbers]

    def _natural_height(self, space: Space) -> float:
        """Cells as high as makes the figure about as high as it is wide, within limits of what is good to see."""
        larger = space.look.font_size / 8
        step = float(np.clip(0.85 * space.width / len(self.runs), LOWEST * larger, HIGHEST * larger))
        return round(max(step * len(self.runs), 3 * space.look.font_size))

    def _topic_axis(self, gap: Sequence[str], means: Sequence[str], across: float, size: float) -> Spec:
        """Names side by side if all fit, else upright; as many as fit."""
        labels = short_labels([*self.topics, self.summary], 6)
        longest = max(map(width_of, labels.values()))
        columns = len(self.topics) + len(gap) + len(means)
        middle = means[len(means) // 2]
        labels |= {middle: self.summary}
        flat = across / columns > (longest + 0.5) * size
        upright = {"labelAngle": -90, "labelAlign": "right", "labelBaseline": "middle"}
        room = across * len(self.topics) / columns
        side_by_side: dict[str, Any] = {**BARE, "labelAngle": 0}
        named = side_by_side if flat else {**_names(self.topics, room, size), **upright}
        shown = [*named.get("values", self.topics), middle]
        return {**named, "values": shown, "labelPadding": 0.4 * size, **label_axis(labels)}

    def _colour(self, space: Space, domain: list[float]) -> Spec:
        size = space.look.font_size
        length = min(18 * size, 0.4 * space.width)
        ticks = {"titleLimit": 0.45 * space.width, "tickCount": max(2, int(length / (5 * size)))}
        return quantitative(
            "value",
            scale={"domain": domain, "range": space.look.sequence, "interpolate": "rgb", "nice": False},
            legend=gradient_legend(str(self._measure), length, 0.9 * size, **ticks),
        )


def _names(names: Sequence[str], room: float, size: float) -> dict[str, Any]:
    """An axis with as many names as have room, in smaller type if that makes room for all."""
    step = room / len(names)
    smaller = SMALLER * size if SMALLER * size * LINE <= step < size * LINE else size
    shown = thinned(names, room, LINE * smaller)
    some = {"values": shown} if len(shown) < len(names) else {}
    return {**BARE, **some, "labelFontSize": smaller}


def thinned(names: Sequence[str], room: float, each: float) -> list[str]:
    """As many names as have room, evenly spaced, the first and the last among them.

    >>> thinned(["a", "b", "c", "d", "e"], room=30, each=10)
    ['a', 'c', 'e']
    """
    step = room / len(names)
    every = math.ceil(each / step)
    shown = list(range(0, len(names), every))
    if shown[-1] != len(names) - 1:
        # The last one takes the place of any that would touch it.
        shown = [*(place for place in shown if len(names) - 1 - place >= every), len(names) - 1]
    return [names[place] for place in shown]


def topics_figure(
    evaluation: Evaluation, measure: str | Measure | None = None, order: Annotated[str, OneOf(ORDERS)] = "mean"
) -> TopicsFigure:
    """Draw a heat map of one measure by run and topic.

    Runs go down, the best first, topics across, the easiest first. Of more runs than can be seen the best are drawn, of
    more topics than that some, evenly spaced in their order.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    measure : str or Measure, default the first
        Measure, such as AP, nDCG@10 or 'RBP(p=0.9)'.
    order : {'mean', 'name'}
        Order of topics: the easiest first, or by name.

    Returns
    -------
    TopicsFigure
        The heat map.

    Raises
    ------
    ParameterError
        If the evaluation has several measures and none is named, or the measure is defined on no topic.

    Command line
    ------------
        rankscale figure topics qrels.txt runs/*.gz -o topics.svg
        rankscale figure topics qrels.txt runs/*.gz -m nDCG@10 -o topics.pdf
        rankscale figure topics qrels.txt runs/*.gz --topics-by name -o topics.html
    """
    if order not in ORDERS:
        raise ParameterError(f"the order of topics is {' or '.join(map(repr, ORDERS))}, got {order!r}")
    if measure is None and len(evaluation.measures) != 1:
        raise ParameterError(
            f"a heat map shows one measure, and the evaluation has {len(evaluation.measures)}: name one"
        )
    one = evaluation if measure is None else evaluation[measure]
    one = one.sorted_by(one.measures[0])
    low = one.measures[0].low_is_good
    values = np.where(one.retrieved, one.values[0], np.nan)
    topics = _ordered_topics(values, one.topics, order, low_is_good=low)
    if not topics:
        raise ParameterError(f"{one.measures[0]} is defined on no topic")
    spaced = np.linspace(0, len(topics) - 1, min(len(topics), MOST_TOPICS)).round().astype(np.int64)
    kept = [topics[place] for place in spaced.tolist()]
    runs = min(len(one.runs), max(2, MOST_CELLS // len(kept)))
    return TopicsFigure(
        evaluation=one,
        order=order,
        extremes=_extremes(one, values, runs),
        cells=Table(
            {
                "run": [run for run in one.runs[:runs] for _ in kept],
                "topic": [one.topics[place] for place in kept] * runs,
                "value": [float(values[run, place]) for run in range(runs) for place in kept],
            }
        ),
        means=Table({"run": list(one.runs[:runs]), "value": one.means().values[0, :runs].tolist()}),
        summary=one.measures[0].summed_up,
        runs=one.runs[:runs],
        topics=tuple(one.topics[place] for place in kept),
        of_topics=len(topics),
    )


def _extremes(one: Evaluation, values: Floats, drawn: int) -> Table:
    """The first and the last of the runs drawn, by what sums up their topics; the topics at both ends."""
    measure, summaries = one.measures[0], one.means().values[0]
    ends = ("best", "easiest", "hardest") if not measure.direction_note else ("first", "highest", "lowest")
    means = mean_of_defined(values)
    order = np.argsort(means if measure.low_is_good else -means, kind="stable")
    both = [int(order[0]), int(order[np.count_nonzero(~np.isnan(means)) - 1])]
    cells = [
        (f"{ends[0]} run by {measure.summed_up}", one.runs[0], float(summaries[0])),
        ("last run drawn", one.runs[drawn - 1], float(summaries[drawn - 1])),
        *((f"{end} topic by mean", one.topics[at], float(means[at])) for end, at in zip(ends[1:], both, strict=True)),
    ]
    return Table.of(("what", "name", "value"), cells)


def _ordered_topics(values: Floats, names: Sequence[str], order: str, *, low_is_good: bool) -> list[int]:
    """Places of topics on which some run has a value, in order."""
    defined = ~np.isnan(values)
    there: Ints = np.flatnonzero(defined.any(axis=0))
    if order == "name":
        return sorted(there.tolist(), key=lambda place: natural_order(names[place]))
    means = mean_of_defined(values)[there]
    return [int(place) for place in there[np.argsort(means if low_is_good else -means, kind="stable")]]


def natural_order(name: str) -> tuple[int, int, str]:
    """Numbers before names, and by what they count."""
    return (0, int(name), name) if name.isdecimal() else (1, 0, name)


def _part(which: str, shown: int, of: int, what: str) -> str:
    return f"{shown:,} {what}" if shown == of else f"{which} {shown:,} of {of:,} {what}".strip()


COMMAND = Declaration(
    topics_figure,
    source="evaluation",
    measure="nDCG@10",
    flags={"order": "--topics-by"},
    shared=("missing_of_runs", "judging", "reading"),
)
