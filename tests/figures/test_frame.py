"""What all figures share: sizes, looks, files, pages, and the lists they stand in."""

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import FIGURES as COMMANDS
from rankscale.cli.figure import figure_command
from rankscale.data.arguments import Registered, register
from rankscale.data.table import Table
from rankscale.errors import MissingExtraError, ParameterError, UnknownNameError
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.look import PAPERS, SAFE, Appearance, ink_on, lightness, points
from rankscale.figures.base.register import FIGURES
from rankscale.figures.base.rendering import as_script, on_page
from rankscale.sample import QRELS, RUNS

means = figure_command("means")

HOSTILE = "</script><script>alert(1)</script>\u2028\\textbf{&\"'"


@dataclass(frozen=True)
class Plain(Figure):
    """Two points with names."""

    name: ClassVar[str] = "plain"
    label: str = "a"

    @property
    def title(self) -> str:
        return f"Points of {self.label}"

    @property
    def description(self) -> str:
        return f"Two points, of {self.label}, at 1 and 2, and one that is undefined."

    def data(self) -> dict[str, Table]:
        return {"points": Table.of(("name", "x", "y"), [(self.label, 1, 2.0), ("b", 2, 1.0), ("c", 3, float("nan"))])}

    def draw(self, space: Space) -> Spec:
        return {
            "data": {"name": "points"},
            "width": space.width,
            "height": space.height,
            "mark": {"type": "point", "color": space.look.colours[0]},
            "encoding": {
                "x": {"field": "x", "type": "quantitative"},
                "y": {"field": "y", "type": "quantitative"},
                "tooltip": {"field": "name"},
            },
        }


@dataclass(frozen=True)
class Clipped(Plain):
    """Marks cut at the edge of the plot, and a gradient: Vega counts both."""

    def draw(self, space: Space) -> Spec:
        drawn: Any = super().draw(space)
        colour = {"field": "x", "type": "quantitative"}
        return {
            **drawn,
            "mark": {"type": "point", "clip": True},
            "encoding": {**drawn["encoding"], "color": colour},
        }


@dataclass(frozen=True)
class Twice(Plain):
    """Two plots side by side, which Vega does not fit by itself."""

    def draw(self, space: Space) -> Spec:
        one = dict(super().draw(Space(space.look, space.width / 2, space.height)))
        return {"data": one.pop("data"), "hconcat": [one, one]}


def size(svg: str) -> tuple[float, float]:
    found = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    assert found
    return float(found[1]), float(found[2])


@pytest.mark.parametrize("figure", [Plain(), Twice()], ids=["one plot", "two plots"])
@pytest.mark.parametrize("width", ["84mm", "160mm", "3in", "500px"])
def test_a_figure_is_as_wide_as_asked(figure: Figure, width: str) -> None:
    across, _ = size(figure.svg(Appearance(width=points(width))))
    assert abs(across - points(width)) < 1.5


@pytest.mark.parametrize("figure", [Plain(), Twice()], ids=["one plot", "two plots"])
def test_a_figure_is_as_high_as_asked(figure: Figure) -> None:
    assert all(
        abs(a - b) < 1.5 for a, b in zip(size(figure.svg(Appearance(width=300, height=200))), (300, 200), strict=True)
    )


def test_a_page_of_pdf_is_as_large_as_the_drawing() -> None:
    found = re.search(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", Plain().pdf(Appearance(width=238)))
    assert found
    assert abs(float(found[1]) - 238) < 1.5


def test_an_image_has_so_many_pixels_to_an_inch() -> None:
    image = Plain().png(Appearance(width=216), ppi=100)
    width = int.from_bytes(image[16:20], "big")
    assert abs(width - 300) <= 3  # 216 points are 3 inches


@pytest.mark.parametrize(
    ("length", "found"), [("84mm", 238.11), ("2in", 144), ("96px", 72), ("240pt", 240), (10.5, 10.5)]
)
def test_lengths(length: str | float, found: float) -> None:
    assert points(length) == pytest.approx(found, abs=0.005)


@pytest.mark.parametrize("length", ["wide", "84", "84 furlongs", "-3mm", "1e3pt", ""])
def test_lengths_that_are_none_are_refused(length: str) -> None:
    with pytest.raises(ParameterError, match="expected a length such as 84mm"):
        points(length)


@pytest.mark.parametrize(
    "look", [{"theme": "blue"}, {"palette": "mine"}, {"font_size": 1}, {"width": 20}, {"height": 99999}]
)
def test_looks_that_cannot_be_are_refused(look: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="must"):
        Appearance(**look)


def test_looks_say_which_colours() -> None:
    assert Appearance().colours == SAFE
    assert Appearance(palette="papers").colours == PAPERS
    assert Appearance(palette="papers").early == "#FF0000"
    assert Appearance(theme="dark").ground in Plain().svg(Appearance(theme="dark"))
    assert on_page(Appearance(width=100, font_size=8)).font_size == 12


def test_files_are_told_by_their_endings(tmp_path: Path) -> None:
    starts = {
        ".pdf": b"%PDF",
        ".svg": b"<svg",
        ".png": b"\x89PNG",
        ".html": b"<!doctype html>",
        ".tsv": b"name\tx\ty\n",
    }
    for ending, start in starts.items():
        path = tmp_path / f"figure{ending}"
        Plain().save(str(path), width="100mm")
        assert path.read_bytes().startswith(start)
    Plain().save(str(tmp_path / "figure.json"))
    spec = json.loads((tmp_path / "figure.json").read_text(encoding="utf-8"))
    assert spec["datasets"]["points"][2] == {"name": "c", "x": 3, "y": None}


def test_an_unknown_ending_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"unknown ending \.gif; a figure is written as \.pdf"):
        Plain().save(str(tmp_path / "figure.gif"))
    assert not list(tmp_path.iterdir())


