"""Tables of studies as parts of a page: the cells that all other forms show, with keys to sort by."""

from collections.abc import Mapping, Sequence

from rankscale.data.notices import Notice, render
from rankscale.data.table import Cell as Value
from rankscale.data.table import Table as StudyTable
from rankscale.data.table import is_empty, readable
from rankscale.outputs.people import ShownCell, alignments, shown_rows
from rankscale.reporting.parts import PLACES, Bullets, Cell, Column, Part, Table
from rankscale.reporting.results import Results

LONG = 30  # letters; longer texts may take several lines


def page_table(name: str, table: StudyTable, caption: str, about: Mapping[str, str] | None = None) -> Table:
    """A table of a study, its first column as the name of each row; `about` explains columns by their names."""
    sides = alignments(table)
    columns = [
        Column(_words(heading), (about or {}).get(heading, ""), number=side == "right")
        for heading, side in zip(table.headings, sides, strict=True)
    ]
    values = zip(*(column.cells or () for column in table.shown()), strict=True)
    rows = [
        [_cell(*cell, first=not place) for place, cell in enumerate(zip(shown, row, sides, strict=True))]
        for shown, row in zip(shown_rows(table, PLACES), values, strict=True)
    ]
    return Table(name, readable(caption), columns, rows)


def _words(column: str) -> str:
    """The name of a column with blanks; p-values keep theirs, by which sentences call them.

    >>> _words("baseline_mean"), _words("p_NI")
    ('baseline mean', 'p_NI')
    """
    return readable(column if column.startswith("p_") else column.replace("_", " "))


def _cell(shown: ShownCell, value: Value, side: str, *, first: bool) -> Cell:
    """A cell; numbers are sorted by their values, and undefined ones come last."""
    key: float | str | None = None
    if side == "right" and not isinstance(value, str):
        key = "" if value is None or is_empty(value) else value
    style = "number" if side == "right" else "words" if len(shown.text) > LONG else ""
    return Cell(readable(shown.text), key, style=style, is_heading=first)


def own_warnings(results: Results, notices: Sequence[Notice]) -> list[Part]:
    """What a study warns of and the conclusions do not; nothing where that is nothing."""
    known = {*results.evaluation.notices, *results.comparison.notices, *getattr(results.interval, "notices", ())}
    texts = [readable(render(notice)) for notice in dict.fromkeys(notices) if notice not in known]
    return [Bullets(texts, "warnings")] if texts else []
