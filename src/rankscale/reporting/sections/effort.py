"""What gains cost in effort: every ranking a point, which can be chosen, listed and opened."""

from dataclasses import replace
from typing import cast

import numpy as np

from rankscale.data.table import readable
from rankscale.figures.base.figure import Spec
from rankscale.figures.effort_gain import effort_gain_figure
from rankscale.reporting.parts import Choices, Paragraph, Points, Section, drawing
from rankscale.reporting.results import Results
from rankscale.studies.effort_gain import QUADRANTS, EffortGain, effort_gain

SEEN = 6  # decimal places that a plot and its list can use
ALL_RUNS, ALL_QUADRANTS = "all runs", "all quadrants"  # as the page's script spells them


def effort(results: Results) -> Section | None:
    """The effort/gain plot; None where there is no measure of gain, or no ranking for which both are defined."""
    gain = results.gain
    if gain is None or not np.isfinite(results.values(gain) + results.values(results.effort)).any():
        return None
    study = effort_gain(results.evaluation, gain, results.effort)
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
