"""Parquet and Arrow files, and those of ranx, made to hurt. Each is refused in words, in bounded time and memory."""

import struct
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path

import cbor2
import lz4.frame
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankscale
from rankscale.errors import FormatError, InputError
from tests.fuzz.time_limit import within

ROOT = Path(__file__).parents[2]
LIMIT = 20  # seconds, on a busy machine
ROWS = 12_345
JUDGMENTS = {"1": {"a": 1.0, "b": 0.0}}
TABLE = {"topic": ["1", "1"], "document": ["a", "b"], "score": [2.0, 1.0]}
ODD_TYPES = {
    "list": pa.array([["a"], ["b"]]),
    "struct": pa.array([{"a": 1}, {"a": 2}]),
    "map": pa.array([[("a", 1)], [("b", 2)]], pa.map_(pa.string(), pa.int64())),
    "bool": pa.array([True, False]),
    "timestamp": pa.array([datetime(2020, 1, 1, tzinfo=UTC)] * 2),
    "date": pa.array([date(2020, 1, 1)] * 2),
    "time": pa.array([time(1)] * 2),
    "duration": pa.array([timedelta(1)] * 2),
    "decimal": pa.array([1, 2]).cast(pa.decimal128(30, 2)),
    "null": pa.nulls(2),
    "bytes of a fixed length": pa.array([b"ab", b"cd"], pa.binary(2)),
}


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    with within(LIMIT):
        yield


def parquet(table: pa.Table, **options: object) -> bytes:
    file = BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def arrow(table: pa.Table, *, stream: bool = False) -> bytes:
    file = BytesIO()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def refusal(source: bytes | Path) -> str:
    """What is said about a file that is neither a run nor qrels: it begins with its name."""
    messages = []
    for read in (lambda: rankscale.read_runs(JUDGMENTS, source), lambda: rankscale.read_qrels(source)):
        with pytest.raises(FormatError) as error:
            read()
        messages.append(str(error.value))
    name = "bytes" if isinstance(source, bytes) else str(source)
    assert all(message.startswith(f"{name}: ") and len(message) < 2_500 for message in messages)
    return messages[0]


def varint(number: int) -> bytes:
    """As Parquet's metadata holds a number."""
    number, written = 2 * number, b""
    while number >= 0x80:
        written += bytes([number & 0x7F | 0x80])
        number >>= 7
    return written + bytes([number])


def with_footer(data: bytes, footer: bytes) -> bytes:
    body = data[: -8 - footer_size(data)]
    return body + footer + struct.pack("<I", len(footer)) + b"PAR1"


def footer_size(data: bytes) -> int:
    return int.from_bytes(data[-8:-4], "little")


@pytest.mark.parametrize("write", [parquet, arrow])
@pytest.mark.parametrize("column", ["topic", "document", "score"])
@pytest.mark.parametrize("values", ODD_TYPES.values(), ids=ODD_TYPES)
def test_a_column_of_a_type_that_holds_no_names_or_numbers_is_named(write, column, values):
    expected = "numbers" if column == "score" else "names"
    assert refusal(write(pa.table({**TABLE, column: values}))).startswith(
        f'bytes: column "{column}": expected {expected}, found '
    )


@pytest.mark.parametrize("rows", [1 << 40, (1 << 62) - 1, -1, 1 << 31, 12_346])
def test_a_parquet_file_that_claims_other_numbers_of_rows_is_refused(rows):
    table = pa.table({"topic": ["1"] * ROWS, "document": [f"d{n}" for n in range(ROWS)], "score": [1.0] * ROWS})
    data = parquet(table)
    footer = data[-8 - footer_size(data) : -8]
    assert footer.count(varint(ROWS)) >= 5  # of the file, of its row group, and of three columns
    claimed = with_footer(data, footer.replace(varint(ROWS), varint(rows) if rows >= 0 else b"\x01"))
    assert "row" in refusal(claimed) or "cannot be read" in refusal(claimed)


@pytest.mark.parametrize("packing", ["none", "zstd"])
def test_one_huge_name_in_a_dictionary_is_a_name(packing):
    names = ["a", "x" * 10_000_000, "b"]
    table = pa.table({"topic": ["1"] * 3, "document": names, "score": [3, 2, 1]})
    (run,) = rankscale.read_runs(JUDGMENTS, parquet(table, compression=packing), keep_documents=True)
    assert run.documents == (tuple(names),)


def test_the_size_of_one_huge_name_that_is_not_there_is_refused():
    data = parquet(pa.table({**TABLE, "document": ["a" * 77, "b"]}), compression="none")
    for size in (0x7FFFFFFF, 0xFFFFFFFF, 1 << 30):
        assert struct.pack("<I", 77) + b"aaaa" in data
        refusal(data.replace(struct.pack("<I", 77) + b"aaaa", struct.pack("<I", size) + b"aaaa", 1))


@pytest.mark.parametrize("write", [parquet, arrow])
def test_a_file_that_breaks_off_anywhere_is_refused(write):
    data = write(pa.table(TABLE))
    for size in range(8, len(data), 7 if write is arrow else 13):
        refusal(data[:size])
    for size in range(1, 9):
        refusal(data[:-size])


