"""Parts of a report, as the page lays them out: paragraphs, tables, figures and controls.

Tables of studies show the cells that all other forms show, with keys to sort by.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from rankscale.data.notices import Notice, render
from rankscale.data.table import Cell as Value
from rankscale.data.table import Table as StudyTable
from rankscale.data.table import is_empty, readable
from rankscale.figures.base.rendering import drawn_size
from rankscale.outputs.people import ShownCell, alignments, shown_rows
from rankscale.reporting.results import Results

if TYPE_CHECKING:
    from rankscale.figures.base.figure import Figure, Spec
    from rankscale.figures.base.look import Appearance

PLACES = 4
WIDTHS = {"": 860, "-narrow": 290}  # of figures on the page, without axes, by what follows the theme
CANVAS_FROM = 3000  # marks beyond which a browser draws on a canvas rather than element by element
LONG = 30  # letters; longer texts may take several lines


class SectionPart:
    """A part of a section; the page's template has a branch for each kind."""

    @property
    def kind(self) -> str:
        """The name of the class, by which the template tells parts apart."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Paragraph(SectionPart):
    """A paragraph, with details to unfold, if any."""

    text: str
    details: str = ""


@dataclass(frozen=True)
class Bullets(SectionPart):
    """A list of sentences, folded under a few words if there are some."""

    items: Sequence[str]
    style: str = ""
    folded: str = ""


@dataclass(frozen=True)
class Conclusion(SectionPart):
    """A statement, the lines that support it, and whether the interval version leads to another one."""

    sentence: str
    lines: Sequence[str]
    differs: bool


@dataclass(frozen=True)
class Badge(SectionPart):
    """A verdict in a word, pass, fail or inconclusive, and the sentence that goes with it."""

    word: str
    sentence: str


@dataclass(frozen=True)
class PageCell:
    """A cell of a table."""

    text: str
    sort: float | str | None = None  # sort key; None: the text itself; "" for numbers that are undefined
    tooltip: str = ""
    style: str = ""  # number, or number best
    opens: tuple[str, str] | None = None  # run and topic of the ranking that a click opens
    is_heading: bool = False  # whether it names its row
    note: str = ""  # in smaller type; its lines are kept whole
    more: tuple[str, Sequence[str]] | None = None  # what a click unfolds: the words to click on, and lines
    picture: str = ""  # SVG of our own, without text from files
    run: str = ""  # the run that a click chooses, for the section on two runs


@dataclass(frozen=True)
class PageColumn:
    """A column, what it means, and how it is sorted to begin with."""

    name: str
    tooltip: str = ""
    number: bool = True
    sorted: str | None = None  # ascending or descending
    picture: str = ""  # SVG of our own: an axis
    style: str = ""


Filled = tuple[PageColumn, Sequence[PageCell]]  # a column and its cells


def text_column(name: str, tooltip: str = "") -> PageColumn:
    """A column of texts."""
    return PageColumn(name, tooltip, number=False)


@dataclass(frozen=True)
class PageTable(SectionPart):
    """A table that can be sorted, folded under a few words if there are some."""

    name: str
    caption: str
    columns: Sequence[PageColumn]
    rows: Sequence[Sequence[PageCell]]
    folded: str = ""


@dataclass(frozen=True)
class Filter(SectionPart):
    """A field that filters the rows of a table by their first cell."""

    name: str
    label: str
    table: str


@dataclass(frozen=True)
class Choices(SectionPart):
    """Lists to choose from (id, label, options), and a button (id, label)."""

    lists: Sequence[tuple[str, str, Sequence[str]]]
    button: tuple[str, str]


@dataclass(frozen=True)
class Canvas(SectionPart):
    """A drawing of the page's own scripts, over the data of the section."""

    id: str
    title: str
    description: str  # for those who cannot see it
    height: int  # pixels that are kept for it


@dataclass(frozen=True)
class PagedTable(SectionPart):
    """A table whose rows the page's scripts fill, a page of them at a time."""

    name: str
    caption: str
    columns: Sequence[PageColumn]
    filtered_by: str = ""  # label of a field that filters rows by their first cell; none without


@dataclass(frozen=True)
class EffortPlotPart(SectionPart):
    """The effort/gain plot, with the lists to choose from and the list of the rankings chosen beside it."""

    canvas: Canvas
    lists: Sequence[tuple[str, str, Sequence[str]]]
    listing: PagedTable


@dataclass(frozen=True)
class TwoRuns(SectionPart):
    """Two runs chosen from lists: differences by topic, wins and losses, and both rankings of a topic."""

    measure: str
    topics: Sequence[str]
    has_rankings: bool


