import contextlib
import io
import math
import struct

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankscale as rs
from rankscale.evaluation.engine import summarise
from rankscale.inputs.binary_sizes import _Message, unpacked_sizes
from rankscale.inputs.options import Reading
from rankscale.outputs.convert import ConversionSource, convert

ROWS = 3_000
NAMES = [f"d{number % 977}" for number in range(ROWS)]
TABLE = pa.table(
    {
        "topic": pa.array([str(number // 1000) for number in range(ROWS)]).dictionary_encode(),
        "document": [f"{name}-{number}" for number, name in enumerate(NAMES)],
        "score": np.linspace(9, 1, ROWS),
    }
)
QRELS = {"0": {"d0-0": 1}, "1": {"d23-1000": 1}, "2": {"d46-2000": 2}}


def written(table: pa.Table, compression: str | None, *, as_file: bool, rows: int = 1_000) -> bytes:
    out = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (pa.ipc.new_file if as_file else pa.ipc.new_stream)(out, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    return out.getvalue()


def sizes(content: bytes) -> list[int]:
    return list(unpacked_sizes(io.BytesIO(content)))


@pytest.mark.parametrize("as_file", [False, True])
@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_sizes_are_those_of_the_buffers_that_are_unpacked(compression, as_file):
    """As many bytes as the library holds once it has unpacked them; small buffers may be left as they are."""
    claimed = sum(sizes(written(TABLE, compression, as_file=as_file)))
    held = sum(
        buffer.size for column in TABLE.columns for chunk in column.chunks for buffer in chunk.buffers() if buffer
    )
    assert 0.9 * held < claimed < 1.2 * held


@pytest.mark.parametrize("as_file", [False, True])
def test_plain_buffers_unpack_to_nothing(as_file):
    assert set(sizes(written(TABLE, None, as_file=as_file))) == {0}


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_files_of_another_writer_are_measured_and_read(compression, tmp_path):
    frame = pl.DataFrame({"topic": ["0"] * ROWS, "document": [f"d{n}" for n in range(ROWS)], "score": [1.0] * ROWS})
    frame.write_ipc(tmp_path / "run.arrow", compression=compression)
    claimed = sum(sizes((tmp_path / "run.arrow").read_bytes()))
    assert claimed == 0 if compression == "uncompressed" else claimed > 20 * ROWS
    assert len(rs.read_run({"0": {"d1": 1}}, tmp_path / "run.arrow").rank) == 1


def long_name(size: int) -> pa.Table:
    return pa.table({"topic": ["1"], "document": pa.array(["x" * size], pa.large_string()), "score": [1.0]})


@pytest.mark.parametrize("as_file", [False, True])
@pytest.mark.parametrize("given", ["path", "bytes"])
def test_a_small_file_that_unpacks_to_very_much_is_refused(as_file, given, tmp_path):
    content = written(long_name(100 << 20), "zstd", as_file=as_file)
    assert len(content) < 1 << 20
    path = tmp_path / "run.arrow"
    path.write_bytes(content)
    before = pa.total_allocated_bytes()
    with pytest.raises(
        rs.errors.FormatError, match="unpacks to more than 16,777,216 bytes; if this is meant, allow more"
    ):
        rs.read_run({"1": {"a": 1}}, path if given == "path" else content)
    assert pa.total_allocated_bytes() - before < 1 << 20
    with pytest.raises(rs.errors.FormatError, match="unpacks to more than 1,000 bytes"):
        rs.read_run(QRELS, written(TABLE, "lz4", as_file=as_file), max_size=1_000)


def test_a_folder_of_such_files_is_refused(tmp_path):
    folder = tmp_path / "run.arrow"
    folder.mkdir()
    (folder / "part-0.arrow").write_bytes(written(long_name(10), "zstd", as_file=True))
    assert len(rs.read_run({"1": {"x" * 10: 1}}, folder).rank) == 1
    (folder / "part-1.arrow").write_bytes(written(long_name(100 << 20), "zstd", as_file=True))
    with pytest.raises(rs.errors.FormatError, match="unpacks to more than"):
        rs.read_run({"1": {"a": 1}}, folder)


def test_a_dictionary_counts_too():
    names = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array(["y" * (100 << 20)]))
    table = pa.table({"topic": names, "document": ["a", "b"], "score": [2.0, 1.0]})
    with pytest.raises(rs.errors.FormatError, match="unpacks to more than"):
        rs.read_run({"1": {"a": 1}}, written(table, "zstd", as_file=True))


def test_a_list_that_names_messages_elsewhere_is_followed():
    """What the library would unpack counts: a file may hide a message behind the end of its stream."""
    content = written(long_name(100 << 20), "zstd", as_file=True)
    (length,) = struct.unpack_from("<I", content, len(content) - 10)
    stream, listed = content[: len(content) - 10 - length], content[len(content) - 10 - length :]
    batch = stream.rindex(b"\xff\xff\xff\xff", 0, len(stream) - 8)
    moved = stream[:batch] + b"\xff\xff\xff\xff\0\0\0\0" + stream[batch:]
    listed = listed.replace(struct.pack("<q", batch), struct.pack("<q", batch + 8))
    assert pa.ipc.open_file(moved + listed).num_record_batches == 1
    with pytest.raises(rs.errors.FormatError, match="unpacks to more than"):
        rs.read_run({"1": {"a": 1}}, moved + listed)


def test_messages_that_overlap_are_refused():
    """Each of many would unpack the same bytes."""
    content = bytearray(written(TABLE, None, as_file=True))
    starts = [at for at in range(8, len(content), 8) if content[at : at + 4] == b"\xff\xff\xff\xff"]
    batches = [message for at in starts if (message := _Message.at(io.BytesIO(content), at, len(content)))][1:]
    assert len(batches) > ROWS // 1_000
    for start, batch in zip(starts[1:], batches, strict=False):
        size = struct.pack("<q", batch.end - batch.body)
        at = content.index(size, start, batch.body)
        content[at : at + 8] = struct.pack("<q", len(content) - batch.body)
    with pytest.raises(ValueError, match="its messages overlap"):
        sizes(bytes(content))


def test_parts_of_a_folder_are_added_up(tmp_path):
    folder = tmp_path / "run.arrow"
    folder.mkdir()
    for part in range(3):
        (folder / f"part-{part}.arrow").write_bytes(written(long_name(30 << 20), "zstd", as_file=True))
    with pytest.raises(rs.errors.FormatError, match="unpacks to more than"):
        rs.read_run({"1": {"a": 1}}, folder)


def test_compression_of_early_writers_counts_too():
    """Before there was a field for it, the message had a note."""
    content = written(long_name(100 << 20), "zstd", as_file=False)
    with_note = _Message.at(io.BytesIO(content), 0, len(content))
    assert with_note is not None
    at = content.index(struct.pack("<I", 0xFFFFFFFF), with_note.end)
    batch = _Message.at(io.BytesIO(content), at, len(content))
    assert batch is not None
    hidden = _Message(batch.data, batch.body, len(content))
    fields = hidden.following(hidden.field(hidden.root, 2) or 0)
    table = fields - hidden.number("<i", fields)
    data = bytearray(hidden.data)
    data[table + 10 : table + 12] = b"\0\0"  # no compression field any more
    plain = _Message(bytes(data), batch.body, len(content))
    assert list(plain.compressed_buffers(None)) == []
    noted = _Message(bytes(data) + b"ARROW:experimental_compression", batch.body, len(content))
    assert list(noted.compressed_buffers(None)) == list(batch.compressed_buffers(None)) != []


def test_a_message_that_is_listed_twice_is_refused():
    content = written(TABLE, None, as_file=True, rows=1_000)
    places = [place for place in range(8, len(content) - 8, 8) if content[place : place + 4] == b"\xff\xff\xff\xff"]
    listed = content.rindex(struct.pack("<q", places[-2]))
    again = struct.pack("<q", next(p for p in reversed(places) if content.rfind(struct.pack("<q", p), listed + 8) > 0))
    with pytest.raises(ValueError, match="more than once"):
        sizes(content[:listed] + again + content[listed + 8 :])


@pytest.mark.parametrize("kind", [pa.binary(), pa.string_view(), pa.binary_view()])
@pytest.mark.parametrize("is_coded", [False, True])
def test_names_of_other_types_count_too(kind, is_coded, tmp_path):
    """One text for many rows: views of it, or codes."""
    rows, long = 20_000, "y" * 900_000
    texts = pa.array([long.encode() if "binary" in str(kind) else long]).cast(kind)
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), texts)
    if is_coded:
        names = codes
    elif "view" in str(kind):
        views = texts.buffers()[1].to_pybytes() * rows
        names = pa.Array.from_buffers(kind, rows, [None, pa.py_buffer(views), *texts.buffers()[2:]])
    else:
        return  # 18 GB, written out
    table = pa.table({"topic": ["1"] * rows, "document": names, "score": np.linspace(2, 1, rows)})
    with pytest.raises(rs.errors.FormatError, match=r"its rows take more than|unpacks to more than"):
        rs.read_run({"1": {"a": 1}}, written(table, "zstd", as_file=True, rows=rows))


@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize("kind", [pa.string(), pa.binary()])
@pytest.mark.parametrize("is_coded", [False, True])
def test_a_small_parquet_file_with_a_long_name_in_every_row_is_refused(in_folder, kind, is_coded, tmp_path):
    rows = 20_000
    long = pa.array([b"y" * 900_000]).cast(pa.string()).cast(kind)
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), long)
    table = pa.table({"topic": ["1"] * rows, "document": codes, "score": np.linspace(2, 1, rows)})
    path = tmp_path / "run.parquet"
    if in_folder:
        path.mkdir()
    where = path / "part-0.parquet" if in_folder else path
    pq.write_table(table, where, compression="zstd", store_schema=is_coded, use_dictionary=True)
    assert where.stat().st_size < 1 << 20
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(rs.errors.FormatError, match="its rows take more than"):
        rs.read_run({"1": {"a": 1}}, path)
    assert pa.default_memory_pool().max_memory() - before < 300 << 20


