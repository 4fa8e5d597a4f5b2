"""Tables in Markdown."""

import re

from rankscale.data.table import Table
from rankscale.formats.write.shown import Shown, alignments, shown_rows

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def escaped(name: str) -> str:
    r"""A name that Markdown shows as it is.

    >>> print(escaped("a_b|c"))
    a\_b\|c
    """
    return _SPECIAL.sub(r"\\\1", "".join(c if c.isprintable() else " " for c in name))


def markdown_table(table: Table, places: int) -> str:
    """The best of each column in bold, marks as superscripts, names escaped; notes below."""
    title = [f"**{escaped(table.title)}**", ""] if table.title else []
    rules = "".join(":--|" if align == "left" else "--:|" for align in alignments(table))
    lines = [_line(map(escaped, table.columns)), f"|{rules}"]
    lines += [_line(map(_cell, row)) for row in shown_rows(table, places)]
    notes = [line for note in table.notes for line in ("", escaped(note))]  # a paragraph each
    return "\n".join([*title, *lines, *notes, ""])


def _line(cells: "map[str]") -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(cell: Shown) -> str:
    text = escaped(cell.text) if cell.is_text else cell.text
    text = f"**{text}**" if cell.bold else text
    return f"{text}<sup>{escaped(cell.mark)}</sup>" if cell.mark else text
