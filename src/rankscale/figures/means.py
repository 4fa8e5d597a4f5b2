"""Means of runs by several measures: points for each, with median and quartiles (the Twist paper, Fig. 12)."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.arrays import Floats
from rankscale.data.names import counted_topics, place_of
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.labels import line_styles, measure_labels, short_labels, with_labels
from rankscale.figures.base.look import NAMED
from rankscale.figures.base.vega import digits, hover, layer, mark_spec, nominal, only, plot, quantitative
from rankscale.studies.discriminate import ONE_OF_EACH_KIND

MOST_POINTS = 6000  # beyond which some runs are left out between others, evenly spaced; quartiles are of all of them
GOLDEN = (math.sqrt(5) - 1) / 2  # steps of this length, wrapped, never come close to each other soon
SPREAD = 0.25  # of a measure's room, up and down from its middle, that points take
TICK = 0.27  # the same for ticks
NAMES = 0.45  # of the width, that the name of the best or the worst may take


@dataclass(frozen=True, repr=False)
class MeansFigure(Figure):
    """A row for each measure: a point for each run, a thick tick at the median and thin ones at the quartiles.

    Measures with means from 0 to 1 stand over one axis, each of the others over its own. The best run, a triangle
    upward, is named above its row, the worst one, a triangle downward, under it; where a measure has no direction these
    are the highest and the lowest. Lines join the means of named runs over one axis. Runs whose mean is undefined or
    infinite are left out, and counted in the description.
    """

    name: ClassVar[str] = "means"

    runs: Table  # measure, run, value, aside (how far from the middle of the measure's room)
    quartiles: Table  # measure, over (what topics become), q1, median, q3, best and worst with values, runs
    measures: tuple[str, ...]
    named: tuple[str, ...]  # runs whose means are joined
    undirected: tuple[str, ...]  # those of them for which neither the highest nor the lowest value is the best
    evaluation: Evaluation
    topics: str  # how many means are over
    panels: tuple["MeansFigure", ...] = ()  # those with which it shares its axes, itself among them

    @property
    def title(self) -> str:
        """How many runs."""
        return f"Means of {len(self.evaluation.runs)} runs over {self.topics}"

    @property
    def description(self) -> str:
        """The medians and the ends of each measure."""
        rows = [
            f"{row['measure']}, {row['over']} over topics: median {_number(row['median'])}, quartiles "
            f"{_number(row['q1'])} and {_number(row['q3'])}, {self._both_ends(row)}"
            for row in self.quartiles
        ]
        joined = f" Joined are the means of {', '.join(self.named)}." if self.named else ""
        return f"{self.title}. {'; '.join(rows)}.{joined}"

    def _both_ends(self, row: Mapping[str, Cell]) -> str:
        best, worst = ("highest", "lowest") if row["measure"] in self.undirected else ("best", "worst")
        missing = len(self.evaluation.runs) - int(row["runs"] or 0)
        left_out = f" ({missing} without a finite mean left out)" if missing else ""
        ends = f"{best} {row['best']} {_number(row['best_value'])}"
        return f"{ends}, {worst} {row['worst']} {_number(row['worst_value'])}{left_out}"

    def beside(self, others: Sequence[Figure]) -> Figure:
        """The same, over axes as long as those of other panels."""
        return replace(self, panels=tuple(one for one in others if isinstance(one, MeansFigure)))

    def draw(self, space: Space) -> Spec:
        """Measures down, values across."""
        size = space.look.font_size
        height = space.height if space.look.height else round(6.2 * size * len(self.measures))
        axes = self._axes()
        kinds = [*map(self._over, axes), ""]  # axes of one kind that follow each other share a title
        plots = []
        for place, over in enumerate(axes):
            title = f"{kinds[place]} over topics" if kinds[place] != kinds[place + 1] else None
            plots.append(self._plot(over, space, round(height * len(over) / len(self.measures)), title))
        pointed = hover("run_pointed_at", "run", views=[f"runs_{over[0]}" for over in axes])
        return {"params": [pointed], **(plots[0] if len(plots) == 1 else {"vconcat": plots, "spacing": size})}

    def _axes(self) -> list[tuple[str, ...]]:
        """The measures over each axis."""
        axes: dict[str, list[str]] = {}
        for name in self.measures:
            in_unit = all(0 <= end <= 1 for end in self._ends_of(name))
            axes.setdefault(self._over([name]) if in_unit else f"{name} alone", []).append(name)
        return [tuple(names) for names in axes.values()]

    def _over(self, measures: Sequence[str]) -> str:
        return next(str(row["over"]) for row in self.quartiles if row["measure"] == measures[0])

    def _ends_of(self, *measures: str) -> list[float]:
        rows = [row for panel in self.panels or (self,) for row in panel.quartiles if row["measure"] in measures]
        return [float(row[name] or 0) for row in rows for name in ("best_value", "worst_value")]

    def _plot(self, measures: tuple[str, ...], space: Space, height: float, title: str | None) -> Spec:
        ends, room = self._ends_of(*measures), height / len(measures)
        low, high = min(0.0, *ends) * 1.03, max(0.0, *ends) * 1.03
        domain = [low, high] if low < high else [0.0, 1.0]
        own = [only("measure", *measures)]
        extremes = [str(row[end]) for row in self.quartiles for end in ("best", "worst")]
        layers = [
            {"name": f"runs_{measures[0]}", **_points(space, own)},
            *_ticks(space, room),
            *self._joined(space, own),
            *_best_and_worst(extremes, space, room, sum(domain) / 2),
        ]
        x = {"type": "quantitative", "title": title, "scale": {"domain": domain}, "axis": {"tickCount": 6}}
        drawn = plot(layers, space.width, height, "quartiles", own, x=x, y=_measure_axis(measures, space))
        return {**drawn, "resolve": {"scale": {"strokeDash": "independent"}}}  # which the legend does not show

    def _joined(self, space: Space, own: list[Spec]) -> list[Spec]:
        """Lines through the means of named runs, measure by measure."""
        if not self.named:
            return []
        size = space.look.font_size
        styles = line_styles("run", self.named, space)
        where = [*own, only("run", *self.named)]
        place = {"calculate": f"indexof({json.dumps(list(self.measures))}, datum.measure)", "as": "place"}
        line = mark_spec("line", strokeWidth=1.2, aria=False)
        dot = mark_spec("point", filled=True, opacity=1, size=5 * size, stroke=space.look.ground, strokeWidth=0.5)
        colour, dash, shape = (styles[channel] for channel in ("color", "strokeDash", "shape"))
        across: Spec = {"x": "value", "order": quantitative("place")}
        tooltip = ["run", "measure", *digits("value")]
        return [
            layer(line, "runs", [*where, place], **across, color=colour, strokeDash=dash),
            layer(dot, "runs", where, x="value", color=colour, shape=shape, tooltip=tooltip),
        ]


def _measure_axis(measures: tuple[str, ...], space: Space) -> Spec:
    padding = 0.8 * space.look.font_size
    limit = 0.33 * space.width
    axis = {"ticks": False, "domain": False, "title": None, "labelLimit": limit, "labelPadding": padding}
    return nominal("measure", scale={"domain": list(measures), "padding": 0}, axis=axis)


def _ticks(space: Space, room: float) -> list[Spec]:
    """The median, thick, and the quartiles."""
    tick = mark_spec("tick", size=2 * TICK * room, color=space.look.ink, aria=False)
    quartiles = [layer({**tick, "thickness": 1}, x=name) for name in ("q1", "q3")]
    tooltip = ["measure", *digits("q1", "median", "q3")]
    return [*quartiles, layer({**tick, "thickness": 2.4}, x="median", tooltip=tooltip)]


def _points(space: Space, own: list[Spec]) -> Spec:
    """The runs; on a page the one pointed at stands out in all measures."""
    look = space.look
    pointed = {"param": "run_pointed_at", "empty": False}
    return layer(
        mark_spec("point", filled=True, opacity=1, fillOpacity=0.55, aria=False),
        "runs",
        own,
        x="value",
        yOffset=quantitative("aside", scale={"domain": [-0.5, 0.5]}),
        size={"condition": {**pointed, "value": 9 * look.font_size}, "value": 2.2 * look.font_size},
        color={"condition": {**pointed, "value": look.colours[1]}, "value": look.colours[0]},
        tooltip=["run", "measure", *digits("value")],
    )


def _best_and_worst(names: Sequence[str], space: Space, room: float, middle: float) -> list[Spec]:
    """Triangles, with the names of the runs on the side that has room."""
    size, aside = space.look.font_size, 0.5 * room
    labels = short_labels(names, NAMES * space.width / (0.9 * size))
    layers: list[Spec] = []
    small = {"fontSize": 0.9 * size, "color": space.look.ink, "aria": False}
    for end, side in (("best", -1), ("worst", 1)):
        value = f"{end}_value"
        point = mark_spec("point", filled=True, opacity=1, size=4 * size, color=space.look.colours[1])
        shape = "triangle-up" if end == "best" else "triangle-down"
        layers.append(layer({**point, "shape": shape, "yOffset": side * 2 * SPREAD * aside, "aria": False}, x=value))
        down = side * (aside - 0.75 * size)
        for align, half in (("left", {"lte": middle}), ("right", {"gt": middle})):
            text = mark_spec("text", align=align, baseline="middle", dy=down, **small)
            where = [{"filter": {"field": value, **half}}, *with_labels(end, labels)]
            layers.append(layer(text, None, where, x=value, text="label"))
    return layers


def means_figure(evaluation: Evaluation, runs: Sequence[str] | None = None) -> MeansFigure:
    """Draw the means of runs for each measure, with median and quartiles.

    Runs are points, of which the best and the worst are named. Lines join the means of runs that are named.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    runs : sequence of str, default none
        Name of a run whose means are joined by a line.

    Returns
    -------
    MeansFigure
        A row for each measure.

    Raises
    ------
    ParameterError
        If no measure has a finite mean, or there is no run of that name.

    Command line
    ------------
        rankscale figure means qrels.txt runs/*.gz -o means.svg
        rankscale figure means qrels.txt runs/*.gz -m AP -m nDCG@10 -m Twist -o means.pdf --width 84mm
        rankscale figure means qrels.txt runs/*.gz -m AP -m nDCG@10 -m Twist --run bm25 -o means.html
    """
    every_mean = evaluation.means().values
    means: Floats = np.where(np.isfinite(every_mean), every_mean, np.nan)
    kept = [place for place in range(len(evaluation.measures)) if not np.isnan(means[place]).all()]
    if not kept:
        raise ParameterError("no measure has a mean that is defined and finite: there is nothing to draw")
    requested = list(dict.fromkeys([runs] if isinstance(runs, str) else runs or ()))
    if len(requested) > NAMED:
        raise ParameterError(f"at most {NAMED} runs can be distinguished, got {len(requested)}: name fewer")
    named = {place_of(evaluation.runs, run, "run", "there are") for run in requested}
    names = measure_labels([evaluation.measures[place] for place in kept])
    rows = [_row(evaluation, means[place], place, names) for place in kept]
    every = math.ceil(len(kept) * len(evaluation.runs) / MOST_POINTS)
    points = [cells for place in kept for cells in _spread(evaluation, means[place], place, (every, named), names)]
    return MeansFigure(
        runs=Table.of(("measure", "run", "value", "aside"), points),
        quartiles=Table.from_rows(rows),
        measures=tuple(names.values()),
        named=tuple(requested),
        undirected=tuple(names[str(one)] for one in evaluation.measures if one.direction_note and str(one) in names),
        evaluation=evaluation,
        topics=counted_topics(evaluation.means().counted[kept]),
    )


def _row(evaluation: Evaluation, means: Floats, place: int, names: Mapping[str, str]) -> Mapping[str, Cell]:
    defined = means[~np.isnan(means)]
    q1, median, q3 = np.quantile(defined, [0.25, 0.5, 0.75]).tolist()
    measure = evaluation.measures[place]
    greatest, least = int(np.nanargmax(means)), int(np.nanargmin(means))
    best, worst = (least, greatest) if measure.low_is_good else (greatest, least)
    return {
        "measure": names[str(measure)],
        "over": measure.summed_up,
        "q1": q1,
        "median": median,
        "q3": q3,
        "best": evaluation.runs[best],
        "best_value": float(means[best]),
        "worst": evaluation.runs[worst],
        "worst_value": float(means[worst]),
        "runs": len(defined),
    }


def _spread(
    evaluation: Evaluation, means: Floats, place: int, kept: tuple[int, set[int]], names: Mapping[str, str]
) -> list[tuple[Cell, ...]]:
    """Runs, the best first, neighbours aside of each other; the best as far up as points go, the worst down.

    `kept` is which runs are drawn: every so many, and those in a set.
    """
    every, always = kept
    order = np.argsort(means if evaluation.measures[place].low_is_good else -means, kind="stable")
    defined = [int(run) for run in order if not np.isnan(means[run])]
    aside = [round(SPREAD * (2 * ((number + 0.5) * GOLDEN % 1) - 1), 4) for number in range(len(defined))]
    aside[-1], aside[0] = SPREAD, -SPREAD
    name = names[str(evaluation.measures[place])]
    return [
        (name, evaluation.runs[run], float(means[run]), aside[number])
        for number, run in enumerate(defined)
        if number % every == 0 or number == len(defined) - 1 or run in always
    ]


def _number(value: Cell) -> str:
    return f"{float(value or 0):.4f}"


COMMAND = Declaration(
    means_figure,
    source="evaluation",
    measures=ONE_OF_EACH_KIND,
    flags={"runs": "--run"},
    shared=("collections", "missing", "judging", "reading"),
)