@pytest.mark.parametrize("column", ["topic", "document"])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_a_long_name_that_stands_in_every_row_as_a_code_is_refused(column, compression, tmp_path):
    """One name of 900,000 bytes in 20,000 rows would be 18 GB of text."""
    rows = 20_000
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array(["y" * 900_000]))
    columns = {"topic": ["1"] * rows, "document": [f"d{n}" for n in range(rows)], "score": np.linspace(2, 1, rows)}
    content = written(pa.table({**columns, column: codes}), compression, as_file=True, rows=rows)
    assert len(content) < 3 << 20
    with pytest.raises(rs.errors.FormatError, match="its rows take more than"):
        rs.read_run({"1": {"a": 1}}, content)
    (tmp_path / "run.feather").write_bytes(content)
    with pytest.raises(rs.errors.FormatError, match="its rows take more than"):
        convert(ConversionSource(str(tmp_path / "run.feather"), Reading()), str(tmp_path / "run.tsv"), None)
    assert not (tmp_path / "run.tsv").exists()


@pytest.mark.parametrize("as_file", [False, True])
def test_damaged_descriptions_end_in_words(as_file):
    content = written(TABLE, "lz4", as_file=as_file)
    rng = np.random.default_rng(5)
    for _ in range(300):
        damaged = bytearray(content)
        for place in rng.integers(0, len(content), 3):
            damaged[place] = rng.integers(0, 256)
        with contextlib.suppress(rs.errors.RankscaleError):
            rs.read_run(QRELS, bytes(damaged))


