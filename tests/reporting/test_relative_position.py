"""What a report tells of relative positions: archetypes, pairs in gain and effort, and indicators of CRP by topic."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.figures.base.relative_positions import course as course_of
from rankscale.figures.indicators import indicators_figure
from rankscale.sample import QRELS, RUNS

SOME = [path for path in RUNS if path.name.startswith("bm25")][:4]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    rs.write_report(QRELS, SOME, str(path), ["AP", "Twist(rel=2)@100"], alpha=0.1, correction="bh")
    return path


def data_of(page: Path) -> Any:
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    assert data
    return json.loads(data[1])


def cells_of(page: Path, table: str) -> list[list[str]]:
    """The body of a table, cell by cell."""
    body = re.search(rf'<table id="{table}".*?<tbody>(.*?)</tbody>', page.read_text(), re.DOTALL)
    assert body
    rows = re.findall(r"<tr>(.*?)</tr>", body[1], re.DOTALL)
    return [[re.sub("<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def test_archetypes_are_those_of_the_study(page: Path) -> None:
    study = rs.archetypes(QRELS, SOME, depth=100, rel=2)
    shown = {row[0]: row[2:] for row in cells_of(page, "archetypes-table")}
    counts = {row["archetype"]: row for row in study.table()}
    medians = {(row["archetype"], row["ratio"]): row["median"] for row in study.table("ratios")}
    assert set(shown) == {name for name, row in counts.items() if row["rankings"]}
    for name, (rankings, share, *ratios) in shown.items():
        assert rankings == f"{counts[name]['rankings']:,}"
        assert share == f"{counts[name]['share']:.3f}"
        assert ratios == [f"{medians[name, ratio]:.4f}" for ratio in ("rho", "sigma", "Twist")]
    assert "archetype-ratios" in data_of(page)["figures"]


def test_pairs_are_tested_as_the_runs_are(page: Path) -> None:
    evaluation = rs.evaluate(QRELS, SOME, ["AP", "Twist(rel=2)@100"])
    study = rs.effort_gain(evaluation, "AP", "Twist(rel=2)@100", pairs=True, correction="bh", alpha=0.1)
    names = ("pairs", "gain_significant", "same", "opposite", "gain_only", "effort_only", "neither", "not_tested")
    expected = [[str(row["scope"]), *(str(row[name]) for name in names)] for row in study.table("agreement")]
    assert [row[:-1] for row in cells_of(page, "effort-pairs")] == expected
    assert "Student's paired t test, Benjamini and Hochberg's correction, alpha 0.1" in page.read_text().replace(
        "&#39;", "'"
    )


def test_a_test_of_all_runs_at_once_leaves_pairs_to_student() -> None:
    made = rs.report(QRELS, SOME, "AP", test="friedman").html().replace("&#39;", "'")
    assert "Pairs of runs are tested by both (Student's paired t test, Holm's correction, alpha 0.05)" in made


def test_indicators_are_those_of_the_figure(page: Path) -> None:
    data = data_of(page)["indicators"]
    for path in SOME[:2]:
        figure = indicators_figure(QRELS, path, depth=100, rel=2)
        assert data["topics"] == figure.topics.columns["topic"]
        assert data["R"] == figure.topics.columns["R"]
        names = ("R_share", "rho_w", "rho", "b_ratio", "CRP_min", "CRP_N")
        expected = [[round(float(row[name] or 0), 6) for name in names] for row in figure.topics]
        shown = [[value if value is not None else float("nan") for value in row] for row in data["runs"][figure.run]]
        for own, wanted in zip(shown, expected, strict=True):
            assert own == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_a_line_opens_the_ranking_of_the_run_chosen(opened: Any, page: Path) -> None:
    tab = opened(page)
    drawn = "drawFigure(document.getElementById('indicators')).then(() => true)"
    tab.evaluate("Promise.all([...document.querySelectorAll('.chart')].map(drawFigure)).then(() => true)")
    run = tab.locator("#ranking-run option").nth(2).text_content()
    tab.select_option("#ranking-run", run)
    assert tab.evaluate(drawn)
    data = data_of(page)["indicators"]
    at = tab.evaluate(
        """place => {
            const line = document.querySelectorAll("#indicators path[stroke-opacity='0']")[place];
            line.scrollIntoView({block: "center", behavior: "instant"});
            const near = line.getPointAtLength(0.05 * line.getTotalLength()).matrixTransform(line.getScreenCTM());
            return {x: near.x, y: near.y};
        }""",
        len(data["topics"]) - 1,
    )
    tab.mouse.click(at["x"], at["y"])
    tab.locator("#ranking").wait_for(state="visible")
    assert tab.locator("#ranking-title").text_content() == f"{run}, topic {data['topics'][-1]}"
    beyond = sum(value is not None and not 0 <= value <= 1 for row in data["runs"][run] for value in row)
    texts = tab.locator("#indicators svg text").all_text_contents()
    assert sum(bool(re.fullmatch(r"-?\d+\.\d{4} \(\d+\)", text)) for text in texts) == (beyond if beyond <= 6 else 5)
    assert tab.complaints == []


def test_curves_of_an_opened_ranking_are_those_of_the_measures(opened: Any, page: Path) -> None:
    """Rank by rank against `curves` and `course`, for all rankings of two runs."""
    tab = opened(page)
    data = data_of(page)
    qrels = rs.read_qrels(QRELS)
    measures = ("RP(rel=2)", "CRP(rel=2)", "DCG(base=2)")
    for path in SOME[:2]:
        of_run = [rs.curves(QRELS, path, measure, ideal=measure.startswith("DCG")) for measure in measures]
        run = of_run[0].runs[0]
        drawn = tab.evaluate(
            "run => topics.map((_, topic) => courseOf(rankingOf(run, topic)))", data["runs"].index(run)
        )
        whole = rs.read_runs(QRELS, path)[0].completed(len(qrels.topics))
        for place, (topic, course) in enumerate(zip(data["topics"], drawn, strict=True)):
            ranks = min(len(course["rp"]), *(one.depths[0] for one in of_run))
            for name, curves in zip(("rp", "crp", "dcg"), of_run, strict=True):
                expected = curves.by_run(topic)[run][:ranks]
                assert course[name][:ranks] == pytest.approx(expected.tolist(), abs=1e-9), (run, topic, name)
            ideal = of_run[2].by_run(topic)[of_run[2].ideal][:ranks]
            assert course["ideal"][:ranks] == pytest.approx(ideal.tolist(), abs=1e-9), (run, topic)
            full_scale = course_of(whole.judged(qrels, place, place + 1), rel=2).full_scale
            assert course["full"] == full_scale[: len(course["full"])].tolist(), (run, topic)


def test_the_words_of_an_opened_ranking_are_those_of_the_figure(opened: Any, page: Path) -> None:
    tab = opened(page)
    tab.evaluate("openRanking(0, 3)")
    texts = set(tab.locator("#ranking-chart svg text").all_text_contents())
    assert {"CRP", "full scale", "this ranking", "ideal", "too early", "in place", "too late"} <= texts
    assert "With a recall base of" in tab.locator("#ranking-chart svg").get_attribute("aria-label")
    assert tab.complaints == []
