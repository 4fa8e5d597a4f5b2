"""Cells of the tables that are drawn, as numbers."""

import math
from collections.abc import Mapping, Sequence

from rankscale.data.table import Cell, Table


def number(cell: Cell) -> float:
    """A number; NaN for an empty cell."""
    return math.nan if cell is None else float(cell)


def numbers(table: Table, *columns: str) -> list[float]:
    """The numbers of some columns, without those that are undefined."""
    every = (number(cell) for column in columns for cell in table.columns[column])
    return [one for one in every if not math.isnan(one)]


def table_of(rows: Sequence[Mapping[str, Cell]]) -> Table:
    """Rows with the same columns, one at least, as a table."""
    return Table({name: [row[name] for row in rows] for name in rows[0]})
