"""Tables in HTML, for notebooks."""

from html import escape

from rankscale.data.table import Table, readable
from rankscale.formats.write.shown import PLACES, Shown, shown_rows

SHOWN_ROWS = 60  # a notebook's cell is no place for more


def html_table(table: Table, places: int = PLACES, most: int | None = None) -> str:
    """The first `most` rows; names escaped, marks as superscripts, the title in the caption."""
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.columns)
    rows = shown_rows(table, places)
    body = "".join(f"<tr>{''.join(_cell(cell, place) for place, cell in enumerate(row))}</tr>" for row in rows[:most])
    more = len(rows[most:]) if most is not None else 0
    what = "runs" if next(iter(table.columns), "") == "run" else "rows"
    caption = ", ".join([*[_text(table.title)] * bool(table.title), *[f"{more} more {what}"] * (more > 0)])
    caption = f"<caption>{caption}</caption>" if caption else ""
    notes = "".join(f"<p>{_text(note)}</p>" for note in table.notes)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _cell(cell: Shown, place: int) -> str:
    mark = f"<sup>{_text(cell.mark)}</sup>" if cell.mark else ""
    return f'<th scope="row">{_text(cell.text)}</th>' if not place else f"<td>{_text(cell.text)}{mark}</td>"


def _text(text: str) -> str:
    return escape(readable(text))
