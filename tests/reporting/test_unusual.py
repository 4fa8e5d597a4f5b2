"""Reports of unusual runs: low is good, nothing is relevant, values are undefined or infinite, names are no UTF-8."""

import lzma
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.report import command
from rankscale.measures.twist import Twist
from rankscale.reporting.report import report
from rankscale.sample import QRELS, RUNS
from tests.reporting.conftest import by_ranking, data_of, unpacked

SOME = [path for path in RUNS if path.name.startswith("d")]


def words_of(page: str) -> str:
    return " ".join(re.sub(r"<script.*?</script>|<[^>]*>", " ", page, flags=re.DOTALL).split())


def opened(context: Any, page: str, tmp_path: Path) -> Any:
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    tab = context().new_page()
    tab.complaints = []
    tab.on("console", lambda message: tab.complaints.append(message.text))
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    tab.goto(path.as_uri())
    tab.evaluate("Promise.all([...document.querySelectorAll('.chart')].map(drawFigure)).then(() => true)")
    return tab


def test_where_low_is_good_the_lowest_stands_first_and_agreement_is_negative() -> None:
    page = report(QRELS, SOME, ["ESL(n=5)", "AP", "RR"]).html()
    heads = re.findall(r'aria-sort="ascending"><button type="button">([^<]*)', page)
    assert heads[:2] == ["place", "ESL(n=5)"]
    words = words_of(page)
    assert "low is good for ESL(n=5): agreement with measures for which high is shows as negative" in words
    assert "agree least are ESL(n=5) and AP (tau -1" not in words


def test_undefined_values_are_sorted_last_both_ways(context: Any, tmp_path: Path) -> None:
    tab = opened(context, report(QRELS, SOME, ["ESL(n=60)", "AP"]).html(), tmp_path)
    for _ in range(2):
        tab.locator("#topics-table thead button").nth(2).click()
        means = tab.evaluate(
            "[...document.querySelectorAll('#topics-table tbody tr')].map(r => r.cells[2].textContent)"
        )
        undefined = [mean == "-" for mean in means]
        assert any(undefined)
        assert undefined == sorted(undefined)
    assert tab.complaints == []
    tab.close()


@pytest.mark.parametrize("measures", [["nDCG@10", "AP"], ["AP", "Twist"]])
def test_where_nothing_is_relevant_sections_say_so(context: Any, tmp_path: Path, measures: list[str]) -> None:
    qrels = {topic: dict.fromkeys("abc", 0.0) for topic in ("1", "2")}
    runs = {name: {topic: {"a": 2.0, "x": 1.0} for topic in qrels} for name in ("one", "other")}
    page = report(qrels, runs, measures).html()
    assert "there is no ideal ranking to compare with" in words_of(page)
    assert 'id="effort-gain"' not in page
    tab = opened(context, page, tmp_path)
    assert tab.locator("#topics-table tbody tr").count() == 2
    assert tab.locator("button.open").count() == 0
    assert tab.complaints == []
    tab.close()


def test_infinite_values_break_nothing(context: Any, tmp_path: Path) -> None:
    tab = opened(context, report(QRELS, SOME, ["balance", "AP"]).html(), tmp_path)
    assert tab.complaints == []
    assert tab.locator(".chart .marks").count() == tab.locator(".chart").count() > 1
    tab.close()


def test_what_is_relevant_and_judged_reaches_effort_and_rankings() -> None:
    made = report(QRELS, SOME, ["nDCG@10"], rel=2, judged_only=True)
    data = data_of(made.html())
    expected = rs.evaluate(QRELS, SOME, Twist(rel=2), judged_only=True)
    for (run, topic), value in list(by_ranking(data, unpacked(data["effort"]["effort"], "f4")).items())[:50]:
        assert value == pytest.approx(expected.by_topic(run, "Twist(rel=2)")[topic], abs=1e-6)
    lengths = by_ranking(data, unpacked(data["rankings"]["length"], "i4"))
    whole = rs.read_runs(QRELS, [path for path in SOME if path.name.startswith("dense-base")])[0]
    judged = dict(zip(rs.read_qrels(QRELS).topics, np.diff(whole.starts).tolist(), strict=True))
    assert lengths["dense-base", "105"] == judged["105"], "unjudged documents are taken out"


