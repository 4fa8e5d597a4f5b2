"""The runs in order: means with their bounds, significance groups, interval versions, and how much of it is judged."""

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
MOST_LETTERS = 40  # runs beyond which letters of groups can no longer be read

Filled = tuple[Column, list[Cell]]  # a column and its cells, the best run first


def leaderboard(results: Results) -> Section:
    """One row for each run, the best by the main measure first."""
    filled = [
        (Column("run", number=False), [name(run) for run in results.comparison.runs]),
        *(_means(results, results.evaluation, measure) for measure in results.measures),
        *_interval(results),
        *_compared(results),
        (
            Column(str(JUDGED), "share of the first ten documents that are judged"),
            [number(rate, 3) for rate in results.judged[results.order].tolist()],
        ),
    ]
    rows = list(zip(*(cells for _, cells in filled), strict=True))
    caption = f"{len(rows)} runs by {results.main.summed_up} {results.main}; click the name of a column to sort by it"
    bounded = any(cell.note for row in rows for cell in row)
    return Section(
        "leaderboard",
        "Leaderboard",
        [
            Paragraph(f"{BRACKETS} {RATE}" if bounded else RATE),
            Filter("find-run", "Find a run", "runs"),
            Table("runs", caption, [column for column, _ in filled], rows),
        ],
    )


def _means(results: Results, evaluation: Evaluation, measure: Measure) -> Filled:
    """Means of a measure, with their bounds where the measure has them."""
    sense = measure.direction_note or ("low is good" if measure.low_is_good else "high is good")
    way = "ascending" if measure.low_is_good else "descending"
    first = way if measure == results.main else None
    of_measure = evaluation[measure]
    (means,), (best,) = of_measure.means().values, of_measure.best_means()
    cells = [number(float(mean), best=bool(mean == best)) for mean in means]
    if bounds := of_measure.extra_means():
        ends = zip(bounds["lower"][0], bounds["upper"][0], strict=True)
        cells = [
            cell if np.isnan(low) else replace(cell, note=f"[{low:.4f}, {high:.4f}]", tooltip=BOUNDS)
            for cell, (low, high) in zip(cells, ends, strict=True)
        ]
    column = Column(str(measure), f"{measure.summed_up} over topics; {sense}", sorted=first)
    return column, [cells[row] for row in results.order]


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
