"""Tables in Markdown."""

from rankscale.data.table import Table
from rankscale.outputs.names import in_markdown
from rankscale.outputs.shown import ShownCell, alignments, shown_rows


def markdown_table(table: Table, places: int) -> str:
    """The best of each column in bold, marks as superscripts, names escaped; notes below."""
    title = [f"**{in_markdown(table.title)}**", ""] if table.title else []
    rules = "".join(":--|" if align == "left" else "--:|" for align in alignments(table))
    lines = [_line(map(in_markdown, table.headings)), f"|{rules}"]
    lines += [_line(map(_cell, row)) for row in shown_rows(table, places)]
    notes = [line for note in table.notes for line in ("", in_markdown(note))]  # a paragraph each
    return "\n".join([*title, *lines, *notes, ""])


def _line(cells: "map[str]") -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(cell: ShownCell) -> str:
    text = in_markdown(cell.text) if cell.is_text else cell.text
    text = f"**{text}**" if cell.bold else text
    return f"{text}<sup>{in_markdown(cell.mark)}</sup>" if cell.mark else text