@dataclass(frozen=True)
class PageFacts(SectionPart):
    """Names and their values."""

    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Drawing(SectionPart):
    """A figure, drawn in the browser by Vega.

    A wide and a narrow one, each in light and in dark colours; `sizes` are (width, height) of both in pixels, which the
    page keeps for them before they are drawn.
    """

    id: str
    title: str
    description: str  # for those who cannot see it
    specs: Mapping[str, "Spec"]  # light, dark, light-narrow, dark-narrow; without data
    datasets: "Spec"
    sizes: tuple[tuple[float, float], tuple[float, float]]
    renderer: str = "svg"


@dataclass(frozen=True)
class ReportSection:
    """A section of the report, which answers one question."""

    id: str
    title: str
    parts: Sequence[SectionPart]
    folded: str = ""  # words under which the section is folded; it is open without
    data: Mapping[str, object] = field(default_factory=dict)  # for the scripts of the page


def drawing(name: str, figure: "Figure", look: "Appearance") -> Drawing:
    """A figure as a part of the page, which shows its title as a caption."""
    marks = sum(map(len, figure.data().values()))
    return drawing_of(
        name,
        (readable(figure.title), readable(figure.description)),
        lambda theme, width: figure.page_spec(replace(look, theme=theme), WIDTHS[width]),
        "canvas" if marks > CANVAS_FROM else "svg",
    )


def drawing_of(
    name: str, words: tuple[str, str], spec: Callable[[str, str], Mapping[str, object]], renderer: str = "svg"
) -> Drawing:
    """A part of the page from what gives its specification by theme and by width, '' or '-narrow'.

    `words` are its title and its description.
    """
    made = {f"{theme}{width}": dict(spec(theme, width)) for theme in ("light", "dark") for width in WIDTHS}
    sizes = [drawn_size(made[f"light{width}"]) for width in WIDTHS]
    datasets = cast("Spec", made["light"].get("datasets", {}))
    bare = {key: {k: v for k, v in one.items() if k not in {"datasets", "title"}} for key, one in made.items()}
    return Drawing(name, *words, bare, datasets, (sizes[0], sizes[1]), renderer)


def number(value: float, places: int = PLACES, *, best: bool = False) -> PageCell:
    """A number, to so many places; a dash where it is undefined, which is sorted last."""
    if value != value:  # noqa: PLR0124  # NaN
        return PageCell("-", "", style="number")
    return PageCell(f"{value:.{places}f}", value, style="number best" if best else "number")


def count(value: int) -> PageCell:
    """A whole number."""
    return PageCell(f"{value:,}", value, style="number")


def name(text: str) -> PageCell:
    """The name of a row."""
    return PageCell(readable(text), is_heading=True)


def filled_table(name: str, caption: str, filled: Sequence[Filled], folded: str = "") -> PageTable:
    """A table of columns with their cells."""
    columns, cells = zip(*filled, strict=True)
    return PageTable(name, caption, columns, list(zip(*cells, strict=True)), folded)


def page_table(name: str, table: StudyTable, caption: str, about: Mapping[str, str] | None = None) -> PageTable:
    """A table of a study, its first column as the name of each row; `about` explains columns by their names."""
    sides = alignments(table)
    columns = [
        PageColumn(_words(heading), (about or {}).get(heading, ""), number=side == "right")
        for heading, side in zip(table.headings, sides, strict=True)
    ]
    values = zip(*(column.cells or () for column in table.shown()), strict=True)
    rows = [
        [_cell(*cell, first=not place) for place, cell in enumerate(zip(shown, row, sides, strict=True))]
        for shown, row in zip(shown_rows(table, PLACES), values, strict=True)
    ]
    return PageTable(name, readable(caption), columns, rows)


def _words(column: str) -> str:
    """The name of a column with blanks; p-values keep theirs, by which sentences call them.

    >>> _words("baseline_mean"), _words("p_NI")
    ('baseline mean', 'p_NI')
    """
    return readable(column if column.startswith("p_") else column.replace("_", " "))


def _cell(shown: ShownCell, value: Value, side: str, *, first: bool) -> PageCell:
    """A cell; numbers are sorted by their values, and undefined ones come last."""
    key: float | str | None = None
    if side == "right" and not isinstance(value, str):
        key = "" if value is None or is_empty(value) else value
    style = "number" if side == "right" else "words" if len(shown.text) > LONG else ""
    return PageCell(readable(shown.text), key, style=style, is_heading=first)


def warnings(texts: Sequence[str], folded: str = "") -> list[SectionPart]:
    """A list of cautions, folded under a few words if there are some; nothing where there are none."""
    return [Bullets(texts, "warnings", folded)] if texts else []


def own_warnings(results: Results, notices: Sequence[Notice]) -> list[SectionPart]:
    """What a study warns of and the conclusions do not; nothing where that is nothing."""
    known = {*results.evaluation.notices, *results.comparison.notices, *getattr(results.interval, "notices", ())}
    return warnings([readable(render(notice)) for notice in dict.fromkeys(notices) if notice not in known])
