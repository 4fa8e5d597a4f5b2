"""Files of runs and qrels: rows of names and numbers in the forms that other tools read, written as they come."""

import bz2
import gzip
import lzma
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import IO, TypeVar, cast

from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.errors import InputError, ParameterError, RankscaleError
from rankscale.outputs.files import replacing, write_chunks
from rankscale.outputs.names import check_formulas, in_json, without_formula
from rankscale.outputs.text import json_number

RecordValue = str | int | float
RecordRow = Sequence[RecordValue]
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
MAY_BE_EMPTY = "subtopic"  # the only column that readers of all forms take without a name


@dataclass(frozen=True)
class RecordLayout:
    """What the rows of a kind of file hold."""

    kind: str  # as messages call the file
    columns: Mapping[str, type]  # of every form with names of columns
    lines: Mapping[str, Callable[[RecordRow], str]]  # forms without such names: how a row is written
    first_names: Callable[[bytes], Sequence[str]]  # topic and document of the first of such lines, as they are read

    @property
    def forms(self) -> tuple[str, ...]:
        """What can be written."""
        return (*self.lines, "tsv", "csv", "jsonl", "parquet")


def chosen_form(layout: RecordLayout, path: str, form: str | None) -> str:
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
        known = f"{endings}, each also with .gz, .bz2 or .xz, and any other ending for TREC's form"
        raise ParameterError(f"{path}: no {layout.kind} is written as {ending}; known are {known}")
    return ENDINGS.get(ending, "trec")


def write_records(
    layout: RecordLayout, rows: Iterable[RecordRow], path: str, form: str, *, formulas: str = "escape"
) -> int:
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


def record_chunks(layout: RecordLayout, rows: Iterable[RecordRow], form: str, escaping: Escaping) -> Iterator[bytes]:
    """The text of any form but Parquet, in pieces."""
    if form in layout.lines:
        texts: Iterable[str] = _lines(layout, rows, form)
    elif form == "jsonl":
        texts = ("{" + ", ".join(map(_pair, layout.columns, row)) + "}\n" for row in rows)
    else:
        texts = _separated(layout, rows, form, escaping)
    for block in _blocks(texts):
        yield "".join(block).encode("utf-8", "surrogateescape")


def _lines(layout: RecordLayout, rows: Iterable[RecordRow], form: str) -> Iterator[str]:
    """Lines without a header. Readers tell the form by the first one: it is read, and has to be what was written."""
    written = iter(rows)
    for row in islice(written, 1):
        first = layout.lines[form](row)
        topic, document = str(row[0]), str(row[list(layout.columns).index("document")])
        read: Sequence[str] = ()
        with suppress(RankscaleError):
            read = layout.first_names(first.encode("utf-8", "surrogateescape"))
        if tuple(read) != (topic, document):
            raise InputError(
                f"topic {readable(topic)!r}, document {readable(document)!r} cannot be written to {form} as the "
                "first line: readers take a file that starts so for one of another form; write csv, tsv, jsonl or "
                "parquet"
            )
        yield first
    yield from map(layout.lines[form], written)


def _pair(column: str, value: RecordValue) -> str:
    if isinstance(value, str):
        return f'"{column}": {in_json(_filled(value, column, "jsonl"))}'
    return f'"{column}": {json_number(value, None) if isinstance(value, float) else value}'


def _separated(layout: RecordLayout, rows: Iterable[RecordRow], form: str, escaping: Escaping) -> Iterator[str]:
    """A header, then the rows; cells in quotes where they need them (RFC 4180), in tsv too.

    Readers leave out blanks around a cell, and keep those within quotes.
    """
    separator = "," if form == "csv" else "\t"
    special = re.compile(rf'[{separator}"\n\r\0]|\A[ \t\x0b\x0c]|[ \t\x0b\x0c]\Z|\A\Z')

    def cell(column: str, value: RecordValue) -> str:
        if not isinstance(value, str):
            return repr(value)
        if value.isalnum():  # as most are, and nothing is to be done
            return value
        text = escaping(value)
        if not special.search(text):
            return text
        if "\0" in _filled(text, column, form):
            raise InputError(f"{column} {readable(text)!r} cannot be written to {form}: a cell there has no NUL")
        return '"' + text.replace('"', '""') + '"' if text else ""

    yield separator.join(layout.columns) + "\n"
    for row in rows:
        yield separator.join(map(cell, layout.columns, row)) + "\n"


def _filled(name: str, column: str, form: str) -> str:
    """A name; raise InputError for an empty one, which no reader takes."""
    if not name and column != MAY_BE_EMPTY:
        raise InputError(f"an empty name of a {column} cannot be written to {form}: give it a name")
    return name


def _blocks(items: Iterable[Of]) -> Iterator[list[Of]]:
    left = iter(items)
    while block := list(islice(left, BLOCK)):
        yield block


def _write_parquet(layout: RecordLayout, rows: Iterable[RecordRow], path: str) -> None:
    pyarrow, parquet = library("pyarrow", "a Parquet file"), library("pyarrow.parquet", "a Parquet file")
    kinds = {str: pyarrow.string(), float: pyarrow.float64(), int: pyarrow.int64()}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in layout.columns.items()])
    with replacing(path) as file, parquet.ParquetWriter(file, schema, compression="zstd") as out:
        for block in _blocks(rows):
            columns = zip(schema, zip(*block, strict=True), strict=True)
            arrays = [pyarrow.array(_utf8(column, field.name, layout), field.type) for field, column in columns]
            out.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _utf8(values: Sequence[RecordValue], column: str, layout: RecordLayout) -> Sequence[RecordValue]:
    """A column as Parquet can hold it; raise InputError for a name that is empty or not UTF-8."""
    for value in values:
        if isinstance(value, str) and not _filled(value, column, "parquet").isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                unfit = f"{column} {readable(value)!r} cannot be written to Parquet, whose text is UTF-8"
                raise InputError(f"{unfit}: write the {layout.kind} as TREC, tsv, csv or jsonl") from None
    return values


def word(name: RecordValue, column: str, what: str) -> str:
    """A name where blanks separate columns; raise InputError for one that would not be read again as it is."""
    text = str(name)
    if not text or SPACE.search(text):
        unfit = f"{column} {readable(text)!r} cannot be written to {what}"
        raise InputError(f"{unfit}: a name there is one word without spaces; write csv, tsv, jsonl or parquet")
    if column == "topic" and text.startswith(("#", "\ufeff")):
        unfit = f"{column} {readable(text)!r} cannot be written to {what}"
        raise InputError(f"{unfit}: a line that starts so is not read as it is")
    return text
