"""TabularResult: the methods that all results share, which give their tables in any form."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.outputs import frames, text
from rankscale.outputs.files import write_chunks
from rankscale.outputs.shown import PLACES

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from rankscale.outputs.blocks import Block
    from rankscale.outputs.notebook import Page

BY_ENDING = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
    ".html": "html",
    ".txt": "table",
}


class TabularResult:
    """A result that consists of tables. Where there are several, `table` names one; by default it is the first."""

    def table(self, name: str | None = None) -> Table:
        """One table, with its provenance."""
        raise NotImplementedError(f"{type(self).__name__} must define table()")

    def views(self, name: str | None = None) -> Sequence[Table]:
        """The tables that people are shown: in text, Markdown, LaTeX and HTML."""
        return [self.table(name)]

    def blocks(self, name: str | None = None) -> "Sequence[Block]":
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
        from rankscale.outputs import document

        return "".join(document.json_chunks(self.table(table), places))

    def to_latex(
        self,
        places: int = PLACES,
        table: str | None = None,
        *,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """A LaTeX table (booktabs), names escaped; with a caption (LaTeX, as it is) in a table environment."""
        from rankscale.outputs import latex

        return latex.in_environment(self.latex_tables(places, table), caption, label)

    def latex_tables(self, places: int, table: str | None) -> str:
        """The tables of `to_latex`, without an environment."""
        return view_text(self.views(table), "latex", places)

    def to_markdown(self, places: int = PLACES, table: str | None = None) -> str:
        """A Markdown table, names escaped."""
        return view_text(self.views(table), "markdown", places)

    def text(self, places: int = PLACES, table: str | None = None) -> str:
        """Aligned tables for people."""
        from rankscale.outputs.blocks import written

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
        csv, json, jsonl, parquet, markdown, latex, html or table. `places` are decimals: 4 in tables for people unless
        given, all digits in forms for programs. In tsv and csv an apostrophe stands before names that a spreadsheet
        would run as formulas; `formulas='keep'` leaves them as they are.

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
        chosen = form or BY_ENDING.get(ending, "")
        if chosen not in BY_ENDING.values():
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
        else:
            shown = PLACES if places is None else places
            made = self.text(shown, table) + "\n" if form == "table" else view_text(self.views(table), form, shown)
            yield made.encode("utf-8", "surrogateescape")

    def page(self) -> "Page":
        """What a notebook shows: what `text` consists of, and a picture of values with intervals."""
        from rankscale.outputs.notebook import Page
        from rankscale.outputs.pictures import dots_of

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


def view_text(views: Sequence[Table], form: str, places: int) -> str:
    """Tables below each other, as `table` (aligned), latex, markdown or html."""
    if form == "table":
        from rankscale.outputs.blocks import written

        return written(views, places)
    writer: Callable[[Table, int], str] = getattr(import_module(f"rankscale.outputs.{form}"), f"{form}_table")
    return "\n".join(writer(view, places) for view in views) + "\n" * (form == "html")
