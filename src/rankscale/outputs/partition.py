"""The verb: `partition(source, target)`, which writes runs and qrels as data sets partitioned by topic."""

import json
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from reprlib import repr as shortened
from typing import Any, Literal, get_args
from zlib import crc32

import numpy as np

from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.names import is_remote
from rankscale.data.notices import Notice
from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.errors import FormatError, InputError, ParameterError, Setting
from rankscale.inputs import partitioned
from rankscale.inputs.options import Columns, Reading
from rankscale.inputs.partitioned import DataFile, DataSet, Partitioning, TopicPartition, find_data_set, part_name
from rankscale.outputs.convert import ConversionSource
from rankscale.outputs.files import making_folder, replacing_folder, writing
from rankscale.outputs.frames import ROW_GROUP
from rankscale.outputs.row_batches import RowBatches, row_batches

SALT = b"\x00"  # of the hash that splits a large partition again
FindPlaces = Callable[[Sequence[bytes]], list[int]]  # the file of each topic


@dataclass
class Spill:
    """Rows on their way to partitions: held in memory, then added to files of Arrow streams, one after the other."""

    folder: str
    schema: Any
    split: TopicPartition
    held: int
    waiting: dict[int, list[Any]] = field(default_factory=lambda: defaultdict(list))
    size: int = 0

    def __post_init__(self) -> None:
        os.mkdir(self.folder)
        self.arrow = library("pyarrow", "Parquet files")
        self.parquet = library("pyarrow.parquet", "Parquet files")

    def add(self, batch: Any, places: FindPlaces | None = None) -> None:  # noqa: ANN401  # of a library without types
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
            self.waiting[one].append(in_order.slice(start, end - start))
        self.size += batch.nbytes
        if self.size > self.held:
            self.flush()

    def flush(self) -> None:
        """Append the rows in memory to their files, one Arrow stream each, and close the files."""
        for number, batches in self.waiting.items():
            path, table = self._path(number), self.arrow.Table.from_batches(batches, self.schema).combine_chunks()
            with writing(path, path, "ab") as file, self.arrow.ipc.new_stream(file, self.schema) as out:
                out.write_table(table)
        self.waiting.clear()
        self.size = 0

    def _path(self, number: int) -> str:
        return os.path.join(self.folder, str(number))

    def _read(self, path: str) -> Iterator[Any]:
        """The batches of a spilled file."""
        if not os.path.exists(path):
            return
        with open(path, "rb") as file:
            end = os.path.getsize(path)
            while file.tell() < end:
                yield from self.arrow.ipc.open_stream(file)

    def write(self, number: int, path: str) -> tuple[DataFile, set[float]]:
        """One partition, topics in byte order where it can be sorted at once; and the grades in it."""
        rows, topics, grades = 0, 0, set[float]()
        # Topics and sub-topics have few different names, documents have many.
        few = [name for name in ("topic", "subtopic") if name in self.schema.names]
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
        return DataFile(os.path.basename(path), rows, topics), grades

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

        def places(names: Sequence[bytes]) -> list[int]:
            """Places by a hash that has nothing to do with the one of partitions."""
            return [crc32(name, crc32(SALT + name[::-1])) % count for name in names]

        finer = Spill(f"{spilled}.finer", self.schema, TopicPartition("hash", count), self.held)
        for batch in self._read(spilled):
            finer.add(batch, places)
        finer.flush()
        for piece in range(count):
            yield from self._table(finer._path(piece))
        shutil.rmtree(finer.folder)

    def _table(self, spilled: str) -> Iterator[Any]:
        """All rows of a spilled file, if there are any."""
        if batches := list(self._read(spilled)):
            yield self.arrow.Table.from_batches(batches, self.schema)


def _grades(table: Any) -> set[float]:  # noqa: ANN401  # of a library without types
    grades = np.unique(np.asarray(table.column("grade").combine_chunks())).astype(np.float64)
    if not np.isfinite(grades).all():
        raise FormatError("expected finite grades, found NaN or an infinite one")
    return set(grades.tolist())


HELD = 128 << 20  # bytes of rows that are held before they are spilled, and of a partition that is sorted at once
SAMPLE = 1 << 16  # topics that borders of ranges are chosen from


