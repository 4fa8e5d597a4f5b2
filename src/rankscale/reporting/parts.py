"""Parts of a report: paragraphs, tables, figures and controls, as the page lays them out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankscale.data.table import readable

if TYPE_CHECKING:
    from rankscale.figures.base.figure import Figure, Spec
    from rankscale.figures.base.look import Look

PLACES = 4
PLOT_WIDTH = 860  # of figures on the page, without axes
CANVAS_FROM = 3000  # marks beyond which a browser draws on a canvas rather than element by element


class Part:
    """A part of a section; the page's template has a branch for each kind."""

    @property
    def kind(self) -> str:
        """The name of the class, by which the template tells parts apart."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Paragraph(Part):
    """A paragraph, with details to unfold, if any."""

    text: str
    details: str = ""


@dataclass(frozen=True)
class Bullets(Part):
    """A list of sentences, folded under a few words if there are some."""

    items: Sequence[str]
    style: str = ""
    folded: str = ""


@dataclass(frozen=True)
class Conclusion(Part):
    """A statement, the lines that support it, and whether the interval version leads to another one."""

    sentence: str
    lines: Sequence[str]
    differs: bool


@dataclass(frozen=True)
class Badge(Part):
    """A verdict in a word, pass, fail or inconclusive, and the sentence that goes with it."""

    word: str
    sentence: str


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str
    sort: float | str | None = None  # sort key; None: the text itself; "" for numbers that are undefined
    tooltip: str = ""
    style: str = ""  # number, or number best
    opens: tuple[str, str] | None = None  # run and topic of the ranking that a click opens
    is_heading: bool = False  # whether it names its row
    note: str = ""  # in smaller type; its lines are kept whole
    more: tuple[str, Sequence[str]] | None = None  # what a click unfolds: the words to click on, and lines


@dataclass(frozen=True)
class Column:
    """A column, what it means, and how it is sorted to begin with."""

    name: str
    tooltip: str = ""
    number: bool = True
    sorted: str | None = None  # ascending or descending


@dataclass(frozen=True)
class Table(Part):
    """A table that can be sorted."""

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Filter(Part):
    """A field that filters the rows of a table by their first cell."""

    name: str
    label: str
    table: str


@dataclass(frozen=True)
class Choices(Part):
    """Lists to choose from (id, label, options), and a button (id, label)."""

    lists: Sequence[tuple[str, str, Sequence[str]]]
    button: tuple[str, str]


@dataclass(frozen=True)
class Points(Part):
    """The list of the rankings that are chosen in the effort/gain plot."""

    effort: str
    gain: str


@dataclass(frozen=True)
class Facts(Part):
    """Names and their values."""

    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Drawing(Part):
    """A figure, drawn in the browser."""

    id: str
    title: str
    description: str
    spec: "Spec"
    renderer: str


@dataclass(frozen=True)
class Section:
    """A section of the report, which answers one question."""

    id: str
    title: str
    parts: Sequence[Part]
    data: Mapping[str, object] = field(default_factory=dict)  # for the scripts of the page


def drawing(name: str, figure: "Figure", look: "Look") -> Drawing:
    """A figure as a part of the page, which shows its title as a caption."""
    spec = figure.page_spec(look, PLOT_WIDTH)
    spec.pop("title", None)
    marks = sum(map(len, figure.data().values()))
    renderer = "canvas" if marks > CANVAS_FROM else "svg"
    return Drawing(name, readable(figure.title), readable(figure.description), spec, renderer)


def number(value: float, places: int = PLACES, *, best: bool = False) -> Cell:
    """A number, to so many places; a dash where it is undefined, which is sorted last."""
    if value != value:  # noqa: PLR0124  # NaN
        return Cell("-", "", style="number")
    return Cell(f"{value:.{places}f}", value, style="number best" if best else "number")


def count(value: int) -> Cell:
    """A whole number."""
    return Cell(f"{value:,}", value, style="number")


def name(text: str) -> Cell:
    """The name of a row."""
    return Cell(readable(text), is_heading=True)


def counted(number: int, thing: str) -> str:
    """A number of things.

    >>> counted(1, "measure"), counted(24, "run")
    ('1 measure', '24 runs')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"
