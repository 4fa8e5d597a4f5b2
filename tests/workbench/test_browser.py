"""The workbench in a real browser: views, links, brushes, parameters, keys, history, two tabs, widths, print."""

import re
from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

import rankscale as rs
from rankscale.sample import QRELS
from tests.accessibility import serious_findings
from tests.workbench.conftest import RUNS

VIEWS = (
    "/",
    "/compare",
    "/topics?m=AP&by=median",
    "/topic/101",
    "/effort?m=AP&axes=rho:0:0.5",
    "/measures",
    "/judgments?m=P@10&pool=2",
)
OTHERS = ("/measures?value=interval", "/measures?measures=AP&m=AP", "/judgments?weigh=P@10&m=P@5")  # looked at once
WIDTHS = (1000, 390, 1400)
LONG = 90_000  # milliseconds, for a machine that has much else to do
FITS = """width => document.documentElement.scrollWidth <= width && innerWidth === width
    && document.body.dataset.shows === 'all'"""


def root(serving: rs.Serving) -> str:
    return serving.url.partition("/?")[0]


def query(page: Any) -> dict[str, str]:
    """The state in the address, as the page itself has it: `page.url` learns of a change a moment later."""
    return {name: values[0] for name, values in parse_qs(page.evaluate("location.search")[1:]).items()}


FRAMES = """count => new Promise(done => {
  const next = left => left ? requestAnimationFrame(() => next(left - 1)) : done();
  next(count);
})"""


def settled(page: Any) -> None:
    """Wait until the view, and the tests that come after it, are there."""
    page.wait_for_selector("body[data-shows=all]")


def first_run(page: Any) -> str:
    text: str = page.locator("#content tbody th a").first.inner_text()
    return text


def test_the_first_page_answers_who_leads(page: Any) -> None:
    settled(page)
    means = rs.evaluate(QRELS, str(RUNS), "nDCG@10").sorted_by("nDCG@10").means()
    assert first_run(page) == next(iter(means))
    assert page.locator("#content tbody tr:first-child td").nth(1).inner_text() == f"{means.values[0][0]:.4f}"
    assert re.search(
        r"leads by nDCG@10; .* told apart from it\.|every other run differs", page.locator(".headline").inner_text()
    )


def test_another_measure_reorders_the_leaderboard_and_back_restores_it(page: Any) -> None:
    settled(page)
    before = page.locator("#content tbody th a").all_inner_texts()
    page.locator("#measure").fill("RR")
    page.locator("#measure").press("Enter")
    page.wait_for_function("() => document.querySelector('caption')?.textContent.includes('by RR')")
    settled(page)
    assert query(page) == {"m": "RR"}
    assert page.locator("#content tbody th a").all_inner_texts() == list(
        rs.evaluate(QRELS, str(RUNS), "RR").sorted_by("RR").runs
    )
    page.go_back()
    page.wait_for_function("() => document.querySelector('caption')?.textContent.includes('by nDCG@10')")
    settled(page)
    assert page.locator("#content tbody th a").all_inner_texts() == before
    page.go_forward()
    page.wait_for_function("() => document.querySelector('caption')?.textContent.includes('by RR')")


def test_the_rail_leads_through_all_views_by_mouse_and_keys(page: Any, serving: rs.Serving) -> None:
    """What is chosen goes along, parameters change in any view, and back and forward restore all of it."""
    page.goto(f"{root(serving)}/?m=AP&a=bm25&b=ql")
    settled(page)
    titles: list[str] = []
    for number, link in enumerate(page.locator("#rail a").all()):
        if number % 2:
            link.click()
        else:
            link.focus()
            page.keyboard.press("Enter")
        page.wait_for_function(
            "place => document.querySelectorAll('#rail a')[place].ariaCurrent === 'page'", arg=number
        )
        settled(page)
        assert {"m": "AP", "a": "bm25", "b": "ql"}.items() <= query(page).items()
        titles.append(page.locator("h1").inner_text())
    assert titles[3].startswith("Topic ")
    assert [*titles[:3], *titles[4:]] == ["Overview", "Compare", "Topics", "Effort", "Measures", "Judgments"]
    page.get_by_label("relevant from").fill("2")
    page.get_by_label("relevant from").press("Enter")
    page.wait_for_function("() => decodeURIComponent(location.search).includes('AP(rel=2)')")
    settled(page)
    assert "AP(rel=2)" in page.locator("#content").inner_text()
    page.go_back()
    page.wait_for_function("() => !location.search.includes('rel')")
    for title in titles[-2::-1]:
        page.go_back()
        page.wait_for_function("title => document.querySelector('h1')?.textContent === title", arg=title)
    settled(page)
    page.go_forward()
    page.wait_for_function("() => document.querySelector('h1')?.textContent === 'Compare'")


