"""Block: the values of one source, by run, topic and measure, as they are read."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

from rankscale.errors import DuplicateError, FormatError

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
class Block:
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
        if len(self.runs) > MOST_RUNS:
            few = f"at most {MOST_RUNS:,} runs, found more; check which column names the runs"
        elif len(self._measures) > MOST_MEASURES:
            few = f"at most {MOST_MEASURES:,} measures, found more; check which column names the measures"
        else:
            few = f"at most {self.most:,} values in a packed file of this size, found more; give it as plain text"
        raise FormatError(f"{place}: expected {few}")

    def _keep(self, key: Key, numbers: tuple[float, ...], place: str) -> None:
        if key in self.entries:
            run, topic, measure = key
            raise DuplicateError(
                f"{place}: expected one value for each run, topic and measure, found a second one of {measure} "
                f"for run {run}, topic {topic}"
            )
        self.entries[key] = numbers

    def checked(self) -> "Block":
        """The block itself; raise FormatError where it holds no value of a topic."""
        if not self.entries:
            raise FormatError(
                f"{self.where}: {NO_TOPICS}" if self._means or self.sums_up else f"{self.where}: there are no values"
            )
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
