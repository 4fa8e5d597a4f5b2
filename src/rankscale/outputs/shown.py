"""Cells of tables as people read them: what the aligned, Markdown, LaTeX and HTML forms share."""

from collections.abc import Sequence
from typing import NamedTuple

from rankscale.data.table import Cell, Column, Table, is_empty, kind

PLACES = 4  # decimals, unless others are requested


class ShownCell(NamedTuple):
    """One cell."""

    text: str
    is_text: bool  # a name or nothing, rather than a number
    bold: bool = False
    mark: str | None = None  # None where the column has no marks
    faint: bool = False
    tone: str = ""  # of a verdict: good, odd, bad


def shown_rows(table: Table, places: int) -> list[tuple[ShownCell, ...]]:
    """The rows that people see, cell by cell."""
    return list(zip(*(shown_cells(column, places) for column in table.shown()), strict=True))


def alignments(table: Table) -> list[str]:
    """`left` or `right` for each column that people see."""
    return [
        column.align or ("right" if kind(column.cells or ()) in {int, float} else "left") for column in table.shown()
    ]


def best_stands_out(cells: Sequence[ShownCell]) -> bool:
    """Whether it helps to show the best of a column in bold: not where most rows are."""
    return 2 * sum(cell.bold for cell in cells) <= len(cells) or len(cells) == 1


def shown_cells(column: Column, places: int) -> list[ShownCell]:
    """The cells of a column that `Table.shown` has resolved."""
    made = []
    places = places if column.digits is None else column.digits
    for row, cell in enumerate(column.cells or ()):
        text = cell if isinstance(cell, str) else number(cell, places, plain=column.plain)
        if column.until and not is_empty(column.until[row]) and column.until[row] != cell:
            text += f" to {number(column.until[row], places, plain=column.plain)}"
        for brackets, (lower, upper) in column.ranges.items():
            if not is_empty(lower[row]):
                low, high = number(lower[row], places, plain=True), number(upper[row], places, plain=column.plain)
                text += f" {brackets[0]}{low}, {high}{brackets[1]}"
        if column.errors and not is_empty(column.errors[row]) and column.errors[row]:
            text += f" ±{number(column.errors[row], places)}"
        text += column.suffixes[row] if column.suffixes else ""
        mark = None if column.marks is None else column.marks[row]
        tone = column.tones[row] if column.tones else ""
        is_text = isinstance(cell, str) or cell is None
        made.append(ShownCell(text, is_text, row in column.best, mark, row in column.faint, tone))
    return made


def number(cell: Cell, places: int, *, plain: bool = False) -> str:
    """A number; a dash where there is none."""
    if is_empty(cell):
        return "-"
    if isinstance(cell, float):
        hidden = not plain and 0 < abs(cell) < 10.0**-places  # would be shown as 0, which it is not
        return f"{cell:.1e}" if hidden else f"{cell:.{places}f}"
    return str(cell) if plain else f"{cell:,}"
