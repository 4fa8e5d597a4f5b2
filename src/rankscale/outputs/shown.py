"""Cells of tables as people read them: what the aligned, Markdown, LaTeX and HTML forms share."""

from collections.abc import Sequence
from typing import NamedTuple

from rankscale.data.table import Cell, Style, Table, is_empty, kind

PLACES = 4  # decimals, unless others are requested


class Shown(NamedTuple):
    """One cell."""

    text: str
    is_text: bool  # a name or nothing, rather than a number
    bold: bool = False
    mark: str | None = None  # None where the column has no marks
    faint: bool = False
    tone: str = ""  # of a verdict: good, odd, bad


def shown_rows(table: Table, places: int) -> list[tuple[Shown, ...]]:
    """The rows, cell by cell."""
    columns = [_shown(cells, table.styles.get(name, Style()), places) for name, cells in table.columns.items()]
    return list(zip(*columns, strict=True))


def alignments(table: Table) -> list[str]:
    """`left` or `right` for each column."""
    styles = [table.styles.get(name, Style()).align for name in table.columns]
    kinds = ["right" if kind(cells) in {int, float} else "left" for cells in table.columns.values()]
    return [align or by_kind for align, by_kind in zip(styles, kinds, strict=True)]


def best_stands_out(cells: Sequence[Shown]) -> bool:
    """Whether it helps to show the best of a column in bold: not where most rows are."""
    return 2 * sum(cell.bold for cell in cells) <= len(cells) or len(cells) == 1


def _shown(cells: Sequence[Cell], style: Style, places: int) -> list[Shown]:
    column = []
    places = places if style.places is None else style.places
    for row, cell in enumerate(cells):
        text = cell if isinstance(cell, str) else number(cell, places, style)
        if style.until and not is_empty(style.until[row]) and style.until[row] != cell:
            text += f" to {number(style.until[row], places, style)}"
        for brackets, lower, upper in style.ranges:
            if not is_empty(lower[row]):
                text += f" {brackets[0]}{lower[row]:.{places}f}, {number(upper[row], places, style)}{brackets[1]}"
        if style.errors and style.errors[row] > 0:
            text += f" ±{number(style.errors[row], places, Style())}"
        text += style.suffixes[row] if style.suffixes else ""
        mark = None if style.marks is None else style.marks[row]
        tone = style.tones[row] if style.tones else ""
        is_text = isinstance(cell, str) or cell is None
        column.append(Shown(text, is_text, row in style.best, mark, row in style.faint, tone))
    return column


def number(cell: float | None, places: int, style: Style) -> str:
    """A number; a dash where there is none."""
    if cell is None or is_empty(cell):
        return "-"
    if isinstance(cell, float):
        hidden = not style.plain and 0 < abs(cell) < 10.0**-places  # would be shown as 0, which it is not
        return f"{cell:.1e}" if hidden else f"{cell:.{places}f}"
    return str(cell) if style.plain else f"{cell:,}"
