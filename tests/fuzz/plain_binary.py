"""Binary forms read whole by their own libraries into lists: slow, obvious, without the core.

What such a library refuses is a fault. Names of columns are found as in text. What had to be chosen: names may be
empty, as in tables in memory; text in an Arrow file is UTF-8, in Parquet any bytes; tables without rows are open.
"""

import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import cbor2
import lz4.frame
import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.packing import Fault
from tests.fuzz.plain_rows import ROLES, Open, Row, finite, place_of_role

LZ4 = b"\x04\x22\x4d\x18"
RAW = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
Columns = Mapping[str, str | int]


def form_of(data: bytes) -> str | None:
    """The binary form of a file, None for text."""
    if data.startswith(LZ4):
        return "ranx" if LZ4 in data[4:64] else None
    starts = {b"PAR1": "parquet", b"ARRO": "arrow", b"\xff\xff\xff\xff": "arrow"}
    return starts.get(data[:4])


def rows(data: bytes, form: str, kind: str, columns: Columns, order: str | None) -> list[Row]:
    """All rows of a file."""
    try:
        return _ranx(data, kind) if form == "ranx" else _table(data, form, kind, columns, order)
    except (Fault, Open):
        raise
    except Exception as error:  # the library's: of any kind, for a damaged file
        raise Fault from error


def _table(data: bytes, form: str, kind: str, columns: Columns, order: str | None) -> list[Row]:
    names = [name.encode() for name in (_parquet_names(data) if form == "parquet" else _ipc(data).schema.names)]
    places = {role: place_of_role(role, names, columns) for role in ROLES[kind]}
    if places["topic"] is None or places["document"] is None:
        raise Fault
    number = "grade" if kind == "qrels" else "rank" if order == "rank" else "score"
    if number == "score" and places["score"] is None and order is None:
        number = "rank"
    if places[number] is None and order != "file":
        raise Fault
    used = {role: places[role] for role in ("topic", "document", number, "run") if places.get(role) is not None}
    wanted = [names[place].decode() for place in used.values() if place is not None]
    read = _parquet if form == "parquet" else _arrow
    held = read(data, wanted)
    values = {role: held[names[place].decode()] for role, place in used.items() if place is not None}
    if not len(values["topic"]):
        raise Open("a table without rows")
    return list(_rows(values, number, kind))


def _rows(columns: Mapping[str, pa.ChunkedArray], number: str, kind: str) -> list[Row]:
    texts = {role: _names(column) for role, column in columns.items() if role != number}
    numbers = _numbers(columns[number]) if number in columns else None
    made = []
    for at in range(len(texts["topic"])):
        value = None if numbers is None else numbers[at]
        if value is not None and math.isnan(value):
            raise Fault
        given = {number: finite(value) if kind == "qrels" and value is not None else value}
        run = texts["run"][at] if "run" in texts else None
        made.append(Row(texts["topic"][at], texts["document"][at], run=run, **given))  # type: ignore[arg-type]
    return made


def _parquet_names(data: bytes) -> list[str]:
    return list(pq.ParquetFile(BytesIO(data)).schema_arrow.names)


def _parquet(data: bytes, wanted: Sequence[str]) -> Mapping[str, pa.ChunkedArray]:
    try:
        table = pq.ParquetFile(BytesIO(data)).read(columns=list(wanted), use_threads=False)
    except pa.ArrowInvalid as error:
        if "expected length" in str(error) and _reads_in_batches(data, wanted):
            raise Open("columns of several lengths, which the library overlooks where it reads in batches") from error
        raise
    if len(table) != pq.ParquetFile(BytesIO(data)).metadata.num_rows:
        raise Fault
    return {name: table[name] for name in wanted}


def _reads_in_batches(data: bytes, wanted: Sequence[str]) -> bool:
    """Whether there is a size of batches in which no column lacks rows that the file says it has."""
    file = pq.ParquetFile(BytesIO(data))
    for size in (1, 2, 3, 7, 1 << 16):
        try:
            rows = sum(batch.num_rows for batch in file.iter_batches(size, columns=list(wanted), use_threads=False))
        except (pa.ArrowException, OSError):
            continue
        if rows == file.metadata.num_rows:
            return True
    return False


def _ipc(data: bytes, places: list[int] | None = None) -> Any:
    options = pa.ipc.IpcReadOptions(included_fields=places or [], use_threads=False)
    return (pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream)(pa.py_buffer(data), options=options)


def _arrow(data: bytes, wanted: Sequence[str]) -> Mapping[str, pa.ChunkedArray]:
    names = _ipc(data).schema.names
    reader = _ipc(data, [names.index(name) for name in wanted])
    table = reader.read_all()
    table.validate(full=True)
    return {name: table[name] for name in wanted}


def _names(column: pa.ChunkedArray) -> list[bytes]:
    return [name for chunk in column.chunks for name in _names_of(chunk)]


def _names_of(chunk: pa.Array) -> list[bytes]:
    kind = chunk.type
    if chunk.null_count:
        raise Fault
    if pa.types.is_dictionary(kind):
        values = _names_or_nothing(chunk.dictionary)
        taken = [values[at] for at in chunk.indices.to_pylist()]
        if any(name is None for name in taken):
            raise Fault
        return taken
    if pa.types.is_integer(kind):
        return [b"%d" % number for number in chunk.to_pylist()]
    if kind not in {*RAW, *RAW.values()}:
        raise Fault
    return list(chunk.view(RAW.get(kind, kind)).to_pylist())


def _names_or_nothing(values: pa.Array) -> list[bytes | None]:
    return [None if not value.is_valid else _names_of(values[at : at + 1])[0] for at, value in enumerate(values)]


def _numbers(column: pa.ChunkedArray) -> list[float]:
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)) or column.null_count:
        raise Fault
    return [float(number) for number in column.to_pylist()]


# What ranx writes.


def _ranx(data: bytes, kind: str) -> list[Row]:
    read = cbor2.loads(lz4.frame.decompress(lz4.frame.decompress(data)))
    if not isinstance(read, dict):
        raise Fault
    made = []
    for topic, ranking in read.items():
        if isinstance(ranking, list | tuple):
            raise Open("lists, which ranx does not write")
        if not isinstance(ranking, dict):
            raise Fault
        name = _name(topic)
        made += [_row(name, document, value, kind) for document, value in ranking.items()] or [Row(name, None)]
    if len({_name(topic) for topic in read}) < len(read) or any(
        len({_name(one) for one in ranking}) < len(ranking) for ranking in read.values()
    ):
        raise Open("1 and '1' are the same name")
    return made


def _row(topic: bytes, document: object, value: object, kind: str) -> Row:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise Fault from None
    if isinstance(value, str | bytes) or math.isnan(number):
        raise Fault
    name = _name(document)
    return Row(topic, name, grade=finite(number)) if kind == "qrels" else Row(topic, name, score=number)


def _name(name: object) -> bytes:
    if isinstance(name, str):
        try:
            return name.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise Fault from None
    if isinstance(name, bytes):
        return name
    if isinstance(name, int):
        return b"%d" % name
    raise Fault
