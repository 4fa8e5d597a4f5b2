"""Objects in memory that hold runs and qrels, made by the libraries that people have; and some that hold none."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.inputs import form_example as example
from tests.inputs.form_example import Makers, package


class Retrieved(NamedTuple):
    """A row with names of its own."""

    qid: str
    docno: str
    score: float


def _table(columns: dict[str, list[Any]]) -> Any:
    return package("pyarrow").table(columns)


def _frame(columns: dict[str, list[Any]]) -> Any:
    return package("pandas").DataFrame(columns)


def _datasets(columns: dict[str, list[Any]]) -> Any:
    return package("datasets").Dataset.from_dict(columns)


def _in_lance(columns: dict[str, list[Any]], folder: Any) -> Any:
    return package("lance").write_dataset(_table(columns), str(folder / "given.lance"))


def _in_duckdb(columns: dict[str, list[Any]]) -> Any:
    return package("duckdb").from_arrow(_table(columns))


def _in_datafusion(columns: dict[str, list[Any]]) -> Any:
    return package("datafusion").SessionContext().from_arrow(_table(columns))


def _on_disk(columns: dict[str, list[Any]], folder: Any) -> Any:
    package("pyarrow.parquet").write_table(_table(columns), folder / "given.parquet")
    return package("pyarrow.dataset").dataset(folder / "given.parquet")


def of_columns(columns: dict[str, list[Any]]) -> Makers:
    """Objects with columns; each maker is given a folder, which few of them need."""
    return {
        "pandas": lambda _: _frame(columns),
        "pandas, objects": lambda _: _frame(columns).astype(object),
        "pandas, categories": lambda _: _frame(columns).astype(dict.fromkeys(list(columns)[:2], "category")),
        "pandas, other index": lambda _: _frame(columns).set_index(_frame(columns).index[::-1]),
        "polars": lambda _: package("polars").DataFrame(columns),
        "polars, lazy": lambda _: package("polars").LazyFrame(columns),
        "polars, lazy query": lambda _: package("polars").LazyFrame(columns).filter(True),  # noqa: FBT003
        "pyarrow table": lambda _: _table(columns),
        "pyarrow batch": lambda _: _table(columns).combine_chunks().to_batches()[0],
        "pyarrow reader": lambda _: _table(columns).to_reader(max_chunksize=7),
        "pyarrow dataset": lambda folder: _on_disk(columns, folder),
        "pyarrow dataset in memory": lambda _: package("pyarrow.dataset").dataset(_table(columns)),
        "pyarrow scanner": lambda folder: _on_disk(columns, folder).scanner(batch_size=7),
        "duckdb relation": lambda _: _in_duckdb(columns),
        "duckdb query": lambda _: _in_duckdb(columns).filter("true"),
        "datasets": lambda _: _datasets(columns),
        "datasets, selected": lambda _: _datasets(columns).select(range(len(next(iter(columns.values()))))),
        "lance": lambda folder: _in_lance(columns, folder),
        "lance scanner": lambda folder: _in_lance(columns, folder).scanner(),
        "datafusion": lambda _: _in_datafusion(columns),
        "dictionaries": lambda _: example.as_records(columns),
        "iterator of dictionaries": lambda _: iter(example.as_records(columns)),
        "tuples": lambda _: list(zip(*columns.values(), strict=True)),
        "lists": lambda _: [list(row) for row in zip(*columns.values(), strict=True)],
    }


def pyterrier() -> Any:
    """As PyTerrier has results: ids of the query and of the document next to their texts and numbers."""
    ranked = example.ranked(example.rows())
    topics, documents, ranks, scores = (list(column) for column in zip(*ranked, strict=True))
    numbers = [example.DOCUMENTS.index(document) for document in documents]
    texts = [f"what is {topic}?" for topic in topics]
    from_zero = [rank - 1 for rank in ranks]
    return _frame(
        {"qid": topics, "docid": numbers, "docno": documents, "rank": from_zero, "score": scores, "query": texts}
    )


def runs() -> Makers:
    """Every object that holds the example run."""
    rows = example.rows()
    scored = package("ir_measures").ScoredDoc
    return {
        **of_columns(example.run_columns()),
        "pandas, scattered": lambda _: _frame(example.shuffled(example.run_columns())),
        "PyTerrier": lambda _: pyterrier(),
        "ir_measures": lambda _: [scored(*row) for row in rows],
        "iterator of ir_measures": lambda _: iter([scored(*row) for row in rows]),
        "named tuples": lambda _: [Retrieved(*row) for row in rows],
        "dictionary": lambda _: example.nested(rows),
        "dictionary of names": lambda _: example.names_by_topic(),
        "dictionary of tuples of names": lambda _: {t: tuple(names) for t, names in example.names_by_topic().items()},
        "dictionary of pairs": lambda _: {t: list(one.items()) for t, one in example.nested(rows).items()},
    }


def qrels() -> Makers:
    """Every object that holds the example qrels."""
    judged = package("ir_measures").Qrel
    return {
        **of_columns(example.qrels_columns()),
        "PyTerrier": lambda _: _frame(example.qrels_columns("qid docno label")),
        "ir_measures": lambda _: [judged(*row) for row in example.judgments()],
        "dictionary": lambda _: example.nested(example.judgments()),
    }


def two_runs() -> Makers:
    """Objects that hold both runs, named."""
    polars, columns = package("polars"), example.both_runs()
    one, other = example.run_columns(), example.run_columns(example.other_rows())
    names = (example.TAG, example.OTHER_TAG)
    return {
        "dictionary of pandas": lambda _: dict(zip(names, map(_frame, (one, other)), strict=True)),
        "dictionary of lazy polars": lambda _: dict(zip(names, map(polars.LazyFrame, (one, other)), strict=True)),
        "dictionary of datasets": lambda _: dict(zip(names, map(_datasets, (one, other)), strict=True)),
        "dictionary of lists": lambda _: dict(zip(names, map(example.as_records, (one, other)), strict=True)),
        "pandas with a column": lambda _: _frame(columns),
        "polars with a column": lambda _: polars.DataFrame(columns),
        "lazy polars with a column": lambda _: polars.LazyFrame(columns),
        "Arrow with a column": lambda _: _table(columns),
        "datasets with a column": lambda _: _datasets(columns),
        "relation with a column": lambda _: _in_duckdb(columns),
        "dictionaries with a run each": lambda _: example.as_records(columns),
    }


def lists_of_runs() -> Makers:
    """Lists of two runs without names."""
    polars = package("polars")
    both = (example.run_columns(), example.run_columns(example.other_rows()))
    return {
        "pandas": lambda _: [_frame(columns) for columns in both],
        "polars": lambda _: [polars.DataFrame(columns) for columns in both],
        "lazy polars": lambda _: [polars.LazyFrame(columns) for columns in both],
        "Arrow": lambda _: [_table(columns) for columns in both],
        "readers": lambda _: [_table(columns).to_reader() for columns in both],
        "datasets": lambda _: [_datasets(columns) for columns in both],
        "dictionaries": lambda _: [example.nested(example.rows()), example.nested(example.other_rows())],
        "bytes": lambda _: [example.trec_run(), example.trec_run(example.other_rows(), example.OTHER_TAG)],
    }


def _numbers() -> Iterator[int]:
    yield from range(3)


def neither() -> Makers:
    """Objects that are neither runs nor qrels."""
    pandas, polars, arrow = package("pandas"), package("polars"), package("pyarrow")
    numpy, columns = package("numpy"), example.run_columns()
    other: dict[str, list[Any]] = {"a": ["x"], "b": [1.5]}
    return {
        "None": lambda: None,
        "a number": lambda: 3,
        "a fraction": lambda: 3.5,
        "an object": object,
        "a function": lambda: len,
        "a class": lambda: dict,
        "a module": lambda: pandas,
        "a set of numbers": lambda: {1, 2},
        "numbers": lambda: [1, 2],
        "a generator of numbers": _numbers,
        "nothing in a list": lambda: [None],
        "numpy": lambda: numpy.arange(6).reshape(2, 3),
        "topics with numbers": lambda: {"1": 3},
        "topics with nothing": lambda: {"1": None},
        "documents with nothing": lambda: {"1": {"a": None}},
        "documents with words": lambda: {"1": {"a": "high"}},
        "two kinds in a list": lambda: {"1": ["a", ["b", 2.0]]},
        "fractions as names": lambda: {"1": [1.5, 2.5]},
        "dictionaries of other things": lambda: [{"a": 1}, {"b": 2}],
        "dictionaries that differ": lambda: [{"qid": "1", "docid": "a", "score": 1.0}, {"qid": "1", "score": 1.0}],
        "short tuples": lambda: [("1",), ("2",)],
        "tuples of other things": lambda: [("1", "a", object())],
        "pandas series": lambda: pandas.Series([1.0, 2.0], name="score"),
        "pandas, empty": pandas.DataFrame,
        "pandas, other columns": lambda: pandas.DataFrame(other),
        "pandas, no names": lambda: pandas.DataFrame([["1", "a", 1.0]]),
        "pandas, many levels": lambda: pandas.DataFrame([[1]], columns=pandas.MultiIndex.from_tuples([("qid", "x")])),
        "pandas, grouped": lambda: pandas.DataFrame(columns).groupby("query_id"),
        "pandas, names twice": lambda: pandas.DataFrame([["1", "a", "b", 1.0]], columns=["qid", "pid", "pid", "score"]),
        "polars series": lambda: polars.Series("score", [1.0]),
        "polars, empty": polars.DataFrame,
        "polars, other columns": lambda: polars.DataFrame(other),
        "polars, grouped": lambda: polars.DataFrame(columns).group_by("query_id"),
        "polars, lazy and grouped": lambda: polars.LazyFrame(columns).group_by("query_id"),
        "polars, lazy, other columns": lambda: polars.LazyFrame(other),
        "polars, an expression": lambda: polars.col("score"),
        "polars, lists": lambda: polars.DataFrame({"qid": ["1"], "docid": [["a"]], "score": [1.0]}),
        "Arrow array": lambda: arrow.array([1.0, 2.0]),
        "Arrow, chunked": lambda: arrow.chunked_array([[1.0], [2.0]]),
        "Arrow schema": lambda: arrow.schema({"qid": arrow.string()}),
        "Arrow, other columns": lambda: arrow.table(other),
        "Arrow, structures": lambda: arrow.table({"qid": ["1"], "docid": [{"a": 1}], "score": [1.0]}),
        "duckdb connection": lambda: package("duckdb").connect(),
        "duckdb, other columns": lambda: _in_duckdb(other),
        "datasets, other columns": lambda: _datasets(other),
        "datasets, several": lambda: package("datasets").DatasetDict({"test": _datasets(other)}),
        "datafusion context": lambda: package("datafusion").SessionContext(),
        "datafusion, other columns": lambda: _in_datafusion(other),
    }
