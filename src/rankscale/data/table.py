"""Table: named columns, in batches where they are large, as every result gives them to every writer."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, Self

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints

GRID_ROWS = 1 << 13  # rows of values made text at once: half a megabyte
LARGEST_INTEGER = 2**63 - 1  # of a column of integers; a column with larger ones is text

Cell = str | int | float | None
Kind = type[str] | type[int] | type[float] | None  # None: the column is empty


class Sparks(Protocol):
    """The sparklines of a column, in as many blocks as there is room for."""

    @property
    def most(self) -> int:
        """Blocks where there is room for all."""

    def text(self, blocks: int) -> list[str]:
        """(row,): sparklines of at most so many blocks."""


class Names(NamedTuple):
    """A column of text: (row,) places in a list of names."""

    names: Sequence[str]
    codes: Ints


Column = Names | Floats | Ints | Sequence[Cell]
Batch = Mapping[str, Column]


@dataclass(frozen=True)
class Style:
    """How people are shown the cells of a column; each sequence has an entry for each row."""

    align: Literal["left", "right"] | None = None  # None: text to the left, numbers to the right
    plain: bool = False  # numbers without thousands separators and exponents
    places: int | None = None  # decimals of this column, whatever is requested: 0 for counts
    until: Sequence[float] = ()  # the other end where a cell is an interval: "0.4 to 0.5"; not shown where it is equal
    ranges: tuple[tuple[str, Sequence[float], Sequence[float]], ...] = ()  # brackets, lower, upper: "0.5 [0.4, 0.6]"
    errors: Sequence[float] = ()  # standard errors: "0.5 ±0.01", nothing for 0
    suffixes: Sequence[str] = ()  # after the cell, such as the number of topics of a mean
    marks: Sequence[str] | None = None  # superscripts, such as letters of groups
    best: frozenset[int] = frozenset()  # rows in bold
    faint: frozenset[int] = frozenset()  # rows whose number says little, such as a low share of judged documents
    tones: Sequence[str] = ()  # 'good', 'odd' or 'bad', where a cell is a verdict; '' where it is none
    sparks: Sparks | None = None  # what the sparklines of the column are drawn from


@dataclass(frozen=True)
class Grid:
    """The rows of one run as text has them: each of its topics with every measure, then its means, of topic `all`."""

    run: str
    runs: tuple[str, ...]  # all that the table has
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    present: Bools  # (topic,): those that the run has
    by_topic: Mapping[str, Floats]  # (measure, topic), by column
    means: Mapping[str, Floats]  # (measure,), by column
    batches: Callable[[], Iterable[Batch]]  # the same rows


@dataclass(frozen=True)
class Stream:
    """The rows of a large table, made batch by batch."""

    kinds: Mapping[str, Kind]
    batches: Callable[[], Iterator[Batch]]
    text_batches: Callable[[], Iterator[Batch | Grid]]  # the same rows for tsv, csv and jsonl, with rows that sum up
    documents: Callable[[], Iterator[Mapping[str, object]]]  # nested objects of the JSON document, in place of rows
    head: Mapping[str, object] = field(default_factory=dict)  # what the JSON document has before them
    grid: int = 0  # rows of each topic, where batches are one run of topics by measures
    text_kinds: Mapping[str, Kind] | None = None  # of text_batches, where rows that sum up have more columns


@dataclass(frozen=True)
class Table:
    """Named columns of text and numbers; None or NaN where a cell is empty.

    Small tables have `columns`; those too large to hold at once have a `stream` instead.
    """

    columns: Mapping[str, Sequence[Cell]]
    provenance: Mapping[str, object] = field(default_factory=dict)
    title: str = ""
    notes: tuple[str, ...] = ()  # sentences below the table
    styles: Mapping[str, Style] = field(default_factory=dict)  # by column
    stream: Stream | None = None
    important: tuple[str, ...] = ()  # columns that are left out last where there is no room for all

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns differ in length: {lengths}")

    @classmethod
    def of(cls, names: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Self:
        """Columns of these names from rows of cells.

        >>> Table.of(("run", "value"), [("bm25", 0.5), ("ql", 0.4)]).columns
        {'run': ['bm25', 'ql'], 'value': [0.5, 0.4]}
        """
        listed = list(rows)
        return cls({name: [row[place] for row in listed] for place, name in enumerate(names)})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        for cells in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, cells, strict=True))

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What each column holds."""
        return self.stream.kinds if self.stream else {name: kind(cells) for name, cells in self.columns.items()}

    def batches(self) -> Iterator[Batch]:
        """The rows, batch by batch."""
        return self.stream.batches() if self.stream else iter([self.columns])

    def in_one_batch(self) -> Batch:
        """All rows at once, for libraries of data frames."""
        if not self.stream:
            return self.columns
        batches = list(self.stream.batches())
        return {name: _concatenated([batch[name] for batch in batches], kind) for name, kind in self.kinds.items()}


def _concatenated(columns: Sequence[Column], kind: Kind) -> Column:
    """Columns of a stream below each other; those of text share their list of names."""
    if kind is str:
        parts = [column for column in columns if isinstance(column, Names)]
        codes = [np.zeros(0, dtype=np.int64), *(part.codes for part in parts)]
        return Names(parts[0].names if parts else (), np.concatenate(codes))
    numbers = [column for column in columns if isinstance(column, np.ndarray)]
    joined: Floats = np.concatenate([np.zeros(0, dtype=np.int64 if kind is int else np.float64), *numbers])
    return joined


def kind(cells: Sequence[Cell]) -> Kind:
    """What a column of cells holds; integers that a data frame cannot hold are text."""
    if any(isinstance(cell, str) or (isinstance(cell, int) and abs(cell) > LARGEST_INTEGER) for cell in cells):
        return str
    if any(isinstance(cell, float) for cell in cells):
        return float
    return int if any(isinstance(cell, int) for cell in cells) else None


def readable(name: str) -> str:
    """A name as UTF-8 can hold it: bytes that are no UTF-8 are replaced. For forms that cannot carry them."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_empty(cell: Cell) -> bool:
    """Whether a cell holds nothing: None or NaN."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))
