"""What a gain costs in effort: each ranking a point, its Twist against a measure of gain (the Twist paper, Figs. 7-10).

Two rankings of the same gain can cost their readers very different effort. The plot has four columns of effort and four
rows of gain; rankings off its diagonal look good from one side only.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Self

import numpy as np

from rankscale.data.arguments import Declaration, NamedInHelp, OneOf, Share, check_arguments
from rankscale.data.arrays import Floats, frozen
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.stats.corrections import CORRECTIONS
from rankscale.stats.tests.base.test import Test
from rankscale.stats.tests.register import known_tests
from rankscale.stats.verdicts import verdict
from rankscale.studies.effort_gain.quadrants import (
    AREAS,
    EFFORTS,
    GAINS,
    HUGE_GAIN,
    NOWHERE,
    QUADRANTS,
    ROW,
    SIDE,
    SUMMARY,
    EffortPoints,
    PairTesting,
    ScopeResult,
    area_of,
    checked_area,
    compare_pairs,
    quadrant_name,
    quadrants_of,
)
from rankscale.studies.support.selection import in_logarithms
from rankscale.studies.support.study import Study, share_of


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
    testing : PairTesting, optional
        Test, correction and level of pairs of runs; None where pairs are not compared.
    pairs : tuple of tuple of ScopeResult
        For each measure of gain, the pairs of runs overall, within and across quadrants; empty without `testing`.
    """

    evaluation: Evaluation
    effort: Measure
    plots: tuple[EffortPoints, ...]
    notices: tuple[Notice, ...]
    area: str | None = None
    testing: PairTesting | None = None
    pairs: tuple[tuple[ScopeResult, ...], ...] = ()

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
        settings = {"study": "effort-gain", "gain": gains, "effort": str(self.effort), "area": self.area}
        return {**settings, **(self.testing.settings if self.testing else {})}

    def sentence(self) -> str:
        """Numbers of points, and the limits of columns and rows; or how many pairs differ in gain and in effort."""
        if self.testing is not None:
            return "\n".join([*self._pair_sentences(self.testing), SCOPE_SENTENCE])
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
        """The areas, and the plot in numbers; or how far gain and effort agree on pairs."""
        return ("areas", "grid") if self.testing is None else ("agreement",)

    def tables(self) -> Mapping[str, Table]:
        """By area, the grid, by quadrant, by run, and point by point; before these, where requested, on pairs."""
        rows = {"areas": _areas, "grid": _grid, "quadrants": _quadrants, "runs": self._runs, "points": self._points}
        made = {
            name: Table.of(COLUMNS[name], (row for plot in self.plots for row in of(plot))) for name, of in rows.items()
        }
        if self.testing is None:
            return made
        of = [(str(plot.measure), one) for plot, several in zip(self.plots, self.pairs, strict=True) for one in several]
        every = [(measure, *row) for measure, one in of for row in one.rows(self.evaluation.runs)]
        return {
            "agreement": Table.of(COLUMNS["agreement"], [(measure, one.scope, *one.summary()) for measure, one in of]),
            "pairs": Table.of(COLUMNS["pairs"], every),
            **made,
        }

    def _pair_sentences(self, testing: PairTesting) -> Iterator[str]:
        for plot, (overall, *_) in zip(self.plots, self.pairs, strict=True):
            counts = overall.counts
            differ = counts["same"] + counts["opposite"] + counts["gain only"]
            yield (
                f"{differ:,} of {len(overall.pairs):,} pairs of runs differ significantly in {plot.measure} "
                f"({testing}): "
                f"{counts['same']:,} of them also in {self.effort} and in the same direction (more gain, less effort), "
                f"{counts['opposite']:,} in the opposite one, {counts['gain only']:,} in gain alone. "
                f"{counts['effort only']:,} differ in {self.effort} alone."
            )
        for measure in dict.fromkeys([*(plot.measure for plot in self.plots), self.effort]):
            yield f"{verdict(measure, testing.test, self.evaluation.judged_levels)}."

    def _runs(self, plot: EffortPoints) -> Iterator[tuple[Cell, ...]]:
        runs = len(self.evaluation.runs)
        all_points = np.bincount(plot.run, minlength=runs)
        counts = [np.bincount(plot.run[plot.within(AREAS[name][1])], minlength=runs) for name in AREAS]
        for place, name in enumerate(self.evaluation.runs):
            of = int(all_points[place])
            yield str(plot.measure), name, of, *(share_of(int(inside[place]), of) for inside in counts)

    def _points(self, plot: EffortPoints) -> Iterator[tuple[Cell, ...]]:
        inside = plot.within(quadrants_of(self.area)) if self.area else np.ones(len(plot.run), dtype=bool)
        columns = (plot.run, plot.topic, plot.effort, plot.gain, plot.row, plot.column)
        runs, topics = self.evaluation.runs, self.evaluation.topics
        for run, topic, effort, gain, row, column in zip(*(one[inside].tolist() for one in columns), strict=True):
            where = EFFORTS[column], GAINS[row], quadrant_name(row, column), area_of(row, column)
            yield str(plot.measure), runs[run], topics[topic], effort, gain, *where


