"""Table: named columns, each declared once for programs and for people.

    Table.of(
        ["run", Column("mean", label="nDCG@10", interval=("lower", "upper")), "lower", "upper", Column("p", digits=3)],
        [("bm25", 0.5, 0.4, 0.6, 0.01), ...],
    )

Forms for programs (csv, tsv, json, jsonl, Parquet, data frames) write every column under its name, in full precision.
Forms for people (aligned text, Markdown, LaTeX, HTML, notebooks) show the columns of `view`, in its order, as each
`Column` says: the mean above as "0.5000 [0.4000, 0.6000]" under nDCG@10. A column that is the end of an interval, or
hidden, is for programs only; one with `cells` of its own can be for people only. There are four ways to say it:

- `Table.of(columns, rows)`: rows of cells, each column a name or a `Column`; `Table.from_rows` takes them by name;
- `Table(cells, view=[...])`: cells by name, and exactly what people see of them;
- `Table(cells).with_columns(Column(...), ...)` and `.without("name", ...)`: all columns, some of them not as they are;
- `replace(table, rows=[...])`: the rows that people see, in the order in which they see them.

`table.in_full()` shows people every column under its name, with its alignment and digits; `table.shown()` resolves the
view for a writer of a form.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, NamedTuple, Self

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints

GRID_ROWS = 1 << 13  # rows of values made text at once: half a megabyte
BLOCKS = "▁▂▃▄▅▆▇█"  # of sparklines: numbers as a row of blocks of different height
USUAL_BLOCKS = 20  # of a sparkline where nothing else decides
LARGEST_INTEGER = 2**63 - 1  # of a column of integers; a column with larger ones is text

Cell = str | int | float | None
CellType = type[str] | type[int] | type[float] | None  # None: the column is empty


class Names(NamedTuple):
    """A column of text: (row,) places in a list of names."""

    names: Sequence[str]
    codes: Ints


Cells = Names | Floats | Ints | Sequence[Cell]  # those of a column, in a batch of rows
Batch = Mapping[str, Cells]
CellValues = str | Sequence[float] | Sequence[Cell]  # (row,), or the name of the column that has them


def sparkline(values: Sequence[float], lowest: float, highest: float) -> str:
    """A block for each value, as high as it is between two limits; a space where a value is undefined or infinite.

    >>> sparkline([0.0, 0.5, float("nan"), 1.0], 0, 1)
    '▁▅ █'
    """
    span = highest - lowest if highest > lowest else 1.0
    return "".join(_block((value - lowest) / span) for value in values)


def _block(height: float) -> str:
    if not math.isfinite(height):
        return " "
    return BLOCKS[min(int(max(height, 0.0) * len(BLOCKS)), len(BLOCKS) - 1)]


@dataclass(frozen=True)
class Sparklines:
    """The sparklines of a column of a table, one for each row, all between the same limits.

    Attributes
    ----------
    rows : sequence of sequences of float
        The values of each row; all rows have as many.
    lowest, highest : float
        Limits of the lowest and of the highest block.
    """

    rows: Sequence[Sequence[float]]
    lowest: float
    highest: float

    @property
    def most(self) -> int:
        """Blocks of a sparkline with one block for each value."""
        return len(self.rows[0]) if self.rows else 0

    def text(self, blocks: int = USUAL_BLOCKS) -> list[str]:
        """(row,): sparklines of at most so many blocks; where there are more values, a block is the mean of some."""
        return [sparkline(_means(row, min(blocks, self.most)), self.lowest, self.highest) for row in self.rows]


def _means(values: Sequence[float], count: int) -> list[float]:
    """Means of `count` stretches of values that are as equally long as they can be; undefined values are left out.

    >>> _means([1.0, 3.0, 5.0, float("nan")], 2)
    [2.0, 5.0]
    """
    ends = [round(len(values) * place / count) for place in range(count + 1)] if count else []
    parts = [[one for one in values[low:high] if math.isfinite(one)] for low, high in pairwise(ends)]
    return [sum(part) / len(part) if part else math.nan for part in parts]


@dataclass(frozen=True)
class Column:
    """How people are shown a column; sequences have an entry for each row of the table."""

    name: str
    label: str = ""  # the heading, where it is not the name
    cells: Sequence[Cell] | None = None  # what people see in place of the cells that programs get
    hidden: bool = False  # for programs only
    align: Literal["left", "right"] | None = None  # None: text to the left, numbers to the right
    plain: bool = False  # numbers without thousands separators and exponents
    digits: int | None = None  # decimals, whatever is requested: 0 for counts
    until: CellValues = ()  # the other end where a cell is an interval: "0.4 to 0.5"; not shown where it is equal
    # Lower and upper end: "0.5 [0.4, 0.6]"; nothing where undefined.
    interval: tuple[CellValues, CellValues] | None = None
    ranges: Mapping[str, tuple[CellValues, CellValues]] = field(default_factory=dict)  # others, by their brackets: "()"
    errors: CellValues = ()  # standard errors: "0.5 ±0.01", nothing for 0
    suffixes: Sequence[str] = ()  # after the cell, such as the number of topics of a mean
    marks: Sequence[str] | None = None  # superscripts, such as letters of groups
    best: frozenset[int] = frozenset()  # rows in bold
    faint: frozenset[int] = frozenset()  # rows whose number says little, such as a low share of judged documents
    tones: Sequence[str] = ()  # 'good', 'odd' or 'bad', where a cell is a verdict; '' where it is none
    sparklines: Sparklines | None = None  # what the cells are drawn from

    @property
    def heading(self) -> str:
        """What stands above the column."""
        return self.label or self.name

    @property
    def intervals(self) -> Mapping[str, tuple[CellValues, CellValues]]:
        """All intervals beside the cells, by their brackets."""
        return {**({} if self.interval is None else {"[]": self.interval}), **self.ranges}

    @property
    def ends(self) -> set[str]:
        """Names of the columns that are shown in this one."""
        ends = (self.until, self.errors, *(end for both in self.intervals.values() for end in both))
        return {end for end in ends if isinstance(end, str)}


@dataclass(frozen=True)
class RunRows:
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

    kinds: Mapping[str, CellType]
    batches: Callable[[], Iterator[Batch]]
    text_batches: Callable[[], Iterator[Batch | RunRows]]  # the same rows for tsv, csv and jsonl, with rows that sum up
    documents: Callable[[], Iterator[Mapping[str, object]]]  # nested objects of the JSON document, in place of rows
    head: Mapping[str, object] = field(default_factory=dict)  # what the JSON document has before them
    grid: int = 0  # rows of each topic, where batches are one run of topics by measures
    text_kinds: Mapping[str, CellType] | None = None  # of text_batches, where rows that sum up have more columns


@dataclass(frozen=True)
class Table:
    """Named columns of text and numbers; None or NaN where a cell is empty.

    Small tables have `columns`; those too large to hold at once have a `stream` instead.
    """

    columns: Mapping[str, Sequence[Cell]]
    provenance: Mapping[str, object] = field(default_factory=dict)
    title: str = ""
    notes: tuple[str, ...] = ()  # sentences below the table
    view: Sequence[str | Column] | None = None  # what people see, in order; None: all columns
    rows: Sequence[int] | None = None  # that people see, in order; None: all
    stream: Stream | None = None
    important: tuple[str, ...] = ()  # columns that are left out last where there is no room for all

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns differ in length: {lengths}")

    @classmethod
    def of(cls, columns: Sequence[str | Column], rows: Iterable[Sequence[Cell]]) -> Self:
        """Columns from rows of cells, each a name or a declaration of how people see it.

        >>> Table.of(("run", "value"), [("bm25", 0.5), ("ql", 0.4)]).columns
        {'run': ['bm25', 'ql'], 'value': [0.5, 0.4]}
        """
        listed, declared = list(rows), [column for column in columns if isinstance(column, Column)]
        names = [column.name if isinstance(column, Column) else column for column in columns]
        made = cls({name: [row[place] for row in listed] for place, name in enumerate(names)})
        return made.with_columns(*declared) if declared else made

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Cell]]) -> Self:
        """Columns from rows of cells by name; a cell that a row does not have is empty.

        >>> Table.from_rows([{"run": "bm25", "value": 0.5}, {"run": "ql"}]).columns
        {'run': ['bm25', 'ql'], 'value': [0.5, None]}
        """
        names = dict.fromkeys(name for row in rows for name in row)
        return cls({name: [row.get(name) for row in rows] for name in names})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        for cells in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, cells, strict=True))

    def in_memory(self) -> Self:
        """The same table, with all rows of a stream as columns."""
        if self.stream is None:
            return self
        columns: dict[str, list[Cell]] = {name: [] for name in self.stream.kinds}
        for batch in self.stream.batches():
            for name, cells in batch.items():
                if isinstance(cells, Names):
                    columns[name] += [cells.names[code] for code in cells.codes.tolist()]
                else:
                    columns[name] += cells.tolist() if isinstance(cells, np.ndarray) else cells
        return replace(self, columns=columns, stream=None)

    def with_columns(self, *declared: Column) -> Self:
        """The same table, people being shown some columns as declared; those that it does not have come last.

        >>> Table({"run": ["bm25"], "mean": [0.5]}).with_columns(Column("mean", label="nDCG@10")).headings
        ['run', 'nDCG@10']
        """
        by_name = {column.name: column for column in self._view()} | {column.name: column for column in declared}
        ends = {end for column in declared for end in column.ends}
        return replace(self, view=[one for name, one in by_name.items() if not one.hidden and name not in ends])

    def without(self, *names: str) -> Self:
        """The same table, people not being shown these columns."""
        return replace(self, view=[column for column in self._view() if column.name not in names])

    def in_full(self) -> Self:
        """The same table, people being shown every column and row as programs have them, aligned as declared."""
        declared = {column.name: column for column in self._view()}
        own = (declared.get(name, Column(name)) for name in self.columns)
        view = [Column(one.name, align=one.align, digits=one.digits, plain=one.plain) for one in own]
        return replace(self, view=view, rows=None)

    def shown(self) -> list[Column]:
        """The columns that people see, each with its cells, and with the numbers that are shown beside them."""
        return [self._resolved(column) for column in self._view()]

    @property
    def headings(self) -> list[str]:
        """Of the columns that people see."""
        return [column.heading for column in self._view()]

    def _view(self) -> list[Column]:
        view = self.columns if self.view is None else self.view
        return [column if isinstance(column, Column) else Column(column) for column in view]

    def _resolved(self, column: Column) -> Column:
        """A column with the rows that people see, names of other columns replaced by their cells."""
        rows = range(len(self)) if self.rows is None else self.rows

        def taken(numbers: CellValues) -> list[Cell]:
            every = self.columns[numbers] if isinstance(numbers, str) else numbers
            return [every[row] for row in rows] if len(every) else []

        def places(chosen: frozenset[int]) -> frozenset[int]:
            return frozenset(place for place, row in enumerate(rows) if row in chosen)

        lines = column.sparklines
        return replace(
            column,
            cells=taken(column.name if column.cells is None else column.cells),
            until=taken(column.until),
            interval=None,
            ranges={brackets: (taken(low), taken(high)) for brackets, (low, high) in column.intervals.items()},
            errors=taken(column.errors),
            suffixes=[column.suffixes[row] for row in rows] if column.suffixes else (),
            marks=None if column.marks is None else [column.marks[row] for row in rows],
            best=places(column.best),
            faint=places(column.faint),
            tones=[column.tones[row] for row in rows] if column.tones else (),
            sparklines=None if lines is None else replace(lines, rows=[lines.rows[row] for row in rows]),
        )

    @property
    def kinds(self) -> Mapping[str, CellType]:
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


def _concatenated(columns: Sequence[Cells], kind: CellType) -> Cells:
    """Columns of a stream below each other; those of text share their list of names."""
    if kind is str:
        parts = [column for column in columns if isinstance(column, Names)]
        codes = [np.zeros(0, dtype=np.int64), *(part.codes for part in parts)]
        return Names(parts[0].names if parts else (), np.concatenate(codes))
    numbers = [column for column in columns if isinstance(column, np.ndarray)]
    joined: Floats = np.concatenate([np.zeros(0, dtype=np.int64 if kind is int else np.float64), *numbers])
    return joined


def kind(cells: Sequence[Cell]) -> CellType:
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
