"""Specifications become files: SVG, PDF and PNG of the size requested, and pages that can be explored.

The same drawing gives the same file. vl-convert, which makes PDF files, keeps fonts and resources in hash tables, whose
order differs from process to process, and writes them in that order; `in_order` sorts them by their content. Nothing
else differs: it writes no dates and no identifiers.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rankscale.errors import ParameterError
from rankscale.figures.base.look import TEXT_WIDTH, Appearance
from rankscale.figures.base.renderer import bundle, render
from rankscale.outputs.files import write_chunks
from rankscale.outputs.names import in_drawing, in_html
from rankscale.outputs.text import tidy_text

if TYPE_CHECKING:
    from rankscale.figures.base.figure import Figure, Spec

CLOSE = 1.0  # a point more or less is met
NEARLY = 0.01  # of the size: drawings that lack no more than this are not made anew, but stand on a larger ground
SEVERAL = {"hconcat", "vconcat", "concat", "facet", "repeat"}  # what a specification with more than one plot has
SMALLEST = 40.0  # plots narrower than this show nothing
SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')  # in the head of an SVG file, and of the ground after it
NUMBERED = re.compile(r'<(?:clipPath|linearGradient|radialGradient) id="((?:clip|gradient_)\d+)"')
INHERITED = re.compile(
    '"(constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|to(?:Locale)?String|valueOf|'
    '__(?:define|lookup)[GS]etter__|__proto__)"'
)
TAG = re.compile(r"<[^<>]*>")
REFERENCE = re.compile(r'((?: id="|="url\(#))((?:clip|gradient_)\d+)(?="|\)")')
FONT_FACTOR = 1.5  # type on a page against that in print: seen from further away

POLICY = (  # of pages: nothing is fetched, and Vega makes functions from specifications
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"
)

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
body {{ background: {ground}; color: {ink}; font: 15px/1.45 {font}; margin: 2rem; overflow-wrap: anywhere; }}
main {{ max-width: 60rem; margin: auto; }}
#figure {{ overflow-x: auto; }}
.vega-bindings {{ margin-top: .5rem; }}
</style>
</head>
<body>
<main>
<h1 style="font-size: 1.25rem">{title}</h1>
{subtitle}<div id="figure" role="figure" aria-label="{title}"></div>
<p>{description}</p>
</main>
<script>{scripts}</script>
<script type="application/json" id="specification">{spec}</script>
<script>
const figure = document.getElementById("figure");
vegaEmbed(figure, JSON.parse(document.getElementById("specification").textContent), {options}).then(() => {{
  // Names that vega-embed leaves out: of the menu, and of marks such as the brush, which need none.
  figure.querySelector("summary").setAttribute("aria-label", "Save this figure");
  const nameless = figure.querySelectorAll("[role='graphics-symbol']:not([aria-label])");
  for (const mark of nameless) mark.setAttribute("aria-hidden", "true");
}});
</script>
</body>
</html>
"""
EMBEDDING = {"renderer": "svg", "actions": {"export": True, "source": False, "compiled": False, "editor": False}}
NUMBER = re.compile(rb"\b(\d+) 0 R\b")
RESOURCES = re.compile(rb"(/(?:XObject|ExtGState|Font|Pattern|Shading|ColorSpace) <<\n)((?: +/\S+ \d+ 0 R\n)+)")
DIGITS = re.compile(rb"\d+")
STREAM = b"\nstream\n"


VIEW = re.compile(r'viewBox="[^"]*"')


def svg(figure: "Figure", look: Appearance) -> str:
    """The drawing, its size in points."""
    return SIZE.sub(r'width="\1pt" height="\2pt"', _fitted(figure, look), count=1)


def pdf(figure: "Figure", look: Appearance) -> bytes:
    """One page, as large as the drawing: a unit of the drawing is a point."""
    return in_order(render("svg_to_pdf", _fitted(figure, look)))


def png(figure: "Figure", look: Appearance, ppi: float) -> bytes:
    """An image of so many pixels to an inch."""
    if not 30 <= ppi <= 1200:
        raise ParameterError(f"pixels to an inch must lie between 30 and 1200, got {ppi:g}")
    return render("svg_to_png", _fitted(figure, look), scale=ppi / 72, ppi=72)


def html(figure: "Figure", look: Appearance) -> str:
    """A page by itself: scripts, specification and words."""
    spec = figure.page_spec(look)
    spec.pop("title", None)  # the page has it
    title = look.title if isinstance(look.title, str) else figure.title
    return PAGE.format(
        title=in_html(title),
        subtitle=f"<p>{in_html(figure.subtitle)}</p>\n" if figure.subtitle and look.title is True else "",
        description=in_html(figure.description),
        policy=POLICY,
        ground=look.ground,
        ink=look.ink,
        font=in_html(look.font),
        scripts=bundle(),
        spec=_without_clashes(as_script(spec)),
        options=json.dumps(EMBEDDING),
    )


