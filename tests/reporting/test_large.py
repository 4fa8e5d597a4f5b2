"""Reports of large collections: many topics, many runs; small files that open at once."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.reporting import page_data
from rankscale.sample import QRELS, RUNS
from tests.reporting.conftest import data_of, unpacked

NODES = "document.querySelectorAll('*').length"
SOME = [path for path in RUNS if path.name.startswith("bm25")]


def many_topics(folder: Path, runs: int, topics: int, depth: int = 100) -> tuple[Path, list[Path]]:
    """Qrels and runs as files: 12 judged documents a topic, a few of which each run has near the top."""
    random = np.random.default_rng(0)
    judged = np.array([random.choice(3000, 12, replace=False) for _ in range(topics)])
    qrels = folder / "made.qrels"
    qrels.write_text(
        "".join(
            f"{topic} 0 d{d} {0 if i > 5 else 1 + i % 3}\n"
            for topic in range(topics)
            for i, d in enumerate(judged[topic])
        )
    )
    files = []
    for run in range(runs):
        lines = []
        for topic in range(topics):
            ranking = random.choice(3000, depth, replace=False)
            count = random.integers(2, 8)
            ranking[np.minimum(random.geometric(0.08 + 0.02 * run, count), depth) - 1] = random.choice(
                judged[topic], count
            )
            kept = dict.fromkeys(ranking.tolist())
            lines += [f"{topic} Q0 d{d} {rank} {depth - rank} system{run}\n" for rank, d in enumerate(kept, start=1)]
        files.append(folder / f"{run}.run")
        files[-1].write_text("".join(lines))
    return qrels, files


@pytest.mark.slow
def test_seven_thousand_topics(opened: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    rs.write_report(*many_topics(tmp_path, 4, 7000), path)
    assert path.stat().st_size < 6_000_000
    page = opened(path)
    assert page.evaluate(NODES) < 10_000
    shown = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert shown < 1000, "milliseconds until something is seen"
    assert page.locator("#topics-table tbody tr").count() == 100
    page.get_by_label("Find a topic").fill("6999")
    assert page.locator("#topics-table tbody th").all_text_contents() == ["6999"]
    page.evaluate("Promise.all([...document.querySelectorAll('.chart')].map(drawFigure)).then(() => true)")
    assert page.evaluate(NODES) < 10_000
    page.locator("#topics-table button.open").first.click()
    assert page.locator("#ranking-title").text_content().endswith(", topic 6999")
    assert page.complaints == []


@pytest.mark.slow
def test_all_runs_of_trec_8(opened: Any, trec_8: Any, tmp_path: Path) -> None:
    qrels, runs = trec_8
    path = tmp_path / "report.html"
    rs.write_report(qrels, runs, path)
    assert path.stat().st_size < 5_000_000
    page = opened(path)
    assert page.evaluate(NODES) < 10_000
    assert page.locator("#runs tbody tr").count() == 129
    assert all(page.evaluate("runs.map((_, run) => topics.some((_, topic) => canOpen(run, topic)))"))


def test_topics_are_shown_a_page_at_a_time(opened: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    rs.write_report(*many_topics(tmp_path, 2, 230, 20), path, ["P@10", "AP"])
    page = opened(path)
    rows = page.locator("#topics-table tbody th")
    everything = set(rows.all_text_contents())
    for count in (100, 30):
        page.locator("#topics-table-pager").get_by_role("button", name="Next").click()
        assert rows.count() == count
        everything.update(rows.all_text_contents())
    assert len(everything) == 230
    assert "201 to 230 of 230" in page.locator("#topics-table-pager").text_content()
    page.locator("#topics-table thead button").first.click()
    assert rows.first.text_content() == "0"
    with page.expect_download() as saved:
        page.locator("button.save[data-saves='topics-table']").click()
    assert len(Path(saved.value.path()).read_text().splitlines()) == 231


def test_ranks_and_runs_that_do_not_fit_are_left_out(
    monkeypatch: pytest.MonkeyPatch, opened: Any, tmp_path: Path
) -> None:
    whole = data_of(rs.report(QRELS, SOME, "AP").html())["rankings"]
    lengths = unpacked(whole["length"], "i4")
    assert whole["ranks"] == lengths.max()
    assert len(unpacked(whole["grades"], "u1")) == lengths.sum()
    monkeypatch.setattr(page_data, "BYTES", 20_000)
    monkeypatch.setattr(page_data, "NAMES_BYTES", 20_000)
    few = data_of(rs.report(QRELS, SOME, "AP").html())["rankings"]
    assert len(unpacked(few["grades"], "u1")) == np.minimum(lengths, few["ranks"]).sum() <= 20_000
    assert np.minimum(lengths, few["ranks"] + 1).sum() > 20_000
    monkeypatch.setattr(page_data, "BYTES", 1000)
    path = tmp_path / "report.html"
    made = rs.write_report(QRELS, SOME, path, "AP", inspect="bm25-rm3")
    page = opened(path)
    kept = {"bm25-rm3", made.results.comparison.runs[0]}
    assert set(page.evaluate("runs.filter((_, run) => canOpen(run, 0))")) == kept
    assert set(page.locator("button.open").evaluate_all("all => all.map(one => runs[one.dataset.run])")) <= kept
    assert "no ranking in this page" in page.locator("#both-rankings").text_content()
    assert page.complaints == []


def test_of_very_many_pairs_those_with_the_best_run_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = data_of(rs.report(QRELS, SOME, "AP").html())["pairs"]
    monkeypatch.setattr("rankscale.reporting.page_data.MOST_PAIRS", 10)
    few = data_of(rs.report(QRELS, SOME, "AP").html())["pairs"]
    assert (whole["partial"], few["partial"]) == (False, True)
    assert set(unpacked(few["first"], "u2").tolist()) == {0}
    assert len(unpacked(few["p"], "f8")) == len(SOME) - 1


def test_grades_are_those_of_the_rankings() -> None:
    data = data_of(rs.report(QRELS, SOME, "AP").html())
    rankings = data["rankings"]
    lengths = unpacked(rankings["length"], "i4").reshape(len(data["runs"]), -1)
    grades = unpacked(rankings["grades"], "u1")
    qrels = rs.read_qrels(QRELS).to_dict()
    run = rs.read_runs(QRELS, next(path for path in SOME if path.name == "bm25.txt.xz"), keep_documents=True)[0]
    row, place = data["runs"].index("bm25"), data["topics"].index("120")
    start = lengths[:row].sum() + lengths[row, :place].sum()
    assert run.documents is not None
    expected = [qrels["120"].get(document) for document in run.documents[place]]
    shown = grades[start : start + lengths[row, place]].tolist()
    assert [None if code == 255 else rankings["levels"][code] for code in shown] == expected
