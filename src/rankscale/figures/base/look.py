"""Look: colours, type and size of figures, for papers and for pages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Final, TypedDict

from rankscale.errors import ParameterError

POINTS: Final[Mapping[str, float]] = MappingProxyType(
    {"pt": 1.0, "mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72.0, "px": 0.75}  # px as in style sheets, 96 to an inch
)

# Okabe and Ito's colours, distinct for people with any kind of colour vision; yellow left out: too pale on white.
SAFE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SAFE_ON_DARK = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00", "#FFFFFF")
PAPERS = ("#0000FF", "#FF0000", "#008000", "#FF00FF", "#00AEAE", "#B8860B", "#000000")
PAPERS_ON_DARK = ("#6E8BFF", "#FF5A5A", "#3FC13F", "#FF6EFF", "#00D7D7", "#E0B030", "#FFFFFF")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [10, 3], [1, 3])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke")
CROSS = "M-1,-1L1,1M-1,1L1,-1"  # a path: what is not there
HALF = 0.179  # luminance above which black is easier to read than white
SHADES = 200  # steps in which the ground under text is looked at
TEXT_WIDTH = 453.0  # of a figure if none is requested: 160 mm, the text of a page in A4
GENERIC = ("serif", "sans-serif", "monospace")
SERIFS = re.compile("serif|times|roman|garamond|georgia|palatino|charter|libertin", re.IGNORECASE)
NAMED = len(DASHES)  # how many lines or marks can be distinguished by colour and dash or shape


class LookOptions(TypedDict, total=False):
    """The look of a figure that is saved, but for its size."""

    theme: str
    palette: str
    font: str
    font_size: float
    title: bool | str


@dataclass(frozen=True)
class Appearance:
    """What does not depend on what is drawn. Lengths are in points, 72 to an inch, as in a printed page."""

    width: float | None = None  # of the whole figure; None: what suits it
    height: float | None = None  # of the whole figure
    theme: str = "light"
    palette: str = "safe"
    font: str = "sans-serif"
    font_size: float = 8.0
    title: bool | str = True  # False, since papers say it in the caption; or other words

    def __post_init__(self) -> None:
        for name, known in (("theme", ("light", "dark")), ("palette", ("safe", "papers"))):
            if getattr(self, name) not in known:
                raise ParameterError(f"{name} must be {' or '.join(map(repr, known))}, got {getattr(self, name)!r}")
        if not isinstance(self.font_size, Real) or not 3 <= self.font_size <= 40:
            raise ParameterError(f"the font size must lie between 3 and 40 points, got {self.font_size!r}")
        for name in ("width", "height"):
            requested = getattr(self, name)
            if requested is not None and not 80 <= requested <= 4000:
                limits = "between 80 and 4000 points (28 mm, 1.4 m)"
                raise ParameterError(f"the {name} must lie {limits}, got {requested:g}")

    @property
    def dark(self) -> bool:
        """Whether the ground is dark."""
        return self.theme == "dark"

    @property
    def colours(self) -> tuple[str, ...]:
        """For things that differ in kind, in the order in which they are taken."""
        if self.palette == "papers":
            return PAPERS_ON_DARK if self.dark else PAPERS
        return SAFE_ON_DARK if self.dark else SAFE

    @property
    def ground(self) -> str:
        """The colour behind everything."""
        return "#16181c" if self.dark else "#ffffff"

    @property
    def ink(self) -> str:
        """The colour of text and of what stands out."""
        return "#e8e8e8" if self.dark else "#1a1a1a"

    @property
    def faint(self) -> str:
        """The colour of grids, and of what is there for comparison only."""
        return "#4a4e55" if self.dark else "#c9c9c9"

    @property
    def grey(self) -> str:
        """The colour of lines that are read, but not first."""
        return "#9a9ea6" if self.dark else "#6b6b6b"

    @property
    def early(self) -> str:
        """Where a document stands too early: red in the papers."""
        return self.colours[1]

    @property
    def in_place(self) -> str:
        """Where a document stands where it should: green in the papers."""
        return self.colours[2]

    @property
    def pale(self) -> str:
        """The same for areas, which would be seen before all else."""
        return hexadecimal(colour_at([self.ground, self.in_place], 0.3))

    @property
    def late(self) -> str:
        """Where a document stands too late: blue in the papers."""
        return self.colours[0]

    @property
    def sequence(self) -> list[str]:
        """From little to much; monotone in lightness, so that it can be read without colour too."""
        light = ["#f7fbff", "#c6dbef", "#6baed6", "#2171b5", "#08306b"]
        return light[::-1] if self.dark else light

    @property
    def diverging(self) -> list[str]:
        """From below to above a middle: vermilion, pale, blue."""
        middle = "#2b2e34" if self.dark else "#f5f5f5"
        return ["#D55E00", "#f0b48a", middle, "#80b5d8", "#0072B2"]

    def shades(self, domain: Sequence[float]) -> list[str]:
        """For the numbers of a domain: from a middle to both sides where it begins below 0."""
        return self.diverging if domain[0] < 0 else self.sequence

    @property
    def fonts(self) -> str:
        """The font, and what takes its place where it is not installed: text is never left out."""
        generic = "serif" if SERIFS.search(self.font) else "sans-serif"
        return self.font if self.font in GENERIC else f"{self.font}, {generic}"

    def config(self) -> dict[str, object]:
        """What a Vega-Lite specification says about looks."""
        size, font = self.font_size, self.fonts
        text = {"font": font, "color": self.ink}
        axis = {
            "labelFont": font,
            "titleFont": font,
            "labelFontSize": size,
            "titleFontSize": size,
            "titleFontWeight": "normal",
            "labelColor": self.ink,
            "titleColor": self.ink,
            "domainColor": self.grey,
            "tickColor": self.grey,
            "gridColor": self.faint,
            "gridOpacity": 0.5,
            "gridWidth": 0.5,
            "domainWidth": 0.7,
            "tickWidth": 0.7,
            "tickSize": 0.4 * size,
            "labelPadding": 0.25 * size,
            "titlePadding": 0.5 * size,
            "labelLimit": 20 * size,
        }
        texts = {key: value for key, value in axis.items() if key.startswith(("label", "title"))}
        return {
            "background": self.ground,
            "font": font,
            "axis": axis,
            "header": texts,
            "legend": {
                **texts,
                "symbolSize": 6 * size,
                "symbolStrokeWidth": 1.4,
                "offset": 0.75 * size,
                "rowPadding": 0.2 * size,
                "columnPadding": 1.5 * size,
            },
            "title": {
                **text,
                "fontSize": size + 1.5,
                "fontWeight": "bold",
                "anchor": "start",
                "offset": size,
                "subtitleFont": font,
                "subtitleFontSize": size,
                "subtitleColor": self.ink,
            },
            "text": {**text, "fontSize": size},
            "view": {"stroke": None},
            "range": {"category": list(self.colours)},
            "rule": {"color": self.grey},
        }


def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour.

    >>> ink_on("#ffffff"), ink_on("#0072B2"), ink_on("#009E73")
    ('#000000', '#ffffff', '#000000')
    """
    return ink_over(rgb(colour))


