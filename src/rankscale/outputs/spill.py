"""An external sort by topic: rows are shared out over files, and each is sorted by itself, in bounded memory."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np

from rankscale.data.libraries import library
from rankscale.errors import FormatError
from rankscale.inputs.partitioned import Part, Split
from rankscale.outputs.files import writing
from rankscale.outputs.frames import ROW_GROUP

SALT = b"\x00"  # of the hash that splits a large partition again
Places = Callable[[Sequence[bytes]], list[int]]  # the file of each topic


@dataclass
class Spill:
    """Rows on their way to partitions: held in memory, then added to files of Arrow streams, one after the other."""

    folder: str
    schema: Any
    split: Split
    held: int
    waiting: dict[int, list[Any]] = field(default_factory=dict)
    size: int = 0

    def __post_init__(self) -> None:
        os.mkdir(self.folder)
        self.arrow = library("pyarrow", "Parquet files")
        self.parquet = library("pyarrow.parquet", "Parquet files")

    def add(self, batch: Any, places: Places | None = None) -> None:  # noqa: ANN401  # of a library without types
        """Share the rows of a batch out over partitions, by the split or by other places of topics."""
        topics = batch.column("topic").dictionary_encode()
        names = topics.dictionary.cast(self.arrow.binary()).to_pylist()
        small = np.uint16 if self.split.count <= 1 << 16 else np.int64  # which numpy sorts in no time
        of_topic = np.array((places or self.split.places)(names), dtype=small)
        number = of_topic[np.asarray(topics.indices)]
        rows = np.argsort(number, kind="stable")
        in_order = batch.take(self.arrow.array(rows))
        there, starts = np.unique(number[rows], return_index=True)
        for one, start, end in zip(there.tolist(), starts, [*starts[1:], len(rows)], strict=True):
            self.waiting.setdefault(one, []).append(in_order.slice(start, end - start))
        self.size += batch.nbytes
        if self.size > self.held:
            self.flush()

    def flush(self) -> None:
        """Write what is held."""
        for number, batches in self.waiting.items():
            self._append(self._path(number), batches)
        self.waiting, self.size = {}, 0

    def _path(self, number: int | str) -> str:
        return os.path.join(self.folder, str(number))

    def _append(self, path: str, batches: list[Any]) -> None:
        """A whole stream more, so that no file stays open."""
        table = self.arrow.Table.from_batches(batches, self.schema).combine_chunks()
        with writing(path, path, "ab") as file, self.arrow.ipc.new_stream(file, self.schema) as out:
            out.write_table(table)

    def _read(self, path: str) -> Iterator[Any]:
        """The batches of a spilled file."""
        if not os.path.exists(path):
            return
        with open(path, "rb") as file:
            end = os.path.getsize(path)
            while file.tell() < end:
                yield from self.arrow.ipc.open_stream(file)

    def write(self, number: int, path: str) -> tuple[Part, set[float]]:
        """One partition, topics in byte order where it can be sorted at once; and the grades in it."""
        rows, topics, grades = 0, 0, set[float]()
        few = [
            name for name in ("topic", "subtopic") if name in self.schema.names
        ]  # different names; documents have many
        settings = {"compression": "zstd", "use_dictionary": few, "write_statistics": ["topic"]}
        with writing(path, path) as file, self.parquet.ParquetWriter(file, self.schema, **settings) as out:
            for table in self._pieces(self._path(number)):
                in_order, count = self._sorted(table)
                out.write_table(in_order, row_group_size=ROW_GROUP)
                rows, topics = rows + len(table), topics + count
                if "grade" in self.schema.names:
                    grades |= _grades(table)
        with suppress(FileNotFoundError):
            os.unlink(self._path(number))
        return Part(os.path.basename(path), rows, topics), grades

    def _sorted(self, table: Any) -> tuple[Any, int]:  # noqa: ANN401  # of a library without types
        """The rows by topic in byte order, those of a topic in the order they came; and how many topics there are."""
        coded = table.column("topic").unify_dictionaries().combine_chunks().dictionary_encode()
        names = coded.dictionary.cast(self.arrow.binary()).to_pylist()
        rank = np.empty(len(names), dtype=np.int64)
        rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        by_row = rank[np.asarray(coded.indices)]
        if (by_row[1:] >= by_row[:-1]).all():
            return table, len(names)
        return table.take(self.arrow.array(np.argsort(by_row, kind="stable"))), len(names)

    def _pieces(self, spilled: str) -> Iterator[Any]:
        """The rows of a partition in tables that fit, all rows of a topic in one."""
        size = os.path.getsize(spilled) if os.path.exists(spilled) else 0
        if size <= self.held:
            yield from self._table(spilled)
            return
        count = 2 * (size // self.held) + 1
        finer = Spill(f"{spilled}.finer", self.schema, Split("hash", count), self.held)
        for batch in self._read(spilled):
            finer.add(batch, partial(_again, count))
        finer.flush()
        for piece in range(count):
            yield from self._table(finer._path(piece))
        shutil.rmtree(finer.folder)

    def _table(self, spilled: str) -> Iterator[Any]:
        """All rows of a spilled file, if there are any."""
        if batches := list(self._read(spilled)):
            yield self.arrow.Table.from_batches(batches, self.schema)


def _again(count: int, names: Sequence[bytes]) -> list[int]:
    """Places by a hash that has nothing to do with the one of partitions."""
    return [crc32(name, crc32(SALT + name[::-1])) % count for name in names]


def _grades(table: Any) -> set[float]:  # noqa: ANN401  # of a library without types
    grades = np.unique(np.asarray(table.column("grade").combine_chunks())).astype(np.float64)
    if not np.isfinite(grades).all():
        raise FormatError("expected finite grades, found NaN or an infinite one")
    return set(grades.tolist())
