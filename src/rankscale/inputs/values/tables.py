"""Block: the values of one source, by run, topic and measure; read from tables: tidy, by measure, or topics by runs."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

from rankscale.errors import DuplicateError, FormatError, Setting

SUMMARY = "all"  # the topic of rows that hold means, in our files and those of trec_eval and ir_measures
VALUE = "value"
EXTRA = ("lower", "upper", "ties_lower", "ties_upper", "ties_error")  # what our files have beside values
NOTHING = {"", "na", "n/a", "null", "none", "-"}  # how tables write that there is no number
NO_TOPICS = (
    "found one value for each run and none of single topics; write those of topics: rankscale evaluate --per-topic, "
    "trec_eval -q, ir_measures -q"
)

Key = tuple[str, str, str]  # run, topic, measure
LARGEST = 1e100  # finite value
MOST_RUNS, MOST_MEASURES = 50_000, 2_048  # of one source; a file of rankings has at most as many runs


@dataclass(frozen=True)
class Naming:
    """What a source may leave open, and how it is read then."""

    run: str  # of sources that hold one run and do not say which
    measure: str | None = None  # of tables of one measure
    rows: str | None = None  # whether rows of a wide table are 'topics' or 'runs'
    is_measure: Callable[[str], bool] = lambda _: False  # whether a text names a measure that is known
    most: float = math.inf  # values that a source may hold


@dataclass
class SourceValues:
    """What one source holds."""

    where: str
    form: str  # in words
    columns: tuple[str, ...] = (VALUE,)  # of each entry
    entries: dict[Key, tuple[float, ...]] = field(default_factory=dict)
    runs: dict[str, None] = field(default_factory=dict)  # in their order
    provenance: Mapping[str, object] = field(default_factory=dict)
    most: float = math.inf  # values that there may be
    has_means: bool = False  # whether the topic `all` stands for means
    sums_up: bool = False  # whether there are means elsewhere in it
    _means: dict[tuple[Key, str], tuple[float, ...]] = field(default_factory=dict)  # by group of topics, too
    _measures: set[str] = field(default_factory=set)

    def add(self, key: Key, numbers: tuple[float, ...], place: str, group: str = "") -> None:
        """One value; raise DuplicateError where there is one already. Means may be those of groups of topics.

        Raise FormatError where there are more values, runs or measures than there may be.
        """
        self.runs[key[0]] = None
        self._measures.add(key[2])
        if len(self.runs) > MOST_RUNS or len(self._measures) > MOST_MEASURES or len(self.entries) >= self.most:
            self._refuse(place)
        if self.has_means and key[1] == SUMMARY:
            # The mean comes last, so that an earlier row of this name was that of a topic.
            if (key, group) in self._means:
                self._keep(key, self._means[key, group], place)
            self._means[key, group] = numbers
        else:
            self._keep(key, numbers, place)

    def _refuse(self, place: str) -> None:
        """Raise FormatError: there are too many runs, measures or values."""
        few = f"{self.most:,} values in a packed file of this size, found more; give it as plain text"
        for what, there, most in (("measures", self._measures, MOST_MEASURES), ("runs", self.runs, MOST_RUNS)):
            if len(there) > most:
                few = f"{most:,} {what}, found more; check which column names the {what}"
        raise FormatError(f"{place}: expected at most {few}")

    def _keep(self, key: Key, numbers: tuple[float, ...], place: str) -> None:
        if key in self.entries:
            run, topic, measure = key
            second = f"found a second one of {measure} for run {run}, topic {topic}"
            raise DuplicateError(f"{place}: expected one value for each run, topic and measure, {second}")
        self.entries[key] = numbers

    def checked(self) -> "SourceValues":
        """The block itself; raise FormatError where it holds no value of a topic."""
        if not self.entries:
            what = NO_TOPICS if self._means or self.sums_up else "there are no values"
            raise FormatError(f"{self.where}: {what}")
        return self


def number(cell: object, what: str, place: str) -> float:
    """A cell as a number, NaN where it is empty; raise FormatError for anything else."""
    if cell is None or (isinstance(cell, str) and cell.strip().casefold() in NOTHING):
        return math.nan
    if isinstance(cell, str | Real) and not isinstance(cell, bool) and "_" not in str(cell):
        try:
            value = float(cell)
        except (ValueError, OverflowError):
            pass
        else:
            if abs(value) <= LARGEST or not math.isfinite(value):
                return value
            found = f"expected a number from {-LARGEST:g} to {LARGEST:g} as {what}, found {shortened(cell)}"
            raise FormatError(f"{place}: {found}; sums of such numbers and their squares are none")
    raise FormatError(f"{place}: expected a number as {what}, found {shortened(cell)}")


def name(cell: object, what: str, place: str) -> str:
    """A cell as a name; whole numbers that a data frame made of names are written without a point."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if cell is None or (isinstance(cell, float) and math.isnan(cell)) or not str(cell):
        raise FormatError(f"{place}: expected the name of a {what}, found nothing")
    return str(cell)


