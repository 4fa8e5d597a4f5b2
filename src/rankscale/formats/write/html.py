"""Tables in HTML, for pages of any style."""

from html import escape

from rankscale.data.table import Table, readable
from rankscale.formats.write.shown import PLACES, Shown, shown_rows


def html_table(table: Table, places: int = PLACES) -> str:
    """All rows; names escaped, marks as superscripts, the title in the caption."""
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.columns)
    rows = shown_rows(table, places)
    body = "".join(f"<tr>{''.join(_cell(cell, place) for place, cell in enumerate(row))}</tr>" for row in rows)
    caption = f"<caption>{_text(table.title)}</caption>" if table.title else ""
    notes = "".join(f"<p>{_text(note)}</p>" for note in table.notes)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _cell(cell: Shown, place: int) -> str:
    mark = f"<sup>{_text(cell.mark)}</sup>" if cell.mark else ""
    return f'<th scope="row">{_text(cell.text)}</th>' if not place else f"<td>{_text(cell.text)}{mark}</td>"


def _text(text: str) -> str:
    return escape(readable(text))
