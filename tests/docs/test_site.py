"""The site, built once for all tests, as a reader has it: links, no server, every kind of page."""

import fcntl
import os
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.accessibility import serious_findings
from tests.docs.test_pages import blocks, steps
from tools.build_site import folder_of, list_versions
from tools.formulas import FORMULAS

ROOT = Path(__file__).parents[2]
KINDS = (  # a page of each kind
    "index.html",
    "choose.html",
    "measures.html",
    "measures/rbp.html",
    "gallery.html",
    "tutorial.html",
    "stories/engineer.html",
    "peers.html",
    "api/studies.html",
)

DARK = ("index.html", "measures.html", "tutorial.html")  # colours are the same on all pages
SHORTER = """() => {
  const rest = (selector, kept) => [...document.querySelectorAll(selector)].slice(kept).forEach((one) => one.remove());
  rest("article > *", 80);
  rest(".card", 8);
  rest(".md-nav--primary .md-nav__item", 30);
  rest(".md-nav--secondary .md-nav__item", 30);
}"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this version's pages. Of several workers the first builds it, the others wait."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            command = [
                sys.executable,
                str(ROOT / "tools" / "build_site.py"),
                "--site",
                str(folder),
                "--version",
                "7.8.9",
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")
    return folder / "7.8"


class Links(HTMLParser):
    """The links, pictures and scripts of a page, and the places that links can lead to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = {"", "__skip"}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "id" in given:
            self.anchors.add(given["id"] or "")
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        if tag in {"script", "img", "iframe", "source"} and given.get("src"):
            self.loaded.append(given["src"] or "")
        if tag == "link" and given.get("rel") in {"stylesheet", "icon", "preload", "preconnect"}:
            self.loaded.append(given["href"] or "")


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Links]:
    return {page: Links(page) for page in site.rglob("*.html") if page.name != "sample-report.html"}


def test_every_link_leads_to_a_page_and_every_anchor_to_a_place(site: Path, pages: dict[Path, Links]) -> None:
    lost = []
    for page, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            known = pages[target].anchors if target in pages else {""}
            if not target.is_file() or unquote(parts.fragment) not in known:
                lost.append((page.relative_to(site).as_posix(), link))
    assert not lost
    assert len(pages) > 180


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Links]) -> None:
    for page, found in pages.items():
        for address in found.loaded:
            parts = urlsplit(address)
            if parts.scheme == "data":  # is in the page itself
                continue
            assert not parts.scheme, (page.name, address)
            assert not parts.netloc, (page.name, address)
            assert (page.parent / unquote(parts.path)).is_file(), (page.name, address)
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", sheet.read_text(encoding="utf-8")), sheet.name


def test_every_measure_with_a_formula_has_it_typeset(site: Path) -> None:
    drawn = {page.stem for page in (site / "measures").glob("*.html") if "<math" in page.read_text(encoding="utf-8")}
    assert drawn == {name.casefold() for name in FORMULAS}


def test_the_pages_can_be_read_and_searched_from_their_folder(browser: Any, site: Path) -> None:
    page = browser.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto((site.parent / "index.html").as_uri())
    page.wait_for_url("**/7.8/index.html")
    assert page.locator("select.versions").input_value() == "7.8"
    page.get_by_role("link", name="Open a live report").click()
    assert page.locator("h1").text_content() == "The sample collection"
    page.go_back()
    page.locator("input[name=query]").fill("recall base")
    page.locator(".md-search-result__link").first.wait_for(timeout=20_000)
    assert "Recall base" in page.locator(".md-search-result__link h2").all_text_contents()
    page.close()
    assert not troubles


def test_measures_are_chosen_by_what_they_are(browser: Any, site: Path) -> None:
    page = browser.new_page()
    page.goto((site / "measures.html").as_uri())
    page.locator("[data-filter=scale]").select_option("interval")
    page.locator("[data-filter=bounds]").select_option("yes")
    shown = set(page.locator(".cards.measures .card:visible strong").all_text_contents())
    assert "P@k" in shown
    assert not shown & {"AP@k", "RR@k", "nDCG@k", "R@k"}
    page.locator("[data-filter=text]").fill("no measure is called so")
    assert page.locator("form.filters output").text_content() == "0 of 108 measures"
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_page_fits_and_axe_finds_nothing_serious(browser: Any, site: Path, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.set_default_timeout(180_000)  # the reference is a long page
    for name in KINDS if scheme == "light" else DARK:
        page.set_viewport_size({"width": 1400, "height": 900})
        page.goto((site / name).as_uri())
        if scheme == "light":
            for width in (390, 1400):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
        page.evaluate(SHORTER)  # axe looks at each element: what comes after is of the same kinds
        assert not serious_findings(page, scheme), name
    context.close()


def test_a_session_is_copied_without_prompts_and_output(site: Path) -> None:
    text = (site / "stories" / "organiser.html").read_text(encoding="utf-8")
    copied = [unescape(found) for found in re.findall(r'class="language-console highlight" data-copy="([^"]*)"', text)]
    page = ROOT / "docs" / "stories" / "organiser.md"
    sessions = [steps(block.text) for block in blocks(page) if block.kind == "console"]
    assert copied == ["".join(step.command for step in session).rstrip("\n") for session in sessions]


def test_versions_are_listed_newest_first_and_lead_to_the_same_page(browser: Any, site: Path, tmp_path: Path) -> None:
    (tmp_path / "0.10").symlink_to(site)
    (tmp_path / "0.9").mkdir()
    (tmp_path / "0.9" / "index.html").write_text("<!doctype html><title>old</title>")
    assert list_versions(tmp_path) == ["0.10", "0.9"]
    page = browser.new_page()
    page.goto((tmp_path / "0.10" / "glossary.html").as_uri())
    page.locator("select.versions").select_option("0.9")
    page.wait_for_url("**/0.9/index.html")  # which has no such page
    assert page.title() == "old"
    page.close()


def test_a_version_has_its_folder() -> None:
    assert [folder_of(version) for version in ("0.2.0", "0.2.1", "1.10.0rc1")] == ["0.2", "0.2", "1.10"]
