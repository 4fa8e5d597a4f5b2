"""Runs and qrels in memory: data frames, Arrow tables, dictionaries, and rows as ir_datasets has them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from rankscale import _core
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError
from rankscale.formats.read.core_results import qrels_of, run_of
from rankscale.formats.read.reading import Reading

if TYPE_CHECKING:
    import pandas as pd

# Names that columns and fields have in the tools people come from, ours first.
TOPIC = ("topic", "query_id", "qid", "query", "q_id", "topic_id")
DOCUMENT = ("document", "doc_id", "docno", "docid", "doc", "document_id")
GRADE = ("grade", "relevance", "label", "rel", "score")
SCORE = ("score", "sim", "retrieval_score")
RANK = ("rank",)

Columns = tuple[list[object], list[object], list[object]]  # topics, documents, grades or scores


def qrels_from(table: object, name: str = "qrels") -> Qrels:
    """Qrels from a dictionary, a data frame, an Arrow table, or rows with fields query_id, doc_id, relevance."""
    if isinstance(table, dict):
        given = _core.qrels_from_dict(table)
    elif (columns := _column_names(table)) is not None:
        wanted = [_pick(columns, names) for names in (TOPIC, DOCUMENT, GRADE)]
        if _speaks_arrow(table):
            given = _core.qrels_from_arrow(table, wanted)
        else:
            given = _core.qrels_from_columns(*_lists(table, wanted))
    else:
        given = _core.qrels_from_columns(*_fields(_rows(table, "qrels_iter"), (TOPIC, DOCUMENT, GRADE)))
    return qrels_of(given, name)


def run_from(qrels: Qrels, table: object, name: str, reading: Reading) -> Run:
    """A run from a dictionary, a data frame, an Arrow table, or rows with fields such as query_id, doc_id, score."""
    options = (reading.sorted_by, reading.depth, (reading.keep_documents, reading.keep_scores))
    by_rank = reading.order == "rank"
    number = RANK if by_rank else SCORE
    if isinstance(table, dict):
        if by_rank:
            raise FormatError("a dictionary has scores and no ranks: order by score, score64 or file")
        given = _core.judge_dictionary(qrels.index, table, *options)
    elif (columns := _column_names(table)) is not None:
        wanted = [_pick(columns, names) for names in (TOPIC, DOCUMENT, number)]
        if _speaks_arrow(table):
            given = _core.judge_arrow(qrels.index, table, wanted, *options)
        else:
            given = _core.judge_columns(qrels.index, *_lists(table, wanted), *options)
    else:
        fields = _fields(_rows(table, "scoreddocs_iter"), (TOPIC, DOCUMENT, number))
        given = _core.judge_columns(qrels.index, *fields, *options)
    return run_of(given, name, "", qrels, reading)


def entries(table: object, *, by_rank: bool) -> Iterator[tuple[object, object, float]]:
    """Topic, document and score (or rank) of each row of a run, as they are given; `run_from` has checked them."""
    number = RANK if by_rank else SCORE
    if isinstance(table, dict):
        for topic, ranking in table.items():
            for document, score in ranking.items():
                yield topic, document, float(score)
        return
    if (columns := _column_names(table)) is not None:
        topic, document, value = (_pick(columns, names) for names in (TOPIC, DOCUMENT, number))
        held: Any = table
        lists: Iterable[list[object]] = [_as_list(held[column]) for column in (topic, document, value)]
    else:
        lists = _fields(_rows(table, "scoreddocs_iter"), (TOPIC, DOCUMENT, number))
    for topic_of, document_of, value_of in zip(*lists, strict=True):
        yield topic_of, document_of, float(cast("float", value_of))


def readable_again(table: object) -> object:
    """The same table, in memory where it could be read only once: readers of Arrow batches, iterators of rows."""
    if isinstance(table, dict) or hasattr(table, "__getitem__"):
        return table
    if hasattr(table, "__arrow_c_stream__"):
        from rankscale.formats.write.frames import library

        return library("pyarrow", "a reader of Arrow batches").table(table)
    return list(_rows(table, "scoreddocs_iter"))


def _as_list(column: object) -> list[object]:
    """A column of pandas, polars or Arrow as a list."""
    method = next(name for name in ("tolist", "to_list", "to_pylist") if hasattr(column, name))
    listed: list[object] = getattr(column, method)()
    return listed


def is_table(source: object) -> bool:
    """Whether this has columns: a data frame, an Arrow table, a reader of batches."""
    return hasattr(source, "__arrow_c_stream__") or _column_names(source) is not None


def is_row(source: object) -> bool:
    """Whether this is one retrieved document or judgment, with named fields."""
    return hasattr(source, "_fields") or hasattr(source, "doc_id")


def _column_names(table: object) -> list[str] | None:
    """Names of a table's columns; None where it is no table."""
    columns: Any = getattr(table, "column_names", None)  # Arrow
    if columns is None:
        columns = getattr(table, "columns", None)  # polars, pandas
    if columns is None and hasattr(table, "__arrow_c_stream__"):
        columns = getattr(getattr(table, "schema", None), "names", None)
    return None if columns is None or callable(columns) else [str(column) for column in columns]


def _speaks_arrow(table: object) -> bool:
    # pandas offers Arrow only through pyarrow, which need not be there; its columns are read as lists.
    return hasattr(table, "__arrow_c_stream__") and not type(table).__module__.startswith("pandas")


def _lists(table: "pd.DataFrame", columns: Sequence[str]) -> Columns:
    lists: list[list[object]] = []
    for column in columns:
        values = table[column].tolist()
        # pandas shows a null as NaN or NA; the core names the row of a null only if it is one.
        nulls = table[column].isna().tolist()
        lists.append([None if null else value for value, null in zip(values, nulls, strict=True)])
    topics, documents, numbers = lists
    return topics, documents, numbers


def _rows(table: object, method: str) -> Iterable[object]:
    rows = getattr(table, method)() if hasattr(table, method) else table
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise FormatError(
            "expected a path, a dictionary, a data frame, an Arrow table or rows with named fields, "
            f"found {type(table).__name__}"
        )
    return rows


def _fields(rows: Iterable[object], wanted: Sequence[Sequence[str]]) -> Columns:
    lists: list[list[object]] = [[] for _ in wanted]
    names: list[str] | None = None
    for row in rows:
        if names is None:
            if isinstance(row, str | bytes | int | float | list | dict) or type(row) is tuple:
                raise FormatError(
                    f"expected rows with named fields such as topic and document, found {row!r}; give a dictionary "
                    "{topic: {document: number}}, a data frame, or named tuples"
                )
            known = getattr(row, "_fields", None) or dir(row)
            names = [_pick(known, choices) for choices in wanted]
        for values, name in zip(lists, names, strict=True):
            values.append(getattr(row, name))
    topics, documents, numbers = lists
    return topics, documents, numbers


def _pick(columns: Sequence[str], choices: Sequence[str]) -> str:
    for choice in choices:
        if choice in columns:
            return choice
    shown = ", ".join(column for column in columns if not column.startswith("_"))
    raise FormatError(f"expected a column named {', '.join(choices[:-1])} or {choices[-1]}, found {shown}")
