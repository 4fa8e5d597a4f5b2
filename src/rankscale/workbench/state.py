"""State: all that a visitor has chosen. It is the query of the URL, so that back works and links can be sent."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any
from urllib.parse import quote, unquote, urlencode

from rankscale.errors import ParameterError
from rankscale.measures.base.measure import canonical_text

MOST_TOPICS = 2000  # that one link may name
MOST_EDITS = 50  # changed judgments or swaps in one link
LONGEST = 400  # letters of a name
MEASURE_LETTERS = 200
MOST_AXES = 20  # that can be brushed at once
MOST_SORTS = 20  # tables that one link says the order of
MOST_MEASURES = 16  # that are correlated at once
PARSE, WRITE = "parse", "write"  # keys of the metadata of fields


def _text(name: str, given: str, longest: int = LONGEST) -> str:
    if len(given) > longest:
        raise ParameterError(f"{name} has {len(given)} letters, expected at most {longest}")
    return given


def _choice(choices: tuple[str, ...], name: str, given: str) -> str:
    if given not in choices:
        raise ParameterError(f"{name} is one of {', '.join(choices)}, got {given[:LONGEST]!r}")
    return given


def _number(low: float, high: float, name: str, given: str) -> float:
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not low <= number <= high:
        raise ParameterError(f"{name} is a number from {low:g} to {high:g}, got {given[:LONGEST]!r}")
    return number


def _whole(low: int, high: int, name: str, given: str) -> int:
    if not re.fullmatch(r"\d{1,9}", given) or not low <= int(given) <= high:
        raise ParameterError(f"{name} is a whole number from {low} to {high}, got {given[:LONGEST]!r}")
    return int(given)


def _names(most: int, name: str, given: str) -> tuple[str, ...]:
    """Names between commas; a comma within a name is written %2C, a percent sign %25."""
    parts = [unquote(part, errors="surrogateescape") for part in given.split(",") if part]
    if len(parts) > most:
        raise ParameterError(f"{name} has {len(parts)} names, expected at most {most}; choose fewer")
    return tuple(dict.fromkeys(_text(name, part) for part in parts))


def _listed(names: Iterable[str]) -> str:
    return ",".join(name.replace("%", "%25").replace(",", "%2C") for name in names)


def _flag(name: str, given: str) -> bool:
    return _choice(("0", "1"), name, given) == "1"


def _judgments(name: str, given: str) -> tuple[tuple[str, float | None], ...]:
    """`DOCUMENT:GRADE`, or `DOCUMENT:-` for one that is not judged any more; several between commas."""
    made: dict[str, float | None] = {}
    for part in given.split(",") if given else ():
        document, colon, grade = part.rpartition(":")
        if not colon or not document:
            raise ParameterError(f"{name} is DOCUMENT:GRADE, or DOCUMENT:- for an unjudged one, got {part[:LONGEST]!r}")
        named = _text(name, unquote(document, errors="surrogateescape"))
        made[named] = None if grade == "-" else _number(-1e6, 1e6, name, grade)
    if len(made) > MOST_EDITS:
        raise ParameterError(f"{name} has {len(made)} judgments, expected at most {MOST_EDITS}")
    return tuple(made.items())


def _written_judgments(edits: tuple[tuple[str, float | None], ...]) -> str:
    return ",".join(f"{_listed([name])}:{'-' if grade is None else canonical_text(grade)}" for name, grade in edits)


def _swaps(name: str, given: str) -> tuple[tuple[str, int, int], ...]:
    """`a3-7`: the documents of run A at ranks 3 and 7 change places; several between commas, one after the other."""
    matches = [re.fullmatch(r"([ab])(\d{1,6})-(\d{1,6})", part) for part in given.split(",") if part]
    if None in matches or len(matches) > MOST_EDITS:
        raise ParameterError(f"{name} is such as a3-7 or b1-2, at most {MOST_EDITS} of them, got {given[:LONGEST]!r}")
    return tuple((match[1], int(match[2]), int(match[3])) for match in matches if match)


def _written_swaps(swaps: tuple[tuple[str, int, int], ...]) -> str:
    return ",".join(f"{side}{first}-{second}" for side, first, second in swaps)


def _box(name: str, given: str) -> tuple[float, ...]:
    """`0.2:0.5:0:1`: efforts from 0.2 to 0.5, gains from 0 to 1."""
    ends = [_number(-1e9, 1e9, name, part) for part in given.split(":")]
    if len(ends) != 4 or ends[0] > ends[1] or ends[2] > ends[3]:
        raise ParameterError(f"{name} is EFFORT:EFFORT:GAIN:GAIN, the lower one first, got {given[:LONGEST]!r}")
    return tuple(ends)


def _written_box(ends: tuple[float, ...]) -> str:
    return ":".join(map(repr, ends))


def _ranges(name: str, given: str) -> tuple[tuple[str, float, float], ...]:
    """`rho:0.2:0.5`: values from 0.2 to 0.5 on the axis rho; several between commas, each axis once."""
    made: dict[str, tuple[float, float]] = {}
    for part in given.split(",") if given else ():
        axis, *ends = part.split(":")
        if len(ends) != 2 or axis in made or len(made) == MOST_AXES:
            raise ParameterError(
                f"{name} is AXIS:FROM:TO, each axis once, such as rho:0.2:0.5, got {given[:LONGEST]!r}"
            )
        low, high = (_number(-1e9, 1e9, name, end) for end in ends)
        made[_text(name, axis)] = (min(low, high), max(low, high))
    return tuple((axis, low, high) for axis, (low, high) in made.items())


def _written_ranges(ranges: tuple[tuple[str, float, float], ...]) -> str:
    return ",".join(f"{axis}:{low!r}:{high!r}" for axis, low, high in ranges)


def _sorts(name: str, given: str) -> tuple[tuple[str, str, str], ...]:
    """`topics:mean:down`: the table topics sorted by its column mean, the highest first; several between commas."""
    made: dict[str, tuple[str, str]] = {}
    for part in given.split(",") if given else ():
        parts = [unquote(one, errors="surrogateescape") for one in part.split(":")]
        if len(parts) != 3 or parts[2] not in {"up", "down"} or parts[0] in made or len(made) == MOST_SORTS:
            raise ParameterError(
                f"{name} is TABLE:COLUMN:up or TABLE:COLUMN:down, each table once, such as runs:mean:down, "
                f"got {given[:LONGEST]!r}"
            )
        made[_text(name, parts[0])] = (_text(name, parts[1]), parts[2])
    return tuple((table, column, direction) for table, (column, direction) in made.items())


def _written_sorts(sorts: tuple[tuple[str, str, str], ...]) -> str:
    return ",".join(":".join(quote(part, safe="", errors="surrogateescape") for part in one) for one in sorts)


def _chosen(default: Any, parse: Callable[[str, str], Any], write: Callable[[Any], str] = str) -> Any:  # noqa: ANN401
    """A field of the state: its default, how the text of the URL is read, and how a value is written there."""
    return field(default=default, metadata={PARSE: parse, WRITE: write})


@dataclass(frozen=True)
class State:
    """What is looked at, and how. Names are those of the URL's query; what has its default is left out there.

    Names of runs and topics are checked where they are used, by `Bench.settled`.
    """

    m: str = _chosen("", partial(_text, longest=MEASURE_LETTERS))  # the measure; '' is the workbench's first
    rel: float | None = _chosen(None, partial(_number, -1e6, 1e6), canonical_text)  # the lowest relevant grade
    judged: bool = _chosen(default=False, parse=_flag, write=lambda on: "01"[on])  # leave unjudged documents out
    depth: int | None = _chosen(None, partial(_whole, 1, 1_000_000))  # where rankings are cut
    missing: str = _chosen("zero", partial(_choice, ("zero", "common")))  # topics that a run lacks
    a: str = _chosen("", _text)  # the run that is looked at; '' is the best
    b: str = _chosen("", _text)  # the run that it is compared with; '' is the second best, or the baseline
    baseline: str = _chosen("", _text)  # the run that all are compared with; '' is none
    topics: tuple[str, ...] = _chosen((), partial(_names, MOST_TOPICS), _listed)  # brushed; () is all
    test: str = _chosen("student", _text)
    topic: str = _chosen("", _text)  # the one whose rankings are looked at
    judge: tuple[tuple[str, float | None], ...] = _chosen((), _judgments, _written_judgments)  # what if: other grades
    # what if: documents that change places
    swap: tuple[tuple[str, int, int], ...] = _chosen((), _swaps, _written_swaps)
    shown: int = _chosen(50, partial(_whole, 1, 1000))  # ranks of the two lists
    by: str = _chosen("value", partial(_choice, ("value", "median")))  # cells of topics: values, or less the median
    order: str = _chosen("difficulty", partial(_choice, ("difficulty", "name", "spread", "difference")))  # of topics
    rows: str = _chosen("mean", partial(_choice, ("mean", "name")))  # order of runs in the heat map of topics
    # what difficulty is drawn against
    against: str = _chosen("correlation", partial(_choice, ("correlation", "spread")))
    start: int = _chosen(0, partial(_whole, 0, 10_000_000))  # topics before the window that is shown
    window: int = _chosen(0, partial(_whole, 0, 1_000_000))  # topics in this window; 0 is all
    only: bool = _chosen(default=False, parse=_flag, write=lambda on: "01"[on])  # show brushed topics alone
    search: str = _chosen("", _text)  # letters of the name or of the query of topics
    group: str = _chosen("", _text)  # of topics; '' is all
    effort: str = _chosen("", partial(_text, longest=MEASURE_LETTERS))  # the measure of effort; '' is Twist
    # whose rankings are drawn: of all runs, of A or of B
    whose: str = _chosen("all", partial(_choice, ("all", "a", "b")))
    area: str = _chosen("", _text)  # of the effort/gain plot, or one of its quadrants; '' is all
    box: tuple[float, ...] = _chosen((), _box, _written_box)  # brushed: efforts from, to, gains from, to; () is all
    zoom: bool = _chosen(default=False, parse=_flag, write=lambda on: "01"[on])  # draw what is in the box alone
    axes: tuple[tuple[str, float, float], ...] = _chosen((), _ranges, _written_ranges)  # brushed: axis, from, to
    value: str = _chosen("plain", partial(_choice, ("plain", "interval")))
    # to correlate; () is those offered
    measures: tuple[str, ...] = _chosen((), partial(_names, MOST_MEASURES), _listed)
    # Two measures whose orders of runs are shown; one that is not among `measures` stands for `m`, () for the two that
    # agree least.
    pair: tuple[str, ...] = _chosen((), partial(_names, 2), _listed)
    pool: int = _chosen(0, partial(_whole, 0, 100_000))  # depth of a pool; 0 is all judgments
    # measure of bounds and weights; '' is `m`, or RBP
    weigh: str = _chosen("", partial(_text, longest=MEASURE_LETTERS))
    cost: int = _chosen(10, partial(_whole, 1, 1000))  # documents to judge next
    sort: tuple[tuple[str, str, str], ...] = _chosen((), _sorts, _written_sorts)  # of tables: which, column, up or down
    part: str = _chosen("values", partial(_choice, ("values", "tests")))  # means first, tests after

    @classmethod
    def of(cls, query: Iterable[tuple[str, str]]) -> "State":
        """The state that a query names; raise ParameterError for what no state has."""
        known = {one.name: one.metadata for one in fields(cls)}
        values: dict[str, Any] = {}
        for name, text in query:
            if name not in known:
                raise ParameterError(f"unknown parameter {name[:40]!r}; there are {', '.join(known)}")
            if name in values:
                raise ParameterError(f"{name} is given twice")
            if text:
                values[name] = known[name][PARSE](name, text)
        return cls(**values)

    @property
    def lowest_relevant(self) -> float:
        """The lowest relevant grade."""
        return 1.0 if self.rel is None else self.rel

    @property
    def test_words(self) -> list[str]:
        """The option of a command line that names the test; none for the one that commands take by themselves."""
        return [] if self.test == "student" else ["--test", self.test]

    @property
    def missing_words(self) -> list[str]:
        """The option of a command line about topics that a run lacks."""
        return [] if self.missing == "zero" else ["--missing", self.missing]

    def changed(self, **values: object) -> "State":
        """The same state but for some values."""
        return replace(self, **values)  # type: ignore[arg-type]  # the names of fields

    def parameters(self) -> Mapping[str, str]:
        """What differs from the defaults, as texts, in the order of the fields."""
        return {
            one.name: one.metadata[WRITE](getattr(self, one.name))
            for one in fields(self)
            if getattr(self, one.name) != one.default
        }

    def query(self) -> str:
        """The query of a URL that names this state: `a=bm25&b=ql&m=AP`; empty where all is as it was."""
        # The part is of a request, not of what is looked at.
        kept = {name: text for name, text in self.parameters().items() if name != "part"}
        return urlencode(kept, safe=",:()@='", quote_via=quote, errors="surrogateescape")
