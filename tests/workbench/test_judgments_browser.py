"""The view of judgments in a real browser: bounds that move, the slider of the pool, documents to judge, exports."""

import re
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS
from tests.workbench.conftest import RUNS
from tests.workbench.test_browser import box_of, query, root, settled


@pytest.fixture
def judgments(page: Any, serving: rs.Serving) -> Any:
    """The page of the view."""
    page.goto(f"{root(serving)}/judgments?m=AP")
    settled(page)
    return page


def next_rows(page: Any) -> list[list[str]]:
    """Document and topic of the list."""
    rows = page.locator("#content table", has_text="documents to judge next").locator("tbody tr:not(.filler)")
    return [one.split("\t")[:2] for one in rows.all_inner_texts()]


def test_documents_to_judge_are_listed_and_can_be_taken(judgments: Any) -> None:
    study = rs.next_judgments(QRELS, str(RUNS), 10, weight="RBP")
    expected = [[str(row["document"]), str(row["topic"])] for row in study.table("next")]
    assert next_rows(judgments) == expected
    assert study.sentence() in judgments.locator("#content").inner_text()
    judgments.get_by_label("documents", exact=True).fill("25")
    judgments.get_by_label("documents", exact=True).press("Enter")
    judgments.wait_for_function("() => location.search.includes('cost=25')")
    settled(judgments)
    with judgments.expect_download() as taken:
        judgments.get_by_role("link", name="list for assessors").click()
    listed = rs.next_judgments(QRELS, str(RUNS), 25, weight="RBP").table("next")
    lines = [f"{row['topic']} {row['document']}" for row in listed]
    assert taken.value.path().read_text(encoding="utf-8").splitlines() == lines
    judgments.go_back()
    judgments.wait_for_function("() => !location.search.includes('cost=')")
    settled(judgments)
    assert next_rows(judgments) == expected


def test_a_topic_of_the_list_opens_its_rankings(judgments: Any) -> None:
    topic = next_rows(judgments)[0][1]
    judgments.locator("#content table", has_text="documents to judge next").get_by_role(
        "link", name=topic
    ).first.click()
    judgments.wait_for_function("() => location.pathname.startsWith('/topic/')")
    settled(judgments)
    assert judgments.locator("h1").inner_text() == f"Topic {topic}"


def test_persistence_moves_bounds_while_the_slider_keeps_the_focus(judgments: Any) -> None:
    slider = judgments.get_by_role("slider", name="persistence p")
    slider.focus()
    for _ in range(5):
        judgments.keyboard.press("ArrowRight")
    judgments.wait_for_function("() => location.search.includes('0.85')")
    settled(judgments)
    assert judgments.evaluate("document.activeElement.id") == "p-bounds"
    assert query(judgments)["weigh"] == "RBP(p=0.85)"
    evaluation = rs.evaluate(QRELS, str(RUNS), "RBP(p=0.85)", bounds=True).sorted_by("RBP(p=0.85)")
    judgments.locator("canvas[aria-label^='Lower and upper mean RBP(p=0.85) of']").focus()
    judgments.keyboard.press("ArrowRight")
    means = {name: values[0][0] for name, values in evaluation.extra_means().items()}
    words = judgments.locator(".tip:visible").inner_text()
    assert evaluation.runs[0] in words
    assert f"from {means['lower']:.4f} to {means['upper']:.4f}" in words


def test_bands_tell_both_runs_at_each_depth(judgments: Any, serving: rs.Serving) -> None:
    judgments.goto(f"{root(serving)}/judgments?m=AP&a=manual&b=bm25")
    settled(judgments)
    judgments.locator("canvas[aria-label^='Lower and upper mean RBP by depth']").focus()
    for _ in range(7):
        judgments.keyboard.press("ArrowRight")
    words = judgments.locator(".tip:visible").inner_text()
    made = rs.evaluate(QRELS, str(RUNS), "RBP@10", bounds=True)
    for pin, run in (("A", "manual"), ("B", "bm25")):
        lower, upper = (made.extra_means()[side][0, made.runs.index(run)] for side in ("lower", "upper"))
        assert f"{pin} {run} {lower:.4f} to {upper:.4f}" in words
    assert words.startswith("Depth 10: ")


