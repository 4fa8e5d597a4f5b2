"""Values as an HTML table, for notebooks."""

from html import escape

from rankscale.data.table import ValueTable, readable
from rankscale.formats.write.text import means_of

SHOWN_RUNS = 60  # a notebook's cell is no place for more


def means_table(table: ValueTable, places: int = 4) -> str:
    """Runs down, measures across; names escaped."""
    head = "".join(f'<th scope="col">{escape(readable(name))}</th>' for name in ("run", "topics", *table.measures))
    rows = []
    for r, run in enumerate(table.runs[:SHOWN_RUNS]):
        over, means = means_of(table, r, places)
        values = "".join(f"<td>{text}</td>" for text in means)
        rows.append(f'<tr><th scope="row">{escape(readable(run))}</th><td>{over}</td>{values}</tr>')
    more = len(table.runs) - SHOWN_RUNS
    note = f"<caption>{more} more runs</caption>" if more > 0 else ""
    return f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
