"""What gains cost in effort: every ranking a point, which can be chosen, listed and opened."""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from rankscale.data.table import readable
from rankscale.figures.base.figure import Spec
from rankscale.figures.effort_gain import effort_gain_figure
from rankscale.reporting.parts import (
    Cell,
    Choices,
    Column,
    Paragraph,
    Points,
    Section,
    Table,
    count,
    drawing,
    name,
    number,
)
from rankscale.reporting.results import Results
from rankscale.stats.tests.base.test import Resampling
from rankscale.studies.effort_gain import SCOPE_SENTENCE, EffortGain, effort_gain
from rankscale.studies.support.effort_grid import QUADRANTS

SEEN = 6  # decimal places that a plot and its list can use
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
    figure = drawing("effort-gain", effort_gain_figure(study, bind_runs=False), results.look)
    datasets = {**cast("Spec", figure.spec["datasets"]), "points": []}  # the page has them already, for its list
    figure = replace(figure, spec={**figure.spec, "datasets": datasets})
    runs = [ALL_RUNS, *map(readable, results.evaluation.runs)]
    lists = [("effort-run", "Run", runs), ("effort-quadrant", "Quadrant", [ALL_QUADRANTS, *QUADRANTS])]
    how = "Drag over the plot, or choose from the lists, to list rankings; the name of a run opens its ranking."
    return Section(
        "effort",
        "Effort and gain",
        [
            Paragraph(_sentence(study)),
            Paragraph(how),
            Choices(lists, ("effort-clear", "Show all")),
            figure,
            Points(str(results.effort), str(gain)),
            Paragraph(_pairs_sentence(study)),
            _pairs_table(study),
        ],
        {"points": _points(study)},
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


def _points(study: EffortGain) -> list[dict[str, object]]:
    """The points as the page's list and plot take them."""
    return [
        {
            "run": readable(str(row["run"])),
            "topic": readable(str(row["topic"])),
            "effort": round(float(row["effort"] or 0), SEEN),
            "gain": round(float(row["gain"] or 0), SEEN),
            "quadrant": row["quadrant"],
        }
        for row in study.table("points")
    ]