def test_the_seed_reaches_tests_that_draw_by_chance() -> None:
    drawn: Any = report(QRELS, SOME, ["P@10"], test="randomised tukey", seed=7).results.comparison.test
    assert drawn.seed == 7
    assert report(QRELS, SOME, ["P@10"], seed=7).results.comparison.test.name == "student"


def test_names_that_are_no_utf_8_are_the_same_everywhere(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{topic} 0 d{document} {document % 2}\n" for topic in (1, 2, 3) for document in range(4)))
    for name in (b"bad\xff", b"good"):
        lines = b"".join(b"%d Q0 d%d 1 %d " % (topic, name[0] % 2, topic) + name + b"\n" for topic in (1, 2, 3))
        (tmp_path / name[:3].decode()).write_bytes(lines)
    page = report(qrels, [tmp_path / "bad", tmp_path / "goo"], ["P@1"]).html()
    page.encode()
    assert "bad\N{REPLACEMENT CHARACTER}" in words_of(page)
    assert "bad?" not in page


def test_a_page_is_printed_to_its_width(context: Any, tmp_path: Path) -> None:
    tab = opened(context, report(QRELS, SOME, title="x" * 300).html(), tmp_path)
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": 700, "height": 1000})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 700
    tab.close()


@pytest.mark.parametrize("width", [400, 1280])
def test_long_names_stay_within_the_page(context: Any, tmp_path: Path, width: int) -> None:
    topics = [str(number) for number in range(4)]
    qrels = {topic: {"a": 1.0, "b": 0.0} for topic in topics}
    runs = {f"{'x' * 120}{end}": {topic: {"a": end, "b": 1.0} for topic in topics} for end in (0.0, 2.0)}
    tab = opened(context, report(qrels, runs, ["P@1", "AP"]).html(), tmp_path)
    tab.set_viewport_size({"width": width, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.close()


def test_a_page_is_printed_to_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run: Callable[..., Any] = CliRunner().invoke
    outcome = run(command, [str(QRELS), *map(str, SOME), "-m", "P@10", "-o", "-"])
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith("<!doctype html>")
    assert not list(tmp_path.iterdir())


def test_runs_with_one_name_are_called_by_their_files(tmp_path: Path) -> None:
    for name in ("bm25", "tfidf"):
        lines = lzma.decompress(next(path for path in RUNS if path.name == f"{name}.txt.xz").read_bytes()).splitlines()
        renamed = [b" ".join([*line.split()[:5], b"same"]) for line in lines]
        (tmp_path / f"{name}.txt").write_bytes(b"\n".join(renamed) + b"\n")
    page = report(QRELS, sorted(tmp_path.glob("*.txt")), ["AP", "P@10"]).html()
    assert set(data_of(page)["runs"]) == {"bm25.txt", "tfidf.txt"}
    assert "another run has the name same too" in words_of(page)


@pytest.mark.parametrize(
    "section", ["summary", "leaderboard", "compare", "topics", "effort", "rankings", "agreement", "statements"]
)
def test_a_section_alone_needs_no_other(context: Any, tmp_path: Path, section: str) -> None:
    page = report(QRELS, SOME, ["P@10", "AP"], sections=section).html()
    has_figures = section in {"rankings", "agreement"}
    assert ("unsafe-eval" in page[:1000]) == has_figures, "only pages with figures of Vega make functions"
    tab = opened(context, page, tmp_path)
    assert tab.complaints == []
    assert tab.locator("main section").count() == 1
    tab.close()


def test_without_a_direction_no_run_beats_another() -> None:
    page = report(QRELS, SOME, ["CRP", "AP"]).html()
    heads = re.findall(r'<button type="button">([^<]*)</button>', page)
    assert {"higher than", "lower than"} <= set(heads)
    assert not {"beats", "beaten by"} & set(heads)


def test_the_caution_is_shown_with_its_reason() -> None:
    words = unescape(words_of(report(QRELS, SOME, ["GMAP", "AP"]).html()))
    assert "GMAP is an ordinal measure, and a geometric mean needs a ratio scale" in words
    assert "GMAP is an ordinal measure, so" not in words
    assert "Not meaningful: the geometric mean asks for a ratio scale, and GMAP is on an ordinal one." in words


def test_measures_that_all_agree_alike_are_not_said_to_agree_least() -> None:
    made = report(QRELS, [*SOME[:2], RUNS[0]], ["nDCG@10", "AP", "P@10"])
    words = words_of(made.html())
    assert "All measures rank the runs identically (tau 1)." in words
    assert "agree least" not in words
