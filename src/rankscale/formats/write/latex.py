"""Tables in LaTeX (booktabs)."""

import re

from rankscale.data.table import Table
from rankscale.formats.write.shown import Shown, alignments, shown_rows

_NEGATIVE = re.compile(r"(?<![\w.])-([\d.]+(e[-+]\d+)?|inf)")
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


def latex_table(table: Table, places: int) -> str:
    """The best of each column in bold, marks as superscripts, names escaped; title and notes as comments."""
    lines = [
        r"% \usepackage{booktabs} \usepackage[T1]{fontenc}",
        *([_comment(table.title)] if table.title else []),
        rf"\begin{{tabular}}{{{''.join(align[0] for align in alignments(table))}}}",
        r"\toprule",
        " & ".join(map(escaped, table.columns)) + r" \\",
        r"\midrule",
        *(" & ".join(map(_cell, row)) + r" \\" for row in shown_rows(table, places)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*lines, *map(_comment, table.notes), ""])


def _comment(text: str) -> str:
    return f"% {' '.join(text.splitlines())}"


def _cell(cell: Shown) -> str:
    """Numbers with a real minus sign, text escaped."""
    text = escaped(cell.text) if cell.is_text else _NEGATIVE.sub(r"$\g<0>$", cell.text)
    text = rf"\textbf{{{text}}}" if cell.bold else text
    return text + (rf"\textsuperscript{{{escaped(cell.mark)}}}" if cell.mark else "")
