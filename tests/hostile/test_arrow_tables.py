"""Arrow tables that lie about themselves are refused: nothing crashes, nothing is read that is not theirs."""

import struct
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pytest

import rankscale
from rankscale.errors import FormatError
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import rankings_of
from tests.hostile.c_stream import Producer, RawArray

QRELS = {"1": {"aa": 1, "bb": 0}}
TABLE = {"topic": ["1", "1"], "document": ["aa", "bb"], "score": [2.0, 1.0]}
READERS: dict[str, Callable[[Any], object]] = {
    "qrels": rankscale.read_qrels,
    "runs": lambda table: rankscale.read_runs(QRELS, table),
    "rankings": lambda table: rankings_of(table, Reading()),
}
FORMS = {
    "table": lambda table: table,
    "batch": lambda table: table.to_batches()[0],
    "reader": lambda table: table.to_reader(),
    "data set": pyarrow.dataset.dataset,
}
STARTS = [(0, 2, 100_000), (0, -5, 4), (0, 5, 4), (0, 2, 2**31 - 1), (-1, 2, 4), (4, 2, 0), (0, 2, -4), (2**30, 2, 4)]


def patched(old: bytes, new: bytes, table: pa.Table) -> pa.Table:
    """A table whose file was changed between writing and reading, as pyarrow takes it."""
    file = BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    data = file.getvalue()
    assert data.count(old) == 1
    return pa.ipc.open_file(pa.BufferReader(data.replace(old, new))).read_all()


def named(reader: str) -> pa.Table:
    table = pa.table(TABLE)
    return table.rename_columns(["topic", "document", "grade"]) if reader == "qrels" else table


def refusal(reader: str, table: object) -> str:
    with pytest.raises(FormatError, match="the Arrow table cannot be read") as error:
        READERS[reader](table)
    assert len(str(error.value)) < 1_000
    return str(error.value)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("starts", STARTS, ids=str)
def test_places_of_names_outside_of_their_text_are_refused(reader, form, starts):
    table = patched(struct.pack("<iii", 0, 2, 4), struct.pack("<iii", *starts), named(reader))
    refusal(reader, FORMS[form](table))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("starts", STARTS, ids=str)
def test_likewise_of_large_texts(reader, starts):
    table = named(reader).set_column(1, "document", pa.array(["aa", "bb"], pa.large_string()))
    refusal(reader, patched(struct.pack("<qqq", 0, 2, 4), struct.pack("<qqq", *starts), table))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("code", [2, 111, 2**31 - 1, -1, -(2**31)])
def test_codes_outside_of_a_dictionary_are_refused(reader, code):
    codes = pa.DictionaryArray.from_arrays(pa.array([0, code], pa.int32()), ["aa", "bb"], safe=False)
    refusal(reader, named(reader).set_column(1, "document", codes))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("place", [(1, 0, 4), (0, 30, 4), (0, 0, 2**30), (-1, 0, 0), (2**30, 0, 0)])
def test_views_outside_of_their_texts_are_refused(reader, place):
    names = ["x" * 33, "y" * 20]
    table = named(reader).set_column(1, "document", pa.array(names, pa.string_view()))
    at, start, length = place
    old = struct.pack("<i4sii", 33, b"xxxx", 0, 0)
    refusal(reader, patched(old, struct.pack("<i4sii", 33 + length, b"xxxx", at, start), table))


def test_text_that_is_no_utf8_is_read_as_bytes_as_it_is_in_files():
    table = pa.table(TABLE)
    starts = table.column(1).chunk(0).buffers()[1]
    broken = pa.Array.from_buffers(pa.string(), 2, [None, starts, pa.py_buffer(b"a\xffbb")])
    (run,) = rankscale.read_runs(QRELS, table.set_column(1, "document", broken), keep_documents=True)
    assert run.documents == (("a\udcff", "bb"),)


def lie(where: str, **changes: object):
    """Change fields of the batch, or of a column of it."""

    def change(batch: RawArray, columns: list[RawArray]) -> None:
        target = batch if where == "batch" else columns[int(where)]
        for field, value in changes.items():
            if field.startswith("buffer_"):
                target.buffers[int(field[-1])] = value
            else:
                setattr(target, field, value)

    return change


def without_a_child(batch: RawArray, columns: list[RawArray]) -> None:
    batch.children[1] = type(batch.children[1])()


LIES = {
    **{f"length {n}": lie("1", length=n) for n in (-1, 1, -(2**63), 2**63 - 1, 2**62)},
    **{f"offset {n}": lie("1", offset=n) for n in (-1, -(2**63), 2**63 - 1)},
    **{f"nulls {n}": lie("1", null_count=n) for n in (-2, 1, 3, 2**63 - 1)},
    **{f"buffers {n}": lie("1", n_buffers=n) for n in (-1, 0, 1, 2, 4, 2**62)},
    **{f"children {n}": lie("1", n_children=n) for n in (-1, 1, 2**62)},
    **{f"batch of length {n}": lie("batch", length=n) for n in (-1, 3, 2**62)},
    **{f"batch from {n}": lie("batch", offset=n) for n in (-1, 1, 2**62)},
    **{f"columns {n}": lie("batch", n_children=n) for n in (-1, 0, 2, 4, 2**62)},
    "rows that are null": lie("batch", null_count=1),
    "no list of buffers": lie("1", buffers=None),
    "no starts": lie("1", buffer_1=None),
    "no text": lie("1", buffer_2=None),
    "no numbers": lie("2", buffer_1=None),
    "no columns": lie("batch", children=None),
    "no column": without_a_child,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_numbers_and_pointers_that_make_no_sense_are_refused(reader, lie):
    refusal(reader, Producer(named(reader), lie))


@pytest.mark.parametrize("reader", READERS)
def test_a_dictionary_that_is_missing_is_refused(reader):
    table = named(reader).set_column(1, "document", pa.array(["aa", "bb"]).dictionary_encode())
    refusal(reader, Producer(table, lie("1", dictionary=None)))


@pytest.mark.parametrize("reader", READERS)
def test_the_same_producer_without_a_lie_is_read(reader):
    kinds = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string())]
    for kind in kinds:
        table = named(reader).set_column(1, "document", pa.array(["aa", "bb"], pa.string()).cast(kind))
        READERS[reader](Producer(table))
    (run,) = rankscale.read_runs(QRELS, Producer(pa.table(TABLE)), keep_documents=True)
    assert run.documents == (("aa", "bb"),)


def test_rows_of_a_batch_that_starts_later_are_those_of_the_batch():
    table = pa.table({"topic": ["0", "1", "1"], "document": ["zz", "aa", "bb"], "score": [3.0, 2.0, 1.0]})
    (run,) = rankscale.read_runs(QRELS, Producer(table, lie("batch", offset=1, length=2)), keep_documents=True)
    assert run.documents == (("aa", "bb"),)


def test_damage_in_columns_that_are_not_read_does_not_matter():
    table = patched(
        struct.pack("<iii", 0, 3, 7), struct.pack("<iii", 0, 3, 1 << 30), pa.table({**TABLE, "text": ["one", "more"]})
    )
    (run,) = rankscale.read_runs(QRELS, table, keep_documents=True)
    assert run.documents == (("aa", "bb"),)