def test_columns_that_are_not_read_do_not_count():
    table = long_name(100 << 20).rename_columns(["topic", "text", "score"]).append_column("document", pa.array(["a"]))
    assert rs.read_run({"1": {"a": 1}}, written(table, "zstd", as_file=True)).rank.tolist() == [1]


@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize("column", ["topic", "document"])
@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_names_that_a_parquet_file_has_as_differences_are_read(encoding, column, in_folder, tmp_path):
    """As Spark and DuckDB write them; the library does not give such columns as codes."""
    plain = {name: [str(value) for value in TABLE.column(name).to_pylist()] for name in ("topic", "document")}
    table = pa.table({**plain, "score": TABLE.column("score")})
    path = tmp_path / "run.parquet"
    if in_folder:
        path.mkdir()
    pq.write_table(
        table,
        path / "part-0.parquet" if in_folder else path,
        use_dictionary=["score"],
        column_encoding={column: encoding},
        row_group_size=700,
    )
    run, expected = rs.read_run(QRELS, path), rs.read_run(QRELS, table)
    assert run.rank.tolist() == expected.rank.tolist() == [1, 1, 1]
    assert run.length.tolist() == expected.length.tolist() == [1000, 1000, 1000]


def test_a_folder_whose_names_are_differences_from_some_file_on_is_read(tmp_path):
    """No row is lost, and none is there twice."""
    table = TABLE.set_column(0, "topic", TABLE.column("topic").cast("string"))
    folder = tmp_path / "run.parquet"
    folder.mkdir()
    pq.write_table(table.slice(0, 1500), folder / "part-0.parquet")
    differences = dict.fromkeys(("topic", "document"), "DELTA_BYTE_ARRAY")
    pq.write_table(table.slice(1500), folder / "part-1.parquet", use_dictionary=False, column_encoding=differences)
    run = rs.read_run(QRELS, folder)
    assert run.length.tolist() == [1000, 1000, 1000]
    assert run.rank.tolist() == [1, 1, 1]