@pytest.mark.parametrize("size", [0, 1, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_footer_of_another_size_is_refused(size):
    data = parquet(pa.table(TABLE))
    refusal(data[:-8] + struct.pack("<I", size) + b"PAR1")
    data = arrow(pa.table(TABLE))
    refusal(data[:-10] + struct.pack("<I", size) + b"ARROW1")


def test_places_outside_of_an_arrow_file_are_refused():
    """The library takes the places of names on trust; the core would follow them."""
    starts = struct.pack("<III", 0, 1, 2)
    for stream in (False, True):
        data = arrow(pa.table(TABLE), stream=stream)
        assert data.count(starts) == 2
        for wrong in ((0, 1, 1 << 30), (0, 1 << 30, 2), (0, 0xFFFFFFFF, 2), (5, 1, 2), (0xFFFFFFF0, 1, 2)):
            message = refusal(data.replace(starts, struct.pack("<III", *wrong)))
            assert "cannot be read" in message


def test_codes_outside_of_a_dictionary_are_refused():
    table = pa.table(
        {**TABLE, "topic": pa.DictionaryArray.from_arrays(pa.array([0, 111], pa.int32()), ["1"], safe=False)}
    )
    assert "cannot be read" in refusal(arrow(table))


def test_damage_in_a_column_that_is_not_read_does_not_matter():
    starts = struct.pack("<III", 0, 3, 7)
    data = arrow(pa.table({**TABLE, "text": ["one", "more"]}))
    assert data.count(starts) == 1
    damaged = data.replace(starts, struct.pack("<III", 0, 3, 1 << 30))
    (run,) = rankscale.read_runs(JUDGMENTS, damaged, keep_documents=True)
    assert run.documents == (("a", "b"),)


@pytest.mark.parametrize(("write", "ending"), [(parquet, "parquet"), (arrow, "arrow")])
@pytest.mark.parametrize("at", [0, 1])
def test_a_folder_with_one_damaged_part_is_refused(write, ending, at, tmp_path):
    folder = tmp_path / f"run.{ending}"
    folder.mkdir()
    for part in range(2):
        data = write(pa.table({**TABLE, "topic": [str(part)] * 2}))
        (folder / f"part-{part}.{ending}").write_bytes(data[: len(data) // 2] if part == at else data)
    assert f"part-{at}.{ending}" in refusal(folder)


def packed(text: bytes) -> bytes:
    return bytes(lz4.frame.compress(lz4.frame.compress(text)))


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"\xa1", b"\xff", b"\xbb" + b"\xff" * 8, b"\x9b" + b"\x7f" * 8, b"\x7b\x00\x00\x01" + b"\0" * 5),
        *(b"\xa1" * 100_000, b"\x81" * 1_000_000, b"\xc4\x82\x1a\x7f\xff\xff\xff\x01", b"\xa1\x61a\xd8\x1d\x00"),
        *(cbor2.dumps({"1": {"a": "\x1b[31m"}}), cbor2.dumps({"1": {"a": ["x"] * 100_000}}), cbor2.dumps({"1": 5})),
        *(cbor2.dumps({"1": {"a": float("nan")}}), cbor2.dumps({1.5: {"a": 1}}), cbor2.dumps({"1": {"a": 1 << 5_000}})),
        b"\xa1\x61a\xa1\x61b\xc4\x82\x1b" + b"\x7f" + b"\xff" * 7 + b"\x01",  # 1 and that many zeros
    ],
)
def test_what_ranx_does_not_write_is_refused(text):
    message = refusal(packed(text))
    assert all(character.isprintable() or character == "\n" for character in message)


def test_small_files_of_ranx_are_looked_through_before_objects_are_made():
    """Numbers of one hash as topics take minutes, a number of millions of digits as a score has no text."""
    names = ((1 << 61) - 1, *((number + 16) * ((1 << 61) - 1) for number in range(20_000)))
    same = b"\xa1\x611\xba" + len(names).to_bytes(4) + b"".join(cbor2.dumps(name) + b"\x01" for name in names)
    long = b"\xa1\x611\xa1\x61a\xc2\x5a" + (3_000_000).to_bytes(4) + b"\xff" * 3_000_000
    for text in (same, long):
        message = refusal(packed(text))
        assert "names are numbers of more than 64 bits" in message or "takes 3000000 bytes" in message
        assert len(message) < 300
    numbers = {"1": {"a": 1, "b": -2, "c": 0.5, "d": 1e300}, "2": {}}
    (run,) = rankscale.read_runs({"1": {"a": 1}}, packed(cbor2.dumps(numbers)), keep_documents=True)
    assert run.documents == (("d", "a", "c", "b"),)


@pytest.mark.parametrize("line", [b"", b"\n", b"1 Q0 a 1 2.0 t\n"])
def test_text_in_many_small_frames_of_lz4_is_text(line):
    """And no file of ranx, whose second frame stands in the first."""
    frames = b"".join(lz4.frame.compress(text) for text in [line] * 3 + [b"1 Q0 b 1 1.0 t\n"])
    (run,) = rankscale.read_runs(JUDGMENTS, frames, keep_documents=True, duplicates="best")
    assert run.documents is not None
    assert run.documents[0][-1] == "b"


def test_a_bomb_in_a_file_of_ranx_is_refused():
    with pytest.raises(InputError, match=r"holds more than .* bytes; if this is meant"):
        rankscale.read_qrels(packed(b"\0" * (80 << 20)))


@pytest.mark.parametrize("kept", sorted((ROOT / "fuzz" / "kept" / "forms").iterdir()), ids=lambda path: path.name)
def test_files_that_fuzzing_showed_are_refused(kept):
    """In a process of its own: a library that meets them unprepared ends it."""
    program = "import sys, rankscale; rankscale.read_runs({'1': {'a': 1}}, open(sys.argv[1], 'rb').read()[1:])"
    done = subprocess.run([sys.executable, "-c", program, str(kept)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("FormatError: bytes: ")) == (1, 1), done.stderr[-500:]
