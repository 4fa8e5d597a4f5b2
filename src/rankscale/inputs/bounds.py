"""What tables of pyarrow may hold: no more than their file explains, and buffers as long as what points into them.

Small Parquet and Arrow files that unpack to very much are refused by the rules that hold for packed text (`source.rs`
in the core). With `max_size`, only the bytes are bounded. The C data interface, over which the core takes tables, does
not say how long buffers are; pyarrow knows, and takes files as they are: that is checked here, all else by the core
(`rust/src/arrow_border.rs`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rankscale.data.arrays import NDArray
from rankscale.data.resources import library
from rankscale.errors import FormatError, Setting

TIMES, FREE = 40, 16 << 20  # a file may unpack to so many times its size, or to 16 MiB
LOOKS = 4  # and its dictionaries, which each batch looks through, may take as often so many bytes
SMALL = 16 << 20  # bytes of a file whose names are looked at
FREE_ROWS, BYTES_OF_ROW = 1 << 19, 1  # and may hold a row for each byte, or 524,288
FREE_TOPICS, BYTES_OF_TOPIC = 1 << 17, 2  # and a topic for each 2 bytes, or 131,072
FREE_RUNS, BYTES_OF_RUN = 1 << 12, 32  # and a run (of qrels: a sub-topic) for each 32 bytes, or 4,096
OF_ONE_RUN = 3  # columns of a file that holds one run: topic, document, number
HINT = ("if this is meant, allow more with ", Setting("max_size"))


class TooLargeError(FormatError):
    """A file that is sound, and holds far more than its size."""


class SizeBounds:
    """What a file, or a folder of them, of so many bytes may hold.

    Of tables that hold no rankings or judgments, such as values of measures, only names are bounded: numbers may well
    be the same in all rows.
    """

    def __init__(self, where: str, on_disk: int, max_size: int | None, *, of_rankings: bool = True) -> None:
        self.where, self.on_disk = where, on_disk
        self.most = max_size or max(FREE, TIMES * on_disk)
        self.of_rankings = of_rankings
        self.is_counted = max_size is None and on_disk <= SMALL and of_rankings
        self.size = self.rows = self.looked = 0  # bytes and rows read so far, and bytes of dictionaries

    def check_unpacked(self, size: int) -> None:
        """Raise TooLargeError where compressed columns say that they unpack to more bytes than they may."""
        if size > self.most:
            raise TooLargeError(f"{self.where}: unpacks to more than {self.most:,} bytes; ", HINT)

    def checked(self, batches: Iterable[Any], columns: list[str], claimed: int | None = None) -> Iterator[Any]:
        """The same batches; raise TooLargeError where their rows, topics or runs are more than the file may hold.

        `columns` are the topic, the document and whatever follows, of which the last may name runs or sub-topics.
        Names that stand as codes or views count as they would be spelled out. `claimed` is how many rows the file says
        that it has: if one distinct name for each of them is within the limit, names are not counted. Raise ValueError
        where there are more rows.
        """
        types = library("pyarrow", "such files").types
        topic, last = columns[0], columns[-1] if len(columns) > OF_ONE_RUN else None
        names: dict[str, set[object]] = {topic: set(), **({last: set()} if last is not None else {})}
        most = {last: self._most(FREE_RUNS, BYTES_OF_RUN), topic: self._most(FREE_TOPICS, BYTES_OF_TOPIC)}
        counted = [name for name in names if claimed is None or claimed > most[name]]
        for batch in batches:
            self.size += sum(_bytes_of(column) for column in batch.columns if self.of_rankings or _has_names(column))
            self.looked += sum(column.dictionary.nbytes for column in batch.columns if types.is_dictionary(column.type))
            if self.size > self.most or self.looked > LOOKS * self.most:
                too_large = f"its rows take more than {self.most:,} bytes, far more than the file; "
                raise TooLargeError(f"{self.where}: {too_large}", HINT)
            if self.is_counted:
                for name in counted:
                    if not types.is_nested(batch.column(name).type):  # which the core refuses
                        names[name].update(batch.column(name).unique().to_pylist())
                self.rows += batch.num_rows
                if claimed is not None and self.rows > claimed:
                    raise ValueError(f"it has more rows than the {claimed} that it says")
                self.check_counts(self.rows, len(names[topic]), len(names[last]) if last is not None else 0)
            yield batch

    def _most(self, free: int, size: int) -> int:
        """How many there may be: so many of any file, or one for so many of its bytes."""
        return max(free, self.on_disk // size)

    def check_counts(self, rows: int, topics: int, runs: int = 0) -> None:
        """Raise TooLargeError where a small file holds more rows, topics or runs than real ones do."""
        if not self.is_counted:
            return
        for count, what, free, size in (
            (rows, "rows", FREE_ROWS, BYTES_OF_ROW),
            (topics, "topics", FREE_TOPICS, BYTES_OF_TOPIC),
            (runs, "runs or sub-topics", FREE_RUNS, BYTES_OF_RUN),
        ):
            if count > self._most(free, size):
                raise TooLargeError(f"{self.where}: holds {count:,} {what} in {self.on_disk:,} bytes; ", HINT)


def _bytes_of(column: Any) -> int:  # noqa: ANN401  # of a library without types
    """Bytes that a column takes in memory, once texts that rows share are spelled out."""
    arrow = library("pyarrow", "Arrow files")
    if is_view(column.type):
        return int(_lengths(column).sum())
    if not arrow.types.is_dictionary(column.type):
        return int(column.nbytes)
    codes = column.indices.drop_null().to_numpy(zero_copy_only=False)
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(column.dictionary):
        raise ValueError(f"a row has number {codes.max()} of the {len(column.dictionary)} values of its column")
    if not (is_text(column.type.value_type) or is_view(column.type.value_type)):
        return int(column.indices.nbytes)
    lengths = _lengths(column.dictionary)
    if len(lengths) and lengths.min() == lengths.max():  # as names often are
        return len(codes) * int(lengths[0])
    return int(lengths[codes].sum())


def _has_names(column: Any) -> bool:  # noqa: ANN401  # of a library without types
    kind = column.type.value_type if library("pyarrow", "such files").types.is_dictionary(column.type) else column.type
    return is_text(kind) or is_view(kind)


def _lengths(column: Any) -> NDArray[np.int64]:  # noqa: ANN401  # of a library without types
    """(row,): bytes of each name; of a view, which starts with it, also where the row is null."""
    if not is_view(column.type):
        lengths = library("pyarrow.compute", "Arrow files").binary_length(column).fill_null(0)
        return np.asarray(lengths.to_numpy(zero_copy_only=False), dtype=np.int64)
    views = np.frombuffer(column.buffers()[1] or b"", dtype=np.int32)[::4]
    return views[column.offset : column.offset + len(column)].astype(np.int64)


def is_view(kind: object) -> bool:
    """Whether values of this Arrow type are views of a text that rows may share."""
    types = library("pyarrow", "Arrow files").types
    return any(hasattr(types, name) and getattr(types, name)(kind) for name in ("is_string_view", "is_binary_view"))


def is_text(kind: object) -> bool:
    """Whether values of this Arrow type are texts, each row with its own."""
    types = library("pyarrow", "such files").types
    every = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(is_kind(kind) for is_kind in every)


def sound(source: Any, columns: Sequence[str]) -> Any:  # noqa: ANN401  # of a library without types
    """The same, with the buffers of these columns checked if they are pyarrow's; FormatError where one is too short.

    Tables are checked at once, and readers of batches batch by batch, as they are read. Objects of other libraries
    stay as they are.
    """
    if type(source).__module__.partition(".")[0] != "pyarrow":
        return source
    if hasattr(source, "read_next_batch"):
        return library("pyarrow", "such files").RecordBatchReader.from_batches(source.schema, _validated(source))
    if hasattr(source, "select") and hasattr(source, "validate"):
        source = source.select([source.schema.names.index(column) for column in dict.fromkeys(columns)])
        try:
            source.validate()
        except ValueError as error:  # ArrowInvalid
            raise FormatError(f"the Arrow table cannot be read: {error}") from None
    return source


def _validated(reader: Iterable[Any]) -> Iterator[Any]:
    for batch in reader:
        batch.validate()  # the core hears of the error, and says it in words
        yield batch
