"""Which form a source of values has, seen by its content."""

import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from rankscale.data.libraries import PROVENANCE_KEY, library
from rankscale.errors import FormatError
from rankscale.inputs.binary import in_words, open_binary
from rankscale.inputs.binary_forms import in_print
from rankscale.inputs.files import NamedBytes, file_name
from rankscale.inputs.values import documents, lines, tables
from rankscale.inputs.values.block import Block, Naming
from rankscale.inputs.values.content import CELLS, check_characters, content, most_rows, too_many

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

FORMS = ("trec_eval", "ir_measures", "mteb", "json", "table")  # that can be given
LONGEST_META = 1 << 16  # bytes of a description of a model
OLD = "Queryid (Num)"  # trec_eval -o, and before version 7
EXPECTED = (
    "expected values: a table with a header (csv, tsv), JSON, JSON Lines, Parquet, or what trec_eval -q or "
    "ir_measures -q print"
)


def read_block(source: object, naming: Naming, form: str | None, max_size: int | None) -> Block:
    """The values of one source."""
    if isinstance(source, Mapping):
        return documents.read_nested(source, "the dictionary", naming)
    if type(source).__module__.partition(".")[0] == "pyarrow" and hasattr(source, "column_names"):
        table = cast("pa.Table", source)
        try:
            table.validate(full=True)  # rows may have numbers of values that are not there
        except ValueError as error:
            raise FormatError(f"the table: expected a table that is whole ({in_print(str(error))})") from None
        held = {name: table.column(name).to_pylist() for name in table.column_names}
        return _of_columns(held, table.schema.metadata or {}, "the table", naming)
    if (columns := frame_columns(source)) is not None:
        return tables.read_table(tables.from_columns(columns, "the table", has_means=True), naming)
    if isinstance(source, str | bytes | os.PathLike) or hasattr(source, "read"):
        where, plain, most = content(source, max_size)
        if plain.startswith((b"PAR1", b"ARROW1")):
            return _arrow(plain, where, naming, max_size)
        return _of_text(plain, where, naming if most is None else replace(naming, most=most), form)
    raise FormatError(
        f"expected values as a path, bytes, an open file, a dictionary or a data frame, found {type(source).__name__}"
    )


def run_name(source: object) -> str:
    """What to call the run of a source that does not name it: the file, without folder, packing and ending."""
    if not isinstance(source, str | os.PathLike) or source == "-":
        return "run"
    path = os.fspath(source)
    meta = os.path.join(os.path.dirname(path), "model_meta.json")  # which MTEB writes beside its results
    if os.path.isfile(meta):
        try:
            with open(meta, "rb") as file:
                text = file.read(LONGEST_META).decode()
            document = json.loads(text)
            check_characters(text, document, meta)
            return str(document["name"])
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
    return os.path.splitext(file_name(path))[0]


def _of_text(plain: bytes, where: str, naming: Naming, form: str | None) -> Block:
    if b"\0" in plain[:3]:  # further on it may stand in a name
        raise FormatError(f"{where}: {EXPECTED}; found a NUL byte")
    text = plain.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    start = text.lstrip()
    if not start:
        raise FormatError(f"{where}: {EXPECTED}; found an empty file")
    if start.startswith(OLD):
        raise FormatError(
            f"{where}: expected lines of measure, topic and value, found trec_eval's old form for people; run it "
            "without -o, or in version 7 or later"
        )
    if form in {"trec_eval", "ir_measures"}:
        return lines.read_lines(text, where, naming, form)
    if form != "table" and (start[0] in "{[" or form in {"json", "mteb"}):
        return _json(text, where, naming)
    first = start.split("\n", 1)[0].rstrip("\r")
    if form is None and lines.is_line(first):
        return lines.read_lines(text, where, naming, None)
    if not any(separator in first for separator in "\t,;"):
        raise FormatError(f"{where}: {EXPECTED}; found\n    {first[:200]}")
    return tables.read_table(tables.delimited(start, where), naming)


