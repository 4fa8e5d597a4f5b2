"""What a gain costs in effort: each ranking a point, its Twist against a measure of gain (the Twist paper, Figs. 7-10).

Two rankings of the same gain can cost their readers very different effort. The plot has four columns of effort and four
rows of gain; rankings off its diagonal look good from one side only.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.checking import check_arguments
from rankscale.data.declared import Declaration
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.studies.support.study import Study

EFFORTS = ("huge", "high", "medium", "low")  # columns, by rising Twist
EFFORT_CUTS = np.array([0.25, 0.5, 0.75])  # a value on a cut belongs to the column of less effort
GAINS = ("low", "medium", "high", "huge")  # rows, by rising gain; a value on a cut belongs to the row of less gain
SIDE = range(4)

AREAS: Mapping[str, tuple[str, tuple[tuple[int, int], ...]]] = {  # what each holds, and its quadrants (row, column)
    "diagonal": ("gain and effort agree", tuple((place, place) for place in SIDE)),
    "high-high": ("high or huge gain at high or huge effort", ((2, 0), (2, 1), (3, 0), (3, 1))),
    "gray": ("medium gain at huge effort, huge gain at medium effort", ((1, 0), (3, 2))),
    "below": ("less gain than others of such effort", ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))),
    "top": ("huge gain at medium or low effort", ((3, 2), (3, 3))),
}
PARTS = tuple(name for name in AREAS if name != "top")  # which share all quadrants among them
HUGE_GAIN = GAINS.index("huge")


def quadrant_name(row: int, column: int) -> str:
    """A quadrant in words.

    >>> quadrant_name(3, 0)
    'huge gain at huge effort'
    """
    return f"{GAINS[row]} gain at {EFFORTS[column]} effort"


QUADRANTS = {quadrant_name(row, column): (row, column) for row in reversed(SIDE) for column in SIDE}


@dataclass(frozen=True, eq=False)
class Plot:
    """The points of one measure of gain: one for each run and topic where gain and effort are defined."""

    measure: Measure
    run: Ints  # (point,), by row of the evaluation
    topic: Ints  # (point,)
    effort: Floats  # (point,), Twist: the lower, the more effort
    gain: Floats  # (point,)
    cuts: Floats  # (3,), quartiles of the gain
    left_out: int  # rankings where gain or effort is undefined

    @property
    def column(self) -> Ints:
        """(point,): 0 for huge effort, 3 for low."""
        return np.searchsorted(EFFORT_CUTS, self.effort, side="right")

    @property
    def row(self) -> Ints:
        """(point,): 0 for low gain, 3 for huge."""
        return np.searchsorted(self.cuts, self.gain, side="left")

    @property
    def counts(self) -> Ints:
        """(row, column): points in each quadrant."""
        places: Ints = self.row * len(SIDE) + self.column
        return np.bincount(places, minlength=16).reshape(4, 4)

    def within(self, quadrants: Sequence[tuple[int, int]]) -> Bools:
        """(point,): whether a point lies in one of these quadrants."""
        inside = np.zeros((4, 4), dtype=bool)
        inside[tuple(np.array(quadrants).T)] = True
        chosen: Bools = inside[self.row, self.column]
        return chosen


@dataclass(frozen=True, eq=False, repr=False)
class EffortGain(Study):
    """Result of `effort_gain`: one plot for each measure of gain.

    Attributes
    ----------
    evaluation : Evaluation
        Values of the runs.
    effort : Measure
        The measure of effort.
    plots : tuple of Plot
        One for each measure of gain.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    area : str, optional
        Area or quadrant whose points are listed; None for all.
    """

    evaluation: Evaluation
    effort: Measure
    plots: tuple[Plot, ...]
    notices: tuple[Notice, ...]
    area: str | None = None

    def within(self, area: str) -> Self:
        """The same study with only the points of one area or quadrant in its table of points."""
        chosen = replace(self, area=checked_area(area))
        if len(chosen.table("points")):
            return chosen
        return replace(chosen, notices=(*self.notices, *notes([f"no ranking stands in {area}"])))

    @property
    def settings(self) -> Mapping[str, object]:
        """The measures that the points are made of."""
        gains = tuple(str(plot.measure) for plot in self.plots)
        return {"study": "effort-gain", "gain": gains, "effort": str(self.effort), "area": self.area}

    def sentence(self) -> str:
        """Numbers of points, and the limits of columns and rows."""
        counts = ", ".join(f"{len(plot.run):,} for {plot.measure}" for plot in self.plots)
        return (
            f"Each ranking is a point: {counts}. Effort: columns of {self.effort} at 0.25, 0.5 and 0.75. Gain: "
            "rows at the quartiles of the measure. The first four areas share all points; top is a part of two of them."
        )

    @property
    def chosen_table(self) -> str | None:
        """The points, where an area is chosen."""
        return "points" if self.area else None

    def shown(self) -> tuple[str, ...]:
        """The areas, and the plot in numbers."""
        return "areas", "grid"

    def tables(self) -> Mapping[str, Table]:
        """By area, the grid, by quadrant, by run, and point by point."""
        rows = {"areas": _areas, "grid": _grid, "quadrants": _quadrants, "runs": self._runs, "points": self._points}
        return {
            name: Table.of(COLUMNS[name], (row for plot in self.plots for row in of(plot))) for name, of in rows.items()
        }

    def _runs(self, plot: Plot) -> Iterator[tuple[Cell, ...]]:
        runs = len(self.evaluation.runs)
        all_points = np.bincount(plot.run, minlength=runs)
        counts = [np.bincount(plot.run[plot.within(AREAS[name][1])], minlength=runs) for name in AREAS]
        for place, name in enumerate(self.evaluation.runs):
            of = int(all_points[place])
            yield str(plot.measure), name, of, *(_share(int(inside[place]), of) for inside in counts)

    def _points(self, plot: Plot) -> Iterator[tuple[Cell, ...]]:
        inside = plot.within(_quadrants_of(self.area)) if self.area else np.ones(len(plot.run), dtype=bool)
        columns = (plot.run, plot.topic, plot.effort, plot.gain, plot.row, plot.column)
        runs, topics = self.evaluation.runs, self.evaluation.topics
        for run, topic, effort, gain, row, column in zip(*(one[inside].tolist() for one in columns), strict=True):
            where = EFFORTS[column], GAINS[row], quadrant_name(row, column), _area_of(row, column)
            yield str(plot.measure), runs[run], topics[topic], effort, gain, *where


COLUMNS = {
    "areas": ("measure", "area", "what_it_holds", "points", "share", "share_of_huge_gain"),
    "grid": ("measure", "gain", *(f"{name}_effort" for name in EFFORTS)),
    "quadrants": ("measure", "quadrant", "row", "column", "area", "gain_above", "gain_up_to", "points", "share"),
    "runs": ("measure", "run", "points", *AREAS),
    "points": ("measure", "run", "topic", "effort", "gain", "column", "row", "quadrant", "area"),
}


def effort_gain(
    evaluation: Evaluation,
    gain: str | Measure | Iterable[str | Measure] = "AP",
    effort: str | Measure = "Twist",
) -> EffortGain:
    """Compare the gain of each ranking with its effort.

    Each ranking is a point, its Twist against a measure of gain. Rows are quarters of the gain, columns the effort. Of
    rankings in the high-high quadrants the gain alone shows only the good half.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    gain : str, Measure or several
        Measures of gain, each with a plot of its own.
    effort : str or Measure
        Measure of effort, such as 'Twist@100'.

    Returns
    -------
    EffortGain
        The points, and counts by quadrant, area and run.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.

    Notes
    -----
    Columns are those of Twist, from huge effort (below 0.25) to low effort (0.75 and more); rows are the quartiles of
    the gain. The evaluation holds all these measures.

    Examples
    --------
    >>> from rankscale.evaluation.evaluate import evaluate
    >>> qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}, "4": {"a": 1}}
    >>> run = {"1": {"a": 1}, "2": {"x": 2, "a": 1}, "3": {"x": 3, "y": 2, "a": 1}, "4": {"x": 1}}
    >>> result = effort_gain(evaluate(qrels, {"mine": run}, ["AP", "Twist@4"]), effort="Twist@4")
    >>> for row in result.table("points"):
    ...     print(row["topic"], row["quadrant"])
    1 huge gain at low effort
    2 high gain at medium effort
    3 medium gain at high effort
    4 low gain at huge effort

    Command line
    ------------
        rankscale effort-gain qrels.txt runs/*.gz
        rankscale effort-gain qrels.txt runs/*.gz -m AP -m 'RBP(p=0.8)' -m 'nDCG(base=10,gains=[0,1,5,10])'
        rankscale effort-gain qrels.txt runs/*.gz --area 'huge gain at huge effort'
    """
    check_arguments(effort_gain, locals())
    expected(evaluation, "effort_gain")
    gains = [gain] if isinstance(gain, str | Measure) else list(gain)
    if not gains:
        raise ParameterError("effort and gain: name a measure of gain, such as AP")
    of_effort = evaluation[effort]
    _check_effort(of_effort)
    of_gains = [evaluation[one] for one in gains]
    plots = tuple(_plot(one, of_effort) for one in of_gains)
    undefined = tuple(
        f"{plot.measure} or {of_effort.measures[0]} is undefined for {plot.left_out:,} of "
        f"{plot.left_out + len(plot.run):,} rankings, which are no points"
        for plot in plots
        if plot.left_out
    )
    return EffortGain(evaluation, of_effort.measures[0], plots, (*evaluation.notices, *notes(undefined)))


def checked_area(area: str) -> str:
    """The name of an area or quadrant; any other is refused."""
    if area not in {*AREAS, *QUADRANTS}:
        raise UnknownNameError(
            "area",
            area,
            [*AREAS, *QUADRANTS],
            f"areas are {', '.join(AREAS)}, quadrants 'huge gain at low effort' etc.",
        )
    return area


def _check_effort(of_effort: Evaluation) -> None:
    measure, values = of_effort.measures[0], of_effort.values
    if np.any((values < 0) | (values > 1)) or measure.low_is_good or measure.direction_note:
        raise ParameterError(
            f"effort is read off a measure from 0 (all of it) to 1 (none), as Twist is, and {measure} is not one"
        )


def _plot(of_gain: Evaluation, of_effort: Evaluation) -> Plot:
    measure, retrieved = of_gain.measures[0], of_gain.retrieved
    if measure.low_is_good or measure.direction_note:
        raise ParameterError(f"gain is read off a measure whose highest value is the best, and {measure} is not one")
    values, efforts = of_gain.values[0], of_effort.values[0]
    run, topic = np.nonzero(np.isfinite(values) & np.isfinite(efforts) & retrieved)
    if not len(run):
        raise ParameterError(f"{measure} and {of_effort.measures[0]} are defined together for no ranking")
    gain = values[run, topic]
    cuts = np.quantile(gain, [0.25, 0.5, 0.75])
    left_out = int(np.count_nonzero(retrieved)) - len(run)
    columns = (frozen(run), frozen(topic), frozen(efforts[run, topic]), frozen(gain), frozen(cuts))
    return Plot(measure, *columns, left_out)


def _areas(plot: Plot) -> Iterator[tuple[Cell, ...]]:
    counts, points, huge = plot.counts, len(plot.run), int(plot.counts[HUGE_GAIN].sum())
    for name, (holds, quadrants) in AREAS.items():
        inside = sum(int(counts[place]) for place in quadrants)
        of_huge = sum(int(counts[place]) for place in quadrants if place[0] == HUGE_GAIN)
        yield str(plot.measure), name, holds, inside, _share(inside, points), _share(of_huge, huge)


def _grid(plot: Plot) -> Iterator[tuple[Cell, ...]]:
    """Rows in the order of the plot: huge gain at the top, huge effort to the left."""
    for row in reversed(SIDE):
        yield str(plot.measure), GAINS[row], *(_share(int(n), len(plot.run)) for n in plot.counts[row])


def _quadrants(plot: Plot) -> Iterator[tuple[Cell, ...]]:
    edges: list[float | None] = [None, *plot.cuts.tolist(), None]
    for name, (row, column) in QUADRANTS.items():
        where = name, GAINS[row], EFFORTS[column], _area_of(row, column), edges[row], edges[row + 1]
        number = int(plot.counts[row, column])
        yield str(plot.measure), *where, number, _share(number, len(plot.run))


def _area_of(row: int, column: int) -> str:
    return next(name for name in PARTS if (row, column) in AREAS[name][1])


def _quadrants_of(area: str) -> Sequence[tuple[int, int]]:
    return AREAS[area][1] if area in AREAS else (QUADRANTS[area],)


def _share(part: int, of: int) -> float:
    return part / of if of else float("nan")


def effort_gain_of_runs(
    evaluated: Callable[[Sequence[Measure]], Evaluation],
    measures: Sequence[Measure],
    *,
    effort: str | Measure = "Twist",
    area: str | None = None,
) -> EffortGain:
    """`effort_gain` for runs that are still to be evaluated.

    Parameters
    ----------
    area : str, default none
        List the points of an area (diagonal, high-high, gray, below, top) or quadrant ('huge gain at low effort').
    """
    if area is not None:
        checked_area(area)
    cost = parse(effort)
    made = effort_gain(evaluated(list(dict.fromkeys([*measures, cost]))), measures, cost)
    return made if area is None else made.within(area)


COMMAND = Declaration(
    effort_gain_of_runs,
    python=effort_gain,
    source="evaluation",
    measures=("AP",),
    shared=("collections", "missing", "judging", "reading"),
    tables=("areas", "grid", "quadrants", "runs", "points"),
    tables_with=dict.fromkeys(("areas", "grid", "quadrants", "runs"), "!area"),
)
