"""A stream of record batches, cut into blocks that hold whole rankings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.errors import FormatError, InputError
from rankscale.inputs.options import Reading
from rankscale.inputs.tabular import ChosenColumns, chosen_columns

if TYPE_CHECKING:
    import pyarrow as pa

FEW = 256  # small batches that are made one, so that batches of a row each do not fill the memory
REPARTITION = (
    "bring all rows of a topic into one partition and sort it by run and topic: in Spark "
    "df.repartition(n, 'topic').sortWithinPartitions('run', 'topic'), in Ray "
    "ds.repartition(n, keys=['topic'], sort=True), in Daft df.groupby(col('topic').hash() % n), in SQL ORDER BY "
    "run, topic"
)


@dataclass(frozen=True)
class RowBlock:
    """Rows of whole rankings; messages count rows from the start of the partition."""

    rows: "pa.Table"
    columns: ChosenColumns
    first_row: int
    is_last: bool  # whether the partition ends here


class BlockCutter:
    """Gathers batches until there are `max_rows` rows, and gives those whose rankings are complete."""

    def __init__(self, reading: Reading, max_rows: int) -> None:
        self.arrow = library("pyarrow", "record batches")
        self.reading, self.max_rows = reading, max_rows
        self.columns: ChosenColumns | None = None
        self.schema: pa.Schema | None = None
        self.names: list[str] = []
        self.waiting: list[pa.RecordBatch] = []
        self.small: list[pa.RecordBatch] = []  # the last of those that wait
        self.rows = self.first_row = 0

    def blocks(self, batches: Iterable[object]) -> Iterator[RowBlock]:
        """The rows of a partition, in blocks of at most `max_rows`; none where it has no rows."""
        for batch in batches:
            chosen = self._chosen(batch)
            start = 0
            while start < len(chosen):
                if self.rows == self.max_rows:
                    yield self._complete(chosen.slice(start))
                part = chosen.slice(start, self.max_rows - self.rows)
                start += len(part)
                self._add(part)
        if self.rows and self.columns is not None:
            yield RowBlock(self._gathered(), self.columns, self.first_row, is_last=True)

    def _chosen(self, batch: object) -> "pa.RecordBatch | pa.Table":
        """The columns that matter, with the types of the first batch."""
        held: Any = batch
        if not isinstance(batch, self.arrow.RecordBatch | self.arrow.Table):
            if not hasattr(batch, "__arrow_c_array__"):
                raise FormatError(f"expected record batches of Arrow, found {type(batch).__name__}")
            held = self.arrow.record_batch(batch)
        if self.columns is None or list(held.schema.names) != self.names:
            columns = chosen_columns("run", held.schema.names, self.reading)
            if self.columns is not None and columns != self.columns:
                raise FormatError(
                    f"expected columns {', '.join(self.names)} in all batches, found {', '.join(held.schema.names)}"
                )
            self.columns, self.names = columns, list(held.schema.names)
        wanted = [name for name in self.columns.names if name is not None]
        chosen = held.select([self.names.index(name) for name in wanted])
        if self.schema is None:
            self.schema = self.arrow.schema([(field.name, field.type) for field in chosen.schema])
        return self._of_schema(chosen)

    def _of_schema(self, chosen: "pa.RecordBatch | pa.Table") -> "pa.RecordBatch | pa.Table":
        """The same rows without metadata and with the types of the first batch."""
        assert self.schema is not None  # noqa: S101
        if chosen.schema.equals(self.schema, check_metadata=True):
            return chosen
        if chosen.schema.types == self.schema.types:
            return type(chosen).from_arrays(chosen.columns, schema=self.schema)
        try:
            return chosen.cast(self.schema)
        except (self.arrow.ArrowException, ValueError) as error:
            found = ", ".join(f"{field.name} ({field.type})" for field in chosen.schema)
            expected = ", ".join(f"{field.name} ({field.type})" for field in self.schema)
            raise FormatError(f"expected columns {expected} as in the first batch, found {found}") from error

    def _add(self, part: "pa.RecordBatch | pa.Table") -> None:
        self.rows += len(part)
        self.small += part.to_batches() if isinstance(part, self.arrow.Table) else [part]
        if len(self.small) >= FEW:
            self.waiting += self.arrow.Table.from_batches(self.small, schema=self.schema).combine_chunks().to_batches()
            self.small = []

    def _gathered(self) -> "pa.Table":
        return self.arrow.Table.from_batches([*self.waiting, *self.small], schema=self.schema)

    def _complete(self, following: "pa.RecordBatch | pa.Table") -> RowBlock:
        """All rows that wait but those of the last topic, if it goes on; or of the last ranking, if all are of it."""
        assert self.columns is not None  # noqa: S101
        table = self._gathered()
        names = [name for name in (self.columns.topic, self.columns.part) if name is not None]
        cut = 0
        for name in names:
            cut = cut or self._end_of_complete(table.column(name), following.column(name))
        if cut == 0:
            topic = name_of(table.column(names[0])[-1])
            raise InputError(
                f"the ranking of topic {topic} has more than {self.max_rows} rows, which is the most that are held at "
                "once; allow more with max_rows="
            )
        block = RowBlock(table.slice(0, cut), self.columns, self.first_row, is_last=False)
        self.waiting, self.small = table.slice(cut).to_batches(), []
        self.rows, self.first_row = self.rows - cut, self.first_row + cut
        return block

    def _end_of_complete(self, column: "pa.ChunkedArray", following: "pa.Array | pa.ChunkedArray") -> int:
        """The row where the last name begins, if rows with it follow; otherwise the end."""
        compute = library("pyarrow.compute", "record batches")
        last, end = plain(column.chunk(column.num_chunks - 1))[-1], len(column)
        first = following.chunk(0) if isinstance(following, self.arrow.ChunkedArray) else following
        if plain(first.slice(0, 1))[0] != last:
            return end
        for chunk in reversed(column.chunks):
            is_other = compute.not_equal(plain(chunk), last).fill_null(fill_value=True)
            others = np.flatnonzero(is_other.to_numpy(zero_copy_only=False))
            if len(others):
                return end - len(chunk) + int(others[-1]) + 1
            end -= len(chunk)
        return 0


def plain(column: "pa.Array") -> "pa.Array":
    """A column of names of a type that can be compared: codes become names, views strings."""
    types = library("pyarrow", "record batches").types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast("large_string") if column.type == "string_view" else column


def name_of(scalar: "pa.Scalar") -> str:
    """A name for a message."""
    value = scalar.as_py()
    return readable(value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value))


def topic_that_comes_back(topics: "pa.ChunkedArray") -> str | None:
    """A topic whose rows do not stand together; None where those of each topic do."""
    arrow = library("pyarrow", "record batches")
    names = [plain(chunk) for chunk in topics.chunks]
    if names[0].type == "string":
        names = [chunk.cast("large_string") for chunk in names]  # so that there is room for all in one array
    encoded = arrow.concat_arrays(names).dictionary_encode()
    places = encoded.indices.to_numpy()
    starts = places[np.flatnonzero(np.diff(places, prepend=-1))]
    _, first = np.unique(starts, return_index=True)
    if len(first) == len(starts):
        return None
    again = np.setdiff1d(np.arange(len(starts)), first)[0]
    return name_of(encoded.dictionary[int(starts[again])])
