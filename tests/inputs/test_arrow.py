import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import rankscale
from rankscale.errors import FormatError
from tests.inputs.example import QRELS_ROWS, RUN_ROWS, columns

NAMES = {
    "utf8": pa.string(),
    "large_utf8": pa.large_string(),
    "string_view": pa.string_view(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "binary_view": pa.binary_view(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "small dictionary": pa.dictionary(pa.uint8(), pa.large_string()),
}
INTEGERS = [pa.int16(), pa.int32(), pa.int64(), pa.uint16(), pa.uint32(), pa.uint64()]


def table_of(rows, number, *, names: pa.DataType = NAMES["utf8"], topics: pa.DataType | None = None) -> pa.Table:
    given = columns(rows, number)
    as_texts = [pa.array(given[column], pa.string()) for column in ("topic", "document")]
    topic, document = (
        texts.dictionary_encode().cast(names) if pa.types.is_dictionary(names) else texts.cast(names)
        for texts in as_texts
    )
    if topics is not None:
        topic = pa.array([int(str(name)) for name in given["topic"]], topics)
    return pa.table({"topic": topic, "document": document, number: pa.array(given[number])})


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_names_come_in_many_types(names, qrels, holds_the_same):
    assert rankscale.read_qrels(table_of(QRELS_ROWS, "grade", names=names)) == qrels
    assert holds_the_same(rankscale.read_run(qrels, table_of(RUN_ROWS, "score", names=names), keep_documents=True))


@pytest.mark.parametrize("topics", INTEGERS, ids=str)
def test_topics_may_be_integers(topics, qrels, holds_the_same):
    assert rankscale.read_qrels(table_of(QRELS_ROWS, "grade", topics=topics)) == qrels
    assert holds_the_same(rankscale.read_run(qrels, table_of(RUN_ROWS, "score", topics=topics), keep_documents=True))


def test_small_and_negative_integers_are_written_as_python_does():
    table = pa.table({"topic": pa.array([-5, 7], pa.int8()), "document": [0, 1], "grade": [1, 1]})
    assert rankscale.read_qrels(table).to_dict() == {"-5": {"0": 1.0}, "7": {"1": 1.0}}


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.uint8(), pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_grades_and_scores_come_in_many_types(kind):
    table = pa.table({"topic": ["1", "1"], "document": ["a", "b"], "grade": pa.array([2, 1]).cast(kind)})
    judged = rankscale.read_qrels(table)
    assert judged.to_dict() == {"1": {"a": 2.0, "b": 1.0}}
    found = rankscale.read_run(judged, table.rename_columns(["topic", "document", "score"]), keep_documents=True)
    assert found.documents == (("a", "b"),)


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("size", [1, 4])
def test_chunks_do_not_matter(names, size, qrels, holds_the_same):
    whole = table_of(RUN_ROWS, "score", names=names)
    parts = [whole.slice(start, size) for start in range(0, len(whole), size)]
    chunked = pa.concat_tables([parts[0], whole.slice(0, 0), *parts[1:]])
    assert chunked.column("topic").num_chunks > 1
    assert holds_the_same(rankscale.read_run(qrels, chunked, keep_documents=True))


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_a_slice_is_read_from_where_it_begins(names, qrels, holds_the_same):
    more = [("301", "zz", 1e9), *RUN_ROWS, ("301", "zy", 1e9)]
    table = table_of(more, "score", names=names).slice(1, len(RUN_ROWS))
    assert holds_the_same(rankscale.read_run(qrels, table, keep_documents=True))


def test_batches_readers_and_polars_speak_arrow_too(qrels, holds_the_same):
    table = table_of(RUN_ROWS, "score").combine_chunks()
    for form in (table.to_batches()[0], table.to_reader(), pl.from_arrow(table)):
        assert holds_the_same(rankscale.read_run(qrels, form, keep_documents=True))


def test_polars_categories_are_names(qrels, holds_the_same):
    frame = pl.DataFrame(columns(RUN_ROWS, "score"))
    for kind in (pl.Categorical, pl.Enum(frame["topic"].unique())):
        found = rankscale.read_run(qrels, frame.with_columns(pl.col("topic").cast(kind)), keep_documents=True)
        assert holds_the_same(found)


@pytest.mark.parametrize("column", ["topic", "document", "score"])
@pytest.mark.parametrize("names", [NAMES["utf8"], NAMES["string_view"], NAMES["dictionary"]], ids=str)
def test_a_null_names_its_row_and_column(column, names, qrels):
    rows = [
        [
            None if (row, name) == (5, column) else value
            for name, value in zip(("topic", "document", "score"), fields, strict=True)
        ]
        for row, fields in enumerate(RUN_ROWS)
    ]
    whole = table_of(rows, "score", names=names)
    chunked = pa.concat_tables([whole.slice(0, 4), whole.slice(4)])
    for table in (whole, chunked, pl.from_arrow(whole)):
        with pytest.raises(FormatError) as error:
            rankscale.read_run(qrels, table)
        assert str(error.value) == f'row 5: expected a value in column "{column}", found null'


def test_a_null_among_the_values_of_a_dictionary_names_its_row(qrels):
    topics = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["301", None]))
    with pytest.raises(FormatError) as error:
        rankscale.read_run(qrels, pa.table({"topic": topics, "document": ["a", "b"], "score": [1.0, 2.0]}))
    assert str(error.value) == 'row 1: expected a value in column "topic", found null'


