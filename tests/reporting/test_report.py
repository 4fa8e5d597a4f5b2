"""The report in a real browser: it opens by itself, can be sorted, filtered, brushed and opened, and escapes names."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.reporting.parts import Paragraph
from rankscale.sample import QRELS, RUNS
from tests.accessibility import serious_findings
from tests.reporting.conftest import HOSTILE, by_ranking, data_of, unpacked

Opened = Callable[..., Any]
SETTLED = 90_000  # milliseconds that a loaded machine may take to draw


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


def chosen(page: Any) -> int:
    """How many rankings the list beside the effort/gain plot has."""
    return int(str(page.locator("#points-status").text_content()).split()[0].replace(",", ""))


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
    best_first = first_cells(page, "runs", 1)
    head = page.locator("#runs thead button").nth(3)
    head.click()
    assert first_cells(page, "runs", 1) == best_first
    assert page.locator("#runs thead th").nth(3).get_attribute("aria-sort") == "descending"
    head.press("Enter")
    assert first_cells(page, "runs", 1) == best_first[::-1]
    head.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert first_cells(page, "runs", 1) == sorted(best_first)
    assert "sort=runs.1.ascending" in page.evaluate("location.hash")


def test_runs_are_filtered(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    page.get_by_label("Find a run").fill("DENSE")
    assert sorted(first_cells(page, "runs", 1)) == ["dense-base", "dense-hard", "dense-int8", "dense-zero"]
    assert page.locator("#find-run-count").text_content() == "4 of 24"


def test_points_are_chosen_from_lists_and_opened_by_keyboard(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    assert chosen(page) == 1200
    page.get_by_label("Quadrant", exact=True).select_option("huge gain at low effort")
    data = data_of(sample_report)
    name = data["effort"]["quadrant_names"].index("huge gain at low effort")
    assert chosen(page) == np.count_nonzero(unpacked(data["effort"]["quadrants"], "u1") == name) > 0
    page.locator("#effort-run").select_option("manual")
    assert set(first_cells(page, "points")) == {"manual"}
    away = [abs(float(cell)) for cell in first_cells(page, "points", 4)]
    assert away == sorted(away, reverse=True), "the most interesting rankings first"
    first = page.locator("#points button.open").first
    first.focus()
    page.keyboard.press("Enter")
    assert str(page.locator("#ranking-title").text_content()).startswith("manual, topic ")
    page.keyboard.press("Escape")
    page.locator("#ranking").wait_for(state="hidden")


def brushed(page: Any, left: float, right: float) -> int:
    """Drag over a part of the effort/gain plot; how many rankings are listed."""
    box = page.locator("#effort-gain").bounding_box()
    page.mouse.move(box["x"] + left * box["width"], box["y"] + 0.8 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + right * box["width"], box["y"] + 0.3 * box["height"], steps=8)
    page.mouse.up()
    return chosen(page)


def test_a_new_brush_takes_the_place_of_the_old_one_and_its_list_stands_beside_the_plot(
    opened: Opened, sample_report: Path
) -> None:
    page = opened(sample_report)
    page.locator("#effort-gain").scroll_into_view_if_needed()
    counts = [brushed(page, 0.15, 0.35), brushed(page, 0.4, 0.6), brushed(page, 0.15, 0.35)]
    assert counts[0] == counts[2] > 0
    assert 0 < counts[1] < 1200
    assert len(first_cells(page, "points")) == min(100, counts[2])
    plot, table = (page.locator(place).bounding_box() for place in ("#effort-gain", "#points"))
    assert table["x"] >= plot["x"] + plot["width"]
    assert plot["y"] - 20 <= table["y"] < plot["y"] + plot["height"]
    page.locator("#effort-run").select_option("manual")
    assert chosen(page) < 50
    assert "manual" in str(page.locator("#points-status").text_content()), "the words say what is chosen"
    page.locator("#effort-clear").click()
    assert chosen(page) == 1200


def test_a_ranking_is_opened_from_the_lists_and_from_topics(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    page.locator("#ranking-run").select_option("bm25")
    page.locator("#ranking-topic").select_option("105")
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator("#ranking-chart svg.course").wait_for(timeout=SETTLED)
    assert page.locator("#ranking-title").text_content() == "bm25, topic 105"
    page.get_by_role("button", name="Close").click()
    page.locator("#topics-table button.open").first.click()
    assert page.locator("#ranking").is_visible()


def test_every_run_and_topic_that_looks_like_a_link_opens_a_ranking(opened: Opened, sample_report: Path) -> None:
    page = opened(sample_report)
    opens = page.evaluate(
        "[...document.querySelectorAll('button.open')].map(({dataset}) => canOpen(+dataset.run, +dataset.topic))"
    )
    assert len(opens) > 100
    assert all(opens)
    missing = page.evaluate("[runs.indexOf('dense-zero'), topics.indexOf('137')]")  # which the run does not have
    assert page.evaluate("([run, topic]) => opener(run, topic)", missing) == "dense-zero"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("report", ["sample_report", "hostile_report"])
def test_axe_finds_nothing_serious(opened: Opened, report: str, scheme: str, request: pytest.FixtureRequest) -> None:
    page = opened(request.getfixturevalue(report), color_scheme=scheme)
    all_figures(page)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert not serious_findings(page, scheme)
    page.evaluate("openRanking(0, 0)")
    assert not serious_findings(page, scheme, "dialog[open]")


def test_names_are_shown_as_text(opened: Opened, hostile_report: Path) -> None:
    page = opened(hostile_report)
    page.on("dialog", lambda dialog: pytest.fail("a name was run as a script"))
    all_figures(page)
    assert HOSTILE in first_cells(page, "runs", 1)
    assert page.locator("h1").text_content() == HOSTILE
    assert HOSTILE in str(page.locator(".headline").text_content())
    assert f"{HOSTILE}" in str(page.locator("#gate .decision").text_content())
    assert first_cells(page, "diff-1-losses") == [f"{number}</script><b>" for number in range(4)]
    assert f"{HOSTILE}5 (grade 2, rank 1 to none)" in first_cells(page, "diff-1-losses", 4)[0]
    assert first_cells(page, "overlap-pairs") == [HOSTILE]
    page.locator("#runs tbody a").filter(has_text="plain").click()
    assert page.locator("#run-a").input_value() == "plain"
    assert page.locator("#run-b").input_value() == HOSTILE
    assert page.locator("#both-rankings ol").nth(1).locator(".name").first.text_content() == f"{HOSTILE}5"
    page.locator("#topics-table button.open").first.click()
    page.locator("#ranking-chart svg.course").wait_for(timeout=SETTLED)
    assert page.locator("#ranking-documents .name").first.text_content().startswith(HOSTILE)
    assert page.complaints == []
    assert page.locator("main b, main img, dialog b, dialog img").count() == 0


def test_data_in_the_page_is_what_was_measured(sample_report: Path) -> None:
    data = data_of(sample_report)
    values = by_ranking(data, unpacked(data["values"], "f4"))
    expected = rs.evaluate(QRELS, RUNS, "nDCG@10").to_dict()
    assert len(values) == 24 * 50
    for (run, topic), value in values.items():
        assert value == pytest.approx(expected[run][topic]["nDCG@10"] if topic in expected[run] else 0, abs=1e-6)


def test_it_says_how_many_rankings_need_no_measure_to_be_compared() -> None:
    report = rs.report(QRELS, list(RUNS[:4]), ["P@10", "AP"])
    (section,) = (one for one in report.sections if one.id == "agreement")
    order = rs.partial_order(QRELS, list(RUNS[:4]), depths=[10])
    texts = [part.text for part in section.parts if isinstance(part, Paragraph)]
    assert texts[1].startswith(f"{order.comparable(10).mean():.0%} of the pairs of rankings need no measure")
    assert texts[1].endswith("on every topic for none of the 6 pairs of runs.")
