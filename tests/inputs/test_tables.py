import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import rankscale
from rankscale.errors import DuplicateError, FormatError
from tests.inputs.example import QRELS_ROWS, RUN_ROWS, columns, nested

NAN = float("nan")


@pytest.fixture(params=["dictionary", "polars", "pandas", "pandas objects", "pandas categories"])
def form(request):
    """A function that makes a table of rows, and the name of its last column."""

    def make(rows, number):
        if request.param == "dictionary":
            return nested(rows)
        table = columns(rows, number)
        if request.param == "polars":
            return pl.DataFrame(table)
        if request.param == "pandas categories":
            return pd.DataFrame(table).astype({"topic": "category", "document": "category"})
        return pd.DataFrame(table, dtype=object if request.param == "pandas objects" else None)

    return make


def test_a_table_holds_what_the_file_does(form, qrels, holds_the_same):
    assert rankscale.read_qrels(form(QRELS_ROWS, "grade")) == qrels
    assert holds_the_same(rankscale.read_run(qrels, form(RUN_ROWS, "score"), keep_documents=True))


def test_a_table_in_any_order_holds_what_the_file_does(form, qrels, holds_the_same):
    assert rankscale.read_qrels(form(QRELS_ROWS[::-1], "grade")) == qrels
    assert holds_the_same(rankscale.read_run(qrels, form(RUN_ROWS[::-1], "score"), keep_documents=True))


def test_integer_topics_are_their_decimal_text(form, qrels, holds_the_same):
    rows = [(int(topic), document, score) for topic, document, score in RUN_ROWS]
    assert holds_the_same(rankscale.read_run(qrels, form(rows, "score"), keep_documents=True))


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
@pytest.mark.parametrize(
    "names",
    [
        ("query_id", "doc_id", "score"),
        ("qid", "docno", "sim"),
        ("query", "docid", "retrieval_score"),
        ("q_id", "doc", "score"),
    ],
)
def test_columns_have_the_names_that_other_tools_give_them(library, names, qrels, holds_the_same):
    table = library(dict(zip(names, zip(*RUN_ROWS, strict=True), strict=True)))
    assert holds_the_same(rankscale.read_run(qrels, table, keep_documents=True))


