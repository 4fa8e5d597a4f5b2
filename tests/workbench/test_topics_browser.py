"""The view Topics in a real browser: heat map, scatter, search, groups, keys, brushes, history, many topics."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.sample import QRELS
from tests.workbench.conftest import RUNS, TOKEN
from tests.workbench.made_up import collection
from tests.workbench.test_browser import query, root, settled


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rs.Serving]:
    """900 topics in groups, with queries: more than columns."""
    qrels, runs, groups = collection(900)
    queries = tmp_path_factory.mktemp("queries") / "queries.tsv"
    queries.write_text("".join(f"{topic}\twords of {topic}\n" for topic in qrels), encoding="utf-8")
    with rs.serve(qrels, runs, "AP", groups=groups, queries=str(queries), token=TOKEN, block=False) as opened:
        yield opened


@pytest.fixture
def crowded(browser: Any, many: rs.Serving) -> Iterator[Any]:
    """The page of these topics."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    made = context.new_page()
    troubles: list[str] = []
    made.on("pageerror", lambda error: troubles.append(str(error)))
    made.goto(many.url, wait_until="commit")
    made.goto(f"{root(many)}/topics?order=name")
    settled(made)
    yield made
    context.close()
    assert not troubles


def visit(page: Any, serving: rs.Serving, state: str = "") -> None:
    page.goto(f"{root(serving)}/topics?m=AP{state}")
    settled(page)


def test_arrow_keys_walk_through_cells_and_enter_opens_the_ranking(page: Any, serving: rs.Serving) -> None:
    visit(page, serving, "&order=name&a=bm25&b=ql")
    best = rs.evaluate(QRELS, str(RUNS), "AP").sorted_by("AP")
    page.locator("#heat-map").focus()
    page.keyboard.press("ArrowRight")
    value = best.by_topic(best.runs[0], "AP")["101"]
    median = np.median(best.values[0][:, 0])
    assert page.locator(".tip:visible").inner_text() == (
        f"{best.runs[0]}, topic 101, black bear attacks: {value:.4f} (median {median:.4f})"
    )
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    value = best.by_topic(best.runs[1], "AP")["103"]
    assert page.locator(".tip:visible").inner_text().startswith(f"{best.runs[1]}, topic 103: {value:.4f}")
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer .lists li")
    assert page.locator("#drawer h2").inner_text() == "Topic 103"
    assert page.locator("#drawer .names strong").all_inner_texts() == [f"A {best.runs[1]}", "B ql"]
    page.keyboard.press("Escape")
    page.wait_for_selector("#drawer", state="hidden")


def test_a_click_on_a_cell_opens_the_ranking_that_it_names(page: Any, serving: rs.Serving) -> None:
    visit(page, serving, "&a=bm25&b=ql")
    box = page.locator("#heat-map").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 100)
    run, _, rest = page.locator(".tip:visible").inner_text().partition(", topic ")
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + 100)
    page.wait_for_selector("#drawer .lists li")
    assert page.locator("#drawer h2").inner_text() == f"Topic {rest[:3]}"
    assert page.locator("#drawer .names strong").first.inner_text() == f"A {run}"
    page.locator("#drawer").get_by_role("link", name="Open").click()
    page.wait_for_function("() => location.pathname.startsWith('/topic/')")
    settled(page)
    assert query(page)["a"] == run


def test_brushing_columns_is_shared_and_back_restores(page: Any, serving: rs.Serving) -> None:
    visit(page, serving, "&order=name")
    box = page.locator("#heat-map").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + 90, steps=4)
    page.mouse.up()
    page.wait_for_selector(".chip")
    settled(page)
    topics = query(page)["topics"].split(",")
    assert 5 < len(topics) < 20
    assert topics == [str(number) for number in range(int(topics[0]), int(topics[-1]) + 1)]
    assert f"50 topics; {len(topics)} are brushed" in page.locator("#content").inner_text()
    page.locator("#only").click()
    page.wait_for_function("() => location.search.includes('only=1')")
    settled(page)
    assert page.locator("#content table.rows tbody th").all_inner_texts() == topics
    page.go_back()
    page.wait_for_function("() => !location.search.includes('only')")
    settled(page)
    page.locator("#rail a", has_text="Compare").click()
    page.wait_for_selector(".card.exploratory")
    page.go_back()
    page.wait_for_selector("#heat-map")
    settled(page)
    page.go_back()
    page.wait_for_function("() => !document.querySelector('.chip')")
    page.go_forward()
    page.wait_for_selector(".chip")
    assert query(page)["topics"].split(",") == topics


def test_shift_and_arrows_brush_columns_and_the_chart_keeps_the_focus(page: Any, serving: rs.Serving) -> None:
    visit(page, serving, "&order=name")
    page.locator("#heat-map").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector(".chip")
    settled(page)
    assert query(page)["topics"] == "101,102,103,104"
    assert page.evaluate("document.activeElement.id") == "heat-map"
    page.keyboard.press("Escape")
    page.wait_for_function("() => !location.search.includes('topics')")