def test_a_run_of_the_leaderboard_is_compared_and_pinned(page: Any, serving: rs.Serving) -> None:
    page.goto(f"{root(serving)}/?m=AP")
    settled(page)
    page.get_by_role(
        "button", name="ql as B", exact=True
    ).focus()  # far down: the table scrolls, and it keeps the focus
    page.wait_for_function("() => document.activeElement.ariaLabel === 'ql as B'")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('b').value === 'ql'")
    settled(page)
    link = page.locator("#content tbody th a", has_text=re.compile("^bm25$"))
    link.scroll_into_view_if_needed()
    page.evaluate(
        FRAMES, 3
    )  # rows are made anew after they scroll: a click on one that is being replaced would be lost
    link.click()
    page.wait_for_function("() => location.pathname === '/compare'")
    settled(page)
    assert {"a": "bm25", "b": "ql"}.items() <= query(page).items()
    means = rs.evaluate(QRELS, str(RUNS), "AP").means()
    assert f"{means['bm25', 'AP']:.4f}" in page.locator(".card").first.inner_text()


def test_a_slider_moves_a_parameter_while_it_keeps_the_focus(page: Any, serving: rs.Serving) -> None:
    page.goto(f"{root(serving)}/?m=RBP(p=0.5)")
    settled(page)
    slider = page.get_by_label("p, slider")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('0.55')")
    settled(page)
    assert page.evaluate("document.activeElement.dataset.slides") == "p"
    assert query(page)["m"] == "RBP(p=0.55)"
    best = rs.evaluate(QRELS, str(RUNS), "RBP(p=0.55)").sorted_by("RBP(p=0.55)")
    assert page.locator("#content tbody tr:first-child td").nth(1).inner_text() == f"{best.means().values[0][0]:.4f}"


def test_other_parameters(page: Any) -> None:
    page.get_by_label("relevant from").or_(page.get_by_label("depth")).first.wait_for()
    page.get_by_label("depth", exact=True).fill("5")
    page.get_by_label("depth", exact=True).press("Enter")
    page.wait_for_function("() => document.querySelector('caption')?.textContent.includes('nDCG@5')")
    page.get_by_label("unjudged documents").select_option("1")
    page.wait_for_function("() => location.search.includes('judged=1')")
    settled(page)
    expected = rs.evaluate(QRELS, str(RUNS), "nDCG@5", judged_only=True).sorted_by("nDCG@5").means()
    assert page.locator("#content tbody tr:first-child td").nth(1).inner_text() == f"{expected.values[0][0]:.4f}"


def test_a_mistake_is_answered_in_words_and_can_be_mended(browser: Any, serving: rs.Serving) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(serving.url)
    page.goto(f"{root(serving)}/?m=nDGC@10")
    assert "did you mean nDCG" in page.get_by_role("alert").inner_text()
    page.goto(f"{root(serving)}/compare?a=nobody")
    assert "unknown run 'nobody'" in page.get_by_role("alert").inner_text()
    context.close()


def box_of(page: Any, label: str) -> Any:
    canvas = page.locator(f"canvas[aria-label^='{label}']")
    canvas.scroll_into_view_if_needed()
    return canvas.bounding_box()


