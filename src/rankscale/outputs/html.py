"""Tables in HTML, for pages of any style."""

from rankscale.data.table import Table
from rankscale.outputs.names import in_html
from rankscale.outputs.shown import PLACES, ShownCell, shown_rows


def html_table(table: Table, places: int = PLACES) -> str:
    """All rows; names escaped, marks as superscripts, the title in the caption."""
    head = "".join(f'<th scope="col">{in_html(name)}</th>' for name in table.headings)
    rows = shown_rows(table, places)
    body = "".join(f"<tr>{''.join(_cell(cell, place) for place, cell in enumerate(row))}</tr>" for row in rows)
    caption = f"<caption>{in_html(table.title)}</caption>" if table.title else ""
    notes = "".join(f"<p>{in_html(note)}</p>" for note in table.notes)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _cell(cell: ShownCell, place: int) -> str:
    mark = f"<sup>{in_html(cell.mark)}</sup>" if cell.mark else ""
    return f'<th scope="row">{in_html(cell.text)}</th>' if not place else f"<td>{in_html(cell.text)}{mark}</td>"
