"""Data sets: folders of Parquet files, one for each partition of topics, and the manifest that describes them.

Every row of a topic is in one file, and qrels and runs that share a split have a topic in the file of the same number:
so a block of topics is measured by itself. `outputs/partition.py` writes them.
"""

import json
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, Self
from zlib import crc32

from rankscale.data.names import is_remote
from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.errors import FormatError, InputError
from rankscale.inputs.binary import in_print
from rankscale.inputs.content import check_characters
from rankscale.inputs.files import NamedFile, fetched

MANIFEST = "_rankscale.json"
VERSION = 1
PARTITIONS = 64  # unless another number is requested
MOST = 1_000_000  # partitions
MOST_LEVELS = 32_767
LONGEST = 256 << 20  # bytes of a manifest
COLUMNS = {"run": ("topic", "document", "score"), "qrels": ("topic", "document", "grade")}

Partitioning = Literal["hash", "range"]


@dataclass(frozen=True)
class TopicPartition:
    """Which partition a topic belongs to: by CRC-32 of its name modulo their number, or between borders.

    CRC-32 is the same everywhere; SQL engines have it (Spark: `pmod(crc32(topic), 64)`).

    >>> TopicPartition("hash", 4).places([b"301"]), TopicPartition("range", 3, ("302", "5")).places([b"302", b"7"])
    ([2], [1, 2])
    """

    partitioning: Partitioning
    count: int
    borders: tuple[str, ...] = ()  # of ranges: the first topic of each but the first, in byte order

    def places(self, topics: Iterable[bytes]) -> list[int]:
        """The partition of each topic, from 0."""
        if self.partitioning == "hash":
            return [crc32(topic) % self.count for topic in topics]
        borders = [border.encode("utf-8", "surrogateescape") for border in self.borders]
        return [bisect_right(borders, topic) for topic in topics]

    def __str__(self) -> str:
        return f"{self.count} partitions by {self.partitioning}"


@dataclass(frozen=True)
class DataFile:
    """One file of a data set."""

    file: str
    rows: int
    topics: int


@dataclass(frozen=True)
class DataSet:
    """What the manifest of a data set says, checked."""

    place: str
    kind: str  # run or qrels
    split: TopicPartition
    parts: tuple[DataFile, ...]
    columns: tuple[str, ...]
    levels: tuple[float, ...] = ()  # every grade of the collection, ascending; of qrels
    name: str = ""  # of a run
    order: str = "score"  # what ordered the run that was read

    @property
    def rows(self) -> int:
        """Rows of all files."""
        return sum(part.rows for part in self.parts)

    @property
    def topics(self) -> int:
        """Topics of all files; none is in two."""
        return sum(part.topics for part in self.parts)

    @property
    def where(self) -> str:
        """The folder, as messages call it."""
        return readable(self.place)

    def manifest(self) -> dict[str, object]:
        """The manifest, as JSON has it."""
        is_run, is_by_range = self.kind == "run", self.split.partitioning == "range"
        return {
            "rankscale_data_set": VERSION,
            "kind": self.kind,
            "partitioning": self.split.partitioning,
            "partitions": self.split.count,
            **({"borders": list(self.split.borders)} if is_by_range else {}),
            "columns": list(self.columns),
            "rows": self.rows,
            "topics": self.topics,
            **({"name": self.name, "order": self.order} if is_run else {"levels": list(self.levels)}),
            "files": [[part.file, part.rows, part.topics] for part in self.parts],
        }

    @classmethod
    def of_manifest(cls, place: str, read: object) -> Self:
        """A data set from its manifest; raise FormatError for one that does not hold together."""
        manifest = _Manifest(f"{readable(place)}/{MANIFEST}", read)
        manifest.get("rankscale_data_set", f"version {VERSION}", lambda value: value == VERSION)
        kind = manifest.word("kind", ("run", "qrels"))
        some = f"a whole number from 1 to {MOST}"
        count = manifest.get("partitions", some, lambda number: type(number) is int and 1 <= number <= MOST)
        partitioning = manifest.word("partitioning", ("hash", "range"))
        borders = manifest.texts("borders") if partitioning == "range" else ()
        if partitioning == "range":
            ascending = [border.encode("utf-8", "surrogateescape") for border in borders]
            if ascending != sorted(ascending) or len(borders) != count - 1:
                raise manifest.wrong("borders", "borders in byte order")
        made = cls(
            place,
            kind,
            TopicPartition(partitioning, count, borders),  # type: ignore[arg-type]  # one of the two words
            manifest.parts(count),
            manifest.texts("columns"),
            manifest.levels() if kind == "qrels" else (),
            manifest.get("name", "text", lambda value: isinstance(value, str)) if kind == "run" else "",
            manifest.word("order", ("score", "score64", "rank", "file")) if kind == "run" else "score",
        )
        known = {"topic", "document", "score", "rank", "grade", "subtopic"}
        if not {"topic", "document"} <= set(made.columns) <= known:
            raise manifest.wrong("columns", "topic, document and a number")
        manifest.get("rows", f"the {made.rows} that its files have", lambda value: value == made.rows)
        manifest.get("topics", f"the {made.topics} that its files have", lambda value: value == made.topics)
        return made

    def file(self, number: int) -> str:
        """Path or address of the file of a partition."""
        if is_remote(self.place):
            return f"{self.place.rstrip('/')}/{self.parts[number].file}"
        return os.path.join(self.place, self.parts[number].file)

    @contextmanager
    def opened(self, number: int) -> Iterator[str | NamedFile]:
        """The file of a partition on this machine; FormatError where it has not the rows that the manifest says."""
        part, path = self.parts[number], self.file(number)
        parquet = library("pyarrow.parquet", "Parquet files")
        if is_remote(self.place):
            with fetched(path) as file:
                self._check_rows(parquet, file.path, part)
                yield file
            return
        if not os.path.isfile(path):
            raise FormatError(f"{self.where}: {part.file} is missing; write the data set again, or copy all of it")
        self._check_rows(parquet, path, part)
        yield path

    def _check_rows(self, parquet: Any, path: str, part: DataFile) -> None:  # noqa: ANN401  # of a library without types
        where, again = f"{self.where}/{part.file}", "write the data set again"
        try:
            rows, names = parquet.read_metadata(path).num_rows, parquet.read_schema(path).names
        except Exception as error:  # of the library, of as many kinds as there are damages
            words = in_print(str(error).strip().partition("\n")[0])
            raise FormatError(f"{where}: expected Parquet data, and it cannot be read ({words})\n{again}") from error
        if rows != part.rows:
            raise FormatError(f"{where}: has {rows} rows, and {MANIFEST} says {part.rows}\n{again}")
        if tuple(names) != self.columns:
            there, columns = in_print(", ".join(names)), ", ".join(self.columns)
            raise FormatError(f"{where}: has the columns {there}, and {MANIFEST} says {columns}\n{again}")