def test_brushing_with_the_mouse_recomputes_for_the_brushed_topics(page: Any, serving: rs.Serving) -> None:
    page.goto(f"{root(serving)}/compare?m=AP")
    settled(page)
    bars = box_of(page, "Bars")
    page.mouse.move(bars["x"] + bars["width"] * 0.15, bars["y"] + 60)
    page.mouse.down()
    page.mouse.move(bars["x"] + bars["width"] * 0.5, bars["y"] + 90, steps=5)
    page.mouse.up()
    page.wait_for_selector(".card.exploratory")
    settled(page)
    topics = query(page)["topics"].split(",")
    assert 5 < len(topics) < 40
    evaluation = rs.evaluate(QRELS, str(RUNS), "AP").of_topics(topics)
    a = page.locator("#a").input_value()
    assert f"{evaluation.means()[a, 'AP']:.4f}" in page.locator(".card.exploratory").inner_text()
    assert "Exploratory" in page.locator(".card.exploratory").inner_text()
    page.get_by_role("button", name="Show all topics").click()
    page.wait_for_function("() => !document.querySelector('.card.exploratory')")
    page.go_back()
    page.wait_for_selector(".card.exploratory")


def test_brushing_and_opening_with_the_keyboard(page: Any, serving: rs.Serving) -> None:
    page.goto(f"{root(serving)}/compare?m=AP")
    settled(page)
    page.locator("canvas[aria-label^='Bars']").focus()
    page.keyboard.press("ArrowRight")
    worst = page.locator("#content table.rows tbody tr:not(.filler) th").first.inner_text()
    assert page.locator(".tip:visible").inner_text().startswith(f"Topic {worst}:")
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector(".card.exploratory")
    assert len(query(page)["topics"].split(",")) == 5
    settled(page)
    page.locator("canvas[aria-label^='Bars']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer h2")
    assert page.locator("#drawer h2").inner_text() == f"Topic {worst}"
    page.keyboard.press("Escape")
    page.wait_for_selector("#drawer", state="hidden")


def test_a_click_on_a_bar_opens_both_rankings(page: Any, serving: rs.Serving) -> None:
    page.goto(f"{root(serving)}/compare?m=AP&a=manual&b=bm25")
    settled(page)
    bars = box_of(page, "Bars")
    page.mouse.click(bars["x"] + bars["width"] - 14, bars["y"] + 40)
    page.wait_for_selector("#drawer .lists li")
    topic = page.locator("#drawer h2").inner_text().removeprefix("Topic ")
    run = next(one for one in rs.read_runs(QRELS, str(RUNS), keep_documents=True) if one.name == "manual")
    topics = rs.read_qrels(QRELS).topics
    assert run.documents is not None
    names = run.documents[run.rows.tolist().index(topics.index(topic))]
    assert page.locator("#drawer .ranking.a .document").all_inner_texts() == list(names[:20])
    page.locator("#drawer").get_by_role("link", name="Open").click()
    page.wait_for_function("() => location.pathname.startsWith('/topic/')")
    settled(page)
    assert page.locator("h1").inner_text() == f"Topic {topic}"


def test_keys_walk_through_topics_and_runs(page: Any, serving: rs.Serving) -> None:
    page.goto(f"{root(serving)}/topic/101?a=bm25&b=ql")
    settled(page)
    page.keyboard.press("j")
    page.wait_for_function("() => location.pathname === '/topic/102'")
    page.wait_for_function("() => document.querySelector('h1')?.textContent === 'Topic 102'")
    page.keyboard.press("k")
    page.wait_for_function("() => document.querySelector('h1')?.textContent === 'Topic 101'")
    page.keyboard.press("s")
    page.wait_for_function("() => document.getElementById('a').value === 'ql'")
    settled(page)
    page.keyboard.press("n")
    page.wait_for_function("() => document.getElementById('a').value !== 'ql'")
    settled(page)
    page.keyboard.press("?")
    page.wait_for_selector("#help")
    page.keyboard.press("Escape")
    page.wait_for_selector("#help", state="hidden")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "measure"


