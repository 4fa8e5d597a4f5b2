"""Values as a Markdown table."""

import re

import numpy as np

from rankscale.data.table import ValueTable
from rankscale.formats.text import cells_of

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
    best = np.nanmax(table.means, axis=1, initial=-np.inf)
    for r, run in enumerate(table.runs):
        cells = [
            f"**{shown}**" if value == best[m] else shown
            for m, (value, shown) in enumerate(
                zip(table.means[:, r].tolist(), cells_of(table, table.means[:, r], places), strict=True)
            )
        ]
        lines.append(f"| {escaped(run)} | {table.counted[:, r].max(initial=0)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
