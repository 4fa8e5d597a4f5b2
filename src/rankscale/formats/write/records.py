"""Files of runs and qrels: rows of names and numbers in the forms that other tools read, written as they come."""

import bz2
import gzip
import json
import lzma
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, TypeVar, cast

from rankscale.data.records import dataclass
from rankscale.data.table import readable
from rankscale.errors import InputError, ParameterError
from rankscale.formats.write.files import replacing, write_chunks
from rankscale.formats.write.frames import library
from rankscale.formats.write.names import check_formulas, in_json, without_formula
from rankscale.formats.write.text import json_number

Value = str | int | float
Row = Sequence[Value]
Of = TypeVar("Of")
ENDINGS = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}
UNWRITTEN = (".json", ".arrow", ".feather", ".ipc", ".lz4", ".zst", ".zip", ".html", ".md", ".tex", ".xlsx")
PACKERS: Mapping[str, Callable[..., object]] = {
    # Without the time of writing, so that the same rows give the same bytes.
    ".gz": lambda out, mode: gzip.GzipFile("", mode, fileobj=out, mtime=0),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
BLOCK = 2**16  # rows that are written together
SPACE = re.compile(r"[\s\0]", re.ASCII)
# What a spreadsheet would carry out: a name after = or @ or a blank, or after a sign where it is more than one word.


@dataclass(frozen=True)
class Layout:
    """What the rows of a kind of file hold."""

    kind: str  # as messages call the file
    columns: Mapping[str, type]  # of every form with names of columns
    lines: Mapping[str, Callable[[Row], str]]  # forms without such names: how a row is written

    @property
    def forms(self) -> tuple[str, ...]:
        """What can be written."""
        return (*self.lines, "tsv", "csv", "jsonl", "parquet")


def chosen_form(layout: Layout, path: str, form: str | None) -> str:
    """The form requested, or that of the path's ending; TREC for endings that say nothing."""
    if form is not None:
        if form not in layout.forms:
            raise ParameterError(f"form must be one of {', '.join(layout.forms)}, got {form!r}")
        return form
    stem, ending = os.path.splitext(path.lower())
    if ending in PACKERS:
        ending = os.path.splitext(stem)[1]
    if ending in UNWRITTEN:
        endings = " ".join(ENDINGS)
        raise ParameterError(
            f"{path}: no {layout.kind} is written as {ending}; known are {endings}, each also with .gz, .bz2 or .xz, "
            "and any other ending for TREC's form"
        )
    return ENDINGS.get(ending, "trec")


def write_records(layout: Layout, rows: Iterable[Row], path: str, form: str, *, formulas: str = "escape") -> int:
    """Write all rows to a file, or no file, and return how many names were escaped."""
    check_formulas(formulas)
    escaping = Escaping(formulas == "escape" and form in {"csv", "tsv"})
    ending = os.path.splitext(path.lower())[1]
    if form == "parquet":
        if ending in PACKERS:
            raise ParameterError(f"{path}: Parquet is packed inside; leave out {ending}")
        _write_parquet(layout, rows, path)
    elif ending in PACKERS:
        with replacing(path) as out, cast("IO[bytes]", PACKERS[ending](out, "wb")) as packed:
            packed.writelines(record_chunks(layout, rows, form, escaping))
    else:
        write_chunks(path, record_chunks(layout, rows, form, escaping))
    return escaping.count


class Escaping:
    """Names that a spreadsheet would run as formulas get an apostrophe before them; they are counted."""

    def __init__(self, wanted: bool) -> None:  # noqa: FBT001
        self.wanted = wanted
        self.count = 0

    def __call__(self, name: str) -> str:
        """The name as it is written."""
        written = without_formula(name) if self.wanted else name
        self.count += written != name
        return written


def record_chunks(layout: Layout, rows: Iterable[Row], form: str, escaping: Escaping) -> Iterator[bytes]:
    """The text of any form but Parquet, in pieces."""
    if form in layout.lines:
        texts: Iterable[str] = map(layout.lines[form], rows)
    elif form == "jsonl":
        keys = [f"{json.dumps(name)}: " for name in layout.columns]
        texts = ("{" + ", ".join(map(_pair, keys, row)) + "}\n" for row in rows)
    else:
        texts = _separated(layout, rows, "," if form == "csv" else "\t", escaping)
    for block in _blocks(texts):
        yield "".join(block).encode("utf-8", "surrogateescape")


def _pair(key: str, value: Value) -> str:
    if isinstance(value, str):
        return key + in_json(value)
    return key + (json_number(value, None) if isinstance(value, float) else str(value))


def _separated(layout: Layout, rows: Iterable[Row], separator: str, escaping: Escaping) -> Iterator[str]:
    """A header, then the rows; cells in quotes where they need them (RFC 4180), in tsv too."""
    special = re.compile(f'[{separator}"\\n\\r]')

    def cell(value: Value) -> str:
        text = escaping(value) if isinstance(value, str) else repr(value)
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    yield separator.join(layout.columns) + "\n"
    for row in rows:
        yield separator.join(map(cell, row)) + "\n"


def _blocks(items: Iterable[Of]) -> Iterator[list[Of]]:
    block: list[Of] = []
    for item in items:
        block.append(item)
        if len(block) == BLOCK:
            yield block
            block = []
    if block:
        yield block


def _write_parquet(layout: Layout, rows: Iterable[Row], path: str) -> None:
    pyarrow, parquet = library("pyarrow", "a Parquet file"), library("pyarrow.parquet", "a Parquet file")
    kinds = {str: pyarrow.string(), float: pyarrow.float64(), int: pyarrow.int64()}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in layout.columns.items()])
    with replacing(path) as file, parquet.ParquetWriter(file, schema, compression="zstd") as out:
        for block in _blocks(rows):
            columns = zip(*block, strict=True)
            arrays = [
                pyarrow.array(_utf8(column, layout), field.type) for column, field in zip(columns, schema, strict=True)
            ]
            out.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _utf8(column: Sequence[Value], layout: Layout) -> Sequence[Value]:
    """A column as Parquet can hold it; raise InputError for a name that is not UTF-8."""
    for value in column:
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise InputError(
                    f"{readable(value)!r} cannot be written to Parquet, whose text is UTF-8: write the {layout.kind} "
                    "as TREC, tsv, csv or jsonl"
                ) from None
    return column


def word(name: str, what: str, *, starts_line: bool = False) -> str:
    """A name where blanks separate columns; raise InputError for one that would not be read again as it is."""
    if not name or SPACE.search(name):
        raise InputError(f"{readable(name)!r} cannot be written to {what}: a name there is one word without spaces")
    if starts_line and name.startswith(("#", "\ufeff")):
        raise InputError(f"{readable(name)!r} cannot be written to {what}: a line that starts so is not read as it is")
    return name