def test_what_if_and_texts(page: Any, serving: rs.Serving) -> None:
    page.goto(f"{root(serving)}/topic/101?a=bm25&b=ql&m=P@5")
    settled(page)
    assert page.locator("#question").inner_text() == "black bear attacks"
    before = page.locator("#content table tbody tr").first.inner_text()
    row = page.locator(".ranking.a li").first
    name = row.locator(".document").inner_text()
    grade = rs.read_qrels(QRELS).grades("101").get(name, 0)
    row.get_by_label("What if: grade of").select_option("0" if grade >= 1 else "1")
    page.wait_for_selector(".notice")
    settled(page)
    after = page.locator("#content table tbody tr").first.inner_text()
    assert after != before
    assert query(page)["judge"] == f"{name}:{0 if grade >= 1 else 1}"
    with page.expect_download() as taken:
        page.get_by_role("link", name="Take the changed judgments as qrels").click()
    changed = rs.read_qrels(taken.value.path())
    assert changed.grades("101") == {**rs.read_qrels(QRELS).grades("101"), name: 0.0 if grade >= 1 else 1.0}
    page.get_by_role("button", name="Undo all").click()
    page.wait_for_function("() => !document.querySelector('.notice')")
    page.locator(".ranking.a li").nth(1).get_by_role("button", name="What if").click()
    page.wait_for_function("() => location.search.includes('swap=a1-2')")
    settled(page)
    assert page.locator(".ranking.a li").nth(1).locator(".document").inner_text() == name


def test_what_if_on_a_narrow_page(browser: Any, serving: rs.Serving) -> None:
    """Where lists have no room for it, a panel does what their rows do elsewhere; by mouse and by keys."""
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(serving.url)
    page.goto(f"{root(serving)}/topic/101?a=bm25&b=ql&m=P@5")
    settled(page)
    assert not page.locator(".ranking.a li").first.get_by_label("What if: grade of").is_visible()
    panel = page.locator("#what-if")
    panel.locator("summary").focus()
    page.keyboard.press("Enter")
    page.locator(".ranking.b li").nth(2).click()
    name = page.locator(".ranking.b li").nth(2).locator(".document").inner_text()
    assert panel.locator("#what-if-document").input_value() == "3"
    panel.get_by_role("button", name=f"What if {name} stood one rank higher").click()
    page.wait_for_function("() => location.search.includes('swap=b2-3')")
    settled(page)
    assert page.locator(".ranking.b li").nth(1).locator(".document").inner_text() == name
    grade = rs.read_qrels(QRELS).grades("101").get(page.locator(".ranking.b li").nth(2).inner_text(), 0)
    panel.get_by_label("What if: grade of").select_option("3" if grade != 3 else "0")
    page.wait_for_function("() => location.search.includes('judge=')")
    settled(page)
    assert panel.get_attribute("open") is not None  # it stays open while values change
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_what_tables_are_sorted_by_is_in_the_address(page: Any, serving: rs.Serving) -> None:
    def shown() -> list[str]:
        names: list[str] = (
            page.locator("#content table.rows").last.locator("tbody tr:not(.filler) th").all_inner_texts()
        )
        return names

    def sorted_by(column: str) -> None:
        heads = page.locator("#content table.rows").last.locator("thead button")
        heads.filter(has_text=re.compile(f"^{re.escape(column)}$")).click()

    settled(page)
    before = shown()
    sorted_by("judged@10")
    assert query(page)["sort"] == "runs:judged:down"
    by_judged = shown()
    assert by_judged != before
    sorted_by("run")
    assert shown() == sorted(shown(), key=str.lower)
    page.go_back()
    page.wait_for_function("() => location.search.includes('judged')")
    settled(page)
    assert shown() == by_judged
    page.reload()  # as one who was sent the link sees it
    settled(page)
    assert shown() == by_judged
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("judged@10")
    page.goto(f"{root(serving)}/topics?m=AP")
    settled(page)
    sorted_by("spread")
    sorted_by("spread")
    assert query(page)["sort"] == "topics:spread:up"
    for view, sort, column in (
        ("compare", "differences:A:up", "A"),
        ("effort", "rankings:gain:down", "AP"),
        ("measures", "flips:first%2520p:up,versions:tau:up", "tau"),
        ("judgments", "moves:change:down,next:runs:up", "runs"),
    ):
        page.goto(f"{root(serving)}/{view}?m=AP&pool=3&sort={sort}")
        settled(page)
        assert page.locator("#content th[aria-sort=ascending], #content th[aria-sort=descending]").count() == len(
            sort.split(",")
        ), view
        sorted_by(column)
        assert (
            page.locator("#content table.rows")
            .last.locator("th[aria-sort=ascending], th[aria-sort=descending]")
            .inner_text()
            .startswith(column)
        )


