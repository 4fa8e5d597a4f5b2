"""Effort against gain: each ranking a point on a grid of sixteen quadrants (the Twist paper, Figs. 7-10).

Insets are rankings of one gain, CRP above DCG (Fig. 11): they may ask very different effort of their reader, which CRP
shows and DCG does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Annotated, Unpack

import numpy as np

from rankscale.data.arguments import AtLeast, Declaration
from rankscale.data.arrays import Floats, Ints
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.options import RankingOptions, reading_of
from rankscale.figures.base.crp_plots import corners, facts
from rankscale.figures.base.effort_plot import EMPTY, MOST_INSETS, QUARTERS, EffortGainFigure
from rankscale.figures.base.figure import number, table_of
from rankscale.figures.base.relative_positions import bends, course, discounted_gains, read_ranking
from rankscale.inputs.read import QrelsLike, RunsLike, iterate_runs, read_qrels
from rankscale.measures.base.measure import Measure
from rankscale.measures.dcg import DCG
from rankscale.studies.effort_gain import EffortGain
from rankscale.studies.effort_gain.quadrants import EFFORT_CUTS, EFFORTS, GAINS, EffortPoints

CLEAR = (0.09, 0.03)  # of the range of gains, below and above a cut
WINDOW = 0.01  # of the range of gains: rankings within it have one gain
UPPER = (0.5, 0.95)  # quantiles between which the gain of insets is looked for: low gains tell little
WHAT_IS_READ = {"depth", "judged_only"}  # of a ranking, which is drawn whole


def effort_gain_figure(
    study: EffortGain,
    gain: str | Measure | None = None,
    *,
    quantiles: bool = False,
    insets: Annotated[int, AtLeast(0, MOST_INSETS)] = 0,
    qrels: QrelsLike | None = None,
    runs: RunsLike | None = None,
    bind_runs: bool = True,
    **options: Unpack[RankingOptions],
) -> EffortGainFigure:
    """Draw what a gain costs in effort, in sixteen quadrants.

    Each ranking is a point, its Twist against a measure of gain. As a page (.html) points can be brushed, and one run
    shown alone.

    Parameters
    ----------
    study : EffortGain
        Result of `effort_gain`.
    gain : str or Measure, optional
        Measure of gain, the first of the study unless one is named.
    quantiles : bool
        Make rows of gain equally high: points stand in them by their order, and low gains are seen as well as high.
    insets : int
        Add CRP and DCG of N rankings of nearly one gain, from the most effort to the least, at most 4.
    qrels : qrels, optional
        Judgments, for insets: a file, a dict, a frame, or what `read_qrels` returns.
    runs : runs, optional
        Rankings, for insets: files, dicts, frames, or what `read_runs` returns.
    bind_runs : bool
        Add a list of runs to choose from, on a page.
    **options
        Keywords on reading and judging, for insets, as `evaluate` explains them: judged_only, grades, negative, order,
        max_size, threads.

    Returns
    -------
    EffortGainFigure
        The points.

    Raises
    ------
    ParameterError
        If insets are requested, and qrels and runs are not given.

    Command line
    ------------
        rankscale figure effort-gain qrels.txt runs/*.gz -o effort.html
        rankscale figure effort-gain qrels.txt runs/*.gz -m 'RBP(p=0.8)' --quantiles -o effort.pdf --width 84mm
        rankscale figure effort-gain qrels.txt runs/*.gz --effort Twist@100 --insets 4 -o effort.svg
    """
    if not 0 <= insets <= MOST_INSETS:
        raise ParameterError(f"there is room for {MOST_INSETS} insets, got {insets}")
    if insets and (qrels is None or runs is None):
        raise ParameterError("insets show rankings, which a study does not have: give qrels and runs, too")
    plot = _plot_of(study, gain)
    tables = replace(study, area=None).tables()
    quadrants, areas, every = (
        [row for row in tables[name] if row["measure"] == str(plot.measure)]
        for name in ("quadrants", "areas", "points")
    )
    columns = {name: [row[name] for row in every] for name in ("run", "topic", "effort", "gain", "quadrant")}
    points = Table({**columns, **({"height": _heights(plot).tolist()} if quantiles else {})})
    examples, curves = EMPTY, dict[str, Table]()
    if insets and qrels is not None and runs is not None:
        examples, curves = read_insets(
            of_one_gain(points, insets, plot.cuts.tolist()), study.effort, plot.measure, qrels, runs, **options
        )
    return EffortGainFigure(
        measure=str(plot.measure),
        effort=str(study.effort),
        points=points,
        quadrants=_with_edges(quadrants, plot, quantiles=quantiles),
        areas=Table.of(("area", "points", "share"), [(row["area"], row["points"], row["share"]) for row in areas]),
        cuts=tuple(plot.cuts.tolist()),
        runs=tuple(study.evaluation.runs[place] for place in np.unique(plot.run).tolist()),
        bind_runs=bind_runs,
        quantiles=quantiles,
        insets=examples,
        curves=curves,
        dcg=str(dcg_of(plot.measure)),
    )


def _heights(plot: EffortPoints) -> Floats:
    """(point,): from 0 to 1, a quarter for each row of gain, by order within it; equal gains stand equally high."""
    from scipy.stats import rankdata

    heights = np.zeros(len(plot.gain))
    for row in range(len(GAINS)):
        own = plot.row == row
        if own.any():
            heights[own] = (row + (rankdata(plot.gain[own]) - 0.5) / own.sum()) / len(GAINS)
    return heights


def _plot_of(study: EffortGain, gain: str | Measure | None) -> EffortPoints:
    if gain is None:
        return study.plots[0]
    by_name = {str(plot.measure): plot for plot in study.plots}
    if str(gain) not in by_name:
        raise UnknownNameError("measure of gain", str(gain), by_name, f"the study has {', '.join(by_name)}")
    return by_name[str(gain)]


def _with_edges(quadrants: list[dict[str, str | int | float | None]], plot: EffortPoints, *, quantiles: bool) -> Table:
    """The quadrants with their four edges; the lowest row starts at 0, and the highest ends at 1 if gains do."""
    columns = [0.0, *EFFORT_CUTS.tolist(), 1.0]
    lowest, highest = min(0.0, float(plot.gain.min())), float(plot.gain.max())
    top = 1.0 if 0.8 < highest <= 1 else highest + 0.02 * (highest - lowest)
    rows = [0.0, *QUARTERS, 1.0] if quantiles else [lowest, *plot.cuts.tolist(), top]
    places = [(GAINS.index(str(row["row"])), EFFORTS.index(str(row["column"]))) for row in quadrants]
    return Table(
        {
            **{name: [row[name] for row in quadrants] for name in ("quadrant", "area", "points", "share")},
            "left": [columns[column] for _, column in places],
            "right": [columns[column + 1] for _, column in places],
            "bottom": [rows[row] for row, _ in places],
            "top": [rows[row + 1] for row, _ in places],
        }
    )


def of_one_gain(points: Table, count: int, cuts: Sequence[float] = ()) -> list[dict[str, Cell]]:
    """Rows of points (run, topic, effort, gain ...) of nearly one gain, from the most effort to the least.

    The gain is the one at which the efforts of the rankings chosen are furthest apart. Gains close to `cuts`, where
    shares of quadrants are written, are taken only where there are no others.
    """
    rows = list(points)
    effort, gain = (np.array([number(row[name]) for row in rows]) for name in ("effort", "gain"))
    reach = float(np.ptp(gain))
    middles = np.unique(np.quantile(gain, np.linspace(*UPPER, 91), method="nearest")).tolist()
    clear = [one for one in middles if not any(-CLEAR[0] * reach < one - cut < CLEAR[1] * reach for cut in cuts)]
    best: tuple[int, float, list[int]] = (0, -1.0, [])
    for middle in clear or middles:
        chosen = _spaced(effort, np.flatnonzero(np.abs(gain - middle) <= WINDOW / 2 * reach), count)
        nearest = float(np.diff(effort[chosen]).min(initial=1.0))
        best = max(best, (len(chosen), nearest, chosen), key=lambda one: one[:2])
    return [rows[place] for place in best[2]]


def _spaced(effort: Floats, places: Ints, count: int) -> list[int]:
    """Of these places, those whose efforts are nearest to equal steps from the lowest to the highest, ascending."""
    left = places.tolist()
    chosen: list[int] = []
    for value in np.linspace(effort[places].min(), effort[places].max(), min(count, len(left))).tolist():
        chosen.append(min(left, key=lambda one: abs(effort[one] - value)))
        left.remove(chosen[-1])
    return sorted(chosen, key=lambda one: effort[one])


def dcg_of(gain: Measure) -> DCG:
    """The DCG drawn beside a measure of gain: with its discount and gains where it has those, else with base 2.

    >>> from rankscale.measures.base.parser import parse
    >>> print(dcg_of(parse("nDCG(base=10,gains=[0,5,10])@20")), dcg_of(parse("AP")))
    DCG(gains=[0,5,10],base=10) DCG(base=2)
    """
    names = {one.name for one in fields(DCG)} - WHAT_IS_READ
    shared = {name: getattr(gain, name) for name in names if hasattr(gain, name)}
    return DCG(**shared) if "discount" in shared else DCG(base=2)


def read_insets(
    rows: Sequence[Mapping[str, Cell]],
    effort: Measure,
    gain: Measure,
    qrels: QrelsLike,
    runs: RunsLike,
    **options: Unpack[RankingOptions],
) -> tuple[Table, dict[str, Table]]:
    """The rows with a number and what CRP is read by, and by dataset (`crp1`, `dcg1` ...) the corners of the curves."""
    reading = reading_of(options)
    judgments = read_qrels(qrels, max_size=reading.max_size)
    wanted = {row["run"] for row in rows}
    by_name = {run.name: run for run in iterate_runs(judgments, runs, reading) if run.name in wanted}
    rel, dcg = effort.threshold or 1, dcg_of(gain)
    numbered: list[Mapping[str, Cell]] = []
    curves: dict[str, Table] = {}
    for place, row in enumerate(rows, start=1):
        run = by_name[str(row["run"])].completed(len(judgments.topics))
        ranking = read_ranking(judgments, run, str(row["topic"]), depth=effort.depth, rel=rel, **options)
        made = course(ranking.judged, ranking.depth, rel)
        own, ideal = (np.cumsum(gains) for gains in discounted_gains(dcg, ranking.judged, made.telling))
        kept = bends(made.telling, own, ideal)
        curves[f"crp{place}"] = corners(made, made.telling)
        curves[f"dcg{place}"] = Table(
            {
                "rank": [at + 1 for at in kept],
                "DCG": own[kept].tolist(),
                "ideal_DCG": ideal[kept].tolist(),
            }
        )
        numbered.append({"number": place, **row, **facts(made)})
    return table_of(numbered), curves


COMMAND = Declaration(
    effort_gain_figure,
    source="study",
    study="effort-gain",
    study_options=("effort",),
    measure="AP",
    without=("gain", "bind_runs", "qrels", "runs"),
    shared=("collections", "missing", "judging", "reading"),
)
