"""Tables for people: cells as they are read, and the table as aligned text, in Markdown, in HTML and in LaTeX."""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from rankscale.data.table import Cell, Column, Table, is_empty, kind
from rankscale.errors import ParameterError
from rankscale.outputs.names import in_html, in_latex, in_markdown, on_terminal
from rankscale.outputs.screen import common_width

PLACES = 4  # decimals, unless others are requested


class ShownCell(NamedTuple):
    """One cell."""

    text: str
    is_text: bool  # a name or nothing, rather than a number
    bold: bool = False
    mark: str | None = None  # None where the column has no marks
    faint: bool = False
    tone: str = ""  # of a verdict: good, odd, bad

    @property
    def marked(self) -> str:
        """The text with its mark, where marks cannot be superscripts."""
        return self.text if self.mark is None else f"{self.text} {self.mark}"


def shown_rows(table: Table, places: int) -> list[tuple[ShownCell, ...]]:
    """The rows that people see, cell by cell."""
    return list(zip(*(shown_cells(column, places) for column in table.shown()), strict=True))


def alignments(table: Table) -> list[str]:
    """`left` or `right` for each column that people see."""
    return [
        column.align or ("right" if kind(column.cells or ()) in {int, float} else "left") for column in table.shown()
    ]


def best_stands_out(cells: Sequence[ShownCell]) -> bool:
    """Whether it helps to show the best of a column in bold: not where most rows are."""
    return 2 * sum(cell.bold for cell in cells) <= len(cells) or len(cells) == 1


def shown_cells(column: Column, places: int) -> list[ShownCell]:
    """The cells of a column that `Table.shown` has resolved."""
    made = []
    places = places if column.digits is None else column.digits
    for row, cell in enumerate(column.cells or ()):
        text = cell if isinstance(cell, str) else number(cell, places, plain=column.plain)
        if column.until and not is_empty(column.until[row]) and column.until[row] != cell:
            text += f" to {number(column.until[row], places, plain=column.plain)}"
        for brackets, (lower, upper) in column.ranges.items():
            if not is_empty(lower[row]):
                low, high = number(lower[row], places, plain=True), number(upper[row], places, plain=column.plain)
                text += f" {brackets[0]}{low}, {high}{brackets[1]}"
        if column.errors and not is_empty(column.errors[row]) and column.errors[row]:
            text += f" ±{number(column.errors[row], places)}"
        text += column.suffixes[row] if column.suffixes else ""
        mark = None if column.marks is None else column.marks[row]
        tone = column.tones[row] if column.tones else ""
        is_text = isinstance(cell, str) or cell is None
        made.append(ShownCell(text, is_text, row in column.best, mark, row in column.faint, tone))
    return made


def number(cell: Cell, places: int, *, plain: bool = False) -> str:
    """A number; a dash where there is none."""
    if is_empty(cell):
        return "-"
    if isinstance(cell, float):
        hidden = not plain and 0 < abs(cell) < 10.0**-places  # would be shown as 0, which it is not
        return f"{cell:.1e}" if hidden else f"{cell:.{places}f}"
    return str(cell) if plain else f"{cell:,}"


def people_table(table: Table, places: int) -> str:
    """The title, aligned columns, and the notes; text to the left, numbers to the right."""
    rows = [[cell.marked for cell in row] for row in shown_rows(table, places)]
    title = [on_terminal(table.title)] if table.title else []
    notes = ["", *map(on_terminal, table.notes)] if table.notes else []
    return "\n".join([*title, aligned([table.headings, *rows], are_left(table)), *notes])


def are_left(table: Table) -> list[bool]:
    """(column,): whether cells stand to the left, as text does unless the column says otherwise."""
    return [
        column.align == "left" if column.align else any(isinstance(cell, str) for cell in column.cells or ())
        for column in table.shown()
    ]


def aligned(rows: Sequence[Sequence[str]], left: Sequence[bool] = (True,)) -> str:
    """Rows in columns of equal width, to the left where `left` says so, else to the right.

    A cell that is very long sticks out, and the others of its column are not filled up to it.

    >>> print(aligned([["run", "AP"], ["bm25", "0.25"]]))
    run     AP
    bm25  0.25
    """
    shown = [[on_terminal(text) for text in row] for row in rows]
    widths = [common_width(map(len, column)) for column in zip(*shown, strict=True)]
    lefts = [*left, *[False] * len(widths)]
    lines = []
    for row in shown:
        cells = zip(row, widths, lefts, strict=False)
        filled = (text.ljust(width) if left else text.rjust(width) for text, width, left in cells)
        lines.append("  ".join(filled).rstrip())
    return "\n".join(lines)


def markdown_table(table: Table, places: int) -> str:
    """The best of each column in bold, marks as superscripts, names escaped; notes below."""
    title = [f"**{in_markdown(table.title)}**", ""] if table.title else []
    rules = "".join(":--|" if align == "left" else "--:|" for align in alignments(table))
    lines = [_markdown_line(map(in_markdown, table.headings)), f"|{rules}"]
    lines += [_markdown_line(map(_markdown_cell, row)) for row in shown_rows(table, places)]
    notes = [line for note in table.notes for line in ("", in_markdown(note))]  # a paragraph each
    return "\n".join([*title, *lines, *notes, ""])


def _markdown_line(cells: "map[str]") -> str:
    return "| " + " | ".join(cells) + " |"


def _markdown_cell(cell: ShownCell) -> str:
    text = in_markdown(cell.text) if cell.is_text else cell.text
    text = f"**{text}**" if cell.bold else text
    return f"{text}<sup>{in_markdown(cell.mark)}</sup>" if cell.mark else text


def html_table(table: Table, places: int = PLACES) -> str:
    """All rows; names escaped, marks as superscripts, the title in the caption."""
    head = "".join(f'<th scope="col">{in_html(name)}</th>' for name in table.headings)
    rows = shown_rows(table, places)
    body = "".join(f"<tr>{''.join(_html_cell(cell, place) for place, cell in enumerate(row))}</tr>" for row in rows)
    caption = f"<caption>{in_html(table.title)}</caption>" if table.title else ""
    notes = "".join(f"<p>{in_html(note)}</p>" for note in table.notes)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _html_cell(cell: ShownCell, place: int) -> str:
    mark = f"<sup>{in_html(cell.mark)}</sup>" if cell.mark else ""
    return f'<th scope="row">{in_html(cell.text)}</th>' if not place else f"<td>{in_html(cell.text)}{mark}</td>"


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
        *(" & ".join(map(_latex_cell, row)) + ROW_END for row in shown_rows(table, places)),
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
        rules = r"its braces match, and a percent sign is written \%"
        raise ParameterError(f"a caption is LaTeX: {rules}; got {caption!r}")
    head = [r"\begin{table}", r"\centering", rf"\caption{{{' '.join(caption.split())}}}"]
    head += [rf"\label{{{label}}}"] if label else []
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


def _latex_cell(cell: ShownCell) -> str:
    """Numbers with a real minus sign, text escaped."""
    text = in_latex(cell.text) if cell.is_text else _NEGATIVE.sub(r"$\g<0>$", _BRACE.sub(r"\\\g<0>", cell.text))
    text = rf"\textbf{{{text}}}" if cell.bold else text
    return text + (rf"\textsuperscript{{{in_latex(cell.mark)}}}" if cell.mark else "")
