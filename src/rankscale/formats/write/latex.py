r"""Values as a LaTeX table (booktabs)."""

from rankscale.data.table import ValueTable
from rankscale.formats.write.text import means_of

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # Braces keep these from being read as an option of the line before, or joined to longer dashes and quotes.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "-": "{-}",
    "'": "{'}",
    "`": "{`}",
    ",": "{,}",
}


def escaped(name: str) -> str:
    r"""A name that LaTeX sets as it is; no command in it is carried out.

    >>> print(escaped(r"bm25_k1\input{x}"))
    bm25\_k1\textbackslash{}input\{x\}
    """
    return "".join(_ESCAPES.get(c, c) if c.isprintable() else " " for c in name)


def means_table(table: ValueTable, places: int) -> str:
    """Runs down, measures across, the best of each column in bold."""
    best = table.best()
    lines = [
        r"% \usepackage{booktabs} \usepackage[T1]{fontenc}",
        r"\begin{tabular}{lr" + "r" * len(table.measures) + "}",
        r"\toprule",
        " & ".join(["run", "topics", *map(escaped, table.measures)]) + r" \\",
        r"\midrule",
    ]
    for r, run in enumerate(table.runs):
        over, means = means_of(table, r, places)
        cells = [
            rf"\textbf{{{shown}}}" if value == best[m] else shown
            for m, (value, shown) in enumerate(zip(table.means[:, r].tolist(), means, strict=True))
        ]
        lines.append(" & ".join([escaped(run), str(over), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])
