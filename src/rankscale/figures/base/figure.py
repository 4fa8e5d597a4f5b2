"""Figure: the data drawn, and how it is drawn; from one specification to PDF, SVG, PNG and interactive pages.

A drawing fits into a `Space`, of which several plots have a `Grid`.
"""

import base64
import math
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import ClassVar, Unpack

from rankscale.data.notices import Notice, Noticed
from rankscale.data.table import Cell, Table, readable
from rankscale.errors import ParameterError
from rankscale.figures.base import rendering
from rankscale.figures.base.look import TEXT_WIDTH, Appearance, LookOptions, points

Spec = Mapping[str, object]  # a part of a Vega-Lite specification: numbers, texts, None, lists and dicts of these

DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", '[data-theme="dark"]')  # how notebooks say that they are dark
THEMES = (
    "<style>.rankscale-dark { display: none; } "
    f"{', '.join(f'{dark} .rankscale-light' for dark in DARK)} {{ display: none; }} "
    f"{', '.join(f'{dark} .rankscale-dark' for dark in DARK)} {{ display: inline; }}</style>"
)
MOST_IN_A_ROW = 4  # plots
SMALLEST_PLOT = 40  # points across
WIDTH_OF_LETTER = 0.52  # of its height, on average: where titles are broken into lines


@dataclass(frozen=True)
class Space:
    """What a drawing has to fit: the size of all its plots together, without axes and legends, and the look."""

    look: Appearance
    width: float
    height: float


