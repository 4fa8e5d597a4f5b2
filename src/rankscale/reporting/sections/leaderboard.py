"""The runs in order: means with their bounds, significance groups, interval versions, and how much of it is judged."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rankscale.data.table import readable
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.reporting.parts import Cell, Column, Filter, Paragraph, Section, Table, count, name, number
from rankscale.reporting.results import JUDGED, Results

BRACKETS = (
    "Brackets hold the value if every unjudged document were not relevant, and if each were of the best grade; where "
    "documents below the depth matter to a measure (RR, ERR, RBP), they allow for those, too."
)
RATE = (
    f"{JUDGED} is the share of the first ten documents that are judged, over the topics that a run has: where it is "
    "low, values may still change."
)
BOUNDS = "in brackets: bounds from unjudged documents and, for some measures, from documents below the depth"
SURE_TOOLTIP = "expected place"
MEDIANS = (
    "Below the mean of an ordinal measure is its lower median, which needs only the order of values; the upper one and "
    "the sign-test interval show when the pointer rests on it."
)
SURE = (
    "Below the mean of the main measure is its 95% interval and the places that the run takes in 95% of 1,000 draws of "
    "topics: how much the order depends on these topics, each run by itself."
)
MOST_LETTERS = 40  # runs beyond which letters of groups can no longer be read

Filled = tuple[Column, list[Cell]]  # a column and its cells, the best run first


def leaderboard(results: Results) -> Section:
    """One row for each run, the best by the main measure first."""
    filled = [
        (Column("run", number=False), [name(run) for run in results.comparison.runs]),
        *(_means(results, results.evaluation, measure) for measure in results.measures),
        *_interval(results),
        *_compared(results),
        *_judged(results),
    ]
    rows = list(zip(*(cells for _, cells in filled), strict=True))
    caption = f"{len(rows)} runs by {results.main.summed_up} {results.main}; click the name of a column to sort by it"
    bounded = any("[" in cell.note for row in rows for cell in row)
    ordinal = any(_is_ordinal(results, measure) for measure in results.measures)
    sure = any(SURE_TOOLTIP in (cell.tooltip or "") for row in rows for cell in row)
    explained = [*[SURE] * sure, *[BRACKETS] * bounded, *[RATE] * results.has_rankings, *[MEDIANS] * ordinal]
    return Section(
        "leaderboard",
        "Leaderboard",
        [
            *([Paragraph(" ".join(explained))] if explained else []),
            Filter("find-run", "Find a run", "runs"),
            Table("runs", caption, [column for column, _ in filled], rows),
        ],
    )


def _judged(results: Results) -> list[Filled]:
    """Shares of judged documents, where there are rankings."""
    if not results.has_rankings:
        return []
    column = Column(str(JUDGED), "share of the first ten documents that are judged")
    return [(column, [number(rate, 3) for rate in results.judged[results.order].tolist()])]


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
            cell if np.isnan(low) else replace(cell, note=f"[{low:.4f}, {high:.4f}]", tooltip=BOUNDS)
            for cell, (low, high) in zip(cells, ends, strict=True)
        ]
    if measure == results.main:
        cells = [_with_median(cell, *words) for cell, words in zip(cells, _sureness(of_measure), strict=True)]
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


def _sureness(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """The interval of the mean of each run and of its places; then the expected place and the share first."""
    sure = evaluation.with_confidence(shown="both").sureness if evaluation.summary == "mean" else {}
    if not sure:
        yield from [("", "")] * len(evaluation.runs)
        return
    for low, high, _, best, worst, expected, first in zip(*(of[0].tolist() for of in sure.values()), strict=True):
        interval = "" if np.isnan(low) else f"{low:.4f} to {high:.4f}"
        places = "" if np.isnan(best) else f"place {best:g}" + (f" to {worst:g}" if worst != best else "")
        about = "" if np.isnan(best) else f"{SURE_TOOLTIP} {expected:.2f}, first in {first:.1%} of draws of topics"
        yield ", ".join(filter(None, (interval, places))), about


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


def _compared(results: Results) -> list[Filled]:
    """The test of each run: against the baseline, or against all others."""
    about = results.comparison
    of = f"by {results.main}, {about.test.label}"
    better, worse = ("higher", "lower") if results.main.direction_note else ("better", "worse")
    ahead = (about.results.difference > 0) != about.measure.low_is_good
    pairs = np.where(ahead, (about.pairs.first, about.pairs.second), (about.pairs.second, about.pairs.first))
    wins, losses = (np.bincount(runs[about.significant], minlength=len(about.runs)).tolist() for runs in pairs)
    if about.baseline is not None:
        column = Column(
            f"against {readable(about.baseline)}",
            f"significantly {better} or {worse} {of}; a dash where neither",
            number=False,
        )
        outcomes = (better if won else worse if lost else "-" for won, lost in zip(wins, losses, strict=True))
        named = zip(about.runs, outcomes, strict=True)
        return [(column, [Cell("baseline" if run == about.baseline else outcome) for run, outcome in named])]
    beats, beaten = (f"{better} than", f"{worse} than") if results.main.direction_note else ("beats", "beaten by")
    groups = Column("groups", "runs that share a letter do not differ significantly", number=False)
    letters = [(groups, list(map(Cell, about.marks())))] if len(about.runs) <= MOST_LETTERS else []
    return [
        *letters,
        (Column(beats, f"runs that it is significantly {better} than, {of}"), list(map(count, wins))),
        (Column(beaten, f"runs that are significantly {better}, {of}"), list(map(count, losses))),
    ]
