"""Which topics are easy and which are hard, and for whom."""

import numpy as np

from rankscale.data.arrays import Floats, mean_of_defined
from rankscale.data.table import readable
from rankscale.figures.topics import topics_figure
from rankscale.reporting.findings import Findings
from rankscale.reporting.parts import Cell, Column, Section, Table, TablePart, Words, count, figure_part, name, number

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


def topics(findings: Findings) -> Section:
    """A heat map of all values, and one row for each topic."""
    values = findings.values(findings.main)
    means = mean_of_defined(values)
    order = np.argsort(means, kind="stable").tolist()  # undefined ones last
    rows = [_row(findings, place, values[:, place], float(means[place])) for place in order]
    table = Table(
        "topics-table", f"{len(rows)} topics by mean {findings.main} over runs, the lowest first", COLUMNS, rows
    )
    figure = figure_part("topic-map", topics_figure(findings.evaluation[findings.main]), findings.look)
    return Section("topics", "Topics", [Words(_extremes(findings, means)), figure, TablePart(table)])


def _row(findings: Findings, place: int, of_topic: Floats, mean: float) -> list[Cell]:
    topic = findings.evaluation.topics[place]
    defined = of_topic[~np.isnan(of_topic)]
    deviation = float(defined.std(ddof=1)) if len(defined) > 1 and np.isfinite(defined).all() else np.nan
    cells = [name(topic), count(findings.recall_bases[place]), number(mean), number(deviation)]
    for pick in (np.nanargmax, np.nanargmin):
        if len(defined):
            row = int(pick(of_topic))
            run = readable(findings.evaluation.runs[row])
            alike = int(np.count_nonzero(of_topic == of_topic[row])) - 1
            text = f"{run} and {alike} more" if alike else run
            cells += [number(float(of_topic[row])), Cell(text, opens=(run, readable(topic)))]
        else:
            cells += [number(np.nan), Cell("-")]
    return cells


def _extremes(findings: Findings, means: Floats) -> str:
    order = [place for place in np.argsort(means, kind="stable").tolist() if not np.isnan(means[place])]
    lowest, highest = (
        ", ".join(f"{readable(findings.evaluation.topics[place])} ({means[place]:.3f})" for place in some)
        for some in (order[:EXTREMES], order[::-1][:EXTREMES])
    )
    return f"Lowest means of {findings.main} over runs: topics {lowest}. Highest: {highest}."