def shortened(cell: object) -> str:
    """What is found, as a message can show it."""
    text = repr(cell) if isinstance(cell, str) else str(cell)
    return text if len(text) <= 60 else f"{text[:57]}..."


def columns_of(names: Sequence[str]) -> tuple[str, ...]:
    """The numbers that each entry has: the value, and what our files have beside it."""
    return (VALUE, *(extra for extra in EXTRA if extra in names))


# Names that columns have in the tools people come from, ours first; `row` is MATLAB's, an index of pandas has none.
TOPIC = ("topic", "query id", "qid", "query", "q id", "topic id", "row", "")
RUN = ("run", "tag", "system", "model", "name")
MEASURE = ("measure", "metric")
NUMBER = ("value", "score")
GROUP = ("group",)  # of topics, as `evaluate --groups` writes it
NamedRow = tuple[str, Sequence[object]]  # where it is, and its cells
FEW_CELLS, LEAST_FILLED = 1 << 22, 0.02  # a table of more cells has so many of them filled


@dataclass(frozen=True)
class Named:
    """A table: names of columns, and rows."""

    where: str
    names: Sequence[str]
    rows: Sequence[NamedRow]
    has_means: bool = True  # whether rows of the topic `all` hold means

    def place(self, known: Sequence[str]) -> int | None:
        """The column that has one of these names, the first of them first."""
        plain = [re.sub(r"[\s_-]+", " ", one.strip().casefold()) for one in self.names]
        return next((plain.index(one) for one in known if one in plain), None)

    def block(self, form: str, naming: Naming) -> SourceValues:
        """A block for the values of the table."""
        return SourceValues(self.where, form, has_means=self.has_means, most=naming.most)


def read_table(table: Named, naming: Naming) -> SourceValues:
    """The values of a table, by what its columns are called."""
    check_names(table.where, table.names)
    run, topic, measure, value = (table.place(known) for known in (RUN, TOPIC, MEASURE, NUMBER))
    if topic is not None and value is not None and (measure is not None or run is not None):
        return _tidy(table, run, topic, measure, value, naming).checked()
    if run is not None and topic is not None:
        return _measures_in_columns(table, run, topic, naming).checked()
    return _wide(table, run, topic, naming).checked()


def check_names(where: str, names: Sequence[str]) -> None:
    """Raise FormatError where two columns have the same name."""
    twice = [one for one, count in Counter(names).items() if count > 1]
    if twice:
        raise FormatError(f"{where}: expected columns with names of their own, found {min(twice)!r} twice")


def _tidy(table: Named, run: int | None, topic: int, measure: int | None, value: int, naming: Naming) -> SourceValues:
    """One row for each value."""
    parts = [table.names[place] for place in (run, topic, measure, value) if place is not None]
    block = table.block(f"a table with a row for each value: {', '.join(parts)}", naming)
    block.columns = columns_of(table.names)
    places = [value, *(list(table.names).index(extra) for extra in block.columns[1:])]
    only = None if measure is not None else _only_measure(table, naming)
    group = table.place(GROUP)
    for at, cells in table.rows:
        key = (
            naming.run if run is None else name(cells[run], "run", at),
            name(cells[topic], "topic", at),
            only if measure is None else name(cells[measure], "measure", at),
        )
        numbers = tuple(number(cells[place], table.names[place], at) for place in places)
        block.add(key, numbers, at, "" if group is None else str(cells[group]))  # type: ignore[arg-type]
    return block


def _measures_in_columns(table: Named, run: int | None, topic: int, naming: Naming) -> SourceValues:
    """One row for each ranking, one column for each measure."""
    block = table.block("a table with a row for each run and topic, measures in columns", naming)
    for at, cells in table.rows:
        of = naming.run if run is None else name(cells[run], "run", at)
        for place, measure in enumerate(table.names):
            if place not in {run, topic}:
                there = number(cells[place], f"value of {measure}", at)
                block.add((of, name(cells[topic], "topic", at), measure), (there,), at)
    return block


