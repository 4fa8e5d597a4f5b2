"""Places of the runs of a comparison: by draws of topics, and by its tests."""

from collections.abc import Sequence

import numpy as np

from rankscale.data.arguments import DRAWS, Draws
from rankscale.data.arrays import Floats
from rankscale.data.table import Cell, Table
from rankscale.evaluation.tables import MEAN_ENDS
from rankscale.stats.comparison import Comparison
from rankscale.stats.ranking_confidence import places_by_tests
from rankscale.stats.resampling.confidence import SHARES, drawn, place_columns, words_of_draws
from rankscale.stats.tests.base.test import complete

TESTED = ("tested_lower", "tested_upper")
ALL_AT_ONCE = ("holm", "bonferroni")  # corrections under which tested places hold for all runs


def places_table(comparisons: Sequence[Comparison], draws: Draws = DRAWS, seed: int = 0) -> Table:
    """One row for each comparison and run: its mean with the interval, place, interval of places, share first.

    Places by tests are there where all pairs were compared and the correction keeps the chance of any false difference.
    """
    columns: dict[str, list[Cell]] = {}
    for one in comparisons:
        values = complete(one.all_values)
        if not len(values):
            continue
        of = drawn(one.measure, values, draws, seed)
        ends = np.array([interval.percentile for interval in of.intervals(one.confidence)]).T
        numbers: dict[str, Floats] = {"mean": of.means, **dict(zip(MEAN_ENDS, ends, strict=True))}
        numbers |= place_columns(of.places(), one.confidence)
        tested = one.baseline is None and (one.results.corrected or one.correction in ALL_AT_ONCE)
        nothing = np.full(len(one.runs), np.nan)
        both = places_by_tests(one, one.runs) if tested else (nothing, nothing)
        numbers |= dict(zip(TESTED, both, strict=True))
        names = {"measure": str(one.measure), "test": one.test.name}
        for name, text in names.items():
            columns.setdefault(name, []).extend([text] * len(one.runs))
        columns.setdefault("run", []).extend(one.runs)
        for name, cells in numbers.items():
            columns.setdefault(name, []).extend(cells.tolist())
    return Table(columns, {"draws": draws, "seed": seed}, notes=(SHARES.format(draws=words_of_draws(draws, seed)),))
