"""Values as a Markdown table."""

import re

from rankscale.data.table import ValueTable
from rankscale.formats.write.text import means_of

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def escaped(name: str) -> str:
    r"""A name that Markdown shows as it is.

    >>> print(escaped("a_b|c"))
    a\_b\|c
    """
    return _SPECIAL.sub(r"\\\1", "".join(c if c.isprintable() else " " for c in name))


def means_table(table: ValueTable, places: int) -> str:
    """Runs down, measures across, the best of each column in bold."""
    lines = ["| run | topics | " + " | ".join(map(escaped, table.measures)) + " |"]
    lines.append("|:--|--:|" + "--:|" * len(table.measures))
    best = table.best()
    for r, run in enumerate(table.runs):
        over, means = means_of(table, r, places)
        cells = [
            f"**{shown}**" if value == best[m] else shown
            for m, (value, shown) in enumerate(zip(table.means[:, r].tolist(), means, strict=True))
        ]
        lines.append(f"| {escaped(run)} | {over} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
