"""Means with marks of significance, as text, LaTeX and Markdown."""

from rankscale.data.marked import MarkedTable
from rankscale.formats.write import latex, markdown
from rankscale.formats.write.text import aligned


def people_table(table: MarkedTable, places: int) -> str:
    """Runs down, for each measure its mean and mark, and what may be said of them below."""
    lines = [["run", *table.measures]]
    for r, run in enumerate(table.runs):
        lines.append([run, *(f"{table.means[m, r]:.{places}f} {marks[r]}" for m, marks in enumerate(table.marks))])
    return "\n".join([aligned(lines, text_columns=len(lines[0])), "", *table.notes])


def latex_table(table: MarkedTable, places: int) -> str:
    """Marks as superscripts, the best of each column in bold, names escaped (booktabs)."""
    lines = [
        r"% \usepackage{booktabs} \usepackage[T1]{fontenc}",
        r"\begin{tabular}{l" + "l" * len(table.measures) + "}",
        r"\toprule",
        " & ".join(["run", *map(latex.escaped, table.measures)]) + r" \\",
        r"\midrule",
    ]
    for r, run in enumerate(table.runs):
        cells = []
        for m in range(len(table.measures)):
            shown = f"{table.means[m, r]:.{places}f}"
            bold = rf"\textbf{{{shown}}}" if r in table.best[m] else shown
            mark = table.marks[m][r]
            cells.append(bold + (rf"\textsuperscript{{{latex.escaped(mark)}}}" if mark else ""))
        lines.append(" & ".join([latex.escaped(run), *cells]) + r" \\")
    notes = [f"% {note}" for note in table.notes]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *notes, ""])


def markdown_table(table: MarkedTable, places: int) -> str:
    """Marks as superscripts, the best of each column in bold, names escaped."""
    lines = ["| run | " + " | ".join(map(markdown.escaped, table.measures)) + " |"]
    lines.append("|:--|" + ":--|" * len(table.measures))
    for r, run in enumerate(table.runs):
        cells = []
        for m in range(len(table.measures)):
            shown = f"{table.means[m, r]:.{places}f}"
            bold = f"**{shown}**" if r in table.best[m] else shown
            mark = table.marks[m][r]
            cells.append(bold + (f"<sup>{markdown.escaped(mark)}</sup>" if mark else ""))
        lines.append("| " + " | ".join([markdown.escaped(run), *cells]) + " |")
    notes = [markdown.escaped(note) for note in table.notes]
    return "\n".join([*lines, "", *notes, ""])
