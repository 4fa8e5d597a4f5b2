"""What Parquet and Arrow files say about themselves is read before the library believes it."""

import base64
import contextlib
import io
import struct

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankscale as rs
from rankscale.inputs.binary_sizes import ParquetDescription, check_schema
from rankscale.inputs.bounds import SizeBounds, TooLargeError

ROWS = 20_000
TABLE = pa.table(
    {
        "topic": [str(number // 100) for number in range(ROWS)],
        "document": [f"doc-{number * 7919 % 10_007}-{number}" for number in range(ROWS)],
        "score": np.random.default_rng(1).random(ROWS),
    }
)


def parquet(table: pa.Table, **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
@pytest.mark.parametrize("columns", [["topic"], ["document", "score"]])
def test_pages_add_up_to_what_the_description_says(version, compression, columns):
    """The library counts the headers of pages, too: some 20 to 200 bytes for each."""
    content = parquet(TABLE, compression=compression, data_page_version=version, row_group_size=3_000)
    about, pages = pq.ParquetFile(io.BytesIO(content)).metadata, 0
    claimed = 0
    for group in range(about.num_row_groups):
        for number in range(about.num_columns):
            chunk = about.row_group(group).column(number)
            if chunk.path_in_schema in columns:
                claimed, pages = claimed + chunk.total_uncompressed_size, pages + 2
    size = ParquetDescription(content).unpacked_size(columns)
    assert claimed - 200 * pages <= size <= claimed


def test_files_of_another_writer_are_understood(tmp_path):
    frame = pl.DataFrame({"topic": ["0"] * ROWS, "document": [f"d{n}" for n in range(ROWS)], "score": [1.0] * ROWS})
    frame.write_parquet(tmp_path / "run.parquet", statistics="full", row_group_size=5_000)
    size = ParquetDescription((tmp_path / "run.parquet").read_bytes()).unpacked_size(["document"])
    assert 6 * ROWS < size < 20 * ROWS
    assert len(rs.read_run({"0": {"d1": 1}}, tmp_path / "run.parquet").rank) == 1


@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize("use_dictionary", [False, True])
@pytest.mark.parametrize("column", ["topic", "document"])
def test_a_page_that_unpacks_to_very_much_is_refused_before_it_is_unpacked(column, use_dictionary, in_folder, tmp_path):
    columns = {"topic": ["1"], "document": ["a"], "score": [1.0], column: ["x" * (100 << 20)]}
    content = parquet(pa.table(columns), compression="zstd", write_statistics=False, use_dictionary=use_dictionary)
    assert len(content) < 100_000
    path = tmp_path / "run.parquet"
    if in_folder:
        path.mkdir()
    (path / "part-0.parquet" if in_folder else path).write_bytes(content)
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(rs.errors.FormatError, match="unpacks to more than 16,777,216 bytes"):
        rs.read_run({"1": {"a": 1}}, path)
    assert pa.default_memory_pool().max_memory() - before < 1 << 20


def test_dictionaries_of_many_row_groups_add_up():
    out, names = io.BytesIO(), pa.array(["x" * (5 << 20), "1"])
    topic = pa.DictionaryArray.from_arrays(pa.array([1], pa.int32()), names)
    schema = pa.schema([("topic", topic.type), ("document", pa.int32()), ("score", pa.float64())])
    options = {"compression": "zstd", "write_statistics": False, "dictionary_pagesize_limit": 1 << 30}
    with pq.ParquetWriter(out, schema, store_schema=False, **options) as writer:
        for number in range(6):
            writer.write_table(pa.table([topic, pa.array([number], pa.int32()), pa.array([1.0])], schema=schema))
    with pytest.raises(rs.errors.FormatError, match="unpacks to more than 16,777,216 bytes"):
        rs.read_run({"1": {"0": 1}}, out.getvalue())


def test_topics_are_counted_unless_each_row_may_have_its_own():
    """Parts of data sets are small files, and looking at their names would take a quarter of the time."""
    rows = (1 << 17) + 1  # one more than the topics that any file may have
    table = pa.table({"topic": [str(n) for n in range(rows)], "document": ["d"] * rows, "score": [1.0] * rows})
    for claimed in (None, rows):
        with pytest.raises(TooLargeError, match="holds 131,073 topics in 1,000 bytes"):
            list(SizeBounds("run", 1_000, None).checked(table.to_batches(), table.column_names, claimed))
    few = table.slice(1)
    assert (
        sum(map(len, SizeBounds("run", 1_000, None).checked(few.to_batches(), table.column_names, rows - 1)))
        == rows - 1
    )
    with pytest.raises(ValueError, match="it has more rows than the 131072 that it says"):
        list(SizeBounds("run", 1_000, None).checked(table.to_batches(), table.column_names, rows - 1))


def test_row_groups_that_share_their_pages_are_refused():
    """Each would unpack them again."""
    about = ParquetDescription(parquet(TABLE, row_group_size=3_000))
    once = about.unpacked_size(["document"])
    about.groups = about.groups * 2
    assert about.unpacked_size(["document"]) == 2 * once
    about.groups = about.groups * len(about.content)
    with pytest.raises(ValueError, match="it lists pages more than once"):
        about.unpacked_size(["document"])


def varint(number: int) -> bytes:
    low = number & 127
    return bytes([low]) if number < 128 else bytes([low | 128]) + varint(number >> 7)


def described(columns: int, groups: bytes = b"\x19\x0c") -> bytes:
    """A Parquet file of nothing but a description: so many columns, and row groups as they are given."""
    root = b"\x48\x01r\x15" + varint(2 * columns) + b"\0"
    schema = b"\x19\xfc" + varint(columns + 1) + root + b"\x15\x02\x25\x00\x18\x01a\x00" * columns
    about = b"\x15\x02" + schema + b"\x16\x00" + groups + b"\0"
    return b"PAR1" + about + struct.pack("<I", len(about)) + b"PAR1"


def test_more_columns_than_any_run_has_are_refused():
    assert ParquetDescription(described(100)).groups == []
    with pytest.raises(rs.errors.FormatError, match="it has 20001 columns, and 10000 are the most that are read"):
        rs.read_run({"1": {"a": 1}}, described(20_000))


def test_a_row_group_with_other_columns_than_the_file_is_refused():
    chunks = b"\x19\x1c\x19\xfc" + varint(5_000) + b"\x26\x00\x00" * 5_000 + b"\x16\x00\x16\x00\x00"
    with pytest.raises(rs.errors.FormatError, match="a row group has more or fewer columns than the file"):
        rs.read_run({"1": {"a": 1}}, described(3, chunks))


def test_damaged_descriptions_end_in_words():
    content = parquet(TABLE.slice(0, 500), compression="zstd")
    (length,) = struct.unpack_from("<I", content, len(content) - 8)
    rng = np.random.default_rng(5)
    for number in range(600):
        damaged = bytearray(content)
        first = len(content) - 8 - length if number % 2 else 4
        for place in rng.integers(first, len(content), 3):
            damaged[place] = rng.integers(0, 256)
        with contextlib.suppress(ValueError):
            assert ParquetDescription(bytes(damaged)).unpacked_size(["topic", "document", "score"]) >= 0
    for end in (0, 3, 8, 11, 12, len(content) // 2, len(content) - 1):
        with pytest.raises(ValueError, match="does not end as a Parquet file does"):
            ParquetDescription(content[:end])


def shared_schema(fields: int, name: int) -> bytes:
    """A schema whose columns are all one column, of an integer type, with a name of so many letters."""
    data = bytearray(4)
    tables = {}
    for table, *places in (
        ("message", 12, 4, 6, 8),
        ("schema", 8, 0, 4),
        ("field", 20, 4, 8, 9, 12, 0, 16),
        ("int", 12, 4, 8),
    ):
        tables[table] = len(data)
        data += struct.pack(f"<{len(places) + 1}H", 2 * len(places) + 2, *places)
        data += bytes(-len(data) % 4)

    def begin(table: str, size: int) -> int:
        data.extend(bytes(-len(data) % 4 + size))
        struct.pack_into("<i", data, len(data) - size, len(data) - size - tables[table])
        return len(data) - size

    def lead(place: int, target: int) -> None:
        struct.pack_into("<I", data, place, target - place)

    message = begin("message", 12)
    lead(0, message)
    struct.pack_into("<HB", data, message + 4, 4, 1)
    schema = begin("schema", 8)
    lead(message + 8, schema)
    vector = len(data)
    data.extend(struct.pack("<I", fields) + bytes(4 * fields))
    lead(schema + 4, vector)
    field = begin("field", 20)
    data[field + 8 : field + 10] = b"\1\2"
    for number in range(fields):
        lead(vector + 4 + 4 * number, field)
    children = len(data)
    data.extend(bytes(4))
    lead(field + 16, children)
    kind = begin("int", 12)
    struct.pack_into("<iB", data, kind + 4, 32, 1)
    lead(field + 12, kind)
    text = len(data)
    data.extend(struct.pack("<I", name) + b"n" * name + b"\0")
    lead(field + 4, text)
    data.extend(bytes(-len(data) % 8))
    return struct.pack("<II", 0xFFFFFFFF, len(data)) + bytes(data)


def test_columns_that_share_a_long_name_are_refused():
    """Each would be a copy: 1,000 of 500,000 letters take 1.5 GB."""
    one = pa.ipc.read_schema(pa.py_buffer(shared_schema(3, 10)))
    assert one.names == ["n" * 10] * 3
    check_schema(io.BytesIO(shared_schema(3, 10)))
    with pytest.raises(ValueError, match="the names of its columns take more bytes than there are"):
        check_schema(io.BytesIO(shared_schema(100, 1_000)))
    with pytest.raises(ValueError, match="it has more than 10000 columns"):
        check_schema(io.BytesIO(shared_schema(10_001, 1)))
    ended = shared_schema(1_000, 5_000) + struct.pack("<II", 0xFFFFFFFF, 0)
    with pytest.raises(rs.errors.FormatError, match="the names of its columns take more bytes than there are"):
        rs.read_run({"1": {"a": 1}}, ended)


def test_the_schema_of_arrow_in_a_parquet_file_is_looked_at_too():
    table = pa.table({"topic": ["1"], "document": ["a"], "score": [1.0]})
    out = io.BytesIO()
    with pq.ParquetWriter(out, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"ARROW:schema": base64.b64encode(shared_schema(1_000, 5_000)).decode()})
    with pytest.raises(rs.errors.FormatError, match="the names of its columns take more bytes than there are"):
        rs.read_run({"1": {"a": 1}}, out.getvalue())
    assert len(rs.read_run({"1": {"a": 1}}, parquet(table)).rank) == 1


def test_a_large_dictionary_that_many_batches_refer_to_is_refused():
    """Each batch looks through all of it."""
    out, names = io.BytesIO(), pa.array([""] * 1_000_000)
    batch = pa.record_batch(
        {"topic": ["1"], "document": pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), names), "score": [1.0]}
    )
    with pa.ipc.new_stream(out, batch.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        for _ in range(200):
            writer.write_batch(batch)
    with pytest.raises(rs.errors.FormatError, match="its rows take more than 16,777,216 bytes"):
        rs.read_run({"1": {"a": 1}}, out.getvalue())
