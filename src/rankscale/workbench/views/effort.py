"""Effort: what gain costs. Every ranking by effort and gain, curves of those that are brushed, indicators of CRP."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.names import place_of
from rankscale.data.table import Table
from rankscale.errors import ParameterError, RankscaleError
from rankscale.figures.base.figure import Figure
from rankscale.figures.base.parallel_coordinates import AXES, measures_drawn
from rankscale.figures.base.relative_positions import checked_depth, ranking_of
from rankscale.figures.crp_dcg import crp_dcg_of
from rankscale.figures.effort_gain import effort_gain_figure
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import Relevance
from rankscale.measures.twist import Twist
from rankscale.reporting.measured import effort_measures
from rankscale.studies.effort_gain import EffortGain, effort_gain, quadrants
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.state import State
from rankscale.workbench.view import BenchView, ViewData, finite, listed

MOST_LINES = 1500  # topics that are drawn; of more, some evenly spaced by rho, and those within the brushed ranges
MOST_POINTS = 8000  # that are drawn one by one; where there are more, cells with the number of points
BINS = 40  # cells across, and as many up
MOST_LISTED = 500  # rankings
MULTIPLES = 12  # rankings whose curves are drawn
COLUMNS = ("run", "topic", "effort", "gain", "column", "row", "quadrant", "area", "disagreement")


@dataclass(frozen=True, eq=False)
class ChosenPoints:
    """The points of the study, and those that the state chooses.

    Attributes
    ----------
    study : EffortGain
        Of all runs and topics.
    drawn : array of bool
        (point,): of the runs that are drawn and, zoomed, within the box.
    chosen : array of bool
        (point,): drawn, and in the area, in the box and of a brushed topic, as far as these are given.
    disagreement : array of float
        (point,): share of all rankings that have less gain (half of those with as much) less the value of effort.
        Above 0 a ranking looks better by its gain than by what it costs, below 0 the other way round.
    """

    study: EffortGain
    drawn: Bools
    chosen: Bools
    disagreement: Floats

    @property
    def plot(self) -> quadrants.EffortPoints:
        """The points themselves."""
        return self.study.plots[0]

    def interesting(self) -> Ints:
        """Places of chosen points, those on which gain and effort disagree most first."""
        places = np.flatnonzero(self.chosen)
        return places[np.argsort(-abs(self.disagreement[places]), kind="stable")]

    def rows(self, places: Ints) -> list[tuple[str | float, ...]]:
        """Cells of `COLUMNS` for some points."""
        plot, evaluation = self.plot, self.study.evaluation
        columns = (plot.run, plot.topic, plot.effort, plot.gain, plot.column, plot.row, self.disagreement)
        rows: list[tuple[str | float, ...]] = []
        for run, topic, effort, gain, column, row, apart in zip(
            *(one[places].tolist() for one in columns), strict=True
        ):
            names = (quadrants.EFFORTS[column], quadrants.GAINS[row], quadrants.quadrant_name(row, column))
            area = quadrants.area_of(row, column)
            rows.append((evaluation.runs[run], evaluation.topics[topic], effort, gain, *names, area, apart))
        return rows


def data(bench: Bench, state: State, progress: Progress | None = None) -> ViewData:
    """The effort/gain plot and its chosen rankings; with `part=tests` their curves, and the indicators of run A."""
    points = _points(bench, state, progress)
    if state.part == "tests":
        threshold = points.study.effort.threshold
        rel = 1.0 if threshold is None else threshold  # of curves and indicators
        return {"multiples": _multiples(bench, state, points, rel), "indicators": indicators(bench, state, rel)}
    study, plot = points.study, points.plot
    order = points.interesting()
    topics = np.unique(plot.topic[order]) if len(order) < np.count_nonzero(points.drawn) else order[:0]
    return {
        "effort": str(study.effort),
        "gain": str(plot.measure),
        "effort_cuts": quadrants.EFFORT_CUTS.tolist(),
        "gain_cuts": plot.cuts.tolist(),
        "gain_limits": [min(0.0, float(plot.gain.min())), float(plot.gain.max())],
        **_shares(plot),
        "of_points": len(plot.run),
        "left_out": plot.left_out,
        **_drawn(points, state),
        "chosen": int(np.count_nonzero(points.chosen)),
        "chosen_topics": [study.evaluation.topics[place] for place in topics.tolist()],
        "listed": [list(row) for row in points.rows(order[:MOST_LISTED])],
        "columns": list(COLUMNS),
    }


def _shares(plot: quadrants.EffortPoints) -> ViewData:
    """Points and shares of quadrants and areas, as tables of the study have them."""
    counts, points = plot.counts, len(plot.run)
    inside = {name: sum(int(counts[place]) for place in places) for name, (_, places) in quadrants.AREAS.items()}
    return {
        "quadrants": [
            {
                "quadrant": name,
                "row": row,
                "column": column,
                "area": quadrants.area_of(row, column),
                "points": int(counts[row, column]),
                "share": int(counts[row, column]) / points,
            }
            for name, (row, column) in quadrants.QUADRANTS.items()
        ],
        "areas": [
            {"area": name, "what_it_holds": holds, "points": inside[name], "share": inside[name] / points}
            for name, (holds, _) in quadrants.AREAS.items()
        ],
    }


def measures_of(bench: Bench, state: State) -> tuple[Measure, Measure]:
    """Effort and gain: Twist and the measure of the state.

    Where that measures effort itself, it is the effort, and the gain is AP; a measure of effort can be named, too.
    """
    measure, relevance = bench.measure(state), Relevance(state.rel)
    named = relevance.measure(state.effort) if state.effort else None
    effort, gain = effort_measures([measure], named, None, state.lowest_relevant)
    if gain is None:
        raise ParameterError(
            f"gain is read off a measure whose highest value is the best, and {measure} is not one; choose another "
            "measure, such as AP or nDCG@10"
        )
    return effort, gain


def _points(bench: Bench, state: State, progress: Progress | None = None) -> ChosenPoints:
    effort, gain = measures_of(bench, state)
    # Apart, so that a parameter of the gain can move while the effort is kept.
    of_gain, of_effort = (bench.evaluation(state, [one], None, progress) for one in (gain, effort))
    both = frozen(np.concatenate([of_gain.values, of_effort.values]))
    evaluation = replace(of_gain, measures=(gain, effort), values=both)
    study = effort_gain(evaluation, gain, effort)
    plot = study.plots[0]
    drawn, inside = np.ones(len(plot.run), dtype=bool), np.ones(len(plot.run), dtype=bool)
    if state.whose != "all":
        drawn &= plot.run == evaluation.runs.index(getattr(state, state.whose))
    if state.box:
        low, high, least, most = state.box
        inside = (plot.effort >= low) & (plot.effort <= high) & (plot.gain >= least) & (plot.gain <= most)
    if state.zoom:
        drawn &= inside
    chosen = drawn & inside
    if state.area:
        chosen &= plot.within(quadrants.quadrants_of(quadrants.checked_area(state.area)))
    if state.topics:
        brushed = frozenset(state.topics)
        chosen &= np.array([topic in brushed for topic in evaluation.topics])[plot.topic]
    ordered = np.sort(plot.gain)
    less, up_to = (np.searchsorted(ordered, plot.gain, side=side) for side in ("left", "right"))
    return ChosenPoints(study, drawn, chosen, (less + up_to) / 2 / len(ordered) - plot.effort)


def _drawn(points: ChosenPoints, state: State) -> ViewData:
    """The points one by one, or cells with their numbers where there are too many; with the ends of both axes."""
    plot, places = points.plot, np.flatnonzero(points.drawn)
    low, high, least, most = state.box if state.zoom and state.box else (0.0, 1.0, *_gain_ends(plot))
    axes = {"effort_axis": [low, high], "gain_axis": [least, most]}
    if len(places) > MOST_POINTS:
        return {**axes, "points": None, "cells": _binned(points, places, (low, high, least, most))}
    evaluation = points.study.evaluation
    return {
        **axes,
        "points": {
            "run": plot.run[places].tolist(),
            "topic": plot.topic[places].tolist(),
            "effort": plot.effort[places].tolist(),
            "gain": plot.gain[places].tolist(),
            "chosen": np.flatnonzero(points.chosen[places]).tolist(),
            "runs": list(evaluation.runs),
            "topics": list(evaluation.topics),
        },
        "cells": None,
    }


def _gain_ends(plot: quadrants.EffortPoints) -> tuple[float, float]:
    """Ends of the axis of gain: 0 to 1 where gains lie there."""
    least, most = float(plot.gain.min()), float(plot.gain.max())
    return min(0.0, least), 1.0 if 0.8 < most <= 1 else most if most > least else least + 1.0


def _binned(points: ChosenPoints, places: Ints, ends: Sequence[float]) -> ViewData:
    """Cells that have points: column, row, number of points, number of chosen ones; and the edges of cells."""
    plot = points.plot
    low, high, least, most = ends
    edges = np.linspace(low, high, BINS + 1), np.linspace(least, most, BINS + 1)
    columns, rows = (
        np.clip(np.searchsorted(of, values[places], side="right") - 1, 0, BINS - 1)
        for of, values in zip(edges, (plot.effort, plot.gain), strict=True)
    )
    cell = rows * BINS + columns
    counts = np.bincount(cell, minlength=BINS * BINS)
    chosen = np.bincount(cell[points.chosen[places]], minlength=BINS * BINS)
    there = np.flatnonzero(counts).tolist()
    return {
        "effort_edges": edges[0].tolist(),
        "gain_edges": edges[1].tolist(),
        "counts": [[one % BINS, one // BINS, int(counts[one]), int(chosen[one])] for one in there],
    }


def _multiples(bench: Bench, state: State, points: ChosenPoints, rel: float) -> list[ViewData]:
    """Curves of CRP and DCG of the rankings listed first, at the ranks where they bend."""
    plot, evaluation = points.plot, points.study.evaluation
    by_name = dict(zip(bench.names, bench.runs, strict=True))
    made: list[ViewData] = []
    for place in points.interesting()[:MULTIPLES].tolist():
        run = by_name[evaluation.runs[plot.run[place]]].completed(len(bench.qrels.topics))
        row = bench.qrels.topics.index(evaluation.topics[plot.topic[place]])
        try:
            ranking = ranking_of(run, bench.qrels, row, depth=state.depth, rel=rel, judged_only=state.judged)
            drawn = crp_dcg_of(ranking)
        except RankscaleError:  # nothing is relevant from this grade on
            continue
        one: ViewData = {
            "run": run.name,
            "topic": ranking.topic,
            "effort": finite(plot.effort[place]),
            "gain": finite(plot.gain[place]),
            "last": drawn.last,
            "recall_base": drawn.course.recall_base,
            "dcg_measure": drawn.measure,
            "crp": _columns(drawn.corners.columns, ("rank", "CRP", "full_scale")),
            "dcg": _columns(drawn.gains.columns, ("rank", "DCG", "ideal_DCG")),
        }
        made.append(one)
    return made


def _columns(columns: Mapping[str, Sequence[object]], names: Sequence[str]) -> dict[str, list[float | None]]:
    return {name: listed(columns[name]) for name in names}  # type: ignore[arg-type]  # numbers


def table(bench: Bench, state: State) -> Table:
    """A row for each chosen ranking, those on which gain and effort disagree most first."""
    points = _points(bench, state)
    return Table.of(COLUMNS, points.rows(points.interesting()))


def figure(bench: Bench, state: State) -> Figure:
    """The effort/gain plot of all rankings."""
    return effort_gain_figure(_points(bench, state).study)


def command(bench: Bench, state: State) -> str:
    """`rankscale effort-gain` with the points of all rankings, or of the area chosen."""
    effort, gain = measures_of(bench, state)
    words = [] if effort == Twist() else ["--effort", str(effort)]
    words += ["--area", state.area] if state.area else []
    measured = state if gain == bench.measure(state) else state.changed(m=str(gain))
    return bench.command("effort-gain", measured, *words, "--table", "points")


def indicators(bench: Bench, state: State, rel: float) -> ViewData:
    """Lines of run A's topics over the axes of the figure `indicators`, and which lie within the brushed ranges.

    Axes go from 0 to 1, the recall base as a share of the largest one; a range that reaches an end of its axis takes in
    what is beyond. Topics without a recall base have no line.
    """
    names = list(AXES)
    for axis, *_ in state.axes:
        place_of(names, axis, "axis", "axes are")
    evaluation = bench.evaluation(state, measures_drawn(checked_depth(state.depth), rel), [state.a])
    values = evaluation.values[:, 0]
    kept = np.flatnonzero(evaluation.retrieved[0] & (values[0] > 0))
    kept = kept[np.argsort(values[0, kept], kind="stable")]
    values = values[:, kept]
    within = _within(values, state)
    lines = _lines(values[names.index("rho")], within)
    return {
        "run": state.a,
        "axes": names,
        "labels": list(AXES.values()),
        "of_topics": len(kept),
        "within": int(np.count_nonzero(within)),
        "topics": [evaluation.topics[place] for place in kept[lines].tolist()],
        "values": [listed(row[lines].tolist()) for row in values],
        "largest": float(values[0].max(initial=1.0)),
        "passing": np.flatnonzero(within[lines]).tolist() if state.axes else [],
    }


def _within(values: Floats, state: State) -> Bools:
    """(topic,): whether the line of a topic goes through all brushed ranges; values are (axis, topic)."""
    shown = np.clip(np.vstack([values[:1] / values[0].max(initial=1.0), values[1:]]), 0, 1)
    inside = np.ones(values.shape[1], dtype=bool)
    for axis, low, high in state.axes:
        on_axis = shown[list(AXES).index(axis)]
        inside &= (on_axis >= low) & (on_axis <= high)
    return inside


def _lines(rho: Floats, within: Bools) -> Ints:
    """Places of the topics that are drawn, in their order: some of all, and some of those within the ranges."""
    parts = [_spaced(np.argsort(rho, kind="stable"))]
    if not within.all():
        places = np.flatnonzero(within)
        parts.append(_spaced(places[np.argsort(rho[places], kind="stable")]))
    return np.unique(np.concatenate(parts))


def _spaced(places: Ints) -> Ints:
    """All of some places, or `MOST_LINES` of them, evenly spaced."""
    chosen: Ints = places[np.linspace(0, len(places) - 1, min(len(places), MOST_LINES)).round().astype(np.int64)]
    return chosen


VIEW = BenchView("effort", "Effort", "What does gain cost?", data, table, command, figure)