def test_the_cursor_is_on_one_rank_in_lists_and_curves(page: Any, serving: rs.Serving) -> None:
    page.goto(f"{root(serving)}/topic/101?a=bm25&b=ql")
    settled(page)
    page.locator("canvas[aria-label^='CRP of bm25']").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".lists li.at .rank")).to_have_text(["3", "3"], timeout=LONG)
    page.locator(".ranking.b li").nth(6).hover()
    expect(page.locator(".lists li.at .rank")).to_have_text(["7", "7"], timeout=LONG)


def test_two_tabs_do_not_disturb_each_other(browser: Any, serving: rs.Serving) -> None:
    context = browser.new_context()
    first, second = context.new_page(), context.new_page()
    first.goto(serving.url)
    first.goto(f"{root(serving)}/compare?m=AP&a=manual&b=ql")
    second.goto(f"{root(serving)}/compare?m=P@10&a=bm25&b=ql")
    settled(first)
    settled(second)
    second.locator("#measure").fill("RR")
    second.locator("#measure").press("Enter")
    second.wait_for_function("() => location.search.includes('m=RR')")
    first.reload()
    settled(first)
    assert first.locator("#measure").input_value() == "AP"
    assert first.locator("#a").input_value() == "manual"
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_views_fit_every_width_and_axe_finds_nothing_serious(browser: Any, serving: rs.Serving, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1400, "height": 900}, bypass_csp=True)
    page = context.new_page()
    page.goto(serving.url)
    for view in (*VIEWS, *(OTHERS if scheme == "light" else ())):
        page.goto(root(serving) + view)
        settled(page)
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert page.evaluate("document.querySelectorAll('*').length") < 5000
        if scheme == "light" and view in VIEWS:
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.wait_for_function(FITS, arg=width)
        if view == "/compare":
            page.keyboard.press("j")
            page.wait_for_selector("#drawer .lists li")
        assert not serious_findings(page, scheme), view
        if view == "/topic/101" and scheme == "light":
            page.set_viewport_size({"width": 390, "height": 900})
            page.wait_for_function(FITS, arg=390)
            page.locator("#what-if summary").click()
            assert not serious_findings(page, scheme, "#what-if")
            page.set_viewport_size({"width": 1400, "height": 900})
    context.close()


def test_views_that_are_opened_narrow_do_not_scroll_sideways_and_can_be_printed(
    visitor: Any, serving: rs.Serving
) -> None:
    page = visitor.new_page()
    page.set_viewport_size({"width": 390, "height": 800})
    for view in VIEWS:
        page.goto(root(serving) + view)
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, view
        assert page.pdf().startswith(b"%PDF")
    page.close()


def test_every_view_gives_data_figure_command_and_report(page: Any, serving: rs.Serving) -> None:
    for view in VIEWS[:5]:  # the others have tests of their own
        page.goto(root(serving) + view)
        settled(page)
        assert page.locator("#exports .command code").first.inner_text().startswith("rankscale ")
        for name in ("TSV", "JSON", "PDF", "SVG"):
            with page.expect_download(timeout=LONG) as taken:
                page.locator("#exports").get_by_role("link", name=name).click()
            assert taken.value.path().stat().st_size > 200
    with page.expect_download(timeout=LONG) as taken:
        page.locator("#exports").get_by_role("link", name="report").click()
    assert taken.value.path().read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_theme_can_be_chosen(page: Any) -> None:
    page.get_by_role("button", name="Light or dark").click()
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