def _wide(table: Named, run: int | None, topic: int | None, naming: Naming) -> SourceValues:
    """Topics by runs, or runs by topics, of one measure; without names topics are numbered."""
    names_of, rows = (topic, naming.rows or "topics") if run is None else (run, naming.rows or "runs")
    if names_of is None and any(_is_text(cells[0]) for _, cells in table.rows if cells):
        names_of = 0
        if naming.rows is None:
            either = f"names stand in the column {table.names[0]!r}, which may be topics or runs; say which: "
            raise FormatError(f"{table.where}: {either}", Setting("rows", "topics"), " or ", Setting("rows", "runs"))
    others = [place for place in range(len(table.names)) if place != names_of]
    measures = len(others) <= MOST_MEASURES and all(naming.is_measure(table.names[place]) for place in others)
    if measures and naming.measure is None and names_of is not None and others:
        if rows == "runs":
            raise FormatError(f"{table.where}: {NO_TOPICS}")
        return _measures_in_columns(table, None, names_of, naming)
    corner = table.names[names_of] if names_of is not None else ""
    measure = naming.measure or (corner if naming.is_measure(corner) else _only_measure(table, naming))
    numbered = "" if names_of is not None else f", {rows} numbered from 1"
    columns = "runs" if rows == "topics" else "topics"
    block = table.block(f"a table of {measure} with {rows} in rows, {columns} in columns{numbered}", naming)
    for row, (at, cells) in enumerate(table.rows, start=1):
        of = str(row) if names_of is None else name(cells[names_of], rows.removesuffix("s"), at)
        for place in others:
            there = number(cells[place], f"value in column {table.names[place]!r}", at)
            pair = (table.names[place], of) if rows == "topics" else (of, table.names[place])
            block.runs[pair[0]] = None
            if not math.isnan(there):  # an empty cell: a run without this topic
                block.add((*pair, measure), (there,), at)
    return block


def _is_text(cell: object) -> bool:
    try:
        number(cell, "", "")
    except FormatError:
        return True
    return False


def _only_measure(table: Named, naming: Naming) -> str:
    if naming.measure is None:
        shown = ", ".join(map(str, table.names[:6])) + (", ..." if len(table.names) > 6 else "")
        unnamed = f"these values are of one measure, which the table does not name (columns {shown}); name it: "
        raise FormatError(f"{table.where}: {unnamed}", Setting("measure", "AP", "-m"))
    return naming.measure


def delimited(text: str, where: str) -> Named:
    """A table of text: tab-separated without quotes, as we write it, or comma-separated as RFC 4180 has it."""
    first = text.split("\n", 1)[0]
    rows: Iterable[tuple[str, list[str]]]
    if "\t" in first:
        lines = ((f"{where}, line {i}", line.rstrip("\r")) for i, line in enumerate(text.split("\n"), start=1))
        rows = ((at, line.split("\t")) for at, line in lines if line)
    else:
        rows = _comma_separated(text, where, ";" if first.count(";") > first.count(",") else ",")
    return _with_header(rows, where)


def _comma_separated(text: str, where: str, separator: str) -> Iterator[tuple[str, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    begin = 1
    try:
        for cells in reader:
            if cells:
                yield f"{where}, line {begin}", cells
            begin = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"{where}, line {begin}: expected comma-separated values (RFC 4180): {error}") from None


def _with_header(rows: Iterable[tuple[str, list[str]]], where: str) -> Named:
    (_, header), *others = [*rows] or [("", [])]
    for at, cells in others:
        if len(cells) != len(header):
            raise FormatError(f"{at}: expected {len(header)} cells, as the header has, found {len(cells)}")
    return Named(where, header, others)


def from_records(records: Sequence[Mapping[str, object]], where: str, line: Callable[[int], str]) -> Named:
    """A table of JSON objects, one for each row."""
    names = list(dict.fromkeys(key for record in records for key in record))
    cells, held = len(names) * len(records), sum(map(len, records))
    if cells > FEW_CELLS and held < LEAST_FILLED * cells:
        raise FormatError(
            f"{where}: expected objects with the same keys, found {len(names):,} different ones in {len(records):,} "
            "objects; write a row for each value: run, topic, measure, value"
        )
    return Named(where, names, [(line(i), [record.get(key) for key in names]) for i, record in enumerate(records)])


def from_columns(columns: Mapping[str, Sequence[object]], where: str, *, has_means: bool) -> Named:
    """A table of a data frame or a Parquet file."""
    cells = zip(*columns.values(), strict=True)
    return Named(where, list(columns), [(f"{where}, row {i}", row) for i, row in enumerate(cells, start=1)], has_means)
