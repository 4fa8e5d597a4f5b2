"""Sparklines of runs: the values of each run by topic as a row of blocks, beside its mean."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.sparklines import Sparklines
from rankscale.data.table import Column, Table

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation

BY_TOPIC = "by topic"


def with_sparklines(table: Table, evaluation: "Evaluation") -> Table:
    """A table of means with the values by topic after each mean, and a note that says how they are read.

    Topics are in the order of the mean over all runs, the highest first, which is the same in every row, so that a run
    that does well where others do not stands out. All rows of a measure have the same limits.
    """
    view: list[Column] = []
    notes = []
    measures = {str(measure): m for m, measure in enumerate(evaluation.measures)}
    for column in table.shown():
        view.append(column)
        if (name := column.name) in measures:
            lines = sparklines_of(np.where(evaluation.retrieved, evaluation.values[measures[name]], np.nan))
            view.append(Column(f"{name} {BY_TOPIC}", cells=lines.text(), align="left", sparklines=lines))
            notes.append(f"{name} {lines.lowest:.4g} to {lines.highest:.4g}")
    how = (
        "By topic: values from the topic with the highest mean over all runs to that with the lowest, a block for one "
        f"topic or for the mean of a few; from the lowest to the highest block {', '.join(notes)}."
    )
    return replace(table, view=view, notes=(*table.notes, how))


def sparklines_of(values: Floats) -> Sparklines:
    """Sparklines of one measure.

    Parameters
    ----------
    values : array (run, topic)
        NaN where a run has no value.

    Returns
    -------
    Sparklines
        A row for each run; between 0, or the lowest value where that is below, and the highest.
    """
    finite = np.where(np.isfinite(values), values, np.nan)
    counts = np.count_nonzero(~np.isnan(finite), axis=0)
    means = np.nansum(finite, axis=0) / np.maximum(counts, 1)
    order = np.argsort(np.where(counts > 0, -means, np.inf), kind="stable")
    known = finite[~np.isnan(finite)]
    lowest, highest = min(0.0, float(known.min(initial=0.0))), float(known.max(initial=0.0))
    return Sparklines(finite[:, order].tolist(), lowest, highest)
