"""Tables in LaTeX (booktabs)."""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate

from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.outputs.names import in_latex
from rankscale.outputs.shown import ShownCell, alignments, shown_rows

_BRACE = re.compile(r"[{}]")
_NEGATIVE = re.compile(r"(?<![\w.])-([\d.]+(e[-+]\d+)?|inf)")
LABEL = re.compile(r"[\w:./-]+", re.ASCII)
ROW_END = r" \\"


def latex_table(table: Table, places: int) -> str:
    """The best of each column in bold, marks as superscripts, names escaped; title and notes as comments."""
    lines = [
        r"% \usepackage{booktabs} \usepackage[T1]{fontenc}",
        *([_comment(table.title)] if table.title else []),
        rf"\begin{{tabular}}{{{''.join(align[0] for align in alignments(table))}}}",
        r"\toprule",
        " & ".join(map(in_latex, table.headings)) + ROW_END,
        r"\midrule",
        *(" & ".join(map(_cell, row)) + ROW_END for row in shown_rows(table, places)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*lines, *map(_comment, table.notes), ""])


def in_environment(text: str, caption: str | None = None, label: str | None = None) -> str:
    r"""Tables in a table environment of LaTeX, with a caption and a label; as they are if there is neither.

    Parameters
    ----------
    text
        One or several tables, as `latex_table` writes them.
    caption
        LaTeX, taken as it is: percent signs and underscores are escaped by whoever writes it.
    label
        What `\ref` refers to, such as `tab:means`; it needs a caption, which has the number.

    Raises
    ------
    ParameterError
        If the braces of the caption do not match or a comment starts in it, if a label has other characters than
        letters, digits and `:.-_/`, or if it has no caption.

    Examples
    --------
    >>> print(in_environment("...\n", "Means of three runs.", "tab:means"), end="")
    \begin{table}
    \centering
    \caption{Means of three runs.}
    \label{tab:means}
    ...
    \end{table}
    """
    if label is not None and not LABEL.fullmatch(label):
        raise ParameterError(f"label must be letters, digits and any of :.-_/ such as tab:means, got {label!r}")
    if caption is None:
        if label is not None:
            raise ParameterError("a label refers to the number of a caption: give a caption too")
        return text
    if not _is_closed(caption):
        raise ParameterError(
            f"a caption is LaTeX: its braces match, and a percent sign is written \\%; got {caption!r}"
        )
    head = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{' '.join(caption.split())}}}",
        *([rf"\label{{{label}}}"] if label else []),
    ]
    return "\n".join([*head, text + r"\end{table}", ""])


def _is_closed(text: str) -> bool:
    """Whether braces match, and no comment or backslash swallows the one that ends the caption."""
    bare = re.sub(r"\\.", "", text)
    depths = list(accumulate((c == "{") - (c == "}") for c in bare))
    return min(depths, default=0) == 0 and sum(depths[-1:]) == 0 and not re.search(r"[%\\]", bare)


def with_citations(text: str, keys: Mapping[str, Sequence[str]]) -> str:
    r"""Tables whose measures are followed by `\cite`: in headings, and in the columns called measure.

    Parameters
    ----------
    text
        Tables, as `latex_table` writes them.
    keys
        The keys of the works that each measure is from, by the measure's name.
    """
    cited = {in_latex(name): rf"~\cite{{{','.join(of)}}}" for name, of in keys.items() if of}
    lines, is_heading, places = [], False, list[int]()
    for line in text.removesuffix("\n").split("\n"):
        if line.endswith(ROW_END):
            cells = line.removesuffix(ROW_END).split(" & ")
            if is_heading:
                places = [place for place, cell in enumerate(cells) if cell == "measure"]
            chosen = range(len(cells)) if is_heading else places
            cells = [cell + cited.get(cell, "") if place in chosen else cell for place, cell in enumerate(cells)]
            lines.append(" & ".join(cells) + ROW_END)
        else:
            lines.append(line)
        is_heading = line == r"\toprule"
    return "\n".join([*lines, ""])


def _comment(text: str) -> str:
    return f"% {''.join(c if c.isprintable() else ' ' for c in ' '.join(text.splitlines()))}"


def _cell(cell: ShownCell) -> str:
    """Numbers with a real minus sign, text escaped."""
    text = in_latex(cell.text) if cell.is_text else _NEGATIVE.sub(r"$\g<0>$", _BRACE.sub(r"\\\g<0>", cell.text))
    text = rf"\textbf{{{text}}}" if cell.bold else text
    return text + (rf"\textsuperscript{{{in_latex(cell.mark)}}}" if cell.mark else "")