class _Manifest:
    """Fields of a manifest, which is untrusted."""

    def __init__(self, where: str, read: object) -> None:
        self.where = where
        if not isinstance(read, dict):
            raise FormatError(f"{where}: expected a JSON object, found {type(read).__name__}")
        self.given: dict[str, Any] = read

    def get(self, name: str, expected: str, fits: Callable[[Any], bool]) -> Any:  # noqa: ANN401  # as it is in JSON
        """A field; raise FormatError unless it is as expected."""
        value = self.given.get(name)
        if not fits(value):
            raise self.wrong(name, expected)
        return value

    def wrong(self, name: str, expected: str) -> FormatError:
        """The error for a field that is not as expected."""
        shown = in_print(json.dumps(self.given.get(name), default=str)[:200])
        return FormatError(f"{self.where}: {name}: expected {expected}, found {shown}; write the data set again")

    def word(self, name: str, words: Sequence[str]) -> str:
        """One of some words."""
        return str(self.get(name, " or ".join(words), lambda value: isinstance(value, str) and value in words))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of different texts."""

        def fits(value: object) -> bool:
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                return False
            return len(set(value)) == len(value)

        return tuple(self.get(name, "a list of different texts", fits))

    def levels(self) -> tuple[float, ...]:
        """Grades, ascending."""

        def fits(grades: object) -> bool:
            if not isinstance(grades, list) or len(grades) > MOST_LEVELS:
                return False
            finite = all(type(one) in {int, float} and abs(one) <= sys.float_info.max for one in grades)
            return finite and all(one < other for one, other in pairwise(grades))

        return tuple(map(float, self.get("levels", "finite grades, ascending", fits)))

    def parts(self, count: int) -> tuple[DataFile, ...]:
        """The files, in the order of their numbers; a name that is no such number leads nowhere."""
        files = self.get("files", f"{count} files", lambda value: isinstance(value, list) and len(value) == count)
        for number, one in enumerate(files):
            fits = isinstance(one, list) and len(one) == 3 and one[0] == part_name(number)
            fits = fits and all(type(size) is int and size >= 0 for size in one[1:])
            if not fits:
                raise self.wrong("files", f"[{part_name(number)!r}, rows, topics] at place {number}")
        return tuple(DataFile(*one) for one in files)


def part_name(number: int) -> str:
    """The name of a file.

    >>> part_name(7)
    'part-00007.parquet'
    """
    return f"part-{number:05d}.parquet"


def find_data_set(place: object) -> DataSet | None:
    """The data set in a folder, here or in another place; None where there is no manifest.

    Raise FormatError for a manifest that does not hold together.
    """
    if not isinstance(place, str | os.PathLike):
        return None
    folder = os.fsdecode(place)
    text = _remote_manifest(folder) if is_remote(folder) else None
    path = os.path.join(folder, MANIFEST)
    if os.path.isfile(path):
        with open(path, "rb") as file:
            text = file.read(LONGEST + 1)
    return None if text is None else DataSet.of_manifest(folder, _parsed(folder, text))


def _parsed(folder: str, text: bytes) -> object:
    where = f"{readable(folder)}/{MANIFEST}"
    if len(text) > LONGEST:
        raise FormatError(f"{where}: expected at most {LONGEST} bytes; write the data set again")
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: expected JSON ({in_print(str(error))}); write the data set again") from error
    check_characters(text.decode("utf-8", "surrogateescape"), document, where)
    return document


def _remote_manifest(folder: str) -> bytes | None:
    """The manifest of another place; None for an address that is a file, or where there is none."""
    if re.search(r"\.\w+$", folder.rstrip("/").rpartition("/")[2]) or folder.startswith(("http://", "https://")):
        return None
    fsspec: Any = library("fsspec", f"places such as {readable(folder)}", "remote")
    try:
        with fsspec.open(f"{folder.rstrip('/')}/{MANIFEST}", "rb") as file:
            text: bytes = file.read(LONGEST + 1)
    except FileNotFoundError:
        return None
    except Exception as error:  # of as many libraries as there are places
        words = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(f"{readable(folder)}: cannot be read ({in_print(words)})") from error
    return text
