"""Places of runs as people are shown them: an interval in one column, in whole places unless runs are tied."""

import math
from collections.abc import Sequence
from dataclasses import replace

from rankscale.data.table import Cell, Style, Table, is_empty

MEAN_ENDS = ("mean_lower", "mean_upper")
PLACE_ENDS = {"place_interval": ("place_lower", "place_upper"), "place_by_tests": ("tested_lower", "tested_upper")}
BY_TESTS = "place_by_tests has the places that the tests leave open; these intervals hold for all runs at once."


def places_shown(table: Table) -> Table:
    """A table of places for people: intervals in one column each, without those that are empty.

    Parameters
    ----------
    table : Table
        Columns `place`, `place_lower`, `place_upper`, `place_expected` and others; `mean_lower`, `mean_upper`,
        `tested_lower` and `tested_upper` may be missing.
    """
    numbers = {name: [_number(cell) for cell in cells] for name, cells in table.columns.items() if _is_end(name)}
    columns: dict[str, Sequence[Cell]] = {name: cells for name, cells in table.columns.items() if not _is_end(name)}
    styles = dict(table.styles)
    if set(MEAN_ENDS) <= set(numbers):
        low, high = (numbers[end] for end in MEAN_ENDS)
        styles["mean"] = Style(ranges=(("[]", low, high),))
    for name, (lower, upper) in PLACE_ENDS.items():
        if lower in numbers and not all(map(math.isnan, numbers[lower])):
            columns[name] = numbers[lower]
            whole = _is_whole([*numbers[lower], *numbers[upper]])
            styles[name] = Style(align="right", places=0 if whole else 1, until=numbers[upper])
    styles["place"] = Style(places=0 if _is_whole([_number(cell) for cell in columns["place"]]) else 1)
    styles["place_expected"] = Style(places=2)
    notes = (*table.notes, BY_TESTS) if "place_by_tests" in columns else table.notes
    return replace(table, columns=_ordered(columns), styles=styles, notes=notes)


def _ordered(columns: dict[str, Sequence[Cell]]) -> dict[str, Sequence[Cell]]:
    """The columns, with the interval of places after the place."""
    names = [name for name in columns if name != "place_interval"]
    if "place_interval" in columns:
        names.insert(names.index("place") + 1, "place_interval")
    return {name: columns[name] for name in names}


def _is_end(name: str) -> bool:
    return name in MEAN_ENDS or any(name in ends for ends in PLACE_ENDS.values())


def _is_whole(places: Sequence[float]) -> bool:
    return all(math.isnan(place) or place % 1 == 0 for place in places)


def _number(cell: Cell) -> float:
    return math.nan if is_empty(cell) else float(cell)  # type: ignore[arg-type]  # these columns hold numbers
