"""Sparklines of runs: the values of each run by topic as a row of blocks, beside its mean."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.table import Cell, Style, Table
from rankscale.outputs.sparkline import Sparks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscale.evaluation.result import Evaluation

BY_TOPIC = "by topic"


def with_sparklines(table: Table, evaluation: "Evaluation") -> Table:
    """A table of means with the values by topic after each mean, and a note that says how they are read.

    Topics are in the order of the mean over all runs, the highest first, which is the same in every row, so that a run
    that does well where others do not stands out. All rows of a measure have the same limits.
    """
    columns: dict[str, Sequence[Cell]] = {}
    styles, notes = dict(table.styles), []
    measures = {str(measure): m for m, measure in enumerate(evaluation.measures)}
    for name, cells in table.columns.items():
        columns[name] = cells
        if name not in measures:
            continue
        sparks = sparks_of(np.where(evaluation.retrieved, evaluation.values[measures[name]], np.nan))
        added = f"{name} {BY_TOPIC}"
        columns[added] = sparks.text()
        styles[added] = Style("left", sparks=sparks)
        notes.append(f"{name} {sparks.lowest:.4g} to {sparks.highest:.4g}")
    how = (
        "By topic: values from the topic with the highest mean over all runs to that with the lowest, a block for one "
        f"topic or for the mean of a few; from the lowest to the highest block {', '.join(notes)}."
    )
    return replace(table, columns=columns, styles=styles, notes=(*table.notes, how))


def sparks_of(values: Floats) -> Sparks:
    """Sparklines of one measure.

    Parameters
    ----------
    values : array (run, topic)
        NaN where a run has no value.

    Returns
    -------
    Sparks
        A row for each run; between 0, or the lowest value where that is below, and the highest.
    """
    finite = np.where(np.isfinite(values), values, np.nan)
    counts = np.count_nonzero(~np.isnan(finite), axis=0)
    means = np.nansum(finite, axis=0) / np.maximum(counts, 1)
    order = np.argsort(np.where(counts > 0, -means, np.inf), kind="stable")
    known = finite[~np.isnan(finite)]
    lowest, highest = min(0.0, float(known.min(initial=0.0))), float(known.max(initial=0.0))
    return Sparks(finite[:, order].tolist(), lowest, highest)