def test_our_names_come_first_and_other_columns_are_let_be(qrels, holds_the_same):
    table = pd.DataFrame(columns(RUN_ROWS, "score")).assign(query="what?", docid=1, rank=0, label=9)
    assert holds_the_same(rankscale.read_run(qrels, table, keep_documents=True))


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
import pandas, rankscale
from tests.inputs.example import QRELS_ROWS, RUN_ROWS, columns
from tests.inputs.conftest import fields_of
qrels = rankscale.read_qrels(pandas.DataFrame(columns(QRELS_ROWS, "grade")))
run = rankscale.read_run(qrels, pandas.DataFrame(columns(RUN_ROWS, "score")), keep_documents=True)
sys.stdout.buffer.write(repr((qrels.to_dict(), fields_of(run))).encode())
"""


def test_pandas_is_read_where_there_is_no_pyarrow(qrels, run):
    from tests.inputs.conftest import fields_of

    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, check=True, cwd=root)
    assert done.stdout.decode() == repr((qrels.to_dict(), fields_of(run)))


# What is wrong with a table, told by row (or by topic and document where there are no rows).


def error_of(read, *arguments) -> str:
    with pytest.raises(FormatError) as error:
        read(*arguments)
    return str(error.value)


RUN = [("301", "FT1", 1.0), ("301", "FT2", 2.0)]


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
def test_a_score_that_is_not_a_number_names_its_row(library, qrels):
    table = library(columns([*RUN, ("301", "FT3", NAN)], "score"))
    # pandas has no other null than NaN
    assert error_of(rankscale.read_run, qrels, table) in {
        "row 2: expected a number as score, found NaN",
        "row 2: expected a number as score, found nothing (null)",
    }


@pytest.mark.parametrize("value", [NAN, float("inf"), float("-inf")])
def test_a_grade_that_is_not_finite_names_its_row(value):
    table = pl.DataFrame(columns([("1", "a", 1.0), ("1", "b", value)], "grade"))
    said = {"nan": "NaN", "inf": "inf", "-inf": "-inf"}[str(value)]
    assert error_of(rankscale.read_qrels, table) == f"row 1: expected a finite number as grade, found {said}"


def test_an_infinite_score_is_a_score(form, qrels):
    rows = [*RUN, ("301", "LA1", float("inf")), ("301", "LA2", float("-inf"))]
    found = rankscale.read_run(qrels, form(rows, "score"), keep_documents=True)
    assert found.documents == (("LA1", "FT2", "FT1", "LA2"),)


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
def test_a_document_twice_names_both_rows(library, qrels):
    with pytest.raises(DuplicateError) as error:
        rankscale.read_run(qrels, library(columns([*RUN, ("301", "FT1", 7.0)], "score")))
    assert str(error.value) == (
        "row 2: document FT1 stands a second time in topic 301 (first in row 0)\n"
        "a ranking holds each document once: keep the better one, or read with duplicates='best'"
    )
    with pytest.raises(DuplicateError) as error:
        rankscale.read_qrels(library(columns([("1", "a", 1), ("1", "a", 1)], "grade")))
    assert str(error.value) == "row 1: document a is judged twice for topic 1"


@pytest.mark.parametrize(("column", "kind"), [("topic", "name"), ("document", "name"), ("score", "number")])
def test_a_null_in_pandas_names_its_row(column, kind, qrels):
    table = pd.DataFrame(columns(RUN, "score"), dtype=object)
    table.loc[1, column] = None
    words = f"row 1: expected a {kind} as {column}, found nothing (null)"
    assert error_of(rankscale.read_run, qrels, table) == words


def test_a_missing_column_names_those_that_are_there(qrels):
    table = pd.DataFrame(columns(RUN, "weight"))
    words = (
        "expected a column with the score or rank, named score, sim, similarity, relevancescore, retrievalscore or "
        "rank, found topic, document and weight; order='file' takes rows as they stand"
    )
    assert error_of(rankscale.read_run, qrels, table) == words
    assert error_of(rankscale.read_run, qrels, pl.DataFrame(table)) == words


def test_what_is_no_name_and_no_number_is_told(qrels):
    assert error_of(rankscale.read_run, qrels, {"301": {"FT1": "high"}}) == (
        "topic 301, document FT1: expected a number as score, found 'high'"
    )
    assert error_of(rankscale.read_run, qrels, {"301": {1.5: 2.0}}) == (
        "topic 301, document 1.5: expected a name as document, found float"
    )
    assert error_of(rankscale.read_run, qrels, {"301": {"FT1": NAN}}) == (
        "topic 301, document FT1: expected a number as score, found NaN"
    )
    assert error_of(rankscale.read_qrels, {"301": {"FT1": NAN}}) == (
        "topic 301, document FT1: expected a finite number as grade, found NaN"
    )
    assert error_of(rankscale.read_qrels, {"301": {"FT1": None}}) == (
        "topic 301, document FT1: expected a number as grade, found nothing (null)"
    )
    assert error_of(rankscale.read_qrels, {"301": ["FT1"]}) == (
        "expected a grade for each document, found lists of documents"
    )


def test_a_dictionary_has_no_ranks_to_order_by(qrels):
    words = "a dictionary has scores and no ranks: order by score, score64 or file"
    with pytest.raises(FormatError, match=words):
        rankscale.read_run(qrels, {"301": {"FT1": 1.0}}, order="rank")


def test_no_judgments_at_all_are_told():
    assert error_of(rankscale.read_qrels, {}) == "qrels: expected judgments, found none"
    assert error_of(rankscale.read_qrels, pl.DataFrame(schema={"topic": str, "document": str, "grade": int})) == (
        "qrels: expected judgments, found none"
    )


@pytest.mark.parametrize("thing", [None, 7, object()])
def test_what_is_no_table_is_told(thing, qrels):
    kinds = "a path, a dictionary, a data frame, an Arrow table or rows with named fields"
    words = f"expected {kinds}, found {type(thing).__name__}"
    assert error_of(rankscale.read_run, qrels, thing) == words
    assert error_of(rankscale.read_qrels, thing) == words


def test_a_topic_without_documents_is_an_empty_ranking(qrels):
    assert rankscale.read_run(qrels, {"301": {}}).length.tolist() == [0]
    assert rankscale.read_qrels({"1": {}, "2": {"a": 1}}).topics == ("1", "2")


@pytest.mark.parametrize("document_from", [None, "^(.*)#"])
def test_scores_by_document_are_no_ranks(document_from):
    with pytest.raises(FormatError, match="a dictionary has scores and no ranks"):
        rankscale.read_run({"1": {"a": 1}}, {"1": {"a#1": 2.0}}, order="rank", document_from=document_from)