class Figure(Noticed, ABC):
    """A picture. What is drawn is in `data()`, frozen tables; `draw` says how, in Vega-Lite."""

    name: ClassVar[str]  # what it is called on the command line
    ratio: ClassVar[float] = 0.6  # of height to width, unless a size is requested
    notices: tuple[Notice, ...] = ()  # about what is drawn
    interactive_width: ClassVar[float] = 640.0  # of the plots on a page
    tries: ClassVar[int] = 4  # renders until a size is met; axes and legends move a little as plots grow
    panel_width: ClassVar[float] = 26.0  # heights of type that it must have across as a panel among others

    @property
    @abstractmethod
    def title(self) -> str:
        """What is to be seen, in one line."""

    @property
    def subtitle(self) -> str:
        """How the drawing is read, under a title that says what was found; empty for drawings that need no words."""
        return ""

    @property
    @abstractmethod
    def description(self) -> str:
        """What is to be seen, in sentences, with the main numbers, for those who cannot see it."""

    def data(self) -> Mapping[str, Table]:
        """The tables drawn, by the name under which the drawing knows them; the first is the main one."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Table)}

    @abstractmethod
    def draw(self, space: Space) -> Spec:
        """The drawing, as a Vega-Lite specification without data, title and look."""

    def beside(self, others: "Sequence[Figure]") -> "Figure":
        """The figure as a panel among others of its kind, itself included: with the axes that they share, if any."""
        del others
        return self

    def spec(
        self, look: Appearance | None = None, width: float | None = None, height: float | None = None
    ) -> dict[str, object]:
        """The whole Vega-Lite specification; width and height are those of the plots alone."""
        look = look or Appearance()
        across = round(width or look.width or TEXT_WIDTH)
        space = Space(look, across, round(height or look.height or across * self.ratio))
        own = not isinstance(look.title, str)
        letters = across / (WIDTH_OF_LETTER * (look.font_size + 1.5))
        title: dict[str, object] = {"text": _lines(self.title if own else str(look.title), letters)}
        if own and self.subtitle:
            title["subtitle"] = _lines(self.subtitle, across / (WIDTH_OF_LETTER * look.font_size))
        return {
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "description": self.description,
            **({"title": title} if look.title else {}),
            "datasets": {name: _values(rows) for name, rows in self.data().items()},
            "padding": 2,
            **self.draw(space),
            "config": look.config(),
        }

    def page_spec(self, look: Appearance, width: float | None = None) -> dict[str, object]:
        """The specification for a page, where readers point and click; figures that answer them add to it here."""
        return self.spec(rendering.on_page(look), width or self.interactive_width)

    def svg(self, look: Appearance | None = None) -> str:
        """A drawing in SVG, as large as the look asks for."""
        return rendering.svg(self, look or Appearance())

    def pdf(self, look: Appearance | None = None) -> bytes:
        """A page in PDF that holds the drawing and nothing else, fonts embedded."""
        return rendering.pdf(self, look or Appearance())

    def png(self, look: Appearance | None = None, ppi: float = 300) -> bytes:
        """An image of so many pixels to an inch."""
        return rendering.png(self, look or Appearance(), ppi)

    def html(self, look: Appearance | None = None) -> str:
        """A page of its own in which the drawing can be explored; it needs no network."""
        return rendering.html(self, look or Appearance())

    def save(
        self,
        path: str,
        *,
        width: str | float | None = None,
        height: str | float | None = None,
        ppi: float = 300,
        **look: Unpack[LookOptions],
    ) -> None:
        """Write a file, whole or not at all; its ending says the form: .pdf, .svg, .png, .html, .json, .tsv or .csv.

        `look` are the fields of `Appearance`: theme, palette, font, font_size, and title,
        which is False for none, or a text.
        """
        known = [one.name for one in fields(Appearance)]
        for name in look:
            if name not in known:
                raise ParameterError(f"a figure is saved with {', '.join(known)} and ppi, got {name!r}")
        across, down = (None if given is None else points(given) for given in (width, height))
        rendering.save(self, path, Appearance(width=across, height=down, **look), ppi)

    def __repr__(self) -> str:
        return f"<Figure {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        """The drawing in a notebook: an image by itself, since drawings in one page would share names of parts.

        There are two, of which a notebook with a dark theme shows the dark one.
        """
        images = []
        for theme in ("light", "dark"):
            drawn = base64.b64encode(self.svg(Appearance(theme=theme, font_size=11, width=600)).encode()).decode()
            alt = escape(readable(self.description))
            images.append(f'<img class="rankscale-{theme}" src="data:image/svg+xml;base64,{drawn}" alt="{alt}">')
        return f"<div>{THEMES}{''.join(images)}</div>"


def _lines(text: str, letters: float) -> list[str]:
    return textwrap.wrap(text, max(20, int(letters))) or [""]


def _values(rows: Table) -> list[Spec]:
    """Table as Vega takes them: what is undefined or infinite is null, since JSON and axes have no place for it."""
    return [
        {name: None if isinstance(cell, float) and not math.isfinite(cell) else cell for name, cell in row.items()}
        for row in rows
    ]


@dataclass(frozen=True)
class Grid:
    """Plots of one size, in rows."""

    count: int
    columns: int
    space: Space  # of all of them

    @property
    def width(self) -> int:
        """The width of a plot."""
        return max(SMALLEST_PLOT, round(self.space.width / self.columns))

    def height(self, natural: float) -> int:
        """The height of a plot: its natural one, unless a height of the figure is requested."""
        rows = math.ceil(self.count / self.columns)
        return round(self.space.height / rows if self.space.look.height else natural)

    def left(self, place: int) -> bool:
        """Whether a plot is the first in its row, where axes have titles."""
        return place % self.columns == 0

    def lowest(self, place: int) -> bool:
        """Whether a plot is the last in its column."""
        return place + self.columns >= self.count

    def spec(self, plots: Sequence[Spec], spacing: float = 1.5, **options: object) -> Spec:
        """All plots; the spacing between them is in heights of type."""
        return {
            "concat": list(plots),
            "columns": self.columns,
            "spacing": spacing * self.space.look.font_size,
            **options,
        }


def grid(count: int, space: Space, narrowest: float, most: int = MOST_IN_A_ROW) -> Grid:
    """As many plots in a row as fit, and rows as even as can be.

    `narrowest` is how wide a plot with its axis must be, in heights of letters. What counts is the width of the whole
    figure, which does not change while plots are made smaller until all fits.
    """
    whole = max(space.width, space.look.width or TEXT_WIDTH)
    fitting = max(1, int(whole / (narrowest * space.look.font_size)))
    rows = math.ceil(count / min(count, fitting, most))
    return Grid(count, math.ceil(count / rows), space)


def number(cell: Cell) -> float:
    """A number; NaN for an empty cell."""
    return math.nan if cell is None else float(cell)


def numbers(table: Table, *columns: str) -> list[float]:
    """The numbers of some columns, without those that are undefined."""
    every = (number(cell) for column in columns for cell in table.columns[column])
    return [one for one in every if not math.isnan(one)]
