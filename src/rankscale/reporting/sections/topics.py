"""Which topics are easy and which are hard, and for whom."""

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import mean_of_defined
from rankscale.data.names import counted
from rankscale.data.table import readable
from rankscale.reporting.page_data import packed, values_data
from rankscale.reporting.parts import Canvas, Column, Listing, Paragraph, Section
from rankscale.reporting.results import Results

EXTREMES = 3  # topics named as hardest and as easiest
MAP_HEIGHT, LEAST_HEIGHT = 560, 120  # of the heat map
ROW = 16  # pixels of a run, where there is room
AXIS = 90  # pixels below for the names of topics and the key
HIGHEST, LOWEST = Column("highest", "value of a run"), Column("lowest", "value of a run")


def topics(results: Results) -> Section:
    """A heat map of all values, and one row for each topic, which the page fills from the values."""
    values = results.values(results.main)
    means = mean_of_defined(values)
    opens = "opens its ranking" if results.has_rankings else ""
    columns = [
        Column("topic", number=False),
        *([Column("relevant", "relevant documents known")] if results.has_rankings else []),
        Column("mean", "over runs", sorted="ascending"),
        Column("deviation", "standard deviation over runs: where it is high, the topic tells runs apart"),
        HIGHEST,
        Column("run with highest", opens, number=False),
        LOWEST,
        Column("run with lowest", opens, number=False),
    ]
    caption = f"{counted(len(means), 'topic')} by mean {results.main} over runs, the lowest first"
    table = Listing("topics-table", caption, columns, "Find a topic")
    height = min(MAP_HEIGHT, max(LEAST_HEIGHT, ROW * len(values))) + AXIS
    canvas = Canvas("topic-map", _title(results), f"{_title(results)}. {_extremes(results, means)}", height)
    data: dict[str, object] = {**values_data(results)}
    if results.has_rankings:
        lowest = results.rel if results.main.threshold is None else results.main.threshold
        data["relevant"] = packed(np.array(results.relevant(lowest)), "i4")
    return Section("topics", "Topics", [Paragraph(_extremes(results, means)), canvas, table], data=data)


def _title(results: Results) -> str:
    runs, count = counted(len(results.evaluation.runs), "run"), counted(len(results.evaluation.topics), "topic")
    return f"{results.main} by run and topic: {runs}, the best first, and {count}, the easiest first"


def _extremes(results: Results, means: Floats) -> str:
    order = [place for place in np.argsort(means, kind="stable").tolist() if not np.isnan(means[place])]
    lowest, highest = (
        ", ".join(f"{readable(results.evaluation.topics[place])} ({means[place]:.3f})" for place in some)
        for some in (order[:EXTREMES], order[::-1][:EXTREMES])
    )
    return f"Lowest means of {results.main} over runs: topics {lowest}. Highest: {highest}."
