"""The report in a real browser: it opens by itself, can be sorted, filtered, brushed and opened, and escapes names."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.reporting.parts import Paragraph
from rankscale.sample import QRELS, RUNS
from tests.reporting.conftest import HOSTILE

Opened = Callable[[Path], Any]
SETTLED = 20_000  # milliseconds that a loaded machine may take to draw


def all_figures(page: Any) -> int:
    """Have every figure drawn, as before printing; how many there are."""
    page.evaluate("Promise.all([...document.querySelectorAll('.chart')].map(drawFigure)).then(() => true)")
    return int(page.locator(".chart").count())


def first_cells(page: Any, table: str, column: int = 0) -> list[str]:
    found: list[str] = page.evaluate(
        "([table, column]) => [...document.querySelectorAll(`#${table} tbody tr`)].filter(r => !r.hidden)"
        ".map(r => r.cells[column].textContent)",
        [table, column],
    )
    return found


def test_it_asks_for_nothing_and_complains_of_nothing(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    assert all_figures(page) >= 5
    assert page.asked == [sample_report.as_uri()]
    assert page.complaints == []
    drawn = page.locator(".chart svg.marks, .chart canvas.marks").count()
    assert drawn == page.locator(".chart").count()


def test_it_is_one_small_file(sample_report: Path) -> None:
    text = sample_report.read_text(encoding="utf-8")
    assert len(text) < 5_000_000
    without_scripts = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r'(src|href)="(?!#)', without_scripts), "nothing is fetched"


def test_tables_are_sorted_by_mouse_and_by_keyboard(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    best_first = first_cells(page, "runs")
    head = page.locator("#runs thead button").nth(1)
    head.click()
    assert first_cells(page, "runs") == best_first[::-1]
    assert page.locator("#runs thead th").nth(1).get_attribute("aria-sort") == "ascending"
    head.press("Enter")
    assert first_cells(page, "runs") == best_first
    page.locator("#runs thead button").first.focus()
    page.keyboard.press("Enter")
    assert first_cells(page, "runs") == sorted(best_first)


def test_runs_are_filtered(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    page.get_by_label("Find a run").fill("DENSE")
    assert sorted(first_cells(page, "runs")) == ["dense-base", "dense-hard", "dense-int8", "dense-zero"]
    assert page.locator("#find-run-count").text_content() == "4 of 24"


def test_points_are_chosen_from_lists_and_opened_by_keyboard(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    all_figures(page)
    page.get_by_label("Quadrant", exact=True).select_option("huge gain at low effort")
    chosen = first_cells(page, "points", 4)
    assert chosen
    assert set(chosen) == {"huge gain at low effort"}
    page.locator("#effort-run").select_option("manual")
    assert set(first_cells(page, "points")) <= {"manual"}
    page.locator("#effort-clear").press("Enter")
    assert "1200 of 1200" in str(page.locator("#points-status").text_content())
    first = page.locator("#points button.open").first
    first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#ranking").is_visible()
    page.locator("#ranking-chart svg.marks").wait_for(timeout=SETTLED)
    page.keyboard.press("Escape")
    assert not page.locator("#ranking").is_visible()
    assert page.complaints == []


def test_points_are_brushed_with_the_mouse(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    all_figures(page)
    chart = page.locator("#effort-gain .marks").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 0.15 * box["width"], box["y"] + 0.75 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.35 * box["width"], box["y"] + 0.45 * box["height"], steps=8)
    page.mouse.up()
    page.wait_for_function("!document.getElementById('points-status').textContent.startsWith('1200')", timeout=SETTLED)
    chosen = int(str(page.locator("#points-status").text_content()).split()[0])
    assert 0 < chosen < 1200
    assert len(first_cells(page, "points")) == min(200, chosen)
    page.locator("#effort-run").select_option("manual")
    assert int(str(page.locator("#points-status").text_content()).split()[0]) < 50, "the brush holds for a run too"
    page.locator("#effort-clear").click()
    page.wait_for_function(
        "document.getElementById('points-status').textContent.startsWith('1200 of')", timeout=SETTLED
    )


def test_a_ranking_is_opened_from_the_lists_and_from_topics(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    page.locator("#ranking-run").select_option("bm25")
    page.locator("#ranking-topic").select_option("105")
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator("#ranking-chart svg.marks").wait_for(timeout=SETTLED)
    assert page.locator("#ranking-title").text_content() == "bm25, topic 105"
    page.get_by_role("button", name="Close").click()
    page.locator("#topics-table button.open").first.click()
    assert page.locator("#ranking").is_visible()


def test_every_table_can_be_reached_by_keyboard(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    assert page.locator(".table").count() == page.locator(".table[tabindex='0']").count() > 3


@pytest.mark.parametrize("report", ["sample_report", "hostile_report"])
def test_axe_finds_nothing_serious(opened: Opened, report: str, request: pytest.FixtureRequest) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(request.getfixturevalue(report))
    all_figures(page)
    found = Axe().run(page).response["violations"]
    serious = {one["id"]: one["nodes"][0]["html"][:300] for one in found if one["impact"] in {"serious", "critical"}}
    assert not serious


def test_names_are_shown_as_text(opened: Opened, hostile_report: Path) -> None:
    page = opened(hostile_report)
    page.on("dialog", lambda dialog: pytest.fail("a name was run as a script"))
    all_figures(page)
    assert HOSTILE in first_cells(page, "runs")
    assert page.locator("h1").text_content() == HOSTILE
    assert f"{HOSTILE}" in str(page.locator("#gate .decision").text_content())
    assert first_cells(page, "diff-1-losses") == [f"{number}</script><b>" for number in range(4)]
    assert f"{HOSTILE}5 (grade 2, rank 1 to none)" in first_cells(page, "diff-1-losses", 4)[0]
    assert first_cells(page, "overlap-pairs") == [HOSTILE]
    page.locator("#topics-table button.open").first.click()
    page.locator("#ranking-chart svg.marks").wait_for(timeout=SETTLED)
    assert page.complaints == []
    assert page.locator("b, i, img").count() == 0


def test_data_in_the_page_is_what_was_measured(sample_report: Path) -> None:
    text = sample_report.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    data = json.loads(found[1])
    assert len(data["points"]) == 24 * 50
    assert {"manual", "bm25"} <= data["rankings"]["curves"].keys()


def test_it_says_how_many_rankings_need_no_measure_to_be_compared() -> None:
    report = rs.report(QRELS, list(RUNS[:4]), ["P@10", "AP"])
    (section,) = (one for one in report.sections if one.id == "agreement")
    order = rs.partial_order(QRELS, list(RUNS[:4]), depths=[10])
    texts = [part.text for part in section.parts if isinstance(part, Paragraph)]
    assert texts[1].startswith(f"{order.comparable(10).mean():.0%} of the pairs of rankings need no measure")
    assert texts[1].endswith("on every topic for none of the 6 pairs of runs.")