def test_a_dictionary_without_values_is_read(qrels):
    empty = pa.array([], pa.string()).dictionary_encode()
    table = pa.table(
        {"topic": pa.chunked_array([pa.array(["301"]).dictionary_encode(), empty]), "document": ["a"], "score": [1.0]}
    )
    assert rankscale.read_run(qrels, table).rows.tolist() == [0]
    nulls = pa.DictionaryArray.from_arrays(pa.array([None], pa.int32()), pa.array([], pa.string()))
    with pytest.raises(FormatError, match='row 0: expected a value in column "topic", found null'):
        rankscale.read_run(qrels, pa.table({"topic": nulls, "document": ["a"], "score": [1.0]}))


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("topic", pa.array([1.5]), 'column "topic": expected names, found Float64'),
        ("document", pa.array([["a"]]), 'column "document": expected names, found List'),
        ("document", pa.array([True]), 'column "document": expected names, found Boolean'),
        ("topic", pa.nulls(1), 'column "topic": expected names, found Null'),
        ("score", pa.array(["1.5"]), 'column "score": expected numbers, found Utf8'),
        ("score", pa.array([True]), 'column "score": expected numbers, found Boolean'),
    ],
)
def test_a_column_of_another_type_is_told(column, values, words, qrels):
    table = pa.table({"topic": ["301"], "document": ["a"], "score": [1.0]} | {column: values})
    with pytest.raises(FormatError) as error:
        rankscale.read_run(qrels, table)
    assert str(error.value).startswith(words)


def test_a_missing_column_is_told(qrels):
    with pytest.raises(FormatError) as error:
        rankscale.read_run(qrels, pa.table({"topic": ["301"], "text": ["a"], "score": [1.0]}))
    assert str(error.value) == (
        "expected a column with the document, named document, docno, docid, documentid, pid, did, passageid, corpusid "
        "or doc, found topic, text and score"
    )


def test_nan_names_its_row(qrels):
    table = pa.table({"topic": ["301"], "document": ["a"], "score": [float("nan")]})
    with pytest.raises(FormatError) as error:
        rankscale.read_run(qrels, table)
    assert str(error.value) == "row 0: expected a number as score, found NaN"


def test_what_a_table_says_about_itself_need_not_be_text(qrels, holds_the_same, tmp_path):
    table = table_of(RUN_ROWS, "score").replace_schema_metadata({b"r": b"\xff\xfe"})
    assert holds_the_same(rankscale.read_run(qrels, table, keep_documents=True))
    pq.write_table(table, tmp_path / "run.parquet")
    feather.write_feather(table, tmp_path / "run.feather")
    for file in tmp_path.iterdir():
        assert holds_the_same(rankscale.read_run(qrels, file, keep_documents=True))
