"""How the page of a report is read: its first screen, its links and state, two runs, one ranking, paper and phones."""

import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.reporting.parts import Bullets, Conclusion, Drawing
from rankscale.sample import QRELS, RUNS
from tests.reporting.conftest import judgments
from tests.reporting.printed import printed_pages

Opened = Callable[..., Any]
ENDS = ("difference", "upper", "lower")
BM25 = [path for path in RUNS if path.name.startswith("bm25")]
TAB_STOPS = """[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')]
    .filter(one => one.tabIndex >= 0 && !one.disabled && one.checkVisibility()).length"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the sample as `rankscale demo` makes it."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    rs.write_report(QRELS, RUNS, str(path), title="The sample collection")
    return path


@pytest.fixture(scope="module")
def documents() -> dict[tuple[str, str], list[str]]:
    """Documents by run and topic, in order, read from the files line by line."""
    found: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for path in RUNS:
        if path.name.split(".")[0] in {"bm25-ce-pair", "manual", "bm25"}:
            with lzma.open(path, "rt") as lines:
                for topic, _, document, _, score, run in map(str.split, lines):
                    found.setdefault((run, topic), []).append((float(score), document))
    return {key: [name for _, name in sorted(scored, reverse=True)] for key, scored in found.items()}


def test_the_first_screen_says_who_leads_and_shows_the_leaderboard(opened: Opened, plain: Path) -> None:
    page = opened(plain, width=1000)
    assert page.locator("h1").text_content() == "The sample collection"
    compared = rs.compare(rs.evaluate(QRELS, RUNS, "nDCG@10"))
    near = np.count_nonzero(~compared.significant[compared.pairs.first == 0])
    headline = f"{compared.runs[0]} leads by nDCG@10; {near} runs cannot be told apart from it."
    assert page.locator(".headline").text_content() == headline
    assert page.locator("#runs tbody tr").first.bounding_box()["y"] < 700
    assert page.locator("#summary > ul li").count() <= 3
    assert (
        page.evaluate("document.querySelectorAll('#statements details[open], #provenance details[open]').length") == 0
    )


def test_tab_stops_are_few(opened: Opened, plain: Path) -> None:
    page = opened(plain)
    assert page.evaluate(TAB_STOPS) <= 60
    links = page.locator("#runs tbody a")
    links.first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == links.nth(1).text_content()


@pytest.mark.parametrize("width", [390, 1280])
def test_links_land_where_they_should(opened: Opened, sample_report: Path, width: int) -> None:
    """Places of figures are kept before these are drawn, so that nothing moves once they are."""
    page = opened(sample_report, width=width, reduced_motion="reduce")
    margin = 8
    for name in ("topics", "agreement", "overlap", "robustness", "provenance"):
        page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
        page.locator(f"nav a[href='#{name}']").click()
        page.evaluate("Promise.all([...document.querySelectorAll('.chart')].map(drawFigure)).then(() => true)")
        top = page.locator(f"#{name}").bounding_box()["y"]
        bottom = page.evaluate("document.documentElement.scrollHeight - scrollY - innerHeight")
        assert abs(top - margin) <= 3 or bottom <= 3, name
    deep = opened(sample_report, "#agreement", width=width)
    deep.evaluate("Promise.all([...document.querySelectorAll('.chart')].map(drawFigure)).then(() => true)")
    deep.wait_for_function(
        "margin => Math.abs(byId('agreement').getBoundingClientRect().top - margin) <= 3", arg=margin
    )


@pytest.mark.parametrize("report", ["sample_report", "hostile_report"])
def test_a_phone_never_scrolls_sideways(opened: Opened, report: str, request: pytest.FixtureRequest) -> None:
    page = opened(request.getfixturevalue(report), width=390)
    page.evaluate("Promise.all([...document.querySelectorAll('.chart')].map(drawFigure)).then(() => true)")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for box in page.locator(".chart .marks, .canvas").all():
        assert box.bounding_box()["width"] <= 390
    page.evaluate("openRanking(0, 0)")
    assert page.locator("#ranking").evaluate("one => one.scrollWidth <= one.clientWidth")


def test_differences_are_those_to_the_best_with_simultaneous_intervals(opened: Opened, plain: Path) -> None:
    rows = rs.compare(rs.evaluate(QRELS, RUNS, "nDCG@10")).rows(simultaneous=True)
    expected = {
        row["other"]: "{:+.3f} [{:+.3f}, {:+.3f}]".format(*(-float(row[name] or 0) for name in ENDS))
        for row in rows
        if row["run"] == "bm25-ce-pair"
    }
    page = opened(plain)
    shown = page.evaluate(
        "[...byId('runs').tBodies[0].rows].map(row => [row.cells[1].textContent, row.cells[4].textContent])"
    )
    assert dict(shown[1:]) == expected
    hollow = page.evaluate(
        "[...byId('runs').tBodies[0].rows].filter(row => row.querySelector('.hole'))"
        ".map(row => row.cells[1].textContent)"
    )
    assert hollow == [row["other"] for row in rows if row["run"] == "bm25-ce-pair" and not row["significant"]]


def test_two_runs_are_compared_down_to_their_documents(
    opened: Opened, plain: Path, documents: dict[tuple[str, str], list[str]]
) -> None:
    page = opened(plain, "#compare?a=manual&b=bm25")
    values = rs.evaluate(QRELS, RUNS, "nDCG@10")
    manual, bm25 = (values.by_topic(run, "nDCG@10") for run in ("manual", "bm25"))
    gaps = {topic: manual[topic] - bm25[topic] for topic in manual}
    wins = sorted(gaps, key=lambda topic: -gaps[topic])[:5]
    assert page.locator("#wins tbody th").all_text_contents() == wins
    assert page.locator("#wins tbody td:last-child").all_text_contents() == [f"{gaps[topic]:+.4f}" for topic in wins]
    better = sum(gap > 0 for gap in gaps.values())
    assert f"manual is better on {better} of 50 topics" in page.locator("#pair-sentence").text_content()
    assert page.locator("#pair-topic").input_value() == max(gaps, key=lambda topic: abs(gaps[topic]))
    page.locator("#losses tbody button").first.click()
    topic = page.locator("#pair-topic").input_value()
    assert page.locator("#differences").get_attribute("aria-valuetext").startswith(f"topic {topic}: ")
    assert gaps[topic] == min(gaps.values())
    grades = {(of, document): grade for of, document, grade in judgments()}
    for place, run in enumerate(("manual", "bm25")):
        names = page.locator("#both-rankings ol").nth(place).locator(".name").all_text_contents()
        assert names == documents[run, topic][:20]
        shown = page.locator("#both-rankings ol").nth(place).locator(".grade").all_text_contents()
        assert shown == [str(grades.get((topic, name), "?")) for name in names]


def test_bars_are_chosen_by_keyboard(opened: Opened, plain: Path) -> None:
    page = opened(plain)
    bars = page.locator("#differences")
    bars.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert page.locator("#pair-topic").input_value() == page.locator("#losses tbody th").first.text_content()
    assert bars.get_attribute("aria-valuetext").startswith(f"topic {page.locator('#pair-topic').input_value()}: -")


def test_the_address_has_what_is_chosen(opened: Opened, plain: Path) -> None:
    page = opened(plain)
    assert page.evaluate("location.hash") == ""
    page.locator("#runs tbody a").filter(has_text="tfidf").click()
    page.locator("#pair-topic").select_option("120")
    page.locator("#topics-table thead button").nth(1).click()
    again = opened(plain, page.evaluate("location.hash"))
    assert [again.locator(f"#{name}").input_value() for name in ("run-a", "run-b", "pair-topic")] == [
        "tfidf",
        "bm25-ce-pair",
        "120",
    ]
    assert again.locator("#topics-table thead th").nth(1).get_attribute("aria-sort") == "descending"
    strange = opened(plain, "#nowhere?a=nobody&topic=%3Cb%3E&sort=runs.99.up&ranking=x")
    assert strange.locator("#run-a").input_value() == "bm25-ce-pair"
    assert strange.complaints == []


def test_an_opened_ranking_has_its_documents_and_neighbours(
    opened: Opened, plain: Path, documents: dict[tuple[str, str], list[str]]
) -> None:
    page = opened(plain, "#rankings?ranking=bm25&topic=105")
    title = page.locator("#ranking-title")
    assert title.text_content() == "bm25, topic 105"
    assert page.locator("#ranking-documents .name").all_text_contents() == documents["bm25", "105"][:20]
    page.keyboard.press("j")
    assert title.text_content() == "bm25, topic 106"
    page.get_by_role("button", name="Previous topic").click()
    runs = page.evaluate("runs")
    page.keyboard.press("p")
    assert title.text_content() == f"{runs[runs.index('bm25') - 1]}, topic 105"
    assert "ranking=" in page.evaluate("location.hash")
    page.keyboard.press("Escape")
    page.wait_for_function("!location.hash.includes('ranking=')")


def test_tables_are_saved_as_tab_separated_values(opened: Opened, plain: Path) -> None:
    page = opened(plain)
    with page.expect_download() as saved:
        page.locator("button.save[data-saves='runs']").click()
    lines = [line.split("\t") for line in Path(saved.value.path()).read_text(encoding="utf-8").splitlines()]
    assert saved.value.suggested_filename == "runs.tsv"
    assert lines[0][:4] == ["place", "run", "nDCG@10", "mean"]
    means = rs.evaluate(QRELS, RUNS, "nDCG@10").sorted_by("nDCG@10").means()
    assert [float(line[3]) for line in lines[1:]] == pytest.approx(means.values[0].tolist())
    with page.expect_download() as saved:
        page.locator("button.save[data-saves='topics-table']").click()
    assert len(Path(saved.value.path()).read_text(encoding="utf-8").splitlines()) == 51
    names = page.evaluate("[...document.querySelectorAll('table')].map(({id}) => id)")
    assert sorted(names) == sorted(
        page.evaluate("[...document.querySelectorAll('button.save')].map(one => one.dataset.saves)")
    )


def test_colours_are_those_of_the_system_until_they_are_switched(opened: Opened, plain: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = (opened(plain, color_scheme=scheme) for scheme in ("light", "dark"))
    assert light.evaluate(ground) == "rgb(255, 255, 255)"
    assert dark.evaluate(ground) == "rgb(22, 24, 28)"
    figure = (
        "drawFigure(byId('taus'))"
        ".then(() => document.querySelector('#taus .role-axis-label text').getAttribute('fill'))"
    )
    assert dark.evaluate(figure) == "#e8e8e8"
    dark.get_by_role("button", name="Light colours").click()
    assert dark.evaluate(ground) == "rgb(255, 255, 255)"
    assert dark.evaluate(figure) == "#1a1a1a"
    assert dark.complaints == []


def test_printed_tables_have_their_headings_on_every_page(opened: Opened, plain: Path) -> None:
    page = opened(plain)
    page.locator("#all-measures").evaluate("table => { table.closest('details').open = true; }")
    page.evaluate(
        "byId('runs').tBodies[0].append(...Array(4).fill([...byId('runs').tBodies[0].rows]).flat()"
        ".map(row => row.cloneNode(true)))"
    )
    pages = printed_pages(page.pdf(format="A4"))
    with_rows = [text for text in pages if text.count("bm25-ce-pair") and text.count("100.0%") > 5]
    assert len(with_rows) >= 2
    assert all("Judged@10" in text for text in with_rows)


def test_paper_is_white(opened: Opened, plain: Path) -> None:
    sizes = []
    for scheme in ("light", "dark"):
        page = opened(plain, color_scheme=scheme)
        sizes.append(len(page.pdf(format="A4", print_background=True)))
        assert page.locator(".chart svg.marks").count() == page.locator(".chart").count(), "all figures are printed"
        assert page.evaluate("isDark()") == (scheme == "dark"), "and the screen is as before"
    assert sizes[0] == sizes[1]


def test_alt_text_is_not_the_caption(plain: Path) -> None:
    text = plain.read_text(encoding="utf-8")
    made = rs.report(QRELS, BM25, ["AP", "P@10"])
    drawings = [part for section in made.sections for part in section.parts if isinstance(part, Drawing)]
    assert drawings
    for drawing in drawings:
        assert drawing.description not in drawing.title
    assert "<figcaption>Kendall&#39;s tau-b between measures: 24 runs, 50 topics.</figcaption>" in text


def test_a_report_of_two_runs_has_no_tau_and_no_box_plots() -> None:
    made = rs.report(QRELS, BM25[:2], ["nDCG@10", "AP"])
    (agreement,) = (section for section in made.sections if section.id == "agreement")
    assert not [part for part in agreement.parts if isinstance(part, Drawing)]
    assert "tau" not in str(agreement.parts)
    assert "This does not hold on every topic." in str(agreement.parts)
    assert made.results.standing.words == "95% interval", "there is one pair"
    values = rs.evaluate(QRELS, BM25[:2], ["nDCG@10", "AP"])
    assert "agreement" not in [section.id for section in rs.report(values).sections]


def test_nothing_on_the_page_is_a_path(tmp_path: Path) -> None:
    made = rs.report(QRELS, BM25, "AP", command="rankscale report qrels.txt.xz")
    assert made.title == f"{len(BM25)} runs, 50 topics"
    assert str(QRELS.parent) not in made.html()
    some = [*BM25[:2], next(path for path in RUNS if path.name.startswith("dense-zero"))]  # which lacks a topic
    options: Any = {"candidate": "dense-zero", "margin": 0.01, "overlap": True, "robustness": True, "agree": QRELS}
    full = rs.report(QRELS, some, "AP", **options)
    assert str(QRELS.parent) not in full.html()
    assert any(str(QRELS) in warning for warning in full.warnings), "which are not on the page"
    named = tmp_path / "robust04.qrels.xz"
    named.write_bytes(QRELS.read_bytes())
    assert rs.report(named, BM25, "AP").title == "robust04"


def test_a_badge_marks_statements_that_differ_alone() -> None:
    made = rs.report(QRELS, RUNS, "nDCG@10")
    sections = {section.id: section for section in made.sections}
    marked = [part.differs for part in sections["statements"].parts if isinstance(part, Conclusion)]
    assert sections["statements"].folded
    assert marked.count(True) == 1
    assert made.html().count('class="verdict"') == 1
    first = sections["summary"].parts[0]
    assert isinstance(first, Bullets)
    assert "on the interval version of nDCG@10 1 of 6 statements about the leading runs differs" in first.items[0]


def test_reversed_means_are_counted_and_marked() -> None:
    """By RR@10 dense-base is above bm25-bo1 (.6885, .6330), by the ranks themselves below (.8060, .8140)."""
    runs = [path for path in RUNS if path.name.split(".")[0] in {"bm25-bo1", "dense-base", "dense-hard"}]
    made = rs.report(QRELS, runs, "RR@10")
    sections = {section.id: section for section in made.sections}
    differing = [part for part in sections["statements"].parts if isinstance(part, Conclusion) and part.differs]
    assert [part.sentence.split(" cannot")[0] for part in differing] == ["dense-base and bm25-bo1"]
    assert "on the interval version: reversed (0.8060 against 0.8140, p = 1, 3 pairs, Holm)" in differing[0].lines
    first = sections["summary"].parts[0]
    assert isinstance(first, Bullets)
    assert "1 of 2 statements about the leading runs differs, 1 of them with means reversed" in first.items[0]
