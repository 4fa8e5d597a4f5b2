"""The runs in order: means with their bounds, significance groups, interval versions, and how much of it is judged."""

from dataclasses import replace

import numpy as np

from rankscale.data.table import readable
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.reporting.findings import JUDGED, Findings
from rankscale.reporting.parts import (
    Cell,
    Column,
    FilterPart,
    Section,
    Table,
    TablePart,
    Words,
    count,
    name,
    number,
    text,
)

BRACKETS = (
    "Brackets hold the value if every unjudged document were not relevant, and if each were of the best grade; where "
    "what follows the depth matters to a measure (RR, ERR, RBP), they hold that too."
)
BOUNDS = "between brackets: bounds from unjudged documents and, for some measures, from what follows the depth"
MOST_LETTERS = 40  # runs beyond which letters of groups can no longer be read


def leaderboard(findings: Findings) -> Section:
    """One row for each run, the best by the main measure first."""
    columns = [Column("run", number=False), *_columns(findings)]
    rows = [
        [name(findings.evaluation.runs[row]), *_cells(findings, place, row)] for place, row in enumerate(findings.order)
    ]
    caption = f"{len(rows)} runs by {findings.main.summed_up} {findings.main}; a column's name sorts by it"
    words = (
        f"{JUDGED} is the share of the first ten documents that are judged, over the topics that a run has: where it "
        "is low, values are not settled."
    )
    bounded = any(cell.beside for row in rows for cell in row)
    return Section(
        "leaderboard",
        "Leaderboard",
        [
            Words(f"{BRACKETS} {words}" if bounded else words),
            FilterPart("find-run", "Find a run", "runs"),
            TablePart(Table("runs", caption, columns, rows)),
        ],
    )


def _columns(findings: Findings) -> list[Column]:
    directions = {True: "low is good", False: "high is good"}
    columns = []
    for measure in findings.measures:
        sense = measure.direction_note or directions[measure.low_is_good]
        way = "ascending" if measure.low_is_good else "descending"
        first = way if measure == findings.main else None
        columns.append(Column(str(measure), f"{measure.summed_up} over topics; {sense}", sorted=first))
    if isinstance(findings.interval, Evaluation):
        version = findings.interval.measures[0]
        columns.append(Column(str(version), "the main measure on its interval scale: normalised ranks"))
    return [*columns, *_compared(findings), Column(str(JUDGED), "share of the first ten documents that are judged")]


def _compared(findings: Findings) -> list[Column]:
    """What the test says of each run: against the baseline, or against all others."""
    of = f"by {findings.main}, {findings.comparison.test.label}"
    better, worse = _directions(findings)
    if findings.comparison.baseline is not None:
        against = f"against {readable(findings.comparison.baseline)}"
        return [Column(against, f"significantly {better} or {worse} {of}; a dash where neither", number=False)]
    beats, beaten = (f"{better} than", f"{worse} than") if findings.main.direction_note else ("beats", "beaten by")
    columns = [Column(beats, f"runs that it is significantly {better} than, {of}")]
    columns.append(Column(beaten, f"runs that are significantly {better}, {of}"))
    if len(findings.runs) > MOST_LETTERS:
        return columns
    return [Column("groups", "runs that share a letter do not differ significantly", number=False), *columns]


def _cells(findings: Findings, place: int, row: int) -> list[Cell]:
    cells = [_mean(findings, measure, row) for measure in findings.measures]
    if isinstance(findings.interval, Evaluation):
        order = findings.interval.runs.index(findings.evaluation.runs[row])
        cells.append(number(float(findings.interval.means().values[0][order])))
    better, worse = _beaten(findings, place)
    if findings.comparison.baseline is not None:
        is_baseline = findings.comparison.runs[place] == findings.comparison.baseline
        more, less = _directions(findings)
        cells.append(text("baseline" if is_baseline else more if better else less if worse else "-"))
    else:
        letters = [text(findings.comparison.marks()[place])] if len(findings.runs) <= MOST_LETTERS else []
        cells += [*letters, count(better), count(worse)]
    return [*cells, number(float(findings.judged[row]), 3)]


def _directions(findings: Findings) -> tuple[str, str]:
    return ("higher", "lower") if findings.main.direction_note else ("better", "worse")


def _mean(findings: Findings, measure: Measure, row: int) -> Cell:
    """A mean, with its bounds where the measure has them."""
    place = findings.evaluation.measures.index(measure)
    value = findings.means[str(measure)][row]
    cell = number(float(value), best=bool(value == findings.best[place]))
    beside = {side: means[place, row] for side, means in findings.extra_means.items()}
    if "lower" not in beside or np.isnan(beside["lower"]):
        return cell
    return replace(cell, beside=f"[{beside['lower']:.4f}, {beside['upper']:.4f}]", words=BOUNDS)


def _beaten(findings: Findings, place: int) -> tuple[int, int]:
    """How many runs it is significantly better than, and how many are better than it."""
    about = findings.comparison
    first, second, ahead = about.pairs.first, about.pairs.second, about.results.difference > 0
    ahead = ahead != about.measure.low_is_good
    of = about.significant & ((first == place) | (second == place))
    wins = of & np.where(first == place, ahead, ~ahead)
    return int(wins.sum()), int((of & ~wins).sum())
