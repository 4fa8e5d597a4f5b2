"""TabularResult: the methods that all results share, which give their tables in any form; Page: one in a notebook."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from rankscale.data.extensions import FORMS, extensions, function_of_form
from rankscale.data.table import Table, readable
from rankscale.errors import ParameterError
from rankscale.outputs import frames, people, text
from rankscale.outputs.blocks import Matrix, Printable, PrintedFacts, written
from rankscale.outputs.files import BY_ENDING, write_chunks
from rankscale.outputs.people import PLACES, ShownCell, alignments, best_stands_out, shown_rows
from rankscale.outputs.pictures import Picture, dots_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


WRITERS: Mapping[str, Callable[[Table, int], str]] = {
    "latex": people.latex_table,
    "markdown": people.markdown_table,
    "html": people.html_table,
}


class TabularResult:
    """A result that consists of tables. Where there are several, `table` names one; by default it is the first."""

    def table(self, name: str | None = None) -> Table:
        """One table, with its provenance."""
        raise NotImplementedError(f"{type(self).__name__} must define table()")

    def views(self, name: str | None = None) -> Sequence[Table]:
        """The tables that people are shown: in text, Markdown, LaTeX and HTML."""
        return [self.table(name)]

    def blocks(self, name: str | None = None) -> "Sequence[Printable]":
        """What `text` consists of: tables and prose in the order in which they are read."""
        return self.views(name)

    def to_frame(self, table: str | None = None) -> "pl.DataFrame | pd.DataFrame":
        """A data frame of polars, or of pandas where that alone is installed."""
        return frames.to_frame(self.table(table))

    def to_polars(self, table: str | None = None) -> "pl.DataFrame":
        """A polars data frame."""
        return frames.to_polars(self.table(table))

    def to_pandas(self, table: str | None = None) -> "pd.DataFrame":
        """A pandas data frame, with the columns of `to_polars`."""
        return frames.to_pandas(self.table(table))

    def to_arrow(self, table: str | None = None) -> "pa.Table":
        """An Arrow table, provenance in its metadata."""
        return frames.to_arrow(self.table(table))

    def to_json(self, table: str | None = None, *, places: int | None = None) -> str:
        """One JSON document: provenance, then the rows."""
        return "".join(text.json_chunks(self.table(table), places))

    def to_latex(
        self,
        places: int = PLACES,
        table: str | None = None,
        *,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """A LaTeX table (booktabs), names escaped; with a caption (LaTeX, as it is) in a table environment."""
        return people.in_environment(self.latex_tables(places, table), caption, label)

    def latex_tables(self, places: int, table: str | None) -> str:
        """The tables of `to_latex`, without an environment."""
        return view_text(self.views(table), "latex", places)

    def to_markdown(self, places: int = PLACES, table: str | None = None) -> str:
        """A Markdown table, names escaped."""
        return view_text(self.views(table), "markdown", places)

    def text(self, places: int = PLACES, table: str | None = None) -> str:
        """Aligned tables for people."""
        return written(self.blocks(table), places)

    def write(
        self,
        path: str | os.PathLike[str],
        form: str | None = None,
        *,
        table: str | None = None,
        places: int | None = None,
        formulas: str = "escape",
    ) -> None:
        """Write one table to a file, atomically.

        The form is that of the path's ending (.tsv .csv .json .jsonl .parquet .md .tex .html .txt), or `form`: tsv,
        csv, json, jsonl, parquet, markdown, latex, html or table, or one that another package adds, whose ending is its
        name. `places` are decimals: 4 in tables for people unless given, all digits in forms for programs. In tsv and
        csv an apostrophe stands before names that a spreadsheet would run as formulas; `formulas='keep'` leaves them as
        they are.

        >>> import rankscale as rs
        >>> result = rs.evaluate({"1": {"a": 1}}, {"bm25": {"1": {"a": 2.0}}}, "AP")
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     result.means().write(f"{folder}/means.tsv")
        ...     print(Path(folder, "means.tsv").read_text().split())
        ['run', 'topics', 'AP', 'bm25', '1', '1.0']
        """
        where = os.fspath(path)
        ending = os.path.splitext(where)[1].lower()
        chosen = form or BY_ENDING.get(ending, ending.removeprefix("."))
        if chosen not in BY_ENDING.values() and chosen not in extensions(FORMS).names:
            known = " ".join(BY_ENDING) if form is None else ", ".join(BY_ENDING.values())
            what = f"ending {ending!r}" if form is None else f"form {form!r}"
            raise ParameterError(f"{where}: unknown {what}; known are {known}")
        if chosen == "parquet":
            frames.write_parquet(self.table(table), where)
        else:
            write_chunks(where, self.chunks(chosen, table, places, formulas=formulas))

    def chunks(
        self, form: str, table: str | None = None, places: int | None = None, *, formulas: str = "escape"
    ) -> Iterator[bytes]:
        """The text of any form but Parquet, in pieces."""
        if form in text.SEPARATORS:
            yield from text.tidy_text(self.table(table), form, places, formulas=formulas)
        elif form == "json":
            yield self.to_json(table, places=places).encode()
        elif form not in BY_ENDING.values():
            yield added_form(form, self.table(table))
        else:
            shown = PLACES if places is None else places
            made = self.text(shown, table) + "\n" if form == "table" else view_text(self.views(table), form, shown)
            yield made.encode("utf-8", "surrogateescape")

    def page(self) -> "Page":
        """What a notebook shows: what `text` consists of, and a picture of values with intervals."""
        blocks = self.blocks()
        drawn = next((picture for block in blocks if isinstance(block, Table) and (picture := dots_of(block))), None)
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__).capitalize()
        return Page(words, blocks, [drawn] if drawn else [], getattr(self, "warnings", ()))

    def _repr_html_(self) -> str:
        return self.page().html()

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def __str__(self) -> str:
        return self.text()


def added_form(form: str, table: Table) -> bytes:
    """A table in a form that another package writes."""
    write = function_of_form(form, "write")
    if write is None:
        raise ParameterError(f"unknown form {form!r}; known are {', '.join(BY_ENDING.values())}")
    made = write(table.in_memory())
    return made if isinstance(made, bytes) else str(made).encode("utf-8", "surrogateescape")


def view_text(views: Sequence[Table], form: str, places: int) -> str:
    """Tables below each other, as `table` (aligned), latex, markdown or html."""
    if form == "table":
        return written(views, places)
    return "\n".join(WRITERS[form](view, places) for view in views) + "\n" * (form == "html")


MOST_ROWS = 30  # of a table: a notebook's cell is no place for more
MOST_WARNINGS = 5
MANY_COLUMNS = 7  # of a table; those of a wider one that are the same in all rows are said below
LONG = 40  # characters of a cell that may be broken
SHORT = 60  # characters of a caption that is not wrapped
RULE = "1px solid color-mix(in srgb, currentColor 22%, transparent)"
TONES = {"good": "#1a7f37", "odd": "#9a6700", "bad": "#c0392b"}
STYLE = f"""<style>
.rankscale {{ color: inherit; line-height: 1.45; max-width: 100%; margin: .4em 0 1.2em; }}
.rankscale .both {{ display: flex; flex-wrap: wrap; gap: 1em 2.5em; align-items: flex-start; }}
.rankscale .scroll {{ overflow-x: auto; max-width: 100%; }}
.rankscale table {{ border-collapse: collapse; margin: 0 0 .6em; color: inherit; font-variant-numeric: tabular-nums; }}
.rankscale caption {{ caption-side: top; text-align: left; font-weight: 600; padding: .2em 0; color: inherit; }}
.rankscale caption.short {{ white-space: nowrap; }}
.rankscale th, .rankscale td {{ text-align: right; padding: .12em .55em; font-size: .95em; border: 0; background: none; color: inherit;
  white-space: nowrap; font-weight: normal; }}
