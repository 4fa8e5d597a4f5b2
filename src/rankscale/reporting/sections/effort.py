"""What gains cost in effort: every ranking a point, which can be chosen, listed and opened."""

from typing import Any

import numpy as np

from rankscale.data.table import readable
from rankscale.figures.effort_gain import effort_gain_figure
from rankscale.reporting.page_data import packed, values_data
from rankscale.reporting.parts import (
    Canvas,
    Cell,
    Column,
    Listing,
    Paragraph,
    Plot,
    Section,
    Table,
    count,
    name,
    number,
)
from rankscale.reporting.results import Results
from rankscale.stats.tests.base.test import Resampling
from rankscale.studies.effort_gain import SCOPE_SENTENCE, EffortGain, effort_gain
from rankscale.studies.effort_gain.quadrants import EFFORTS, GAINS, QUADRANTS, area_of, quadrant_name

HEIGHT = 460  # pixels of the plot
NO_QUADRANT = 255  # where effort or gain is undefined
PAIR_COLUMNS = (
    Column("topics", "overall: all; within: those on which the two rankings stand in one quadrant", number=False),
    Column("pairs", "of runs"),
    Column("differ in gain", "significantly"),
    Column("same direction", "differ significantly in gain and in effort: more gain at less effort"),
    Column("opposite", "differ significantly in gain and in effort: more gain at more effort"),
    Column("gain only", "differ significantly in gain, not in effort"),
    Column("effort only", "differ significantly in effort, not in gain"),
    Column("neither", "differ significantly in neither"),
    Column("not tested", "too few topics"),
    Column("effort too", "share of the pairs that differ in gain and in effort too"),
)
ALL_RUNS, ALL_QUADRANTS = "all runs", "all quadrants"  # as the page's script spells them


def effort(results: Results) -> Section | None:
    """The effort/gain plot; None where there is no measure of gain, or no ranking for which both are defined."""
    gain = results.gain
    if gain is None or not np.isfinite(results.values(gain) + results.values(results.effort)).any():
        return None
    study = effort_gain(results.evaluation, gain, results.effort, pairs=True, **_testing(results))
    figure = effort_gain_figure(study, bind_runs=False)
    canvas = Canvas("effort-gain", readable(figure.title), readable(figure.description), HEIGHT)
    runs = [ALL_RUNS, *map(readable, results.comparison.runs)]
    lists = [("effort-run", "Run", runs), ("effort-quadrant", "Quadrant", [ALL_QUADRANTS, *QUADRANTS])]
    columns = [
        Column("run", number=False),
        Column("topic", number=False),
        Column(str(results.effort), "1 where no effort is wasted, 0 where all of it is"),
        Column(str(gain), "gain"),
        Column("from median", f"{gain} less the median of all runs on the topic", sorted="descending"),
    ]
    listing = Listing("points", "Rankings chosen, those farthest from the median of their topic first", columns)
    how = (
        f"{results.effort} is 1 where no effort is wasted, 0 where all of it is. "
        "Drag over the plot, or choose a quadrant, to list rankings beside it, those farthest from what other runs "
        "have on the topic first; the name of a run opens its ranking."
    )
    return Section(
        "effort",
        "Effort and gain",
        [
            Paragraph(f"{_sentence(study)} {how}"),
            Plot(canvas, lists, listing),
            Paragraph(_pairs_sentence(study)),
            _pairs_table(study),
        ],
        data={**values_data(results), "effort": _points(results, study)},
    )


def _sentence(study: EffortGain) -> str:
    """Shares of rankings by area of the plot."""
    shares = {str(row["area"]): f"{100 * float(row['share'] or 0):.0f} %" for row in study.table("areas")}
    return (
        f"For {shares['diagonal']} of the rankings gain and effort agree; {shares['high-high']} have a high or huge "
        f"gain that costs high or huge effort; {shares['top']} have a huge gain at medium or low effort."
    )


def _testing(results: Results) -> dict[str, Any]:
    """How pairs are tested: as the runs of the report, or by Student's test where that takes all at once or draws."""
    comparison = results.comparison
    if comparison.test.together or isinstance(comparison.test, Resampling):
        return {"alpha": comparison.alpha}
    return {"test": comparison.test, "correction": comparison.correction, "alpha": comparison.alpha}


def _pairs_sentence(study: EffortGain) -> str:
    """What the table of pairs is about, and by which test."""
    (plot,) = study.plots
    about = (
        f"Do differences in {plot.measure} come with differences in {study.effort}? Pairs of runs are tested by both"
    )
    return f"{about} ({study.testing}). {SCOPE_SENTENCE}"


def _pairs_table(study: EffortGain) -> Table:
    """Counts of outcomes: overall, within and across quadrants."""
    rows: list[list[Cell]] = []
    for row in study.table("agreement"):
        _, scope, *counts, too = row.values()
        share = float("nan") if too is None else float(too)
        rows.append([name(str(scope)), *(count(int(one or 0)) for one in counts), number(share, 2)])
    return Table("effort-pairs", "Pairs of runs by their differences in gain and in effort", PAIR_COLUMNS, rows)


def _points(results: Results, study: EffortGain) -> dict[str, object]:
    """Effort, gain and quadrant of each ranking (run, topic), as the page's list and plot take them."""
    (plot,) = study.plots
    row = np.empty(len(results.order), dtype=np.int64)
    row[results.order] = np.arange(len(row))
    shape = len(row), len(results.evaluation.topics)
    effort_values, gains = np.full(shape, np.nan), np.full(shape, np.nan)
    quadrants = np.full(shape, NO_QUADRANT)
    at = row[plot.run], plot.topic
    effort_values[at], gains[at], quadrants[at] = plot.effort, plot.gain, 4 * plot.row + plot.column
    return {
        "effort": packed(effort_values, "f4"),
        "gain": packed(gains, "f4"),
        "quadrants": packed(quadrants, "u1"),
        "names": [str(study.effort), str(plot.measure)],
        "cuts": plot.cuts.tolist(),
        "columns": [f"{name} effort" for name in EFFORTS],
        "rows": [f"{name} gain" for name in GAINS],
        "areas": [[area_of(place, column) for column in range(4)] for place in range(4)],
        "quadrant_names": [quadrant_name(place, column) for place in range(4) for column in range(4)],
    }
