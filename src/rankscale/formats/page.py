"""Values as an HTML table, for notebooks."""

from html import escape

from rankscale.data.table import ValueTable, readable
from rankscale.formats.text import cells_of

SHOWN_RUNS = 60  # a notebook's cell is no place for more


def means_table(table: ValueTable, places: int = 4) -> str:
    """Runs down, measures across; names escaped."""
    head = "".join(f'<th scope="col">{escape(readable(name))}</th>' for name in ("run", "topics", *table.measures))
    rows = []
    for r, run in enumerate(table.runs[:SHOWN_RUNS]):
        values = "".join(f"<td>{text}</td>" for text in cells_of(table, table.means[:, r], places))
        counted = table.counted[:, r].max(initial=0)
        rows.append(f'<tr><th scope="row">{escape(readable(run))}</th><td>{counted}</td>{values}</tr>')
    more = len(table.runs) - SHOWN_RUNS
    note = f"<caption>{more} more runs</caption>" if more > 0 else ""
    return f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
