"""Runs and qrels as streams of Arrow record batches, as they stand in their files, for what is too large to hold."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from rankscale.data.names import listed
from rankscale.data.notices import Notice
from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.errors import FormatError, InputError, ParameterError
from rankscale.inputs import files, tabular
from rankscale.inputs.binary import COLUMNAR, binary_form, in_words, open_binary
from rankscale.inputs.options import TEXT_FORMS
from rankscale.inputs.partitioned import find_data_set
from rankscale.inputs.read import naming_file
from rankscale.outputs.convert import ConversionSource, judgment_rows, qrels_layout

AT_ONCE = 1 << 17  # rows of a batch that is made of single rows


@dataclass(frozen=True)
class RowBatches:
    """A run or qrels: columns topic, document and a number, which `each` reads anew, batch by batch."""

    kind: str  # run or qrels
    name: str  # of a run
    schema: Any  # of pyarrow: topic, [subtopic,] document, then score, rank or grade
    each: Callable[[], Iterator[Any]]  # record batches
    order: str = "score"
    notices: tuple[Notice, ...] = ()


def row_batches(source: ConversionSource) -> RowBatches:
    """The rows of a file or folder. Parquet and Arrow stream, whatever their size; text is read by the core first."""
    form = None if source.reading.form in TEXT_FORMS else binary_form(source.source)
    if form in COLUMNAR:
        return _of_binary(source, form)
    source = source.of_known_kind()
    return _of_run(source) if source.kind == "run" else _of_qrels(source)


def _of_run(source: ConversionSource) -> RowBatches:
    arrow = library("pyarrow", "Parquet files")
    read = source.rankings()
    schema = arrow.schema([("topic", arrow.string()), ("document", arrow.string()), ("score", arrow.float64())])

    def each() -> Iterator[Any]:
        topics, documents, scores = list[str](), list[str](), list[float]()
        for topic, names, of in read.each():
            topics += [topic] * len(names)
            documents += names
            scores += of
            if len(topics) >= AT_ONCE:
                yield _batch(arrow, schema, [topics, documents, scores])
                topics, documents, scores = [], [], []
        if topics:
            yield _batch(arrow, schema, [topics, documents, scores])

    return RowBatches("run", source.name or read.name, schema, each, read.order, read.notices)


def _of_qrels(source: ConversionSource) -> RowBatches:
    arrow = library("pyarrow", "Parquet files")
    qrels, notices = source.qrels()
    kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64()}
    schema = arrow.schema([(column, kinds[of]) for column, of in qrels_layout(qrels).columns.items()])

    def each() -> Iterator[Any]:
        rows = judgment_rows(qrels)
        while some := list(islice(rows, AT_ONCE)):
            yield _batch(arrow, schema, list(map(list, zip(*some, strict=True))))

    return RowBatches("qrels", "", schema, each, notices=notices)


def _batch(arrow: Any, schema: Any, columns: Sequence[list[Any]]) -> Any:  # noqa: ANN401  # of a library without types
    try:
        arrays = [arrow.array(column, of.type) for column, of in zip(columns, schema, strict=True)]
        return arrow.record_batch(arrays, schema=schema)
    except UnicodeEncodeError as error:
        name = readable(str(error.object))
        raise InputError(f"the name {name!r} is not UTF-8, and Parquet holds no other text; rename it first") from error


def _of_binary(source: ConversionSource, form: str) -> RowBatches:
    """The rows of Parquet or Arrow files, as they stand; whether they hold together is seen when they are measured."""
    arrow, compute = library("pyarrow", "Parquet files"), library("pyarrow.compute", "Parquet files")
    where, table = open_binary(source.source, form, source.reading.max_size)
    if source.merge is not None:
        raise ParameterError("one grade for each document is chosen after partitioning: give --qrels-merge to evaluate")
    with naming_file(where):
        read_as, chosen = _kind_and_columns(table.names, source)
    is_run = read_as == "run"
    if chosen.number is None or chosen.order == "file":
        raise ParameterError(f"{where}: rows are sorted by topic on disk: order them by a column of scores or ranks")
    number = "grade" if not is_run else "rank" if chosen.order == "rank" else "score"
    roles = [("topic", chosen.topic), ("document", chosen.document), (number, chosen.number)]
    if chosen.part is not None and not is_run:
        roles.insert(1, ("subtopic", chosen.part))
    numeric = arrow.int64() if number == "rank" else arrow.float64()
    schema = arrow.schema([(role, numeric if role == number else arrow.string()) for role, _ in roles])

    def each() -> Iterator[Any]:
        seen: dict[str, None] = {}
        with naming_file(where), in_words(where, form, table):
            stream: Any = table.stream([column for column in chosen.names if column is not None])
            for batch in stream:
                kept = batch
                if is_run and chosen.part is not None:
                    of = _filled(batch.column(chosen.part), "run", arrow.string())
                    seen |= dict.fromkeys(compute.unique(of).to_pylist())
                    if source.run is None and len(seen) > 1:
                        runs = f"there are several runs ({listed(list(seen))}); name one of them (--run of convert)"
                        raise InputError(f"{where}: {runs}")
                    kept = batch if source.run is None else batch.filter(compute.equal(of, source.run))
                pairs = zip(roles, schema.types, strict=True)
                columns = [_filled(kept.column(column), role, kind) for (role, column), kind in pairs]
                yield arrow.record_batch(columns, schema=schema)

    data_set = find_data_set(source.source)
    name = source.name or source.run or (data_set and data_set.name) or files.stem(where)
    notices = (files.form_notice(where, form, chosen.described),)
    return RowBatches(read_as, name if is_run else "", schema, each, chosen.order, notices)


def _kind_and_columns(names: Sequence[str], source: ConversionSource) -> tuple[str, tabular.ChosenColumns]:
    """Run or qrels, by what is requested or the columns; one that can be both is a run."""
    if source.kind is not None:
        return source.kind, tabular.chosen_columns(source.kind, names, source.reading)
    try:
        return "run", tabular.chosen_columns("run", names, source.reading)
    except FormatError as error:
        try:
            return "qrels", tabular.chosen_columns("qrels", names, replace(source.reading, order=None))
        except FormatError:
            raise error from None


def _filled(column: Any, role: str, kind: Any) -> Any:  # noqa: ANN401  # of a library without types
    """A column of one kind, without empty cells; names that are numbers are written out, as the reader does."""
    if library("pyarrow", "Parquet files").types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.null_count:
        raise FormatError(f"expected a {role} in every row, and {column.null_count} are empty")
    return column.cast(kind)