def rgb(colour: str) -> list[float]:
    """Red, green and blue, from 0 to 1, of a colour such as #0072B2."""
    return [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]


def ink_over(colour: Sequence[float]) -> str:
    """The same for red, green and blue from 0 to 1."""
    return "#000000" if lightness(colour) > HALF else "#ffffff"


def lightness(colour: Sequence[float]) -> float:
    """Relative luminance of red, green and blue, as the Web Content Accessibility Guidelines define it."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def points(length: str | float) -> float:
    """A length such as `84mm`, `3.3in`, `240pt` or `500px` in points.

    >>> round(points("84mm"), 2), points("2in"), points(240)
    (238.11, 144.0, 240.0)
    """
    if not isinstance(length, str):
        return float(length)
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(pt|mm|cm|in|px)\s*", length)
    if match is None:
        raise ParameterError(f"expected a length such as 84mm, 3.3in, 240pt or 500px, got {length!r}")
    return float(match[1]) * POINTS[match[2]]


def inks_on(colours: Sequence[str], domain: Sequence[float]) -> tuple[list[float], list[str]]:
    """Black or white, whichever is easier to read on each colour of a scale: values where it changes, and the inks.

    >>> inks_on(["#ffffff", "#000000"], [0, 1])
    ([0.54], ['#000000', '#ffffff'])
    """
    change: list[float] = []
    inks: list[str] = []
    for step in range(SHADES + 1):
        ink = ink_over(colour_at(colours, step / SHADES))
        if not inks or ink != inks[-1]:
            change.append(round(domain[0] + (domain[1] - domain[0]) * step / SHADES, 6))
            inks.append(ink)
    return change[1:], inks


def colour_at(colours: Sequence[str], place: float) -> list[float]:
    """Red, green and blue, from 0 to 1, between the two nearest of evenly spaced colours."""
    at = place * (len(colours) - 1)
    left = min(int(at), len(colours) - 2)
    return [a + (b - a) * (at - left) for a, b in zip(*map(rgb, colours[left : left + 2]), strict=True)]


def hexadecimal(colour: Sequence[float]) -> str:
    """Red, green and blue from 0 to 1 as a text.

    >>> hexadecimal([0, 1, 0.5])
    '#00ff80'
    """
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
