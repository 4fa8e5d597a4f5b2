"""The verb: `partition(source, target)`, which writes runs and qrels as data sets partitioned by topic."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import Any, Literal, get_args
from zlib import crc32

import numpy as np

from rankscale.data.addresses import is_remote
from rankscale.data.checking import check_arguments
from rankscale.data.declared import Positive
from rankscale.data.libraries import library
from rankscale.data.notices import Notice
from rankscale.data.table import readable
from rankscale.errors import InputError, ParameterError
from rankscale.inputs.options import Columns, Reading
from rankscale.inputs.partitioned import (
    MANIFEST,
    MOST,
    PARTITIONS,
    DataSet,
    Partitioning,
    Split,
    find_data_set,
    part_name,
)
from rankscale.outputs.files import making_folder, replacing_folder, writing
from rankscale.outputs.row_batches import RowBatches, row_batches
from rankscale.outputs.spill import Spill

HELD = 128 << 20  # bytes of rows that are held before they are spilled, and of a partition that is sorted at once
SAMPLE = 1 << 16  # topics that borders of ranges are chosen from


@dataclass(frozen=True)
class Partitioned:
    """What was written, and what users should know of what was read."""

    data_set: DataSet
    notices: tuple[Notice, ...]


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
    return write_partitions(
        source, os.fspath(target), reading, request, kind=kind, name=name, run=run, merge=merge
    ).data_set


@dataclass(frozen=True)
class PartitionRequest:
    """Into how many partitions, by what, or like which data set."""

    partitions: int | None = None
    partitioning: Partitioning | None = None
    like: str | None = None
    held: int = HELD  # bytes of rows in memory

    def split(self, rows: RowBatches) -> Split:
        """How topics are shared out."""
        if self.like is not None:
            return _data_set(self.like).split
        count = self.partitions or PARTITIONS
        return _ranges(rows, count) if self.partitioning == "range" else Split("hash", count)


def write_partitions(
    source: object,
    target: str,
    reading: Reading,
    request: PartitionRequest,
    *,
    kind: str | None = None,
    name: str | None = None,
    run: str | None = None,
    merge: str | None = None,
) -> Partitioned:
    """Write a data set, atomically; `partition` says what the options are."""
    _check(target, reading, request)
    if request.like is not None:
        _data_set(request.like)  # refused before any work
    rows = row_batches(source, reading, kind=kind, name=name, run=run, merge=merge)
    split = request.split(rows)
    with _folder(target) as folder:
        spill = Spill(os.path.join(folder, ".spill"), rows.schema, split, request.held)
        for batch in rows.each():
            spill.add(batch)
        spill.flush()
        written = [spill.write(number, os.path.join(folder, part_name(number))) for number in range(split.count)]
        shutil.rmtree(spill.folder)
        made = DataSet(
            target,
            rows.kind,
            split,
            tuple(part for part, _ in written),
            tuple(rows.schema.names),
            tuple(sorted({grade for _, grades in written for grade in grades})),
            readable(rows.name),
            rows.order,
        )
        if not made.rows:
            raise InputError(f"{readable(str(source))}: there are no rows to write")
        manifest = os.path.join(folder, MANIFEST)
        with writing(manifest, manifest) as file:
            file.write(json.dumps(made.manifest(), indent=1).encode())
    return Partitioned(made, rows.notices)


def _check(target: str, reading: Reading, request: PartitionRequest) -> None:
    """Raise before any work for options that do not go together, and for a target that is there."""
    given: dict[str, object] = {"depth": reading.depth, "document_from": reading.document_from}
    given["order score64"] = reading.order if reading.order == "score64" else None
    given["duplicates"] = None if reading.duplicates == "error" else reading.duplicates
    if refused := [option for option, value in given.items() if value is not None]:
        raise ParameterError(
            f"partitioning keeps rows as they are, so that {' and '.join(refused)} cannot be applied: give "
            f"{'it' if len(refused) == 1 else 'them'} when the data set is evaluated, or convert to a file first"
        )
    if request.like is not None and (request.partitions is not None or request.partitioning is not None):
        raise ParameterError(
            "a data set that is split like another takes its partitions: leave out --partitions and --partitioning "
            "(partitions=, partitioning= in Python)"
        )
    if request.partitioning not in {None, *get_args(Partitioning)}:
        raise ParameterError(f"partitioning must be 'hash' or 'range', got {shortened(request.partitioning)}")
    if request.partitions is not None and not 1 <= request.partitions <= MOST:
        raise ParameterError(f"partitions must be from 1 to {MOST}, got {request.partitions}")
    if target in {"", "-"}:
        raise ParameterError("a data set is a folder, and cannot be written to standard output: give its name")
    if not is_remote(target) and os.path.lexists(target):
        raise InputError(f"{readable(target)}: this is there already; remove it, or name another folder")
    if find_data_set(target) is not None:
        raise InputError(f"{readable(target)}: there is a data set already; remove it, or name another place")


def _data_set(place: str) -> DataSet:
    data_set = find_data_set(place)
    if data_set is None:
        raise InputError(
            f"{readable(place)}: expected a data set, which has a file {MANIFEST}; make one with "
            f"rankscale convert {readable(place)} OUT --partition-by topic"
        )
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
    names = [*sorted(set(os.listdir(folder)) - {MANIFEST}), MANIFEST]
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


def _ranges(rows: RowBatches, count: int) -> Split:
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
    return Split("range", len(borders) + 1, borders)