def test_notebooks_are_given_the_drawing() -> None:
    shown = Plain(HOSTILE)._repr_html_()
    images = re.findall(
        r'<img class="rankscale-(\w+)" src="data:image/svg\+xml;base64,([^"]*)" alt="([^"<>]*)">', shown
    )
    assert [theme for theme, _, _ in images] == ["light", "dark"]
    for _, drawn, words in images:
        assert base64.b64decode(drawn).startswith(b"<svg")
        assert unescape(words) == Plain(HOSTILE).description


@pytest.mark.parametrize("font", ["Tmies New Roman", "no such font", "serif"])
def test_text_is_there_whatever_the_font(font: str) -> None:
    assert b"/FontName" in Plain().pdf(Appearance(font=font)) or b"/Font" in Plain().pdf(Appearance(font=font))
    with_text, without = (Plain().png(Appearance(font=one), ppi=72) for one in (font, "sans-serif"))
    assert len(with_text) > 0.7 * len(without)  # letters take most of the bytes


def test_a_figure_is_shown_in_one_line() -> None:
    assert repr(rs.figure("hasse", 2)).startswith("<Figure hasse: Partial order")
    assert "\n" not in repr(rs.figure("hasse", 2))


def test_a_figure_is_made_from_what_it_asks_for() -> None:
    with pytest.raises(ParameterError, match="figure 'curves' is made from Curves, got str"):
        rs.figure("curves", "runs/*.gz")
    with pytest.raises(ParameterError, match=r"takes curves, topic, runs, ratio, ranks: .*unexpected .*'named'"):
        rs.figure("curves", rs.curves({"1": {"a": 1}}, {"1": {"a": 1}}, "P"), named=["x"])
    with pytest.raises(ParameterError, match=r"figure 'crp' takes qrels, run, topic, .*: missing .*'topic'"):
        rs.figure("crp", QRELS, RUNS[0])


def made_from(declared: Registered) -> tuple[Any, ...]:
    """What a figure is made from by its declaration: a result of `evaluate`, or of its study."""
    evaluation = rs.evaluate(QRELS, RUNS[:6], declared.measures or declared.measure or "AP")
    if declared.source != "study":
        return (evaluation,)
    study = register("studies")[declared.study]
    of_values = study.source == "evaluation"
    return (getattr(rs, study.python)(*((evaluation,) if of_values else (QRELS, RUNS[:6]))),)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_made_by_name_from_what_the_gallery_says(name: str) -> None:
    some = RUNS[:6]
    of: dict[str, Callable[[], tuple[Any, ...]]] = {
        "curves": lambda: (rs.curves(QRELS, some, "nDCG", depth=20),),
        "recall-precision": lambda: (rs.recall_precision(QRELS, some),),
        "crp": lambda: (QRELS, RUNS[0], "103"),
        "crp-dcg": lambda: (QRELS, RUNS[0], "103"),
        "indicators": lambda: (QRELS, RUNS[0]),
        "archetypes": lambda: (QRELS, some),
        "archetype-ratios": lambda: (rs.archetypes(QRELS, some),),
        "effort-gain": lambda: (rs.effort_gain(rs.evaluate(QRELS, some, ["AP", "Twist"])),),
        "topics": lambda: (rs.evaluate(QRELS, some, "AP"),),
        "means": lambda: (rs.evaluate(QRELS, some, "AP"),),
        "critical-difference": lambda: (rs.compare(rs.evaluate(QRELS, some, "AP"), test="friedman"),),
        "correlate": lambda: (rs.correlate(rs.evaluate(QRELS, some, ["AP", "P@10"])),),
        "diff": lambda: (rs.diff(QRELS, some[:2], "AP"),),
        "overlap": lambda: (rs.overlap(list(map(str, some)), depth=5, draws=2),),
        "asl": lambda: (rs.discriminate(rs.evaluate(QRELS, some, "AP")),),
        "robustness": lambda: (rs.robustness(QRELS, some, "AP", iterations=2),),
        "bounds": lambda: (rs.bounds(QRELS, some),),
        "pools": lambda: (QRELS, some, "AP"),
        "values": lambda: (rs.scale("AP@4"),),
        "spacing": lambda: ([rs.scale("AP@4")],),
        "partial-order": lambda: (rs.partial_order(QRELS, some),),
        "hasse": lambda: (3,),
        "agree": lambda: (rs.agree(QRELS, QRELS, some, "AP", draws=5),),
        "intervals": lambda: (rs.intervals(QRELS, some, "RR@5"),),
    }
    figure = rs.figure(name, *(of[name]() if name in of else made_from(FIGURES[name])))
    assert figure.name == name
    assert all(len(rows) for rows in figure.data().values())
    assert all(column.isidentifier() for rows in figure.data().values() for column in rows.columns)


