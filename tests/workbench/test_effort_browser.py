"""The view Effort in a real browser: brushes of points and axes, lists, curves, keys, history, many rankings."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS
from rankscale.studies.effort_gain import effort_gain
from rankscale.workbench.views import effort as view
from tests.workbench.conftest import RUNS, TOKEN
from tests.workbench.made_up import collection
from tests.workbench.test_browser import query, root, settled


@pytest.fixture(scope="module")
def points() -> list[dict[str, Any]]:
    """Every ranking of the sample, from the study."""
    study = effort_gain(rs.evaluate(QRELS, str(RUNS), ["AP", "Twist"]), "AP", "Twist")
    return [dict(row) for row in study.table("points")]


def visit(page: Any, serving: rs.Serving, state: str = "") -> None:
    page.goto(f"{root(serving)}/effort?m=AP{state}")
    settled(page)


def drag(page: Any, canvas: str, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag over a chart from one place to another, given as shares of its width and height."""
    chart = page.locator(canvas)
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + box["width"] * start[0], box["y"] + box["height"] * start[1])
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * end[0], box["y"] + box["height"] * end[1], steps=4)
    page.mouse.up()


def inside(points: list[dict[str, Any]], box: str) -> set[tuple[str, str]]:
    """Rankings within a box, as the address writes it."""
    low, high, least, most = map(float, box.split(":"))
    return {
        (row["run"], row["topic"]) for row in points if low <= row["effort"] <= high and least <= row["gain"] <= most
    }


def test_brushed_rankings_are_listed_with_their_curves(
    page: Any, serving: rs.Serving, points: list[dict[str, Any]]
) -> None:
    visit(page, serving)
    assert page.locator(".multiples article").count() == 12
    drag(page, "#effort-chart", (0.3, 0.05), (0.5, 0.5))
    page.wait_for_function("() => location.search.includes('box=')")
    settled(page)
    chosen = inside(points, query(page)["box"])
    assert 1 < len(chosen) < len(points) / 2
    assert page.locator("#effort-list table").get_attribute("aria-rowcount") == str(min(500, len(chosen)) + 1)
    rows = page.locator("#effort-list tbody tr:not(.filler)")
    first = (rows.first.locator("td").first.inner_text(), rows.first.locator("th").inner_text())
    assert first in chosen
    assert page.locator(".multiples h3").first.inner_text() == f"{first[0]}, topic {first[1]}"
    page.locator(".multiples h3 button").first.click()
    page.wait_for_selector("#drawer .lists li")
    assert page.locator("#drawer h2").inner_text() == f"Topic {first[1]}"
    assert page.locator("#drawer .names strong").first.inner_text() == f"A {first[0]}"
    page.go_back()
    page.wait_for_function("() => !location.search.includes('box=')")
    settled(page)
    page.go_forward()
    page.wait_for_function("() => location.search.includes('box=')")
    settled(page)
    assert page.locator(".multiples h3").first.inner_text() == f"{first[0]}, topic {first[1]}"
    page.locator("#unbrush").click()
    page.wait_for_function("() => !location.search.includes('box=')")


def test_the_grid_is_walked_and_brushed_with_keys(page: Any, serving: rs.Serving, points: list[dict[str, Any]]) -> None:
    visit(page, serving)
    page.locator("#effort-chart").focus()
    page.keyboard.press("End")
    best = max(points, key=lambda row: (row["effort"], row["gain"]))
    assert page.locator(".tip:visible").inner_text() == (
        f"{best['run']}, topic {best['topic']}: Twist {best['effort']:.4f}, AP {best['gain']:.4f}"
    )
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer .lists li")
    assert page.locator("#drawer .names strong").first.inner_text() == f"A {best['run']}"
    page.keyboard.press("Escape")
    page.wait_for_selector("#drawer", state="hidden")
    for _ in range(5):
        page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.search.includes('box=')")
    settled(page)
    efforts = sorted((row["effort"] for row in points), reverse=True)[:6]
    low, high, *_ = map(float, query(page)["box"].split(":"))
    assert (low, high) == (efforts[-1], efforts[0])
    assert page.evaluate("document.activeElement.id") == "effort-chart"


def test_areas_runs_and_zoom(page: Any, serving: rs.Serving, points: list[dict[str, Any]]) -> None:
    visit(page, serving, "&a=bm25&b=ql")
    page.locator("#pick-area").select_option("high-high")
    page.wait_for_function("() => location.search.includes('area=high-high')")
    settled(page)
    count = sum(row["area"] == "high-high" for row in points)
    assert page.get_by_role("heading", name=f"{count} rankings", exact=True).is_visible()
    page.locator("#pick-whose").select_option("a")
    page.wait_for_function("() => location.search.includes('whose=a')")
    settled(page)
    count = sum(row["area"] == "high-high" and row["run"] == "bm25" for row in points)
    assert page.get_by_role("heading", name=f"{count} rankings", exact=True).is_visible()
    page.locator("#brush-topics").click()
    page.wait_for_selector(".chip")
    settled(page)
    topics = {row["topic"] for row in points if row["area"] == "high-high" and row["run"] == "bm25"}
    assert set(query(page)["topics"].split(",")) == topics
    visit(page, serving, "&box=0.2:0.6:0.2:0.6")
    page.locator("#zoom").click()
    page.wait_for_function("() => location.search.includes('zoom=1')")
    settled(page)
    page.locator("#effort-chart").focus()
    page.keyboard.press("Home")
    assert float(page.locator(".tip:visible").inner_text().partition("Twist ")[2][:6]) >= 0.2


