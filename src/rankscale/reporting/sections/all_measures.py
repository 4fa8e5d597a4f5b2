"""Means of all measures, folded below the leaderboard: bounds, medians, the interval version, and counts of wins."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.reporting.parts import Cell, Column, Part, Table, count, name, number
from rankscale.reporting.results import Results

BRACKETS = (
    "Brackets hold the value if every unjudged document were not relevant, and if each were of the best grade, where "
    "the two differ; where documents below the depth matter to a measure (RR, ERR, RBP), they allow for those, too."
)
BOUNDS = "in brackets: bounds from unjudged documents and, for some measures, from documents below the depth"
MEDIANS = (
    "Below the mean of an ordinal measure is its lower median, which needs only the order of values; the upper one and "
    "the sign-test interval show when the pointer rests on it."
)
FOLDED = "All measures: means, bounds, medians, and how many runs each run beats"

Filled = tuple[Column, list[Cell]]  # a column and its cells, the best run first


def all_measures(results: Results) -> list[Part]:
    """The folded table of means, one row for each run, and how it is read."""
    filled = [
        (Column("run", number=False), [name(run) for run in results.comparison.runs]),
        *(_means(results, results.evaluation, measure) for measure in results.measures),
        *_interval(results),
        *_wins(results),
    ]
    rows = list(zip(*(cells for _, cells in filled), strict=True))
    bounded = any("[" in cell.note for row in rows for cell in row)
    ordinal = any(_is_ordinal(results, measure) for measure in results.measures)
    explained = [*[BRACKETS] * bounded, *[MEDIANS] * ordinal]
    caption = " ".join([f"{len(rows)} runs by all measures.", *explained])
    return [Table("all-measures", caption, [column for column, _ in filled], rows, FOLDED)]


def _means(results: Results, evaluation: Evaluation, measure: Measure) -> Filled:
    """Means of a measure, with their bounds where the measure has them, and medians where it is ordinal."""
    sense = measure.direction_note or ("low is good" if measure.low_is_good else "high is good")
    way = "ascending" if measure.low_is_good else "descending"
    first = way if measure == results.main else None
    of_measure = evaluation[measure]
    (means,), (best,) = of_measure.means().values, of_measure.best_means()
    cells = [number(float(mean), best=bool(mean == best)) for mean in means]
    bounds = of_measure.extra_means()
    if "lower" in bounds and "upper" in bounds:
        ends = zip(bounds["lower"][0], bounds["upper"][0], strict=True)
        cells = [
            replace(cell, note=f"[{low:.4f}, {high:.4f}]", tooltip=BOUNDS) if f"{low:.4f}" != f"{high:.4f}" else cell
            for cell, (low, high) in zip(cells, ends, strict=True)
        ]
    if _is_ordinal(results, measure):
        cells = [_with_median(cell, *words) for cell, words in zip(cells, _medians(of_measure), strict=True)]
    column = Column(str(measure), f"{measure.summed_up} over topics; {sense}", sorted=first)
    return column, [cells[row] for row in results.order]


def _is_ordinal(results: Results, measure: Measure) -> bool:
    return measure.scale_type(results.levels) == "ordinal"


def _with_median(cell: Cell, note: str, tooltip: str) -> Cell:
    """The cell with one more note and tooltip."""
    notes, tooltips = (filter(None, both) for both in ((cell.note, note), (cell.tooltip, tooltip)))
    return replace(cell, note="\n".join(notes), tooltip="; ".join(tooltips))


def _medians(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """The lower median of each run by one measure; then both medians and the sign-test interval."""
    medians = evaluation.medians()
    numbers = (medians.lower, medians.upper, medians.interval_lower, medians.interval_upper, medians.coverage)
    for lower, upper, low, high, coverage in zip(*(row[0].tolist() for row in numbers), strict=True):
        ends = f"{lower:.4f} to {upper:.4f}" if upper != lower else f"{lower:.4f}"
        interval = f", sign-test interval {low:.4f} to {high:.4f} (coverage {coverage:.4f})" if low == low else ""  # noqa: PLR0124
        yield ("", "") if np.isnan(lower) else (f"median {lower:.4f}", f"median {ends}{interval}")


def _interval(results: Results) -> list[Filled]:
    if not isinstance(results.interval, Evaluation):
        return []
    (means,) = results.interval.means().values
    column = Column(str(results.interval.measures[0]), "the main measure on its interval scale: normalised ranks")
    return [(column, [number(float(means[row])) for row in results.order])]


def _wins(results: Results) -> list[Filled]:
    """How many runs each run beats and is beaten by; nothing where all are compared with a baseline alone."""
    about = results.comparison
    if about.baseline is not None:
        return []
    of = f"by {results.main}, {about.test.label}"
    better, worse = ("higher", "lower") if results.main.direction_note else ("better", "worse")
    ahead = (about.results.difference > 0) != about.measure.low_is_good
    pairs = np.where(ahead, (about.pairs.first, about.pairs.second), (about.pairs.second, about.pairs.first))
    wins, losses = (np.bincount(runs[about.significant], minlength=len(about.runs)).tolist() for runs in pairs)
    beats, beaten = (f"{better} than", f"{worse} than") if results.main.direction_note else ("beats", "beaten by")
    return [
        (Column(beats, f"runs that it is significantly {better} than, {of}"), list(map(count, wins))),
        (Column(beaten, f"runs that are significantly {better}, {of}"), list(map(count, losses))),
    ]