def test_the_same_figure_has_the_same_bytes() -> None:
    drawings = {Clipped().svg() for _ in range(3)}
    assert len(drawings) == 1
    (svg,) = drawings
    named = re.findall(r' id="(\w+)"', svg)
    assert len(named) == len(set(named)) > 1
    assert set(re.findall(r"url\(#(\w+)\)", svg)) <= set(named)


def test_infinite_values_are_null(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Infinite(Plain):
        def data(self) -> dict[str, Table]:
            return {"points": Table.of(("name", "x", "y"), [("a", 1, float("inf")), ("b", 2, float("-inf"))])}

    for ending in ("json", "html", "svg", "tsv"):
        Infinite().save(str(tmp_path / f"figure.{ending}"))
    spec = json.loads((tmp_path / "figure.json").read_text(encoding="utf-8"))
    assert [row["y"] for row in spec["datasets"]["points"]] == [None, None]
    assert "inf" in (tmp_path / "figure.tsv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["-o", "figure.gif"], "unknown ending .gif"),
        (["-o", "-"], "unknown ending (none)"),
        (["-o", "figure.svg", "--font-size", "1"], "the font size must"),
        (["-o", "figure.svg", "--width", "wide"], "expected a length"),
        (["-o", "figure.svg", "--height", "5mm"], "the height must"),
    ],
)
def test_what_cannot_be_drawn_is_told_before_any_work(asked: list[str], told: str) -> None:
    outcome = CliRunner().invoke(means, ["there is no such file", "nor this", *asked])
    assert told in str(outcome.exception)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("palette", ["safe", "papers"])
def test_numbers_on_colours_can_be_read(theme: str, palette: str) -> None:
    for colour in Appearance(theme=theme, palette=palette).colours:
        light, dark = sorted((_luminance(colour), _luminance(ink_on(colour))), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def _luminance(colour: str) -> float:
    return lightness([int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)])


def test_without_a_title() -> None:
    assert "title" not in Plain().spec(Appearance(title=False))
    assert "Points of a" not in Plain().svg(Appearance(title=False)).split("<g", 1)[1]


class Scripts(HTMLParser):
    """What a browser would take for scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.found = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += tag == "script"


def test_names_cannot_end_a_script() -> None:
    page = Plain(HOSTILE).html()
    plain = Plain("a").html()
    counts = []
    for text in (page, plain):
        parser = Scripts()
        parser.feed(text)
        counts.append(parser.found)
    assert counts[0] == counts[1] == 3
    assert "<" not in as_script({"name": HOSTILE})
    assert json.loads(as_script({"name": HOSTILE})) == {"name": HOSTILE}


def test_a_page_opens_by_itself(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "figure.html"
    Plain(HOSTILE).save(str(path))
    page = browser.new_page()
    requests, complaints = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    page.locator("#figure svg.marks").wait_for()
    assert (requests, complaints) == ([path.as_uri()], [])
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert policy.startswith("default-src 'none';")
    assert page.locator("h1").text_content() == Plain(HOSTILE).title.replace("\u2028", "\N{REPLACEMENT CHARACTER}")
    page.close()


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rankscale\[figures\]'"):
        Plain().svg()


def test_nothing_is_said_while_drawing(tmp_path: Path) -> None:
    script = (
        "import rankscale as rs; from rankscale.sample import QRELS, RUNS;"
        "figure = rs.figure('crp', QRELS, RUNS[0], '103'); figure.save('crp.html'); figure.save('crp.pdf')"
    )
    fresh = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}  # scripts for pages are made anew
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=fresh, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert len(list(tmp_path.glob("rankscale/vega-*.js"))) == 1


def test_figures_are_asked_for_by_name() -> None:
    assert rs.figure("hasse", 2).name == "hasse"
    with pytest.raises(UnknownNameError, match="unknown figure 'hase'; did you mean hasse"):
        rs.figure("hase")


def test_every_figure_has_a_name_a_command_and_a_picture() -> None:
    assert list(FIGURES) == list(COMMANDS)
    gallery = (Path(__file__).parents[2] / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (\S+)$", gallery, re.MULTILINE) == re.findall(r"\]\(gallery/(\S+)\.svg\)", gallery)
    assert set(re.findall(r"^### (\S+)$", gallery, re.MULTILINE)) == set(FIGURES)