SCOPE_SENTENCE = (
    "Within are the topics on which the two rankings stand in one quadrant, across those on which they do not; as the "
    "values themselves choose these topics, their p-values describe the runs and confirm nothing."
)
COLUMNS = {
    "agreement": ("measure", "scope", *SUMMARY),
    "pairs": ("measure", "scope", *ROW),
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
    *,
    pairs: bool = False,
    test: str | Test | None = None,
    correction: Annotated[str, OneOf(CORRECTIONS)] | None = None,
    alpha: Share | None = None,
) -> EffortGain:
    """Compare the gain of each ranking with its effort.

    Each ranking is a point, its Twist against a measure of gain. Rows are quarters of the gain, columns the effort:
    the higher the Twist, the lower the effort. Rankings in the high-high quadrants look good by gain alone.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    gain : str, Measure or several
        Measures of gain, each with a plot of its own.
    effort : str or Measure
        Measure of effort, such as 'Twist@100'.
    pairs : bool
        Compare each two runs: whether a significant difference in gain comes with one in effort.
    test : str or Test, default student
        Significance test of pairs.
    correction : str, default holm
        Correction for multiple comparisons of pairs.
    alpha : float, default 0.05
        Significance level of pairs.

    Returns
    -------
    EffortGain
        The points, and counts by quadrant, area and run.

    Raises
    ------
    ParameterError
        If there is no measure of gain, or pairs are named and not compared.

    Notes
    -----
    Columns are those of Twist, from huge effort (below 0.25) to low effort (0.75 and more); rows are the quartiles of
    the gain. The evaluation must have all these measures.

    Pairs of runs are tested in gain and in effort: overall, within (over the topics on which the rankings of the two
    runs stand in one quadrant) and across (over the other topics). The outcome is 'same' if both differences are
    significant and the run with more gain costs less effort, 'opposite' if it costs more; else 'gain only', 'effort
    only', 'neither', or 'not tested' where there are too few topics. P-values are corrected for all pairs of a scope.

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
        rankscale effort-gain qrels.txt runs/*.gz --pairs --test 'signed rank'
    """
    check_arguments(effort_gain, locals())
    expected(evaluation, "effort_gain")
    testing = _testing(test, correction, alpha, pairs=pairs)
    gains = [gain] if isinstance(gain, str | Measure) else list(gain)
    if not gains:
        raise ParameterError("effort and gain: name a measure of gain, such as AP")
    of_effort = evaluation[effort]
    check_effort(of_effort.measures[0], of_effort.values)
    of_gains = [evaluation[one] for one in gains]
    plots = tuple(_plot(one, of_effort) for one in of_gains)
    undefined = tuple(
        f"{plot.measure} or {of_effort.measures[0]} is undefined for {plot.left_out:,} of "
        f"{plot.left_out + len(plot.run):,} rankings, which are no points"
        for plot in plots
        if plot.left_out
    )
    notices = (*evaluation.notices, *notes(undefined))
    made = EffortGain(evaluation, of_effort.measures[0], plots, notices)
    if testing is None:
        return made
    if len(evaluation.runs) < 2:
        raise ParameterError(f"pairs of runs are compared: give two runs or more, got {len(evaluation.runs)}")
    tested = tuple(_compared(plot, evaluation, testing) for plot in plots)
    averaged = notes(in_logarithms(evaluation.measures))
    return replace(made, testing=testing, pairs=tested, notices=(*notices, *averaged))


def _testing(
    test: str | Test | None, correction: str | None, alpha: float | None, *, pairs: bool
) -> PairTesting | None:
    """How pairs are tested, None where they are not; settings without pairs are refused."""
    if pairs:
        return PairTesting.of(test, correction, alpha)
    for name, value in {"test": test, "correction": correction, "alpha": alpha}.items():
        if value is not None:
            raise ParameterError(f"{name} is of pairs of runs, which are not compared: add pairs, or leave {name} out")
    return None


def _compared(plot: EffortPoints, evaluation: Evaluation, testing: PairTesting) -> tuple[ScopeResult, ...]:
    """The pairs of runs of one plot, scope by scope."""
    shape = len(evaluation.runs), len(evaluation.topics)
    gain, effort, quadrant = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, NOWHERE)
    gain[plot.run, plot.topic], effort[plot.run, plot.topic] = plot.measure.averaged(plot.gain), plot.effort
    quadrant[plot.run, plot.topic] = plot.row * len(SIDE) + plot.column
    return tuple(compare_pairs(gain, effort, quadrant, testing))