def partition(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    partitions: Positive | None = None,
    partitioning: Partitioning | None = None,
    like: str | os.PathLike[str] | None = None,
    kind: Literal["run", "qrels"] | None = None,
    name: str | None = None,
    run: str | None = None,
    merge: str | None = None,
    form: str | None = None,
    columns: Columns | None = None,
    order: Literal["score", "rank", "file"] | None = None,
    max_size: Positive | None = None,
) -> DataSet:
    """Write a run or qrels as a data set: a folder of Parquet files partitioned by topic, for `evaluate_blocks`.

    Rows may come in any order: they are sorted by topic on disk, in bounded memory. The folder appears only when it is
    complete.

    Parameters
    ----------
    source
        File of any form, or folder of Parquet or Arrow files. Parquet and Arrow are streamed, whatever their size;
        a text file is held in memory only if the lines of a topic are scattered in it.
    target
        Folder or address, such as `s3://bucket/run`, which must not exist yet.
    partitions
        Number of files; 64 by default. An evaluation needs memory for the largest of them.
    partitioning
        How topics are assigned to files. 'hash' (the default): by CRC-32 of the topic's name; 'range': in the byte
        order of names.
    like
        Data set to split topics like, in place of `partitions` and `partitioning`. A run must be split like the qrels.
    kind
        What the source holds: 'run' or 'qrels'; by default what its columns say.
    name, run
        Name of the run in the data set; of a source with several runs, the one to write.
    merge
        As in `read_qrels`, for qrels in text.
    form, columns, order, max_size
        As in `read_run`. Of scores and ranks, only the column that orders rankings is kept; with 'rank' and 'file',
        rows from text get scores that give the same order.

    Returns
    -------
    DataSet
        Description of what was written, as in its manifest: rows, topics, grades.

    Raises
    ------
    InputError
        If the target exists, or the source cannot be read as a run or qrels.
    ParameterError
        If options do not go together.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rankscale import write_qrels
    >>> with TemporaryDirectory() as folder:
    ...     write_qrels({"301": {"a": 1, "b": 0}, "302": {"a": 2}}, f"{folder}/qrels.txt")
    ...     data_set = partition(f"{folder}/qrels.txt", f"{folder}/qrels", partitions=4)
    >>> data_set.rows, data_set.topics, data_set.levels
    (3, 2, (0.0, 1.0, 2.0))
    """
    check_arguments(partition, locals())
    reading = Reading(order, max_size=max_size, form=form, columns=columns)
    request = PartitionRequest(partitions, partitioning, None if like is None else os.fspath(like))
    converted = ConversionSource(source, reading, kind, name, run, merge)
    data_set, _ = write_partitions(converted, os.fspath(target), request)
    return data_set


@dataclass(frozen=True)
class PartitionRequest:
    """Into how many partitions, by what, or like which data set."""

    partitions: int | None = None
    partitioning: Partitioning | None = None
    like: str | None = None
    held: int = HELD  # bytes of rows in memory

    def split(self, rows: RowBatches) -> TopicPartition:
        """How topics are shared out, where that is not like another data set."""
        count = self.partitions or partitioned.PARTITIONS
        return _ranges(rows, count) if self.partitioning == "range" else TopicPartition("hash", count)


def write_partitions(
    source: ConversionSource, target: str, request: PartitionRequest
) -> tuple[DataSet, tuple[Notice, ...]]:
    """Write a data set, atomically, and return it with what users should know of what was read."""
    _check(target, source.reading, request)
    like = None if request.like is None else _data_set(request.like)  # refused before any work
    rows = row_batches(source)
    split = request.split(rows) if like is None else like.split
    with _folder(target) as folder:
        spill = Spill(os.path.join(folder, ".spill"), rows.schema, split, request.held)
        for batch in rows.each():
            spill.add(batch)
        spill.flush()
        written = [spill.write(number, os.path.join(folder, part_name(number))) for number in range(split.count)]
        shutil.rmtree(spill.folder)
        files, grades = tuple(file for file, _ in written), {grade for _, some in written for grade in some}
        columns, levels = tuple(rows.schema.names), tuple(sorted(grades))
        made = DataSet(target, rows.kind, split, files, columns, levels, readable(rows.name), rows.order)
        if not made.rows:
            raise InputError(f"{readable(str(source.source))}: there are no rows to write")
        manifest = os.path.join(folder, partitioned.MANIFEST)
        with writing(manifest, manifest) as file:
            file.write(json.dumps(made.manifest(), indent=1).encode())
    return made, rows.notices


