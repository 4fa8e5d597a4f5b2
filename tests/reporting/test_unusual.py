"""Reports of unusual runs: low is good, nothing is relevant, values are undefined or infinite, names are no UTF-8."""

import json
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
from rankscale.measures.base.relative_position import DEPTH
from rankscale.measures.twist import Twist
from rankscale.reporting.report import report
from rankscale.sample import QRELS, RUNS

SOME = [path for path in RUNS if path.name.startswith("d")]


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def words_of(page: str) -> str:
    return " ".join(re.sub(r"<script.*?</script>|<[^>]*>", " ", page, flags=re.DOTALL).split())


def opened(browser: Any, page: str, tmp_path: Path) -> Any:
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    tab = browser.new_page()
    tab.complaints = []
    tab.on("console", lambda message: tab.complaints.append(message.text))
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    tab.goto(path.as_uri())
    tab.evaluate("Promise.all([...document.querySelectorAll('.chart')].map(drawFigure)).then(() => true)")
    return tab


def test_where_low_is_good_the_lowest_stands_first_and_agreement_is_negative() -> None:
    page = report(QRELS, SOME, ["ESL(n=5)", "AP", "RR"]).html()
    head = re.search(r'aria-sort="ascending"><button type="button">([^<]*)', page)
    assert head
    assert head[1] == "ESL(n=5)"
    words = words_of(page)
    assert "low is good for ESL(n=5): agreement with measures for which high is shows as negative" in words
    assert "agree least are ESL(n=5) and AP (tau -1" not in words


def test_undefined_values_are_sorted_last_both_ways(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, report(QRELS, SOME, ["ESL(n=60)", "AP"]).html(), tmp_path)
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
def test_where_nothing_is_relevant_sections_say_so(browser: Any, tmp_path: Path, measures: list[str]) -> None:
    qrels = {topic: dict.fromkeys("abc", 0.0) for topic in ("1", "2")}
    runs = {name: {topic: {"a": 2.0, "x": 1.0} for topic in qrels} for name in ("one", "other")}
    page = report(qrels, runs, measures).html()
    assert "there is no ideal ranking to compare with" in words_of(page)
    assert 'id="effort-gain"' not in page
    tab = opened(browser, page, tmp_path)
    tab.locator("#topics-table button.open").first.click()
    assert "no ideal ranking" in str(tab.locator("#ranking-note").text_content())
    assert tab.complaints == []
    tab.close()


def test_infinite_values_are_drawn_as_crosses(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, report(QRELS, SOME, ["balance", "AP"]).html(), tmp_path)
    assert tab.complaints == []
    assert tab.locator(".chart .marks").count() == tab.locator(".chart").count() > 1
    tab.close()


def test_what_is_relevant_and_judged_reaches_effort_and_rankings() -> None:
    made = report(QRELS, SOME, ["nDCG@10"], rel=2, judged_only=True)
    points = data_of(made.html())
    expected = rs.evaluate(QRELS, SOME, Twist(rel=2), judged_only=True)
    for point in points["points"][:50]:
        assert point["effort"] == pytest.approx(
            expected.by_topic(point["run"], "Twist(rel=2)")[point["topic"]], abs=1e-6
        )
    qrels = rs.read_qrels(QRELS)
    topic = qrels.topics.index("105")
    assert points["rankings"]["topics"]["105"]["recall_base"] == qrels.counts[topic, qrels.levels >= 2].sum()
    curve = rs.curves(QRELS, SOME, "CRP(rel=2)", judged_only=True).by_run("105")["dense-base"]
    drawn = points["rankings"]["curves"]["dense-base"]["105"]
    assert drawn["crp"] == curve[np.array(drawn["ranks"]) - 1].tolist()


def test_the_seed_reaches_tests_that_draw_by_chance() -> None:
    drawn: Any = report(QRELS, SOME, ["P@10"], test="randomised tukey", seed=7).results.comparison.test
    assert drawn.seed == 7
    assert report(QRELS, SOME, ["P@10"], seed=7).results.comparison.test.name == "student"


def test_the_worst_order_is_as_long_as_twist_looks() -> None:
    data = data_of(report(QRELS, SOME, ["nDCG@10"]).html())["rankings"]
    assert max(data["ranks"]) < DEPTH // 2  # rankings end long before
    for of_topic in data["topics"].values():
        relevant = of_topic["recall_base"]
        assert of_topic["crp"][-1] == -relevant * (relevant + 1) // 2


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


def test_a_page_is_printed_to_its_width(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, report(QRELS, SOME, title="x" * 300).html(), tmp_path)
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": 700, "height": 1000})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 700
    tab.close()


@pytest.mark.parametrize("width", [400, 1280])
def test_long_names_stay_within_the_page(browser: Any, tmp_path: Path, width: int) -> None:
    topics = [str(number) for number in range(4)]
    qrels = {topic: {"a": 1.0, "b": 0.0} for topic in topics}
    runs = {f"{'x' * 120}{end}": {topic: {"a": end, "b": 1.0} for topic in topics} for end in (0.0, 2.0)}
    tab = opened(browser, report(qrels, runs, ["P@1", "AP"]).html(), tmp_path)
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
    assert set(data_of(page)["rankings"]["curves"]) == {"bm25.txt", "tfidf.txt"}
    assert "another run has the name same too" in words_of(page)


def test_an_opened_ranking_is_drawn_as_its_curve_goes() -> None:
    """The page's own rule: straight lines between ranks down to the recall base, steps beyond."""
    data = data_of(report(QRELS, SOME, ["AP"]).html())["rankings"]
    curves = rs.curves(QRELS, SOME, "CRP")
    for run, of_topics in data["curves"].items():
        for topic, drawn in of_topics.items():
            true, ranks, points = curves.by_run(topic)[run], drawn["ranks"], []
            for place, (rank, value) in enumerate(zip(ranks, drawn["crp"], strict=True)):
                before = ranks[place - 1] if place else rank
                if rank - before > 1 and before >= data["topics"][topic]["recall_base"]:
                    points.append((rank - 1, drawn["crp"][place - 1]))
                points.append((rank, value))
            at, values = np.array(points, dtype=float).T
            shown = np.interp(np.arange(1, len(true) + 1), at, values)
            assert np.abs(shown - true).max() <= 0.02 * np.ptp(true), (run, topic)


def test_without_a_direction_no_run_beats_another() -> None:
    page = report(QRELS, SOME, ["CRP", "AP"]).html()
    heads = re.findall(r'<button type="button">([^<]*)</button>', page)
    assert {"higher than", "lower than"} <= set(heads)
    assert not {"beats", "beaten by"} & set(heads)


def test_the_caution_is_shown_with_its_reason() -> None:
    words = unescape(words_of(report(QRELS, SOME, ["GMAP", "AP"]).html()))
    assert "GMAP is an ordinal measure, so its geometric mean and Student's paired t test assume equal steps" in words
    assert "Not meaningful: the geometric mean asks for a ratio scale, and GMAP is on an ordinal one." in words


def test_measures_that_all_agree_alike_are_not_said_to_agree_least() -> None:
    words = words_of(report(QRELS, SOME[:2], ["nDCG@10", "AP", "P@10"]).html())
    assert "All measures rank the runs identically (tau 1)." in words
    assert "agree least" not in words
