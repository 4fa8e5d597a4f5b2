"""What a report is made of: sections of words, tables and figures, as the page lays them out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from rankscale.data.table import readable

if TYPE_CHECKING:
    from rankscale.figures.base.figure import Figure

PLACES = 4
PLOT_WIDTH = 860  # of figures on the page, without axes
CANVAS_FROM = 3000  # marks beyond which a browser draws on a canvas rather than element by element


@dataclass(frozen=True)
class Cell:
    """What stands in a table, what it is sorted by, and the ranking that it opens, if any."""

    text: str
    sort: float | str | None = None  # None: by the text itself; "" for numbers that are not there
    words: str = ""  # told to those who point at it
    kind: str = ""  # number, or number best
    opens: tuple[str, str] | None = None  # run and topic
    heads: bool = False  # whether it names its row
    beside: str = ""  # in smaller type


@dataclass(frozen=True)
class Column:
    """A column, what it means, and how it is sorted to begin with."""

    name: str
    words: str = ""
    number: bool = True
    sorted: str | None = None  # ascending or descending


@dataclass(frozen=True)
class Table:
    """A table that can be sorted."""

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    kind: ClassVar[str] = "words"
    text: str


@dataclass(frozen=True)
class Listed:
    """Things said one by one."""

    kind: ClassVar[str] = "list"
    items: Sequence[str]
    look: str = ""


@dataclass(frozen=True)
class Said:
    """A statement with the verdict on it, and what bears on it line by line."""

    sentence: str
    verdict: str
    lines: Sequence[str]


@dataclass(frozen=True)
class StatementsPart:
    """Statements."""

    kind: ClassVar[str] = "statements"
    statements: Sequence[Said]


@dataclass(frozen=True)
class TablePart:
    """A table."""

    kind: ClassVar[str] = "table"
    table: Table


@dataclass(frozen=True)
class FilterPart:
    """A field that filters the rows of a table by their first cell."""

    kind: ClassVar[str] = "filter"
    name: str
    label: str
    table: str


@dataclass(frozen=True)
class Choice:
    """A list to choose from."""

    name: str
    label: str
    options: Sequence[str]


@dataclass(frozen=True)
class ChoicesPart:
    """Lists to choose from, and a button that undoes the choice."""

    kind: ClassVar[str] = "choices"
    choices: Sequence[Choice]
    clear: str


@dataclass(frozen=True)
class OpenPart:
    """Lists to choose a ranking from, and a button that opens it."""

    kind: ClassVar[str] = "open"
    choices: Sequence[Choice]


@dataclass(frozen=True)
class PointsPart:
    """The list of the rankings that are chosen in the effort/gain plot."""

    kind: ClassVar[str] = "points"
    effort: str
    gain: str


@dataclass(frozen=True)
class FactsPart:
    """Names and what they stand for."""

    kind: ClassVar[str] = "facts"
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class FigurePart:
    """A figure, drawn in the browser."""

    kind: ClassVar[str] = "figure"
    id: str
    title: str
    description: str
    spec: dict[str, Any]
    renderer: str


@dataclass(frozen=True)
class Section:
    """A part of the report that answers one question."""

    id: str
    title: str
    parts: Sequence[Any]
    data: dict[str, Any] = field(default_factory=dict)  # for the scripts of the page


def figure_part(name: str, figure: "Figure", look: Any) -> FigurePart:  # noqa: ANN401  # a Look
    """A figure as it stands in a report: the page says its title."""
    from rankscale.figures.base.rendering import on_page

    spec = figure.spec(on_page(look), PLOT_WIDTH)
    spec.pop("title", None)
    marks = sum(map(len, figure.data().values()))
    renderer = "canvas" if marks > CANVAS_FROM else "svg"
    return FigurePart(name, readable(figure.title), readable(figure.description), spec, renderer)


def number(value: float, places: int = PLACES, *, best: bool = False, words: str = "") -> Cell:
    """A number, to so many places; a dash where it is undefined, which is sorted last."""
    if value != value:  # noqa: PLR0124  # NaN
        return Cell("-", "", words, "number")
    return Cell(f"{value:.{places}f}", value, words, "number best" if best else "number")


def count(value: int) -> Cell:
    """A whole number."""
    return Cell(f"{value:,}", value, kind="number")


def name(text: str) -> Cell:
    """What a row is about."""
    return Cell(readable(text), heads=True)


def text(words: str) -> Cell:
    """Words."""
    return Cell(readable(words))