def test_the_scatter_is_brushed_and_opened(page: Any, serving: rs.Serving) -> None:
    visit(page, serving)
    chart = page.locator("#topic-scatter")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.55, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 40, steps=4)
    page.mouse.up()
    page.wait_for_selector(".chip")
    settled(page)
    evaluation = rs.evaluate(QRELS, str(RUNS), "AP")
    hard = dict(zip(evaluation.topics, (1 - evaluation.values[0].mean(axis=0)).tolist(), strict=True))
    topics = query(page)["topics"].split(",")
    easier = [value for topic, value in hard.items() if topic not in topics]
    assert min(hard[topic] for topic in topics) >= max(easier)  # all of the right half
    chart.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer h2")
    assert page.locator("#drawer h2").inner_text() == f"Topic {max(hard, key=lambda topic: hard[topic])}"


def test_search_keeps_the_focus_while_letters_come(page: Any, serving: rs.Serving) -> None:
    visit(page, serving)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "topic-search"
    page.keyboard.type("bear att", delay=60)
    page.wait_for_function("() => location.search.includes('search=bear+att')")
    settled(page)
    assert page.evaluate("document.activeElement.id") == "topic-search"
    assert page.locator("#topic-search").input_value() == "bear att"
    assert page.locator("#content table.rows tbody th").all_inner_texts() == ["101"]
    page.get_by_role("button", name="Brush these 1").click()
    page.wait_for_function("() => location.search.includes('topics=101')")


def test_orders_and_colours_are_chosen(page: Any, serving: rs.Serving) -> None:
    visit(page, serving, "&a=bm25&b=ql")
    for pick, value in (
        ("pick-by", "median"),
        ("pick-order", "difference"),
        ("pick-rows", "name"),
        ("pick-against", "spread"),
    ):
        page.locator(f"#{pick}").select_option(value)
        page.wait_for_function(f"() => location.search.includes('{value}')")
        settled(page)
    evaluation = rs.evaluate(QRELS, str(RUNS), "AP").of_runs(["bm25", "ql"])
    apart = (evaluation.values[0, 0] - evaluation.values[0, 1]).tolist()
    worst = evaluation.topics[int(np.argmin(apart))]
    assert page.locator("#content table.rows tbody th").first.inner_text() == worst
    assert page.locator("#pick-by").input_value() == "median"
    page.go_back()
    page.wait_for_function("() => document.getElementById('pick-against').value === 'correlation'")


def test_many_topics_share_columns_that_open(crowded: Any) -> None:
    assert crowded.evaluate("document.querySelectorAll('*').length") < 1500
    crowded.locator("#heat-map").focus()
    crowded.keyboard.press("ArrowRight")
    assert crowded.locator(".tip:visible").inner_text().startswith("early, 2 topics, 1 to 2: mean ")
    for _ in range(20):
        crowded.keyboard.press("PageDown")
    crowded.keyboard.press("Enter")
    crowded.wait_for_function("() => location.search.includes('window=48')")
    settled(crowded)
    assert "of 900" in crowded.locator("#content").inner_text()
    first = crowded.locator("#content table.rows").last.locator("tbody th").first.inner_text()
    crowded.locator("#window-after").click()
    crowded.wait_for_function(f"() => !location.search.includes('start={int(first) - 1}&')")
    settled(crowded)
    shown = crowded.locator("#content table.rows").last.locator("tbody th").first.inner_text()
    assert int(shown) == int(first) + 48
    crowded.locator("#window-all").click()
    crowded.wait_for_function("() => !location.search.includes('window')")


def test_groups_filter_topics(crowded: Any) -> None:
    rows = crowded.locator("#content table.rows").first
    assert rows.locator("tbody th").all_inner_texts() == ["odd", "even", "(none)", "(micro)", "(macro)"]
    rows.get_by_role("link", name="even").click()
    crowded.wait_for_function("() => location.search.includes('group=even')")
    settled(crowded)
    assert "360 of 900 topics match" in crowded.locator("#content").inner_text()
    assert crowded.locator("#pick-group").input_value() == "even"


def test_topics_without_a_match_are_said_to_be_none(page: Any, serving: rs.Serving) -> None:
    visit(page, serving, "&search=nosuchtopic")
    assert "No topic matches" in page.locator("#content").inner_text()


def test_data_and_figure_can_be_taken(page: Any, serving: rs.Serving) -> None:
    visit(page, serving, "&a=bm25&b=ql&topics=101,102")
    for ending in ("TSV", "SVG"):
        with page.expect_download() as taken:
            page.locator("#exports").get_by_role("link", name=ending).click()
        text = Path(taken.value.path()).read_text(encoding="utf-8")
        if ending == "TSV":
            assert [line.split("\t")[0] for line in text.splitlines()[1:]] in (["101", "102"], ["102", "101"])
        else:
            assert text.startswith("<svg")
