"""What tests of figures share: a browser tells where each text of a drawing stands."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import pytest

from rankscale.figures.base.figure import Figure
from rankscale.figures.base.look import Appearance

TOUCHING = 0.5  # points by which boxes of text may meet: letters do not fill their boxes
LOOKS = {
    "default": Appearance(),
    "column": Appearance(width=238.1, title=False),
    "dark": Appearance(theme="dark", palette="papers"),
}
LINES_AND_TEXTS = re.compile(r'<g class="mark-(?:rule|text) role-mark[^>]*>(.*?)</g>', re.DOTALL)
MARK = re.compile(r"<(?:line|text)[^>]*>[^<]*")
COLOUR = re.compile(r'"(?:#[0-9a-fA-F]{3,8}|rgba?\([^)]*\)|white|black)"')
SPOKEN = re.compile(r' aria-label="[^"]*"')


@dataclass(frozen=True)
class TextBox:
    """A text of a drawing, and the box around it."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "TextBox") -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > TOUCHING and down > TOUCHING


@pytest.fixture(scope="session")
def text_boxes(browser: Any) -> Callable[[str], list[TextBox]]:
    """The boxes of all texts of an SVG drawing, as a browser sets them."""
    page = browser.new_page()
    script = """() => [...document.querySelectorAll("svg text")].filter(
        t => t.textContent.trim() && t.getAttribute("opacity") !== "0"  // labels that Vega hides where there is no room
    ).map(t => {
        const box = t.getBoundingClientRect();
        return [t.textContent, box.left, box.top, box.right, box.bottom];
    })"""

    @lru_cache(maxsize=8)
    def in_the_browser(svg: str) -> list[TextBox]:
        in_pixels = svg.replace('pt"', '"', 2)  # a unit of the drawing is then a pixel of the page
        page.set_content(f"<body style='margin:0'>{in_pixels}</body>")
        return [TextBox(*box) for box in page.evaluate(script)]

    def boxes(svg: str) -> list[TextBox]:
        return in_the_browser(COLOUR.sub('"gray"', svg))  # in the dark texts stand where they stand in the light

    return boxes


@pytest.fixture(scope="session")
def complaints_of(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Figure], list[str]]:
    """What a browser complains of, and what it asks for, when it opens the page of a figure."""
    path = tmp_path_factory.mktemp("pages") / "figure.html"
    page = browser.new_page()
    complaints: list[str] = []
    page.on("request", lambda request: complaints.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def open_page(figure: Figure) -> list[str]:
        complaints.clear()
        figure.save(str(path))
        page.goto(path.as_uri())
        page.locator("#figure > .chart-wrapper .marks, #figure > .marks").first.wait_for(timeout=90_000)
        return complaints[1:] if complaints[:1] == [path.as_uri()] else complaints

    return open_page


@pytest.fixture(scope="session")
def check_drawing(
    text_boxes: Callable[[str], list[TextBox]], complaints_of: Callable[[Figure], list[str]]
) -> Callable[[Figure], None]:
    """At every look no two texts overlap or leave the drawing, and no line is drawn twice.

    Every form can be written, and the page asks for nothing: looked at once for each kind of figure.
    """
    in_all_forms: set[str] = set()

    def check(figure: Figure) -> None:
        assert not {"url", "href"} & set(keys_of(figure.spec())), "a drawing that asks for files"
        for name, look in LOOKS.items():
            svg = figure.svg(look)
            assert drawn_twice(svg) == []
            boxes = text_boxes(svg)
            assert boxes, "a drawing without a word"
            overlapping = [(a.text, b.text) for a, b in combinations(boxes, 2) if a.overlaps(b)]
            assert not overlapping, (name, overlapping)
            width, height = size_of(svg)
            outside = [
                b.text for b in boxes if b.left < -1 or b.top < -1 or b.right > width + 1 or b.bottom > height + 1
            ]
            assert not outside, (name, outside)
            if look.width is not None:
                assert abs(width - look.width) < 1.5, (name, width)
        if figure.name not in in_all_forms:
            assert figure.pdf().startswith(b"%PDF-")
            assert complaints_of(figure) == []
            assert figure.png(ppi=72).startswith(b"\x89PNG")
            in_all_forms.add(figure.name)
        assert figure.title
        assert len(figure.description) > len(figure.title)

    return check


def drawn_twice(svg: str) -> list[str]:
    """Lines and texts of a layer that stand upon each other, as they do where they are drawn for each row of data."""
    layers = [MARK.findall(SPOKEN.sub("", layer)) for layer in LINES_AND_TEXTS.findall(svg)]
    return [mark for marks in layers for mark, times in Counter(marks).items() if times > 1]


def keys_of(part: Any) -> list[str]:
    """All keys of a specification."""
    if isinstance(part, dict):
        return [key for one, value in part.items() for key in (one, *keys_of(value))]
    return [key for value in part for key in keys_of(value)] if isinstance(part, list) else []


def size_of(svg: str) -> tuple[float, float]:
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    assert size, svg[:200]
    return float(size[1]), float(size[2])