def _json(text: str, where: str, naming: Naming) -> Block:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return tables.read_table(json_lines(text, where), naming)
    check_characters(text, document, where)
    if isinstance(document, Mapping):
        if documents.is_ours(document):
            return documents.read_ours(document, where, naming)
        if documents.is_mteb(document):
            folder = os.path.basename(os.path.dirname(where))  # the file has the name of the task, not of the model
            of_task = naming.run == document["task_name"] and folder
            return documents.read_mteb(document, where, replace(naming, run=folder) if of_task else naming)
        if not any(isinstance(part, Mapping) for part in document.values()):
            document = [document]
        else:
            return documents.read_nested(document, where, naming)
    if not isinstance(document, list) or not all(isinstance(one, Mapping) for one in document):
        raise FormatError(f"{where}: {documents.EXPECTED}; found {type(document).__name__}")
    return tables.read_table(tables.from_records(document, where, lambda i: f"{where}, entry {i + 1}"), naming)


def json_lines(text: str, where: str) -> tables.Named:
    """A table of JSON Lines, one object in each."""
    records, places = [], []
    for place, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{where}, line {place}: expected JSON, or a JSON object in each line: {error}") from None
        check_characters(line, record, f"{where}, line {place}")
        if not isinstance(record, Mapping):
            raise FormatError(f"{where}, line {place}: expected a JSON object, found {line.strip()[:60]}")
        records.append(record)
        places.append(place)
    return tables.from_records(records, where, lambda i: f"{where}, line {places[i]}")


def _arrow(plain: bytes, where: str, naming: Naming, max_size: int | None) -> Block:
    """Parquet, or an Arrow file (Feather); ours says so in its metadata, and has no rows of means."""
    form = "parquet" if plain.startswith(b"PAR1") else "arrow"
    _, table = open_binary(NamedBytes(where, plain), form, max_size, of_rankings=False)
    most = math.inf if max_size else most_rows(len(plain))
    columns: dict[str, list[object]] = {name: [] for name in table.names}
    tables.check_names(where, table.names)
    rows = 0
    with in_words(where, form, table):
        for batch in cast("pa.RecordBatchReader", table.stream(list(table.names))):
            rows += batch.num_rows
            if rows * (len(columns) + 1) > CELLS * most:
                raise too_many(where, f"{rows:,} rows of {len(columns):,} columns or more", len(plain))
            batch.validate(full=True)  # in a damaged file, rows may have numbers of values that are not there
            for name, column in zip(columns, batch.columns, strict=True):
                columns[name].extend(column.to_pylist())
        metadata = _metadata(plain, form)
    return _of_columns(columns, metadata, where, replace(naming, most=most))


def _metadata(plain: bytes, form: str) -> Mapping[bytes, bytes]:
    """What the file says about itself; its content has been looked at."""
    arrow = library("pyarrow", "reading Parquet and Arrow files")
    if form == "parquet":
        schema = library("pyarrow.parquet", "reading Parquet files").read_schema(io.BytesIO(plain))
    else:
        schema = arrow.ipc.open_file(io.BytesIO(plain)).schema
    return schema.metadata or {}


def _of_columns(
    columns: Mapping[str, Sequence[object]], metadata: Mapping[bytes, bytes], where: str, naming: Naming
) -> Block:
    ours = PROVENANCE_KEY in metadata
    block = tables.read_table(tables.from_columns(columns, where, has_means=not ours), naming)
    block.provenance = _provenance(metadata[PROVENANCE_KEY], where) if ours else {}
    return block


def _provenance(written: bytes, where: str) -> Mapping[str, object]:
    """What our own files say about themselves."""
    try:
        text = written.decode("utf-8", "surrogateescape")
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: expected JSON as its metadata ({in_print(str(error))})") from None
    check_characters(text, document, where)
    if not isinstance(document, Mapping):
        raise FormatError(f"{where}: expected a JSON object as its metadata, found {type(document).__name__}")
    return document


def frame_columns(source: object) -> dict[str, Sequence[object]] | None:
    """The columns of a data frame, None for anything else; the index of a pandas frame is a column if it has names."""
    kind = type(source).__module__.partition(".")[0]
    if kind == "pandas":
        frame = source
        index = frame.index  # type: ignore[attr-defined]
        plain = type(index).__name__ == "RangeIndex" or getattr(index, "nlevels", 1) > 1
        named = {} if plain else {str(index.name or ""): index.tolist()}
        return {**named, **{str(key): frame[key].tolist() for key in frame.columns}}  # type: ignore[attr-defined,index]
    if kind == "polars":
        collected: pl.DataFrame = source.collect() if hasattr(source, "collect") else cast("pl.DataFrame", source)
        return {column.name: column.to_list() for column in collected.get_columns()}
    return None
