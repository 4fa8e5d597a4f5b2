"""Input number `i` of a binary form and a seed: Parquet, Arrow, and what ranx writes, in many shapes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from random import Random
from typing import Any

import cbor2
import lz4.frame
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

from tests.fuzz import form_inputs, mutations
from tests.fuzz.form_inputs import FormCase
from tests.fuzz.form_writers import Line, Table, header, value_of
from tests.fuzz.plain_forms import Options

NAMES = (
    *(pa.string(),) * 3,
    *(pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()),
    *(pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.string())),
    pa.dictionary(pa.int16(), pa.large_string()),
)
INTEGERS = (pa.int64(), pa.int64(), pa.int32(), pa.uint16(), pa.uint64(), pa.int16())
FLOATS = (pa.float64(), pa.float64(), pa.float32(), pa.float16())
WRONG = (pa.bool_(), pa.list_(pa.int64()), pa.struct([("a", pa.int64())]), pa.timestamp("us"), pa.date32(), pa.null())
NUMBERS = tuple(
    number.to_bytes(size, "little", signed=number < 0)
    for size in (1, 2, 4, 8)
    for number in (0, 1, -1, 0x7F, (1 << 8 * size - 1) - 1, -1 << 8 * size - 1, 1 << 8 * size - 2)
)
PACKINGS = ("none", "none", "snappy", "zstd", "gzip")
BATCHES = (1, 2, 3, 7, 1 << 16)


def case(form: str, seed: int, number: int) -> FormCase:
    """Input `number` of a form and a seed. One in two is as the form asks; the others are spoilt."""
    rng = Random(f"{form}/{seed}/{number}")
    kind = "runs" if rng.random() < 0.75 else "qrels"
    table = form_inputs._table("ranx" if form == "ranx" else "csv", kind, rng)
    if rng.random() < 0.25:
        table = _with_numbers_for_names(table, rng)
    judgments = form_inputs._judgments(table, rng)
    data = WRITERS[form](table, rng)
    if is_spoilt := rng.random() < 0.5:
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            data = rng.choice(SPOILING)(data, rng)
    depth = rng.randrange(1, 8) if rng.random() < 0.1 else None
    way = "bytes" if rng.random() < 0.7 else "file"
    options = _options(form, table, rng)
    return FormCase(kind, form, data, judgments, options, way, depth, rng.choice(BATCHES), is_spoilt)


def _options(form: str, table: Table, rng: Random) -> Options:
    options = form_inputs._options(form, table, rng)
    columns: dict[str, str | int] | None = None
    if form != "ranx" and rng.random() < 0.05:
        columns = {rng.choice(("topic", "document")): rng.choice(("qid", "Query ID", "docno", "title", "x y"))}
    return replace(options, columns=columns, form=None if form == "ranx" else options.form)


def _with_numbers_for_names(table: Table, rng: Random) -> Table:
    """The same with whole numbers in the place of topics, documents, or both."""
    roles = rng.choice((("topic",), ("document",), ("topic", "document", "run")))
    given = sorted({getattr(line, role) for line in table.lines for role in roles})
    names = dict(zip(given, (b"%d" % one for one in rng.sample(range(-3, 30_000), len(given))), strict=True))
    lines = [replace(line, **{role: names[getattr(line, role)] for role in roles}) for line in table.lines]
    return replace(table, lines=lines)


# Tables of Arrow.


def _arrow_table(table: Table, rng: Random) -> pa.Table:
    names, roles = header(table, rng)
    if rng.random() < 0.03:
        names[rng.randrange(len(names))] = rng.choice(names)
    lines = [] if rng.random() < 0.03 else table.lines
    columns = [_column(role, lines, rng) for role in roles]
    return pa.Table.from_arrays(columns, names=[name.decode() for name in names])


def _column(role: str, lines: Sequence[Line], rng: Random) -> pa.Array:
    if rng.random() < 0.01:
        return pa.nulls(len(lines), rng.choice(WRONG))
    if not role:
        kind = rng.choice((*NAMES[:4], *INTEGERS, *FLOATS, *WRONG))
        values: list[Any] = [rng.choice((None, 1)) for _ in lines]
        return pa.nulls(len(lines), kind) if kind not in INTEGERS + FLOATS else pa.array(values, kind)
    texts = [value_of(line, role) for line in lines]
    if role in {"topic", "document", "run"}:
        return _with_a_null(_names(texts, rng), rng)
    return _with_a_null(_numbers(texts, rng), rng)


def _names(texts: list[bytes], rng: Random) -> pa.Array:
    integers = [int(text) for text in texts if b"%d" % _whole(text) == text]
    if len(integers) == len(texts) and rng.random() < 0.8:
        kind = rng.choice(INTEGERS)
        return pa.array(integers, kind if _fits(integers, kind) else pa.int64())
    kind = rng.choice(NAMES)
    try:
        decoded = pa.array([text.decode() for text in texts], pa.string())
    except UnicodeDecodeError:
        return pa.array(texts, rng.choice((pa.binary(), pa.large_binary(), pa.binary_view())))
    if not pa.types.is_dictionary(kind):
        return decoded.cast(kind)
    return pa.DictionaryArray.from_arrays(
        decoded.dictionary_encode().indices.cast(kind.index_type),
        decoded.dictionary_encode().dictionary.cast(kind.value_type),
    )


def _whole(text: bytes) -> int:
    try:
        number = int(text)
    except ValueError:
        return -1 << 70
    return number if abs(number) < 1 << 60 else -1 << 70


def _fits(numbers: list[int], kind: pa.DataType) -> bool:
    try:
        pa.array(numbers, kind)
    except (pa.ArrowInvalid, OverflowError):
        return False
    return True


def _numbers(texts: list[bytes], rng: Random) -> pa.Array:
    integers = [int(text) for text in texts if _whole(text) != -1 << 70]
    if len(integers) == len(texts) and rng.random() < 0.6:
        kind = rng.choice(INTEGERS)
        return pa.array(integers, kind if _fits(integers, kind) else pa.int64())
    if rng.random() < 0.01:
        return pa.array([text.decode() for text in texts])
    exact = pa.array([float(text) for text in texts], pa.float64())
    return exact.cast(rng.choice(FLOATS), safe=False)


def _with_a_null(column: pa.Array, rng: Random) -> pa.Array:
    """Some columns have a null or a NaN in them; some have a place where it would stand, and none."""
    if rng.random() > 0.02 or not len(column):
        return column
    at = rng.randrange(len(column))
    if pa.types.is_floating(column.type) and rng.random() < 0.5:
        return pa.concat_arrays(
            [column[:at], pa.array([float("nan")], pa.float64()).cast(column.type), column[at + 1 :]]
        )
    return pa.concat_arrays([column[:at], pa.nulls(1, column.type), column[at + 1 :]])


# Files.


def _parquet(table: Table, rng: Random) -> bytes:
    held, file = _arrow_table(table, rng), BytesIO()
    pq.write_table(
        held,
        file,
        row_group_size=rng.choice((1, 2, 3, 5, 100)),
        compression=rng.choice(PACKINGS),
        use_dictionary=rng.random() < 0.6,
        data_page_size=rng.choice((1, 30, 1 << 20)),
        write_batch_size=rng.choice((1, 4, 1024)),
        data_page_version=rng.choice(("1.0", "2.0")),
        write_page_checksum=rng.random() < 0.2,
        store_schema=rng.random() < 0.7,
        write_statistics=rng.random() < 0.5,
        version=rng.choice(("1.0", "2.4", "2.6")),
    )
    return file.getvalue()


def _arrow(table: Table, rng: Random) -> bytes:
    held, file = _arrow_table(table, rng), BytesIO()
    batches = rng.choice((1, 2, 3, 5, 100))
    chance = rng.random()
    if chance < 0.2 and not any(pa.types.is_null(kind) for kind in held.schema.types):
        feather.write_feather(held, file, compression=rng.choice(("uncompressed", "lz4", "zstd")), chunksize=batches)
        return file.getvalue()
    options = pa.ipc.IpcWriteOptions(
        compression=rng.choice((None, None, "lz4", "zstd")),
        unify_dictionaries=True,
        metadata_version=rng.choice((pa.ipc.MetadataVersion.V4, pa.ipc.MetadataVersion.V5, pa.ipc.MetadataVersion.V5)),
    )
    make = pa.ipc.new_file if chance < 0.6 else pa.ipc.new_stream
    with make(file, held.schema, options=options) as writer:
        writer.write_table(held, max_chunksize=batches)
        if rng.random() < 0.1:
            writer.write_table(held.slice(0, 0))
    return file.getvalue()


def _ranx(table: Table, rng: Random) -> bytes:
    rankings: dict[Any, dict[Any, Any]] = {}
    for line in table.lines:
        topic, document = (_cbor_name(name) for name in (line.topic, line.document))
        rankings.setdefault(topic, {})[document] = _cbor_number(line.number, rng)
    text = cbor2.dumps(rng.choice(ODD_CONTENT) if rng.random() < 0.02 else rankings)
    if rng.random() < 0.2:
        text = rng.choice(SPOILING[:-1])(text, rng)
    inner = lz4.frame.compress(text, content_checksum=rng.random() < 0.2)
    return bytes(lz4.frame.compress(inner, store_size=rng.random() < 0.5))


def _cbor_name(name: bytes) -> str | int:
    whole = _whole(name)
    return whole if b"%d" % whole == name and len(name) % 2 else name.decode("latin-1")


def _cbor_number(text: bytes, rng: Random) -> object:
    if rng.random() < 0.01:
        return rng.choice((None, True, "x", "1", [], {}, {"a": 1}, float("nan"), 1 << 80, 1 << 2000, b"1"))
    return _whole(text) if _whole(text) != -1 << 70 and rng.random() < 0.5 else float(text)


ODD_CONTENT: tuple[object, ...] = (
    [],
    {},
    None,
    1,
    "x",
    {"1": {}},
    {"1": 1},
    {"1": ["a"]},
    [["1", "a", 1]],
    {1: {"a": 2}},
)
WRITERS: dict[str, Callable[[Table, Random], bytes]] = {"parquet": _parquet, "arrow": _arrow, "ranx": _ranx}
BINARY_FORMS = tuple(WRITERS)


# Ways to spoil such a file.


def odd_integer(data: bytes, rng: Random) -> bytes:
    """A number of 1 to 8 bytes, often one of the lengths and places that such files are full of, becomes another."""
    number = rng.choice(NUMBERS)
    at = rng.randrange(len(data) + 1)
    return data[:at] + number + data[at + len(number) :]


def flip_near_an_end(data: bytes, rng: Random) -> bytes:
    """In the head or the foot, which say where everything is."""
    if not data:
        return data
    near = rng.randrange(min(len(data), 400))
    at = near if rng.random() < 0.3 else len(data) - 1 - near
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def zeros(data: bytes, rng: Random) -> bytes:
    at, size = rng.randrange(len(data) + 1), rng.choice((1, 4, 8, 40))
    return data[:at] + bytes(len(data[at : at + size])) + data[at + size :]


def splice(data: bytes, rng: Random) -> bytes:
    """The beginning of the file, and the end of another one of any binary form."""
    form = rng.choice(BINARY_FORMS)
    other = WRITERS[form](form_inputs._table(form, rng.choice(("runs", "qrels")), rng), rng)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


SPOILING: tuple[mutations.Mutation, ...] = (
    *(mutations.flip_a_bit,) * 4,
    *(flip_near_an_end,) * 4,
    *(odd_integer,) * 3,
    *(zeros, mutations.insert_a_byte, mutations.delete_bytes, mutations.truncate, mutations.repeat_a_slice),
    *(mutations.move_a_slice, mutations.random_bytes, mutations.nothing, splice),
)