def drawn_size(spec: "Spec") -> tuple[float, float]:
    """Width and height of a specification once it is drawn, in its own units: pixels on a page."""
    return _size(_drawn({name: part for name, part in spec.items() if name != "title"}))


def on_page(look: Appearance) -> Appearance:
    """The same look for a screen, where type is larger and the page says how wide a figure is."""
    return replace(look, width=None, height=None, font_size=look.font_size * FONT_FACTOR)


def as_script(value: object) -> str:
    """JSON that can stand within a script element: no text of a run file can end the element."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def save(figure: "Figure", path: str, look: Appearance, ppi: float) -> None:
    """Write a file, whole or not at all; its ending says the form."""
    write_chunks(path, [WRITERS[ending_of(path)](figure, look, ppi)])


def ending_of(path: str) -> str:
    """The ending of a file, which says its form; others than those of figures are refused."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in WRITERS:
        raise ParameterError(f"{path}: unknown ending {ending or '(none)'}; a figure is written as {' '.join(WRITERS)}")
    return ending


def _tidy(figure: "Figure", form: str) -> bytes:
    """The data drawn rather than the drawing: the first table, which is the main one."""
    return b"".join(tidy_text(next(iter(figure.data().values())), form))


WRITERS: dict[str, Callable[["Figure", Appearance, float], bytes]] = {
    ".pdf": lambda figure, look, _: pdf(figure, look),
    ".svg": lambda figure, look, _: svg(figure, look).encode(),
    ".png": png,
    ".html": lambda figure, look, _: html(figure, look).encode("utf-8", "replace"),
    ".json": lambda figure, look, _: (json.dumps(figure.spec(look), allow_nan=False) + "\n").encode(),
    ".tsv": lambda figure, look, _: _tidy(figure, "tsv"),  # noqa: ARG005
    ".csv": lambda figure, look, _: _tidy(figure, "csv"),  # noqa: ARG005
}


def _fitted(figure: "Figure", look: Appearance) -> str:
    """The drawing in the size that the look asks for.

    Vega fits a single plot by itself. Where there are several, axes and legends take room that is known only once they
    are drawn, so plots are made smaller until all fits.
    """
    wanted = look.width or TEXT_WIDTH
    inner = wanted - 5 * look.font_size
    spec = figure.spec(look, inner, look.height)
    if SEVERAL.intersection(spec):
        return _made_smaller(figure, look, wanted, inner)
    fit = "fit-x" if look.height is None else "fit"
    return _drawn({**spec, "width": round(wanted), "autosize": {"type": fit, "contains": "padding"}})


def _made_smaller(figure: "Figure", look: Appearance, wanted: float, across: float) -> str:
    """Plots as large as fit.

    Ticks can come and go as plots grow, so that no size meets the one wanted: then the last one that fits is taken,
    with empty ground at the right and below.
    """
    down = look.height
    fits: str | None = None
    for _ in range(figure.tries):
        drawn = _drawn(figure.spec(look, across, down))
        width, height = _size(drawn)
        too_wide = width - wanted
        too_high = 0.0 if look.height is None else height - look.height
        if abs(too_wide) <= CLOSE and abs(too_high) <= CLOSE:
            return drawn
        if too_wide <= CLOSE and too_high <= CLOSE:
            fits = _on_ground(drawn, wanted, look.height or height)
            if min(too_wide / wanted, too_high / height) >= -NEARLY:
                return fits
        across = max(SMALLEST, across - too_wide)
        down = None if down is None else max(SMALLEST, down - too_high)
    if fits is None and max(too_wide / wanted, too_high / height) > NEARLY:
        raise ParameterError(
            f"figure {figure.name!r} does not fit into {wanted:.0f} x {look.height or height:.0f} points: it takes "
            f"{width:.0f} x {height:.0f}; ask for more, for a smaller font, or leave the height out"
        )
    return fits or drawn


def _on_ground(drawn: str, width: float, height: float) -> str:
    """The same drawing on a larger ground, to the right and below."""
    head, ground, rest = drawn.split(">", 2)
    size = f'width="{width:g}" height="{height:g}"'
    view = f'viewBox="0 0 {width:g} {height:g}"'
    return ">".join((VIEW.sub(view, SIZE.sub(size, head)), SIZE.sub(size, ground), rest))


