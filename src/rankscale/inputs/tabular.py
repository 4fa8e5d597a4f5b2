"""Runs and qrels in memory: dictionaries, data frames, Arrow tables, lists of rows, and what ir_datasets has.

Every object becomes one of three things: a dictionary, a table that speaks Arrow, or rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as _shortened
from typing import Any, NamedTuple, cast

from rankscale import _core
from rankscale.data.qrels import Qrels
from rankscale.data.resources import library
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError
from rankscale.inputs.bounds import sound
from rankscale.inputs.core_results import name_of, qrels_of, run_of
from rankscale.inputs.options import Reading

# Run or sub-topic, topic, document, and score, rank or grade; the first and the last may be None.
TabularRow = tuple[object, object, object, object]


@dataclass(frozen=True)
class ChosenColumns:
    """Which columns of a table hold what, and what orders a run; None where there is no such column."""

    topic: str
    document: str
    number: str | None
    part: str | None  # the run of a document, or the sub-topic of a judgment
    order: str

    @property
    def names(self) -> tuple[str, str, str | None, str | None]:
        """The columns, in the order in which the core takes them."""
        return self.topic, self.document, self.number, self.part

    @property
    def in_rows(self) -> tuple[str | None, str | None, str | None, str | None]:
        """The columns, in the order of rows: run or sub-topic, topic, document, number."""
        return self.part, self.topic, self.document, self.number

    @property
    def described(self) -> tuple[tuple[str, str], ...]:
        """Roles and names of the columns, for a notice."""
        number = self.order.removesuffix("64")
        part = "subtopic" if self.order == "grade" else "run"
        pairs = (("topic", self.topic), ("document", self.document), (number, self.number), (part, self.part))
        return tuple((role, name) for role, name in pairs if name is not None)


def chosen_columns(kind: str, names: Sequence[str], reading: Reading) -> ChosenColumns:
    """Which columns hold what: those that the user named, and the rest by their names; FormatError where one lacks."""
    needs_number = kind == "qrels" or reading.order != "file"
    picked = _core.pick_columns(kind, list(names), cast("Any", reading.columns), needs_number)
    column = {role: names[place] for role, place in picked.items()}
    number, order = column.get("grade"), "grade"
    if kind == "run":
        has_score = "score" in column
        order = reading.order or ("score" if has_score else "rank")
        number = column.get("rank" if order == "rank" else "score")
        if number is None and order != "file":
            raise FormatError(f"expected a column of {order.removesuffix('64')}s, found {', '.join(names)}")
    return ChosenColumns(column["topic"], column["document"], number, column.get("run", column.get("subtopic")), order)


def columns_described(kind: str, held: object, reading: Reading) -> tuple[tuple[str, str], ...]:
    """Roles and names of the columns of an ArrowTable, for a notice; nothing for what has no such columns."""
    return chosen_columns(kind, held.names, reading).described if isinstance(held, ArrowTable) else ()


def qrels_from(table: object, name: str = "qrels", reading: Reading = Reading(), merge: str = "aspects") -> Qrels:  # noqa: B008  # frozen
    """Qrels from a dictionary, a data frame, an Arrow table, or rows."""
    held = opened(table, "qrels_iter")
    if isinstance(held, dict) and all(isinstance(ranking, dict) for ranking in held.values()):
        return qrels_of(_core.qrels_from_dict(held), name)
    if isinstance(held, ArrowTable):
        columns = chosen_columns("qrels", held.names, reading)
        return qrels_of(_core.qrels_from_arrow(held.only(columns), columns.names, merge), name, merge)
    return qrels_of_rows(rows_of(held, "qrels", reading).each, name, merge)


def qrels_of_rows(rows: Iterable[TabularRow], name: str, merge: str) -> Qrels:
    """Qrels from rows of sub-topic (or None), topic, document and grade."""
    return qrels_of(_core.qrels_from_rows(rows, merge), name, merge)


def runs_from(qrels: Qrels, table: object, name: str, reading: Reading, source: str = "") -> list[Run]:
    """Runs from a dictionary, a data frame, an Arrow table, or rows: several where a column names them.

    `source` is the file that the table was read from, if there is one.
    """
    held = opened(table, "scoreddocs_iter")
    if isinstance(held, dict) and not reading.document_from and all(isinstance(of, dict) for of in held.values()):
        _without_ranks(reading)
        given = [_core.judge_dictionary(qrels.index, held, reading)]
    elif isinstance(held, ArrowTable):
        columns = chosen_columns("run", held.names, reading)
        again, stream = (held.is_readable_again, held.first_row), held.only(columns)
        given = _core.judge_arrow(qrels.index, stream, columns.names, reading, columns.order, again)
    else:
        rows = rows_of(held, "run", reading)
        given = _core.judge_rows(qrels.index, rows.each, reading, rows.order, (rows.has_run, rows.has_number))
    return [run_of(one, name_of(one["run"]) or name, source, qrels, reading) for one in given]


def _without_ranks(reading: Reading) -> None:
    """Raise FormatError where `{topic: {document: score}}` is to be ordered by rank."""
    if reading.order == "rank":
        raise FormatError("a dictionary has scores and no ranks: order by score, score64 or file")


@dataclass(frozen=True)
class ArrowTable:
    """A table that speaks Arrow: the names of its columns, and how to open a stream of some of them, or of more."""

    names: tuple[str, ...]
    stream: Callable[[list[str]], object]
    is_readable_again: bool = True
    first_row: int = 0  # its number in messages, where the table is a part of another
    troubles: Sequence[Exception] = ()  # errors of the library that reads a file, as they come up

    def only(self, columns: ChosenColumns) -> "ArrowStream":
        """A stream of the columns that matter."""
        return ArrowStream(self, [name for name in columns.names if name is not None])


@dataclass(frozen=True)
class ArrowStream:
    """Some columns of a table, as the core takes them."""

    table: ArrowTable
    columns: list[str]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader: Any = sound(self.table.stream(self.columns), self.columns)
        return reader.__arrow_c_stream__(requested_schema)


class OrderedRows(NamedTuple):
    """Rows, what orders them, and whether they name runs and have numbers."""

    each: Iterator[TabularRow]
    order: str
    has_run: bool = False
    has_number: bool = True


def opened(table: object, rows: str) -> object:
    """The same as a dictionary, an ArrowTable, or an iterable of rows; `rows` is the method that ir_datasets has.

    Raise FormatError for an object that is none of them.
    """
    if isinstance(table, Mapping):
        return table if isinstance(table, dict) else dict(table)
    module = type(table).__module__.partition(".")[0]
    held = BY_LIBRARY[module](table) if module in BY_LIBRARY else _arrow_table(table)
    if held is not None:
        return held
    if hasattr(table, rows):
        return getattr(table, rows)()
    if isinstance(table, str | bytes) or not isinstance(table, Iterable):
        raise not_readable(table)
    return table


def _arrow_table(table: Any) -> object | None:  # noqa: ANN401  # of any library
    """An object that speaks Arrow, or opens a stream of batches; None for any other."""
    if isinstance(table, ArrowTable):
        return table
    if hasattr(table, "to_reader"):  # a scanner
        schema = getattr(table, "projected_schema", None) or table.to_reader().schema
        return ArrowTable(tuple(schema.names), lambda _: table.to_reader())
    if hasattr(table, "scanner") and hasattr(table, "schema"):  # a data set of pyarrow or Lance
        return ArrowTable(tuple(table.schema.names), lambda columns: table.scanner(columns=columns).to_reader())
    names = _column_names(table)
    if names is not None and hasattr(table, "__arrow_c_stream__"):
        return ArrowTable(tuple(names), lambda _: table, is_readable_again=not hasattr(table, "read_next_batch"))
    if names is not None and hasattr(table, "__arrow_c_array__"):
        whole = library("pyarrow", "an Arrow batch").Table.from_batches([table])
        return ArrowTable(tuple(names), lambda _: whole)
    return None


def _of_pyarrow(table: Any) -> object | None:  # noqa: ANN401  # which need not be there
    """A table without what it says about itself, which may be bytes that are no text; or a reader, a data set."""
    bare = getattr(table, "replace_schema_metadata", None)
    if bare is None or not hasattr(table, "select"):
        return _arrow_table(table)
    held = bare(None)
    return ArrowTable(tuple(held.schema.names), lambda _: held)


def _of_polars(table: Any) -> object | None:  # noqa: ANN401  # which need not be there
    return _arrow_table(table.collect() if hasattr(table, "collect") else table)


def _of_datasets(dataset: Any) -> object:  # noqa: ANN401  # of a library without types
    """A data set of Hugging Face: a table, or rows where it is read as it comes."""
    if isinstance(dataset, dict):
        splits = ", ".join(map(str, dataset))
        raise InputError(f"expected one split of a data set, found {splits}; choose one by its name")
    if not hasattr(dataset, "with_format") or not hasattr(dataset, "column_names"):
        raise not_readable(dataset)
    if not hasattr(dataset, "__len__"):
        return iter(dataset)
    names = tuple(dataset.column_names)
    return ArrowTable(names, lambda columns: dataset.select_columns(columns).with_format("arrow")[:])


def _of_pandas(table: Any) -> object:  # noqa: ANN401  # pandas has no types here
    """Rows of a pandas frame: it offers Arrow only through pyarrow, which need not be there."""
    names = _column_names(table)
    if names is None:
        raise not_readable(table)
    return PandasRows(table, tuple(names))


BY_LIBRARY: Mapping[str, Callable[[Any], object | None]] = {
    "pyarrow": _of_pyarrow,
    "polars": _of_polars,
    "datasets": _of_datasets,
    "pandas": _of_pandas,
}


@dataclass(frozen=True)
class PandasRows:
    """A pandas frame, whose columns are read as lists."""

    table: Any
    names: tuple[str, ...]

    def columns(self, wanted: Sequence[str | None]) -> Iterator[TabularRow]:
        """The wanted columns row by row; a null, which pandas shows as NaN or NA, is None."""
        lists = [self._list(name) if name is not None else [None] * len(self.table) for name in wanted]
        return zip(*lists, strict=True)

    def _list(self, name: str) -> list[object]:
        column = self.table.iloc[:, self.names.index(name)]
        values, nulls = column.tolist(), column.isna().tolist()
        return [None if null else value for value, null in zip(values, nulls, strict=True)]


def rows_of(held: object, kind: str, reading: Reading) -> OrderedRows:
    """Rows of run, topic, document and number."""
    if isinstance(held, dict):
        return _rows_of_dictionary(held, kind, reading)
    if isinstance(held, PandasRows):
        columns = chosen_columns(kind, held.names, reading)
        return _with(columns, held.columns(columns.in_rows))
    rows = iter(cast("Iterable[object]", held))
    first = next(rows, None)
    return OrderedRows(iter(()), "score") if first is None else _rows(first, rows, kind, reading)


def _with(columns: ChosenColumns, each: Iterator[TabularRow]) -> OrderedRows:
    return OrderedRows(each, columns.order, columns.part is not None, columns.number is not None)


def _rows(first: object, others: Iterator[object], kind: str, reading: Reading) -> OrderedRows:
    """Rows with named fields, dictionaries, or tuples of a topic, a document and a number."""

    def numbered() -> Iterator[tuple[int, object]]:
        yield 0, first
        yield from enumerate(others, start=1)

    if isinstance(first, Mapping):
        columns = chosen_columns(kind, [str(name) for name in first], reading)
        return _with(columns, (_of_mapping(row, columns.in_rows, number) for number, row in numbered()))
    if hasattr(first, "_fields") or hasattr(first, "doc_id"):
        known = getattr(first, "_fields", None) or [name for name in dir(first) if not name.startswith("_")]
        columns = chosen_columns(kind, list(known), reading)
        return _with(columns, (_of_fields(row, columns.in_rows, number) for number, row in numbered()))
    if isinstance(first, tuple | list) and len(first) == 3:
        return OrderedRows(((None, *_of_three(row, number)) for number, row in numbered()), reading.order or "score")
    raise FormatError(
        f"expected rows with named fields such as topic and document, found {_shortened(first)}; give a dictionary "
        "{topic: {document: number}}, a data frame, named tuples, or tuples of topic, document and number"
    )


def _of_mapping(row: object, wanted: Sequence[str | None], number: int) -> TabularRow:
    if not isinstance(row, Mapping):
        raise FormatError(f"row {number}: expected a dictionary as before, found {_shortened(row)}")
    for name in wanted:
        if name is not None and name not in row:
            raise FormatError(f"row {number}: expected a value for {name}, found none")
    return tuple(None if name is None else row[name] for name in wanted)  # type: ignore[return-value]  # of four


def _of_fields(row: object, wanted: Sequence[str | None], number: int) -> TabularRow:
    try:
        return tuple(None if name is None else getattr(row, name) for name in wanted)  # type: ignore[return-value]
    except AttributeError:
        raise FormatError(f"row {number}: expected fields as before, found {_shortened(row)}") from None


def _of_three(row: object, number: int) -> tuple[object, object, object]:
    if not isinstance(row, tuple | list) or len(row) != 3:
        raise FormatError(f"row {number}: expected topic, document and number, found {_shortened(row)}")
    return tuple(row)


def _rows_of_dictionary(table: dict[object, object], kind: str, reading: Reading) -> OrderedRows:
    """Rows of `{topic: {document: number}}` and `{topic: [documents]}`, whose items are alike in all topics."""
    rankings = [(topic, _listed(ranking)) for topic, ranking in table.items()]
    shapes = {_shape(ranking) for _, ranking in rankings if ranking}
    if len(shapes) > 1:
        raise FormatError(f"expected rankings that are all alike, found {' and '.join(sorted(shapes))}")
    shape = next(iter(shapes), BY_DOCUMENT)
    if shape == BY_DOCUMENT:
        _without_ranks(reading)
    order = reading.order or ("file" if shape == NAMES else "score")
    items = ((topic, item) for topic, ranking in rankings for item in _items(ranking))
    if shape == BY_DOCUMENT:
        pairs = ((None, topic, *pair) for topic, pair in items)  # type: ignore[misc]  # of document and number
        return OrderedRows(cast("Iterator[TabularRow]", pairs), order)
    if shape == NAMES:
        if kind == "qrels":
            raise FormatError("expected a grade for each document, found lists of documents")
        if order != "file":
            raise FormatError(f"expected {order.removesuffix('64')}s, found lists of documents: order them by file")
        return OrderedRows(((None, topic, document, None) for topic, document in items), order, has_number=False)
    if shape == WITH_FIELDS:
        first = next(cast("Sequence[Mapping[object, object]]", ranking)[0] for _, ranking in rankings if ranking)
        columns = chosen_columns(kind, ["topic", *map(str, first)], reading)
        wanted = (columns.part, None, columns.document, columns.number)
        held = ((topic, _of_mapping(item, wanted, number)) for number, (topic, item) in enumerate(items))
        each = ((part, topic, document, value) for topic, (part, _, document, value) in held)
        return OrderedRows(each, columns.order, has_number=columns.number is not None)
    return OrderedRows(((None, topic, *_of_two(item, topic)) for topic, item in items), order)


def _of_two(item: object, topic: object) -> tuple[object, object]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise FormatError(f"topic {topic}: expected a document and a number, found {_shortened(item)}")
    return item[0], item[1]


BY_DOCUMENT, WITH_FIELDS, NAMES = "numbers by document", "documents with fields", "names of documents"


def _shape(ranking: Mapping[object, object] | Sequence[object]) -> str:
    if isinstance(ranking, Mapping):
        return BY_DOCUMENT
    if isinstance(ranking[0], Mapping):
        return WITH_FIELDS
    return "pairs of document and number" if isinstance(ranking[0], tuple | list) else NAMES


def _items(ranking: Mapping[object, object] | Sequence[object]) -> Iterable[object]:
    return ranking.items() if isinstance(ranking, Mapping) else ranking


def _listed(ranking: object) -> Mapping[object, object] | Sequence[object]:
    if isinstance(ranking, str | bytes) or not isinstance(ranking, Iterable):
        raise FormatError(f"expected the documents of a topic, found {_shortened(ranking)}")
    return ranking if isinstance(ranking, Mapping | list | tuple) else list(ranking)


def not_readable(table: object) -> FormatError:
    """The error for an object that is neither qrels nor a run."""
    kind = type(table).__name__
    what = "an Evaluation, which holds values and no rankings" if kind == "Evaluation" else kind
    forms = "a path, a dictionary, a data frame, an Arrow table or rows with named fields"
    return FormatError(f"expected {forms}, found {what}")


def is_table(source: object) -> bool:
    """Whether this has columns: a data frame, an Arrow table, a reader of batches, a data set."""
    if isinstance(source, str | bytes | Mapping | list | tuple):
        return False
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "to_reader") or _column_names(source) is not None


def is_row(source: object) -> bool:
    """Whether this is one retrieved document or judgment: a row with named fields, or a tuple of three."""
    if is_table(source):  # of which one column may be named doc_id
        return False
    if hasattr(source, "_fields") or hasattr(source, "doc_id"):
        return True
    if isinstance(source, tuple | list):
        return len(source) == 3 and isinstance(source[2], int | float) and not isinstance(source[2], bool)
    values = source.values() if isinstance(source, Mapping) else ()
    return isinstance(source, Mapping) and not any(isinstance(value, Mapping | list | tuple) for value in values)


def _column_names(table: object) -> list[str] | None:
    """Names of a table's columns; None where it is no table."""
    if type(table).__module__.startswith("polars.lazyframe"):
        lazy: Any = table
        return list(lazy.collect_schema().names()) if hasattr(lazy, "collect_schema") else None
    columns: Any = getattr(table, "column_names", None)  # Arrow
    if columns is None or callable(columns):
        columns = getattr(table, "columns", None)  # polars, pandas, DuckDB
    if (columns is None or callable(columns)) and hasattr(table, "__arrow_c_stream__"):
        schema: Any = getattr(table, "schema", None)
        columns = getattr(schema() if callable(schema) else schema, "names", None)
    if columns is None or callable(columns):
        return None
    try:
        return [str(column) for column in columns]
    except TypeError:
        return None
