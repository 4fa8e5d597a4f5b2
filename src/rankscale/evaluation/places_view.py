"""Places of runs as people are shown them: an interval in one column, in whole places unless runs are tied."""

import math
from collections.abc import Sequence
from dataclasses import replace

from rankscale.data.table import Cell, Column, Table, is_empty

LABELS = {"place": "place_interval", "tested": "place_by_tests"}  # of places from a lower to an upper one
BY_TESTS = "place_by_tests has the places that the tests leave open; these intervals hold for all runs at once."


def places_shown(table: Table) -> Table:
    """A table of places, for people with intervals in one column each, without those that are empty.

    Parameters
    ----------
    table : Table
        Columns `place`, `place_lower`, `place_upper`, `place_expected` and others; `mean_lower`, `mean_upper`,
        `tested_lower` and `tested_upper` may be missing.
    """
    columns = table.columns
    declared = [Column("place", digits=_digits(columns["place"])), Column("place_expected", digits=2)]
    if "mean_lower" in columns:
        declared.append(Column("mean", interval=("mean_lower", "mean_upper")))
    empty = [which for which in LABELS if all(map(is_empty, columns.get(f"{which}_lower", ())))]
    declared += [_from_to(table, which) for which in LABELS if which not in empty]
    made = table.with_columns(*declared).without(*(f"{which}_{end}" for which in empty for end in ("lower", "upper")))
    return made if "tested" in empty else replace(made, notes=(*table.notes, BY_TESTS))


def _from_to(table: Table, which: str) -> Column:
    """The column of an interval of places: `4 to 7`."""
    lower, upper = f"{which}_lower", f"{which}_upper"
    digits = _digits([*table.columns[lower], *table.columns[upper]])
    return Column(lower, LABELS[which], align="right", digits=digits, until=upper)


def _digits(places: Sequence[Cell]) -> int:
    """Decimals: none where all places are whole."""
    numbers = [float(str(place)) for place in places if not is_empty(place)]
    return 0 if all(number % 1 == 0 or math.isnan(number) for number in numbers) else 1