def test_axes_are_brushed_with_mouse_and_keys(page: Any, serving: rs.Serving) -> None:
    visit(page, serving, "&a=manual&b=bm25")
    box = page.locator("#indicators").bounding_box()
    across = (34 + 2 * (box["width"] - 68) / 5) / box["width"]  # the axis of rho
    drag(page, "#indicators", (across, 0.1), (across, 0.6))
    page.wait_for_function("() => location.search.includes('axes=rho')")
    settled(page)
    _, low, high = query(page)["axes"].split(":")
    values = rs.evaluate(QRELS, str(RUNS / "manual.txt.xz"), "rho").by_topic("manual", "rho")
    kept = {topic for topic, value in values.items() if float(low) <= min(max(value, 0), 1) <= float(high)}
    assert f"{len(kept)} of 50 topics are within the brushed ranges" in page.locator("#effort-lines").inner_text()
    page.locator("#axes-topics").click()
    page.wait_for_selector(".chip")
    settled(page)
    assert set(query(page)["topics"].split(",")) == kept
    page.locator("#axes-clear").click()
    page.wait_for_function("() => !location.search.includes('axes')")
    settled(page)
    page.locator("#indicators").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "rho" in page.locator("#effort-lines .spoken").inner_text()
    page.keyboard.press("ArrowDown")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.search.includes('axes=rho')")
    settled(page)
    assert page.evaluate("document.activeElement.id") == "indicators"
    page.keyboard.press("Escape")
    page.wait_for_function("() => !location.search.includes('axes')")
    page.go_back()
    page.wait_for_function("() => location.search.includes('axes=rho')")


def test_a_line_opens_its_topic(page: Any, serving: rs.Serving) -> None:
    visit(page, serving, "&a=manual&b=bm25")
    page.locator("#indicators").focus()
    page.keyboard.press("ArrowDown")
    topic = page.locator("#effort-lines .tip").inner_text().partition(":")[0]
    bases = rs.evaluate(QRELS, str(RUNS / "manual.txt.xz"), "NumRel").by_topic("manual", "NumRel")
    assert topic == f"Topic {max(bases, key=lambda name: bases[name])}"  # the highest on the first axis
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer .lists li")
    assert page.locator("#drawer h2").inner_text() == topic


def test_another_measure_of_effort_and_mistakes(page: Any, serving: rs.Serving) -> None:
    visit(page, serving)
    page.locator("#effort-measure").fill("Twist@20")
    page.locator("#effort-measure").press("Enter")
    page.wait_for_function("() => location.search.includes('effort=Twist@20')")
    settled(page)
    assert "its gain, AP, against Twist@20" in page.locator("#content").inner_text()
    with page.expect_download() as taken:
        page.locator("#exports").get_by_role("link", name="TSV").click()
    lines = Path(taken.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 24 * 50 - 1 + 1  # dense-zero lacks a topic, and has an empty ranking there
    assert page.locator(".command code").inner_text().endswith("-m AP --effort Twist@20 --table points")


@pytest.fixture
def crowded(browser: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The page of more rankings than are drawn one by one."""
    monkeypatch.setattr(view, "MOST_POINTS", 100)
    qrels, runs, _ = collection(60)
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    made = context.new_page()
    with rs.serve(qrels, runs, "AP", token=TOKEN, block=False) as opened:
        made.goto(opened.url, wait_until="commit")
        visit(made, opened)
        yield made
    context.close()


def test_cells_of_many_rankings_zoom_in(crowded: Any) -> None:
    crowded.locator("#effort-chart").focus()
    crowded.keyboard.press("End")
    count, _, rest = crowded.locator(".tip:visible").inner_text().partition(" rankings, ")
    assert rest.startswith(f"{count} of them chosen: Twist ")
    crowded.keyboard.press("Enter")
    crowded.wait_for_function("() => location.search.includes('zoom=1')")
    settled(crowded)
    assert crowded.get_by_role("heading", name=f"{count} rankings", exact=True).is_visible()
    crowded.locator("#effort-chart").focus()
    crowded.keyboard.press("Home")
    assert ", topic " in crowded.locator(".tip:visible").inner_text()  # one by one now
    crowded.locator("#unbrush").click()
    crowded.wait_for_function("() => !location.search.includes('zoom')")
