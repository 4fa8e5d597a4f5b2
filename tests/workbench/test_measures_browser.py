"""The view of measures in a real browser: cells, slopes, chips, interval versions, links, history."""

from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS
from tests.workbench.conftest import RUNS
from tests.workbench.test_browser import box_of, query, root, settled


@pytest.fixture
def measures(page: Any, serving: rs.Serving) -> Any:
    """The page of the view."""
    page.goto(f"{root(serving)}/measures")
    settled(page)
    return page


def title(page: Any) -> str:
    text: str = page.locator("h2", has_text=" against ").inner_text()
    return text


def least() -> tuple[str, str]:
    """The two measures offered that agree least."""
    study = rs.correlate(rs.evaluate(QRELS, str(RUNS), rs.serve.__defaults__[0]), samples=0, by_topic=False)  # type: ignore[index]
    pair = min(study.tables()["pairs"], key=lambda row: float(row["value"]))  # type: ignore[arg-type]
    return str(pair["measure"]), str(pair["other"])


def test_the_two_that_agree_least_are_shown_first(measures: Any) -> None:
    assert set(title(measures).split(" against ")) == set(least())
    assert measures.locator("canvas[aria-label^='Slope graph']").count() == 1
    assert "pairs of runs" in measures.locator("#content").inner_text()


def test_a_click_on_a_cell_opens_the_two_orders_and_back_closes_them(measures: Any) -> None:
    before = title(measures)
    matrix = box_of(measures, "Matrix of")
    measures.mouse.move(matrix["x"] + 30, matrix["y"] + 95)
    words = measures.locator(".tip:visible").inner_text()
    first, second = words.partition(":")[0].split(" and ")
    measures.mouse.click(matrix["x"] + 30, matrix["y"] + 95)
    measures.wait_for_function("() => location.search.includes('pair=')")
    settled(measures)
    assert set(title(measures).split(" against ")) == {first, second}
    tau = rs.correlate(rs.evaluate(QRELS, str(RUNS), [first, second]), samples=0, by_topic=False).overall.matrix[0, 1]
    assert f"tau {tau:.4f}" in words
    assert f"Tau {tau:.4f}." in measures.locator("#content").inner_text()
    measures.go_back()
    measures.wait_for_function("() => !location.search.includes('pair=')")
    settled(measures)
    assert title(measures) == before


def test_cells_are_walked_through_and_opened_by_keys(measures: Any) -> None:
    measures.locator("canvas[aria-label^='Matrix of']").focus()
    for _ in range(3):
        measures.keyboard.press("ArrowRight")
    first, second = measures.locator(".tip:visible").inner_text().partition(":")[0].split(" and ")
    measures.keyboard.press("Enter")
    measures.wait_for_function("() => location.search.includes('pair=')")
    settled(measures)
    assert set(title(measures).split(" against ")) == {first, second}
    assert measures.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Matrix of")


def test_runs_of_the_slope_graph_are_read_and_taken_as_a(measures: Any) -> None:
    first, _ = title(measures).split(" against ")
    best = rs.evaluate(QRELS, str(RUNS), first).sorted_by(first).runs
    measures.locator("canvas[aria-label^='Slope graph']").focus()
    for _ in range(4):
        measures.keyboard.press("ArrowRight")
    assert measures.locator(".tip:visible").inner_text().startswith(f"{best[3]}: place 4 by {first}")
    measures.keyboard.press("Enter")
    measures.wait_for_function(f"() => document.getElementById('a').value === {best[3]!r}")


def test_measures_are_added_and_left_out(measures: Any) -> None:
    add = measures.get_by_label("Measure to add")
    add.fill("ERR@20")
    add.press("Enter")
    measures.wait_for_function("() => location.search.includes('ERR@20')")
    settled(measures)
    chips = measures.get_by_label("Measures that are compared").locator("li")
    assert "ERR@20" in "".join(chips.all_inner_texts())
    measures.get_by_role("button", name="Leave out AP").click()
    measures.wait_for_function("() => !document.querySelector('.chips').textContent.includes('AP')")
    settled(measures)
    assert query(measures)["measures"].split(",") == ["nDCG@10", "P@10", "RBP", "RR@10", "Twist", "ERR@20"]
    assert "Leave out nDCG@10" not in measures.locator("#content").inner_html()  # the one that all views look at
    measures.go_back()
    measures.wait_for_function("() => document.querySelector('.chips').textContent.includes('AP')")


def test_interval_versions_and_those_without_one_in_words(measures: Any) -> None:
    measures.get_by_role("button", name="Interval versions").click()
    measures.wait_for_function("() => location.search.includes('value=interval')")
    settled(measures)
    text = measures.locator("#content").inner_text()
    assert "Without an interval version: AP (no length is fixed)" in text
    assert "Interval(" in title(measures)
    measures.go_back()
    measures.wait_for_function("() => !location.search.includes('value=interval')")
    settled(measures)
    measures.get_by_role("link", name="RR@10", exact=True).last.click()
    measures.wait_for_function("() => location.search.includes('Interval')")
    settled(measures)
    assert title(measures) == "RR@10 against Interval(RR@10)"


def test_a_flip_leads_to_the_comparison_of_the_two_runs(measures: Any) -> None:
    row = measures.locator("#content table", has_text="compare by").locator("tbody tr:not(.filler)").first
    run, other = row.locator("th, td").nth(0).inner_text(), row.locator("th, td").nth(1).inner_text()
    by = title(measures).split(" against ")[0]
    row.get_by_role("link").first.click()
    measures.wait_for_function("() => location.pathname === '/compare'")
    settled(measures)
    assert (query(measures)["a"], query(measures)["b"], query(measures)["m"]) == (run, other, by)
    measures.go_back()
    measures.wait_for_function("() => location.pathname === '/measures'")
    settled(measures)
    assert measures.locator("canvas[aria-label^='Matrix of']").is_visible()