def check_effort(measure: Measure, values: Floats | None = None) -> None:
    """Raise ParameterError unless a measure goes from 0 (all effort) to 1 (none); `values` are its own, if known."""
    beyond = measure.limits if values is None else (np.nanmin(values, initial=0), np.nanmax(values, initial=1))
    if beyond[0] < 0 or beyond[1] > 1 or not is_gain(measure):
        raise ParameterError(
            f"effort is read off a measure from 0 (all of it) to 1 (none), as Twist is, and {measure} is not one"
        )


def is_gain(measure: Measure) -> bool:
    """Whether the highest value of a measure is the best, as of a measure of gain."""
    return not measure.low_is_good and not measure.direction_note


def check_gain(measure: Measure) -> None:
    """Raise ParameterError unless the highest value of a measure is the best."""
    if not is_gain(measure):
        raise ParameterError(f"gain is read off a measure whose highest value is the best, and {measure} is not one")


def _plot(of_gain: Evaluation, of_effort: Evaluation) -> EffortPoints:
    measure, retrieved = of_gain.measures[0], of_gain.retrieved
    check_gain(measure)
    values, efforts = of_gain.values[0], of_effort.values[0]
    run, topic = np.nonzero(np.isfinite(values) & np.isfinite(efforts) & retrieved)
    if not len(run):
        raise ParameterError(f"{measure} and {of_effort.measures[0]} are defined together for no ranking")
    gain = values[run, topic]
    cuts = np.quantile(gain, [0.25, 0.5, 0.75])
    left_out = int(np.count_nonzero(retrieved)) - len(run)
    columns = (frozen(run), frozen(topic), frozen(efforts[run, topic]), frozen(gain), frozen(cuts))
    return EffortPoints(measure, *columns, left_out)


def _areas(plot: EffortPoints) -> Iterator[tuple[Cell, ...]]:
    counts, points, huge = plot.counts, len(plot.run), int(plot.counts[HUGE_GAIN].sum())
    for name, (holds, quadrants) in AREAS.items():
        inside = sum(int(counts[place]) for place in quadrants)
        of_huge = sum(int(counts[place]) for place in quadrants if place[0] == HUGE_GAIN)
        yield str(plot.measure), name, holds, inside, share_of(inside, points), share_of(of_huge, huge)


def _grid(plot: EffortPoints) -> Iterator[tuple[Cell, ...]]:
    """Rows in the order of the plot: huge gain at the top, huge effort to the left."""
    for row in reversed(SIDE):
        yield str(plot.measure), GAINS[row], *(share_of(int(n), len(plot.run)) for n in plot.counts[row])


def _quadrants(plot: EffortPoints) -> Iterator[tuple[Cell, ...]]:
    edges: list[float | None] = [None, *plot.cuts.tolist(), None]
    for name, (row, column) in QUADRANTS.items():
        where = name, GAINS[row], EFFORTS[column], area_of(row, column), edges[row], edges[row + 1]
        number = int(plot.counts[row, column])
        yield str(plot.measure), *where, number, share_of(number, len(plot.run))


TESTS = [name for name, kind in known_tests().items() if not kind.together]


def effort_gain_of_runs(
    evaluated: Callable[[Sequence[Measure]], Evaluation],
    measures: Sequence[Measure],
    *,
    effort: str | Measure = "Twist",
    area: str | None = None,
    pairs: bool = False,
    test: Annotated[str, NamedInHelp(TESTS)] | None = None,
    correction: Annotated[str, OneOf(CORRECTIONS)] | None = None,
    alpha: Share | None = None,
) -> EffortGain:
    """`effort_gain` for runs that are still to be evaluated.

    Parameters
    ----------
    area : str, default none
        List the points of an area (diagonal, high-high, gray, below, top) or quadrant ('huge gain at low effort').
    """
    if area is not None:
        checked_area(area)
        if pairs:
            raise ParameterError("area lists points and pairs compares runs: leave one out")
    _testing(test, correction, alpha, pairs=pairs)  # refused before any work
    cost = parse(effort)
    values = evaluated(list(dict.fromkeys([*measures, cost])))
    made = effort_gain(values, measures, cost, pairs=pairs, test=test, correction=correction, alpha=alpha)
    return made if area is None else made.within(area)


COMMAND = Declaration(
    effort_gain_of_runs,
    python=effort_gain,
    source="evaluation",
    measures=("AP",),
    shared=("collections", "missing", "judging", "reading"),
    flags={"test": "-t --test"},
    tables=("areas", "grid", "quadrants", "runs", "points", "agreement", "pairs"),
    tables_with={
        **dict.fromkeys(("areas", "grid", "quadrants", "runs"), "!area"),
        **dict.fromkeys(("agreement", "pairs"), "pairs"),
    },
)
