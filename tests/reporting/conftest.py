"""What tests of the report share: reports of the sample and of a hostile collection in a browser, and their data."""

import base64
import json
import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rankscale as rs
from rankscale.sample import QRELS, RUNS

HOSTILE = "<script>alert('x')</script>\\textbf{&\"%$#_"  # a run's tag and its documents


def data_of(page: str | Path) -> Any:
    """The data for the scripts of a page, which is given as text or as a file."""
    text = page.read_text(encoding="utf-8") if isinstance(page, Path) else page
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def unpacked(text: str, kind: str) -> NDArray[Any]:
    """Numbers that a page has as base64, such as those of the kind 'f4'."""
    return np.frombuffer(base64.b64decode(text), dtype=f"<{kind}")


def by_ranking(data: Any, values: NDArray[Any]) -> dict[tuple[str, str], Any]:
    """Values (run, topic) of a page by the names of both."""
    rankings = [(run, topic) for run in data["runs"] for topic in data["topics"]]
    return dict(zip(rankings, values.tolist(), strict=True))


@pytest.fixture(scope="session")
def sample_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    added: dict[str, Any] = {"candidate": "dense-base", "margin": 0.01, "overlap": True, "agree": lenient()}
    rs.write_report(QRELS, RUNS, str(path), robustness=True, title="The sample", **added)
    return path


def lenient() -> dict[str, dict[str, float]]:
    """Judgments of the sample by somebody else: every fifth document has a better grade, and some are left out."""
    judged: dict[str, dict[str, float]] = {}
    for number, (topic, document, grade) in enumerate(judgments()):
        if number % 17:
            judged.setdefault(topic, {})[document] = min(3, grade + (number % 5 == 0))
    return judged


def judgments() -> Iterator[tuple[str, str, int]]:
    """Topic, document and grade of every judgment of the sample."""
    with lzma.open(QRELS, "rt") as lines:
        for line in lines:
            topic, _, document, grade = line.split()
            yield topic, document, int(grade)


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report about runs, topics and documents with names that would be markup if they were not escaped."""
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    topics = [f"{number}</script><b>" for number in range(4)]
    qrels = {topic: {f"{HOSTILE}{place}": float(place % 3) for place in range(6)} for topic in topics}
    good = {topic: {f"{HOSTILE}{place}": float(place) for place in range(6)} for topic in topics}
    other = {topic: {f"{HOSTILE}{place}": float(-place) for place in range(5)} for topic in topics}
    named: dict[str, Any] = {"baseline": HOSTILE, "candidate": "plain", "title": HOSTILE}
    other_judge = {topic: {f"{HOSTILE}2": 1, f"{HOSTILE}4": 2} for topic in topics}
    added: dict[str, Any] = {"margin": 0.1, "overlap": True, "agree": other_judge}
    rs.write_report(qrels, {HOSTILE: good, "plain": other}, str(path), ["nDCG@5", "P@3"], **named, **added)
    return path


@pytest.fixture(scope="session")
def context(browser: Any) -> Iterator[Callable[..., Any]]:
    """A function that gives a context of the browser, one for the same options: making one takes longer than a page."""
    made: dict[frozenset[tuple[str, Any]], Any] = {}

    def context(**options: Any) -> Any:
        key = frozenset(options.items())
        if key not in made:
            made[key] = browser.new_context(**options)
        return made[key]

    yield context
    for one in made.values():
        one.close()


@pytest.fixture
def opened(context: Callable[..., Any]) -> Iterator[Any]:
    """A function that opens a page and keeps what it asked for and complained of."""
    pages = []

    def open_page(path: Path, state: str = "", width: int = 1280, **options: Any) -> Any:
        page = context(**options).new_page()
        page.set_viewport_size({"width": width, "height": 900})
        pages.append(page)
        page.asked, page.complaints = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(path.as_uri() + state)
        return page

    yield open_page
    for page in pages:
        page.evaluate("localStorage.clear()")  # where a page keeps its theme
        page.close()
