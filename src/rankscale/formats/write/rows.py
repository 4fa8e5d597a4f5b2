"""Rows of a study as text for people and programs, data frames and Parquet."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from rankscale.data.rows import Cell, Rows
from rankscale.data.table import readable
from rankscale.formats.write import latex, markdown
from rankscale.formats.write.files import replacing
from rankscale.formats.write.frames import PROVENANCE_KEY, library, preferred
from rankscale.formats.write.text import aligned, json_number

TIDY = ("tsv", "csv", "jsonl")
LARGEST_WHOLE = 2**63 - 1  # that a column of an Arrow table can hold; larger ones go as text

Kind = type[str] | type[float] | type[int] | None  # what a column holds; None where it holds nothing


def tidy_text(rows: Rows, form: str, places: int | None = None) -> Iterator[bytes]:
    """tsv, csv or jsonl."""
    if form == "jsonl":
        for row in rows:
            yield (_object(row, places) + "\n").encode()
        return
    lines = [list(rows.columns), *([_text(cell, places) for cell in row.values()] for row in rows)]
    yield (_as_tsv(lines) if form == "tsv" else _as_csv(lines)).encode("utf-8", "surrogateescape")


def _as_tsv(lines: list[list[str]]) -> str:
    """Nothing is quoted: what would end a cell or a line is a space."""
    return "".join("\t".join(re.sub(r"[\t\n\r]", " ", cell) for cell in line) + "\n" for line in lines)


def _as_csv(lines: list[list[str]]) -> str:
    return "".join(",".join(map(_quoted, line)) + "\n" for line in lines)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if re.search(r'[,"\n\r]', cell) else cell


def json_document(rows: Rows, places: int | None = None, **more: object) -> str:
    """One document: provenance, whatever else is given (other rows among it), and the rows."""
    told = {**rows.provenance, **more, "rows": rows}
    parts = (f"{json.dumps(name)}: {_listed(part, places)}" for name, part in told.items())
    return "{" + ", ".join(parts) + "}\n"


def _listed(part: object, places: int | None) -> str:
    if not isinstance(part, Rows):
        return json.dumps(part)
    return "[\n" + ",\n".join(_object(row, places) for row in part) + "\n]"


def people_table(rows: Rows, places: int) -> str:
    """Aligned columns, numbers to the right."""
    columns = [_padded(name, cells, places) for name, cells in rows.columns.items()]
    return aligned(list(zip(*columns, strict=True)), text_columns=0)


def markdown_table(rows: Rows, places: int) -> str:
    """A Markdown table, numbers to the right."""
    kinds = ["--:" if _kind(cells) in {int, float} else ":--" for cells in rows.columns.values()]
    lines = [[markdown.escaped(name) for name in rows.columns], kinds]
    lines += [[markdown.escaped(_shown(cell, places)) for cell in row.values()] for row in rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def latex_table(rows: Rows, places: int) -> str:
    """A LaTeX table (booktabs), numbers to the right."""
    kinds = ["r" if _kind(cells) in {int, float} else "l" for cells in rows.columns.values()]
    head = " & ".join(latex.escaped(name) for name in rows.columns)
    packages = r"% \usepackage{booktabs} \usepackage[T1]{fontenc}"
    lines = [packages, rf"\begin{{tabular}}{{{''.join(kinds)}}}", r"\toprule"]
    body = [" & ".join(_in_latex(cell, places) for cell in row.values()) + r" \\" for row in rows]
    return "\n".join([*lines, rf"{head} \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}", ""])


def _in_latex(cell: Cell, places: int) -> str:
    """Numbers as they are, with a real minus sign; text escaped."""
    shown = _shown(cell, places)
    if isinstance(cell, str) or cell is None:
        return latex.escaped(shown)
    return f"${shown}$" if shown.startswith("-") and len(shown) > 1 else shown


def _padded(name: str, cells: Sequence[Cell], places: int) -> list[str]:
    """A column as it is shown; one of text is filled up, so that it stands to the left."""
    shown = [name, *(_shown(cell, places) for cell in cells)]
    width = max(map(len, shown)) if any(isinstance(cell, str) for cell in cells) else 0
    return [text.ljust(width) for text in shown]


def to_frame(rows: Rows) -> Any:  # noqa: ANN401
    """A data frame of polars, or of pandas where polars is not installed."""
    return to_polars(rows) if preferred() == "polars" else to_pandas(rows)


def to_polars(rows: Rows) -> Any:  # noqa: ANN401
    """A polars DataFrame."""
    polars = library("polars", "a polars data frame")
    kinds = {str: polars.String, float: polars.Float64, int: polars.Int64, None: polars.Null}
    columns = {name: _column(cells) for name, cells in rows.columns.items()}
    return polars.DataFrame([polars.Series(name, cells, dtype=kinds[kind]) for name, (kind, cells) in columns.items()])


def to_pandas(rows: Rows) -> Any:  # noqa: ANN401
    """A pandas DataFrame."""
    pandas = library("pandas", "a pandas data frame")
    columns = {name: _column(cells) for name, cells in rows.columns.items()}
    kinds = {str: "object", float: "float64", int: "Int64", None: "object"}  # its int64 knows no gaps
    return pandas.DataFrame({name: pandas.Series(cells, dtype=kinds[kind]) for name, (kind, cells) in columns.items()})


def to_arrow(rows: Rows) -> Any:  # noqa: ANN401
    """A pyarrow Table; its schema's metadata holds the provenance as JSON under `rankscale`."""
    pyarrow = library("pyarrow", "an Arrow table")
    kinds = {str: pyarrow.string(), float: pyarrow.float64(), int: pyarrow.int64(), None: pyarrow.null()}
    columns = {name: _column(cells) for name, cells in rows.columns.items()}
    table = pyarrow.table({name: pyarrow.array(cells, kinds[kind]) for name, (kind, cells) in columns.items()})
    return table.replace_schema_metadata({PROVENANCE_KEY: json.dumps(rows.provenance).encode()})


def write_parquet(rows: Rows, path: str) -> None:
    """A Parquet file, compressed with zstd."""
    parquet = library("pyarrow.parquet", "a Parquet file")
    with replacing(path) as temporary:
        parquet.write_table(to_arrow(rows), temporary, compression="zstd")


def _column(cells: Sequence[Cell]) -> tuple[Kind, list[Cell]]:
    """A column that a data frame can hold, and of what: undefined numbers are nothing, and huge ones text."""
    kind = _kind(cells)
    there = [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells]
    if kind is str:
        return kind, [None if cell is None else readable(str(cell)) for cell in there]
    return kind, [None if cell is None else kind(cell) for cell in there] if kind else there


def _kind(cells: Sequence[Cell]) -> Kind:
    if any(isinstance(cell, str) or (isinstance(cell, int) and abs(cell) > LARGEST_WHOLE) for cell in cells):
        return str
    if any(isinstance(cell, float) for cell in cells):
        return float
    return int if any(isinstance(cell, int) for cell in cells) else None


def _object(row: dict[str, Cell], places: int | None) -> str:
    return "{" + ", ".join(f"{json.dumps(name)}: {_json(cell, places)}" for name, cell in row.items()) + "}"


def _json(cell: Cell, places: int | None) -> str:
    return json_number(cell, places) if isinstance(cell, float) else json.dumps(cell)


def _text(cell: Cell, places: int | None) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return repr(cell) if places is None else f"{cell:.{places}f}"
    return str(cell)


def _shown(cell: Cell, places: int) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, float):
        hidden = 0 < abs(cell) < 10.0**-places  # would be shown as 0, which it is not
        return f"{cell:.1e}" if hidden else f"{cell:.{places}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