def _check(target: str, reading: Reading, request: PartitionRequest) -> None:
    """Raise before any work for options that do not go together, and for a target that is there."""
    score64 = ["order score64"] if reading.order == "score64" else []
    if refused := [*reading.given("depth", "document_from"), *score64, *reading.given("duplicates")]:
        raise ParameterError(
            f"partitioning keeps rows as they are, so that {' and '.join(refused)} cannot be applied: give "
            f"{'it' if len(refused) == 1 else 'them'} when the data set is evaluated, or convert to a file first"
        )
    if request.like is not None and (request.partitions is not None or request.partitioning is not None):
        like = "a data set that is split like another takes its partitions: leave out "
        raise ParameterError(like, Setting("partitions"), " and ", Setting("partitioning"))
    if request.partitioning not in {None, *get_args(Partitioning)}:
        raise ParameterError(f"partitioning must be 'hash' or 'range', got {shortened(request.partitioning)}")
    if request.partitions is not None and not 1 <= request.partitions <= partitioned.MOST:
        raise ParameterError(f"partitions must be from 1 to {partitioned.MOST}, got {request.partitions}")
    if target in {"", "-"}:
        raise ParameterError("a data set is a folder, and cannot be written to standard output: give its name")
    if not is_remote(target) and os.path.lexists(target):
        raise InputError(f"{readable(target)}: this is there already; remove it, or name another folder")
    if find_data_set(target) is not None:
        raise InputError(f"{readable(target)}: there is a data set already; remove it, or name another place")


def _data_set(place: str) -> DataSet:
    data_set = find_data_set(place)
    if data_set is None:
        how = f"make one with rankscale convert {readable(place)} OUT --partition-by topic"
        raise InputError(f"{readable(place)}: expected a data set, which has a file {partitioned.MANIFEST}; {how}")
    return data_set


@contextmanager
def _folder(target: str) -> Iterator[str]:
    """A folder beside the target, which takes its name in the end; files of another place are put there last."""
    if is_remote(target):
        with making_folder(tempfile.gettempdir(), target) as folder:
            yield folder
            _put(folder, target.rstrip("/"))
        return
    above = os.path.dirname(target.rstrip("/")) or "."
    if not os.path.isdir(above):
        raise InputError(f"{readable(target)}: there is no folder {readable(above)}; make it first")
    with replacing_folder(target.rstrip("/")) as folder:
        yield folder


def _put(folder: str, target: str) -> None:
    """The files, the manifest last: without it there is no data set."""
    fsspec: Any = library("fsspec", f"places such as {readable(target)}", "remote")
    names = [*sorted(set(os.listdir(folder)) - {partitioned.MANIFEST}), partitioned.MANIFEST]
    try:
        system, root = fsspec.core.url_to_fs(target)
        system.makedirs(root, exist_ok=True)
        for name in names:
            system.put_file(os.path.join(folder, name), f"{root}/{name}")
    except Exception as error:  # of as many libraries as there are places
        with suppress(Exception):
            system.rm(root, recursive=True)
        words = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(f"{readable(target)}: cannot be written ({words})") from error


def _ranges(rows: RowBatches, count: int) -> TopicPartition:
    """Borders that give partitions about as many rows each, from the topics whose hash is lowest, counted."""
    compute = library("pyarrow.compute", "Parquet files")
    counted: dict[str, int] = {}
    bound = 1 << 32
    for batch in rows.each():
        for entry in compute.value_counts(batch.column("topic")).to_pylist():
            topic = entry["values"]
            if topic in counted or crc32(topic.encode()) < bound:
                counted[topic] = counted.get(topic, 0) + entry["counts"]
        while len(counted) > SAMPLE:
            bound //= 2
            counted = {topic: number for topic, number in counted.items() if crc32(topic.encode()) < bound}
    topics = sorted(counted, key=str.encode)
    before = np.cumsum([counted[topic] for topic in topics])
    goals = np.arange(1, count) * (before[-1] / count) if topics else np.zeros(0)
    places = np.unique(np.searchsorted(before, goals, side="left") + 1)
    borders = tuple(topics[place] for place in places.tolist() if place < len(topics))
    return TopicPartition("range", len(borders) + 1, borders)