def _drawn(spec: "Spec") -> str:
    """The drawing without tooltips: nobody can point into a file, and they are a third of the cost.

    All text is such as every program can hold: names of files need not be UTF-8.
    """
    still = {name: part if name == "datasets" else _without_tooltips(part) for name, part in spec.items()}
    written = json.dumps(_drawable(still), allow_nan=False, ensure_ascii=False)
    return _numbered(render("vegalite_to_svg", _without_clashes(written)).decode())


def _drawable(part: object) -> object:
    """The same with every text such as a drawing can hold it, names of columns too."""
    if isinstance(part, str):
        return in_drawing(part)
    if isinstance(part, dict):
        return {_drawable(key): _drawable(value) for key, value in part.items()}
    return list(map(_drawable, part)) if isinstance(part, list | tuple) else part


def _without_tooltips(part: object) -> object:
    if isinstance(part, dict):
        return {key: _without_tooltips(value) for key, value in part.items() if key != "tooltip"}
    return [_without_tooltips(value) for value in part] if isinstance(part, list) else part


def _without_clashes(written: str) -> str:
    """Names that every object of JavaScript has, such as constructor, with a sign that nobody sees.

    Vega keeps groups of rows in objects by name, and would take these for groups that are there already.
    """
    return INHERITED.sub('"\\1\u200b"', written)


def _numbered(drawn: str) -> str:
    """The same with clips and gradients counted from 1: Vega goes on counting, and the same figure would differ."""
    numbers = {old: f"part{new}" for new, old in enumerate(dict.fromkeys(NUMBERED.findall(drawn)), start=1)}

    def renamed(tag: re.Match[str]) -> str:
        return REFERENCE.sub(lambda match: f"{match[1]}{numbers.get(match[2], match[2])}", tag[0])

    return TAG.sub(renamed, drawn)


def _size(drawn: str) -> tuple[float, float]:
    size = SIZE.search(drawn)
    if size is None:
        raise RuntimeError("a drawing without a size")
    return float(size[1]), float(size[2])


def in_order(pdf: bytes) -> bytes:
    """The same file with its resources sorted by name and its objects numbered as they are met from the root.

    A file of another structure than the library writes today (one table of objects, none of them packed) is left as
    it is.
    """
    table = pdf.rfind(b"xref\n0 ", 0, pdf.rfind(b"startxref"))
    trailer = pdf.find(b"trailer\n", table)
    if table < 0 or trailer < 0:
        return pdf
    places = [int(line[:10]) for line in pdf[table:trailer].splitlines()[3:]]
    ends = dict(pairwise([*sorted(places), table]))  # each object ends where the next one starts
    objects = {number: pdf[place : ends[place]] for number, place in enumerate(places, start=1)}
    if not all(body.startswith(b"%d 0 obj\n" % number) for number, body in objects.items()):
        return pdf
    # Objects without their numbers: dictionaries, with resources sorted by name, and streams where they have one.
    split = {number: body.partition(b"\n")[2].partition(STREAM) for number, body in objects.items()}
    parts = {number: (RESOURCES.sub(_by_name, head), stream + rest) for number, (head, stream, rest) in split.items()}
    end = pdf[trailer : pdf.rindex(b"startxref")]
    new = _numbers(parts, end)
    return _written(pdf[: min(places)], parts, end, new) if len(new) == len(parts) else pdf


def _by_name(resources: "re.Match[bytes]") -> bytes:
    lines = resources[2].splitlines(keepends=True)
    return bytes(resources[1]) + b"".join(sorted(lines, key=lambda line: (int(DIGITS.findall(line)[0]), line)))


def _numbers(parts: dict[int, tuple[bytes, bytes]], end: bytes) -> dict[int, int]:
    """The new number of each object by its old one: as they are first named, from the trailer on."""
    new: dict[int, int] = {}
    waiting = [int(number) for number in reversed(NUMBER.findall(end))]
    while waiting:
        number = waiting.pop()
        if number not in new and number in parts:
            new[number] = len(new) + 1
            waiting.extend(int(named) for named in reversed(NUMBER.findall(parts[number][0])))
    return new


def _written(head: bytes, parts: dict[int, tuple[bytes, bytes]], end: bytes, new: dict[int, int]) -> bytes:
    def renamed(text: bytes) -> bytes:
        return NUMBER.sub(lambda named: b"%d 0 R" % new[int(named[1])], text)

    made, places = [head], []
    size = len(head)
    for old in sorted(new, key=new.__getitem__):
        body = b"%d 0 obj\n" % new[old] + renamed(parts[old][0]) + parts[old][1]
        places.append(size)
        size += len(body)
        made.append(body)
    lines = b"".join(b"%010d 00000 n\r\n" % place for place in places)
    table = b"xref\n0 %d\n0000000000 65535 f\r\n" % (len(places) + 1) + lines
    return b"".join([*made, table, renamed(end), b"startxref\n%d\n%%%%EOF" % size])
