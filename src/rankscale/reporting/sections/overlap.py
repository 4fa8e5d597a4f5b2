"""How far runs rank the same documents: a heat map, and the pairs that are most and least alike."""

import math
from dataclasses import replace

from rankscale.data.names import counted
from rankscale.data.table import Column
from rankscale.data.table import Table as StudyTable
from rankscale.figures.overlap import OverlapFigure, overlap_figure
from rankscale.reporting.parts import Paragraph, Section, Table, drawing
from rankscale.reporting.results import Results
from rankscale.reporting.study_tables import own_warnings, page_table
from rankscale.studies.overlap import Overlap
from rankscale.studies.overlap.lists import ListPair

BY = "RBO"  # what is drawn, and pairs are ordered by
MOST_RUNS = 40  # that are drawn: cells of more would be too small for their numbers
DIGITS = 4  # of what is drawn
ENDS = 10  # pairs at either end
HOW = (
    "RBO (rank-biased overlap) weighs the first ranks most and is 1 for equal rankings, 0 for those without a common "
    "document; overlap and jaccard count common documents. No judgments go in."
)


def overlap(results: Results) -> Section | None:
    """The heat map of RBO over the runs, the best first, and the pairs at both ends; None unless requested."""
    study = results.studies.overlap
    if study is None:
        return None
    figure = drawing("overlap-map", _figure(results, study), results.look)
    runs = len(results.comparison.runs)
    some = f" The best {MOST_RUNS} of {runs} runs are drawn; the tables are of all." if runs > MOST_RUNS else ""
    text = f"{study.sentence()} {HOW}{some}"
    parts = [Paragraph(text), *own_warnings(results, study.notices), figure]
    return Section("overlap", "Overlap of runs", [*parts, *_tables(study)])


def _figure(results: Results, study: Overlap) -> OverlapFigure:
    """The figure with runs in the order of the leaderboard, the best of them where there are many."""
    drawn = overlap_figure(study, show=BY)
    kept = results.comparison.runs[:MOST_RUNS]
    cells = [row for row in drawn.cells if row["first"] in kept and row["second"] in kept]
    rows = [[round(cell, DIGITS) if isinstance(cell, float) else cell for cell in row.values()] for row in cells]
    return replace(drawn, runs=kept, cells=StudyTable.of(tuple(drawn.cells.columns), rows))


def _tables(study: Overlap) -> list[Table]:
    """All pairs where they are few, else those most and least alike."""
    assert study.rule is not None  # noqa: S101  # runs are of one collection
    place = study.rule.columns.index(BY)
    known = [pair for pair in study.pairs if not math.isnan(pair.means[place])]
    ordered = sorted(known, key=lambda pair: -pair.means[place])
    if len(ordered) <= 2 * ENDS:
        return [_table("overlap-pairs", study, ordered, f"{counted(len(ordered), 'pair')} of runs, most alike first")]
    of = f"{ENDS} of {counted(len(ordered), 'pair')}"
    return [
        _table("overlap-most", study, ordered[:ENDS], f"Runs that are most alike, {of}"),
        _table("overlap-least", study, ordered[: -ENDS - 1 : -1], f"Runs that are least alike, {of}"),
    ]


def _table(name: str, study: Overlap, pairs: list[ListPair], caption: str) -> Table:
    assert study.rule is not None  # noqa: S101
    coefficients = [column for column in study.rule.columns if column in study.rule.coefficients]
    places = {column: study.rule.columns.index(column) for column in coefficients}
    columns: dict[str, list[str] | list[int] | list[float]] = {
        "run": [pair.first for pair in pairs],
        "other run": [pair.second for pair in pairs],
        "topics": [len(pair.topics) for pair in pairs],
        **{column: [float(pair.means[at]) for pair in pairs] for column, at in places.items()},
    }
    ends = [[pair.intervals[places[BY]][side] for pair in pairs] for side in (0, 1)]
    with_interval = Column(BY, interval=(ends[0], ends[1]))
    about = {"topics": "that both have", BY: f"mean, with its {study.confidence:.0%} interval over draws of topics"}
    return page_table(name, StudyTable(columns).with_columns(with_interval), caption, about)