.rankscale thead th {{ border-bottom: {RULE}; font-weight: 600; }}
.rankscale tbody tr {{ background: none; }}
.rankscale .l {{ text-align: left; }}
.rankscale .w {{ white-space: normal; min-width: 14em; max-width: 30em; overflow-wrap: anywhere; }}
.rankscale .faint {{ opacity: .7; }}
.rankscale p {{ margin: .3em 0; max-width: 70em; }}
.rankscale p.in {{ margin: .1em 0 .1em 1.5em; }}
.rankscale pre {{ color: inherit; background: none; margin: .3em 0; }}
.rankscale dl {{ display: grid; grid-template-columns: max-content 1fr; gap: .15em 1em; margin: .3em 0; }}
.rankscale dt {{ font-weight: 600; }} .rankscale dd {{ margin: 0; }}
.rankscale svg {{ color: inherit; max-width: 100%; height: auto; flex: none; }}
.rankscale .badge {{ display: inline-block; border: 2px solid; border-radius: .4em; padding: 0 .6em; font-weight: 700; }}
{" ".join(f".rankscale .{tone} {{ color: color-mix(in srgb, {colour} 62%, currentColor); }}" for tone, colour in TONES.items())}
</style>"""  # noqa: E501  # one rule a line


@dataclass(frozen=True)
class Page:
    """What a notebook shows of a result.

    Attributes
    ----------
    heading : str
        Caption of the first table, where it has no title of its own; without a table, a line above.
    blocks : sequence of Table, Matrix, Facts or str
        What is read, in order; tables are cut after 30 rows.
    pictures : sequence of Picture
        What stands beside the first table.
    warnings : sequence of str
        What a reader should know, below all.
    badge : tuple of str, optional
        A verdict in a word, and its tone: 'good', 'odd' or 'bad'.
    """

    heading: str
    blocks: Sequence[Printable]
    pictures: Sequence[Picture] = ()
    warnings: Sequence[str] = ()
    badge: tuple[str, str] | None = None

    def html(self) -> str:
        """One element with its style; every text is escaped."""
        drawn = "".join(picture.svg() for picture in self.pictures)
        parts = []
        if self.badge:
            word, tone = self.badge
            parts.append(f'<p><span class="badge {tone}">{_text(word)}</span></p>')
        first = next((place for place, block in enumerate(self.blocks) if isinstance(block, Table)), None)
        if first is None:
            parts.append(f"<p><strong>{_text(self.heading)}</strong></p>")
        for place, block in enumerate(self.blocks):
            if isinstance(block, Table):
                table, same = _varied(block)
                made = _table(table, self.heading if place == first else "")
                beside = f"<div>{drawn}</div>" if drawn and place == first else ""
                parts.append(f'<div class="both">{made}{beside}</div>' if beside else made)
                parts += [same, *map(_prose, block.notes)]
            else:
                parts.append(_prose(block))
        parts += [drawn] if first is None else []
        parts += [f"<p>Note: {_text(warning)}</p>" for warning in self.warnings[:MOST_WARNINGS]]
        if len(self.warnings) > MOST_WARNINGS:
            parts.append(f"<p>{len(self.warnings) - MOST_WARNINGS} more notes are in <code>.warnings</code>.</p>")
        return f'<div class="rankscale">{STYLE}{"".join(parts)}</div>'


def _varied(table: Table) -> tuple[Table, str]:
    """A wide table without the columns that are the same in all rows, and a line that names them."""
    rows = shown_rows(table, PLACES)
    if len(rows) < 2 or len(table.headings) <= MANY_COLUMNS:
        return table, ""
    texts = zip(table.shown(), zip(*([cell.text for cell in row] for row in rows), strict=True), strict=True)
    same = [(column, cells[0]) for column, cells in list(texts)[1:] if len(set(cells)) == 1]
    said = ", ".join(f"{column.heading} {cell}" for column, cell in same)
    return table.without(*(column.name for column, _ in same)), f"<p>In all rows: {_text(said)}.</p>" if same else ""


def _table(table: Table, heading: str) -> str:
    """The first rows of a table; a line below says how many there are."""
    rows, lefts = shown_rows(table, PLACES), [align == "left" for align in alignments(table)]
    caption = table.title or heading
    headings = zip(table.headings, lefts, strict=True)
    head = "".join(_cell(name, ("l",) * left, "th", ' scope="col"') for name, left in headings)
    bold = [best_stands_out(cells) for cells in zip(*rows, strict=True)]
    body = "".join(f"<tr>{''.join(_cells(row, lefts, bold))}</tr>" for row in rows[:MOST_ROWS])
    more = len(rows) - MOST_ROWS
    below = f"<p>{MOST_ROWS} of {len(rows):,} rows; <code>.to_frame()</code> has all.</p>" if more > 0 else ""
    title = f"<caption{' class=short' * (len(caption) <= SHORT)}>{_text(caption)}</caption>" if caption else ""
    label = _text(caption or "table")
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}"><table>{title}<thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table>{below}</div>"
    )


def _cells(row: Sequence[ShownCell], lefts: Sequence[bool], bold: Sequence[bool]) -> Iterator[str]:
    for place, (cell, left, stands_out) in enumerate(zip(row, lefts, bold, strict=True)):
        named = {"l": left, "w": len(cell.text) > LONG, "faint": cell.faint, cell.tone: bool(cell.tone)}
        classes = [name for name, holds in named.items() if holds]
        shown = cell if stands_out else cell._replace(bold=False)
        yield _cell(cell.text, classes, "td" if place else "th", "" if place else ' scope="row"', shown)


def _cell(text: str, classes: Sequence[str], tag: str, scope: str, cell: ShownCell | None = None) -> str:
    content = _text(text)
    if cell is not None and cell.bold:
        content = f"<strong>{content}</strong>"
    if cell is not None and cell.mark:
        content += f"<sup>{_text(cell.mark)}</sup>"
    named = f' class="{" ".join(classes)}"' if classes else ""
    return f"<{tag}{scope}{named}>{content}</{tag}>"


def _prose(block: Printable) -> str:
    """Paragraphs, a matrix of signs or a list of facts."""
    if isinstance(block, Matrix):
        rows = "\n".join(map(_text, block.rows()))
        return f"<p><strong>{_text(block.title)}</strong></p><pre>{rows}</pre>"
    if isinstance(block, PrintedFacts):
        return f"<dl>{''.join(f'<dt>{_text(name)}</dt><dd>{_text(words)}</dd>' for name, words in block.facts)}</dl>"
    lines = str(block).split("\n")
    head = ""
    if len(lines) > 1 and lines[0][:1] != " " and all(line[:1] == " " for line in lines[1:]):
        head = f"<p><strong>{_text(lines.pop(0))}</strong></p>"  # a sentence; what supports it follows
    return head + "".join(f"<p{' class=in' if line[:1] == ' ' else ''}>{_text(line.strip())}</p>" for line in lines)


def _text(text: str) -> str:
    return escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in readable(text)))
