"""Tables for people at a terminal: aligned columns."""

from collections.abc import Sequence

from rankscale.data.table import Table
from rankscale.outputs.names import on_terminal
from rankscale.outputs.screen import common_width
from rankscale.outputs.shown import shown_rows


def people_table(table: Table, places: int) -> str:
    """The title, aligned columns, and the notes; text to the left, numbers to the right."""
    rows = [
        [cell.text if cell.mark is None else f"{cell.text} {cell.mark}" for cell in row]
        for row in shown_rows(table, places)
    ]
    lefts = are_left(table)
    parts = [on_terminal(table.title)] * bool(table.title) + [aligned([table.headings, *rows], lefts)]
    return "\n".join([*parts, *["", *map(on_terminal, table.notes)] * bool(table.notes)])


def are_left(table: Table) -> list[bool]:
    """(column,): whether cells stand to the left, as text does unless the column says otherwise."""
    return [
        column.align == "left" if column.align else any(isinstance(cell, str) for cell in column.cells or ())
        for column in table.shown()
    ]


def aligned(rows: Sequence[Sequence[str]], left: Sequence[bool] = (True,)) -> str:
    """Rows in columns of equal width, to the left where `left` says so, else to the right.

    A cell that is very long sticks out, and the others of its column are not filled up to it.

    >>> print(aligned([["run", "AP"], ["bm25", "0.25"]]))
    run     AP
    bm25  0.25
    """
    shown = [[on_terminal(text) for text in row] for row in rows]
    widths = [common_width(map(len, column)) for column in zip(*shown, strict=True)]
    lefts = [*left, *[False] * len(widths)]
    lines = (
        "  ".join(
            text.ljust(width) if lefts[place] else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in shown
    )
    return "\n".join(lines)