def test_the_pool_slider_shows_who_moves_and_back_restores(judgments: Any) -> None:
    assert "Move the slider" in judgments.locator("#content").inner_text()
    slider = judgments.get_by_label("depth of the pool")
    slider.focus()
    judgments.keyboard.press("Home")
    judgments.wait_for_function("() => location.search.includes('pool=1')")
    settled(judgments)
    assert judgments.evaluate("document.activeElement.id") == "pool"
    text = judgments.locator("#content").inner_text()
    orders = rs.pool_orders(QRELS, str(RUNS), "AP", pool_depths=[1])
    assert f"has a tau of {orders.correlation[0, 0, 0]:.4f}" in text
    judged = rs.pool(QRELS, str(RUNS), 1).qrels.judgments
    assert re.search(f"A pool of depth 1 has {judged:,} of 6,474 judgments", text)
    assert judgments.locator("canvas[aria-label^='Slope graph']").is_visible()
    taus = box_of(judgments, "Kendall")
    judgments.mouse.click(taus["x"] + taus["width"] * 0.6, taus["y"] + 60)
    judgments.wait_for_function("() => !location.search.includes('pool=1&') && !location.search.endsWith('pool=1')")
    settled(judgments)
    other = query(judgments)["pool"]
    judgments.go_back()
    judgments.wait_for_function("() => document.querySelector('output[for=pool]').value === '1'")
    settled(judgments)
    judgments.go_forward()
    judgments.wait_for_function(f"() => document.querySelector('output[for=pool]').value === '{other}'")


def test_another_measure_of_bounds_and_mistakes_in_words(judgments: Any, serving: rs.Serving) -> None:
    field = judgments.get_by_label("bounds of")
    field.fill("P@10")
    field.press("Enter")
    judgments.wait_for_function("() => location.search.includes('weigh=P@10')")
    settled(judgments)
    assert judgments.locator("#p-bounds").is_hidden()
    assert judgments.locator("canvas[aria-label^='Lower and upper mean P@10 of']").is_visible()
    judgments.goto(f"{root(serving)}/judgments?m=AP")
    settled(judgments)
    assert "AP has no bounds" in judgments.locator("#content").inner_text()


ODD = "<img src=x onerror=alert(1)>, 100% \u202etxt"
QRELS_OF_TWO = {"1": {"a": 1, "b": 0, ODD: 0}, "2": {"c": 1}}


@pytest.mark.parametrize(
    "runs",
    [
        {ODD: {"1": {"a": 2, "z": 1}, "2": {"c": 1}}},
        {ODD: {"1": {"a": 2, f"{ODD} 2": 1}}, "y" * 300: {"1": {"z": 2, "b": 1}, "2": {"d": 1}}},
        {"x": {"1": {"a": 2}}, "y": {"2": {"c": 2}}},
    ],
)
def test_few_runs_and_odd_names(browser: Any, runs: Any) -> None:
    """One run, one document, names that look like markup: pages say what there is, and nothing goes wrong."""
    with rs.serve(QRELS_OF_TWO, runs, ["P@1", "AP", "RBP"], block=False) as opened:
        context = browser.new_context(viewport={"width": 390, "height": 800})
        page = context.new_page()
        troubles: list[str] = []
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.goto(opened.url)
        for view in (
            "/measures",
            "/measures?value=interval",
            "/judgments",
            "/judgments?pool=1",
            "/judgments?missing=common",
        ):
            page.goto(root(opened) + view)
            settled(page)
            assert page.locator("#content img").count() == 0
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, view
        context.close()
    assert not troubles