def counted(rows: int, **columns: np.ndarray) -> bytes:
    """A Parquet file of whole numbers that count up, or are all 1: some bytes for a thousand rows."""
    out, ones = io.BytesIO(), np.ones(rows, dtype=np.int64)
    table = pa.table({"qid": ones, "docid": ones, "score": ones, **columns})
    encodings = dict.fromkeys(columns, "DELTA_BINARY_PACKED")
    still = [name for name in table.column_names if name not in columns]
    pq.write_table(table, out, use_dictionary=still, column_encoding=encodings, compression="zstd")
    return out.getvalue()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["docid"], "holds [0-9,]+ rows in [0-9,]+ bytes"),
        (["qid"], "holds [0-9,]+ topics in [0-9,]+ bytes"),
        (["run"], "holds [0-9,]+ runs or sub-topics in [0-9,]+ bytes"),
    ],
)
def test_numbers_that_count_up_are_bounded_too(columns, message):
    rows = 1_000_000
    content = counted(rows, **{name: np.arange(rows) for name in columns})
    assert len(content) < 30_000
    with pytest.raises(rs.errors.FormatError, match=rf"{message}.*; if this is meant, allow more with max_size="):
        rs.read_runs({"1": {"1": 1}}, content)
    few = 4_000 if columns == ["run"] else 120_000
    assert rs.read_runs({"1": {"1": 1}}, counted(few, **{name: np.arange(few) for name in columns}))


def test_max_size_allows_as_many_as_are_meant():
    content = counted(200_000, qid=np.arange(200_000))
    assert rs.read_run({"1": {"1": 1}}, content, max_size=1 << 30).unknown_topics == 199_999


@pytest.mark.parametrize("as_parquet", [False, True])
def test_values_of_measures_are_not_bounded_as_rankings_are(as_parquet, tmp_path):
    """A hundred thousand topics with the same value take next to nothing on disk, and no two need be the same."""
    topics = 100_000
    values = np.where(np.arange(topics) < 5_000, np.arange(topics) / topics, 0.0)
    table = pa.table({"run": ["a"] * topics, "topic": [f"{n:06}" for n in range(topics)], "AP": values})
    path = tmp_path / f"values.{'parquet' if as_parquet else 'arrow'}"
    if as_parquet:
        coded = {"use_dictionary": ["run", "AP"], "column_encoding": {"topic": "DELTA_BYTE_ARRAY"}}
        pq.write_table(table, path, compression="zstd", **coded)
    else:
        path.write_bytes(written(table, "zstd", as_file=True, rows=topics))
    qrels = rs.read_qrels({f"{n:06}": {"x": 1} for n in range(topics)})
    evaluation = summarise(qrels, path, "AP")
    assert evaluation.means()["a", "AP"] == math.fsum(values) / topics
