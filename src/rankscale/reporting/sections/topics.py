"""Which topics are easy and which are hard, and for whom."""

from dataclasses import replace

import numpy as np

from rankscale.data.arrays import Floats, mean_of_defined
from rankscale.data.table import readable
from rankscale.figures.topics import topics_figure
from rankscale.reporting.parts import Cell, Column, Paragraph, Section, Table, count, drawing, name, number
from rankscale.reporting.results import Results

EXTREMES = 3  # topics named as hardest and as easiest
COLUMNS = (
    Column("topic", number=False),
    Column("relevant", "relevant documents known"),
    Column("mean", "over runs", sorted="ascending"),
    Column("deviation", "standard deviation over runs: where it is high, the topic tells runs apart"),
    Column("highest", "value of a run"),
    Column("run with highest", "opens its ranking", number=False),
    Column("lowest", "value of a run"),
    Column("run with lowest", "opens its ranking", number=False),
)
WITHOUT_RANKINGS = tuple(
    replace(column, tooltip="") if column.tooltip == "opens its ranking" else column
    for column in COLUMNS
    if column.name != "relevant"
)


def topics(results: Results) -> Section:
    """A heat map of all values, and one row for each topic."""
    values = results.values(results.main)
    means = mean_of_defined(values)
    order = np.argsort(means, kind="stable").tolist()  # undefined ones last
    recall_bases: list[int | None] = [None] * len(means)
    if results.has_rankings:
        recall_bases = [*results.relevant(results.rel if results.main.threshold is None else results.main.threshold)]
    rows = [_row(results, place, values[:, place], float(means[place]), recall_bases[place]) for place in order]
    columns = COLUMNS if results.has_rankings else WITHOUT_RANKINGS
    table = Table(
        "topics-table", f"{len(rows)} topics by mean {results.main} over runs, the lowest first", columns, rows
    )
    figure = drawing("topic-map", topics_figure(results.evaluation[results.main]), results.look)
    return Section("topics", "Topics", [Paragraph(_extremes(results, means)), figure, table])


def _row(results: Results, place: int, of_topic: Floats, mean: float, recall_base: int | None) -> list[Cell]:
    topic = results.evaluation.topics[place]
    defined = of_topic[~np.isnan(of_topic)]
    deviation = float(defined.std(ddof=1)) if len(defined) > 1 and np.isfinite(defined).all() else np.nan
    known = [] if recall_base is None else [count(recall_base)]
    cells = [name(topic), *known, number(mean), number(deviation)]
    for pick in (np.nanargmax, np.nanargmin):
        if len(defined):
            row = int(pick(of_topic))
            run = readable(results.evaluation.runs[row])
            alike = int(np.count_nonzero(of_topic == of_topic[row])) - 1
            text = f"{run} and {alike} more" if alike else run
            cells += [
                number(float(of_topic[row])),
                Cell(text, opens=None if recall_base is None else (run, readable(topic))),
            ]
        else:
            cells += [number(np.nan), Cell("-")]
    return cells


def _extremes(results: Results, means: Floats) -> str:
    order = [place for place in np.argsort(means, kind="stable").tolist() if not np.isnan(means[place])]
    lowest, highest = (
        ", ".join(f"{readable(results.evaluation.topics[place])} ({means[place]:.3f})" for place in some)
        for some in (order[:EXTREMES], order[::-1][:EXTREMES])
    )
    return f"Lowest means of {results.main} over runs: topics {lowest}. Highest: {highest}."
