"""The section on groups of topics: its numbers, its warnings, and names that are no markup."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.reporting.parts import Bullets, PageTable, Paragraph, ReportSection
from rankscale.sample import QRELS, RUNS
from tests.reporting.conftest import HOSTILE

SOME = [path for path in RUNS if path.name.split(".")[0] in {"bm25", "manual", "tfidf"}]
A = (0.7, 0.75, 0.3, 0.2, 0.4, 0.3, 0.5, 0.25)
B = (0.5, 0.6, 0.4, 0.3, 0.4, 0.45, 0.55, 0.4)
GROUPS = {str(topic): "x" if topic <= 2 else "y" for topic in range(1, 9)}


def example() -> rs.Evaluation:
    runs = {name: {str(t): value for t, value in enumerate(of, start=1)} for name, of in (("A", A), ("B", B))}
    return rs.read_values(runs, measure="P@20")


def section(report: rs.Report, name: str = "groups") -> ReportSection:
    (one,) = (section for section in report.sections if section.id == name)
    return one


def cells(table: PageTable) -> list[list[str]]:
    return [[f"{cell.text} {cell.note.strip()}".strip() for cell in row] for row in table.rows]


def parts(report: rs.Report, kind: type) -> list[Any]:
    return [part for part in section(report).parts if isinstance(part, kind)]


def test_the_worked_example() -> None:
    report = rs.report(example(), groups={**GROUPS, "9": "z"})
    means, interaction = parts(report, PageTable)
    assert [column.name for column in means.columns] == ["run", "x (2)", "y (6)", "micro", "macro"]
    assert cells(means) == [
        ["B", "0.5500 \N{ALMOST EQUAL TO}", "0.4167", "0.4500", "0.4833"],
        ["A", "0.7250", "0.3250", "0.4250", "0.5250"],
    ]
    assert cells(interaction) == [["P@20", "34.909", "1, 6", "0.0010", "1 of 2"]]
    (text,) = parts(report, Paragraph)
    assert "x 0 of 1, y 1 of 1. Differences of runs depend on the group" in text.text
    (warnings,) = parts(report, Bullets)
    assert warnings.items == [
        "groups: no topic of the evaluation is in z",
        "P@20: A and B: means over topics and means of groups order them the other way round",
    ]
    assert set(warnings.items) <= set(report.warnings)


def test_the_strongest_colour_is_that_of_the_highest_value() -> None:
    means, _ = parts(rs.report(example(), groups=GROUPS), PageTable)
    styles = {cell.text: cell.style for row in means.rows for cell in row[1:]}
    assert styles["0.7250"] == "number best heat heat6"
    assert styles["0.3250"] == "number heat heat0"


def test_a_baseline_and_a_test_of_all_runs_at_once() -> None:
    groups = {str(topic): "short" if topic <= 120 else "long" for topic in range(103, 151)}
    report = rs.report(QRELS, SOME, ["P@10", "AP"], groups=groups, baseline="bm25")
    means, interaction = parts(report, PageTable)
    assert cells(means)[0] == ["manual", "0.5444 *", "0.5567 *", "0.4000", "0.5521", "0.5506"]
    assert [row[0] for row in cells(interaction)] == ["P@10", "AP"]
    report = rs.report(QRELS, SOME, "P@10", groups=groups, test="two-way")
    assert report.results.groups is not None
    assert report.results.groups.family == "group"


def test_groups_without_a_test_or_an_interaction() -> None:
    report = rs.report(example(), groups={"1": "x", "2": "y"})
    (means,) = parts(report, PageTable)
    assert cells(means)[0][1:3] == ["0.5000", "0.6000"]
    assert "too few for the test" in means.columns[1].tooltip
    assert "x not tested, y not tested" in parts(report, Paragraph)[0].text


def test_without_groups_there_is_no_section() -> None:
    assert "groups" not in [one.id for one in rs.report(example()).sections]
    with pytest.raises(ParameterError, match=r"name a file of them, groups="):
        rs.report(example(), sections="groups")
    with pytest.raises(UnknownNameError, match="group"):
        rs.report(example(), sections="group")


def test_hostile_names_are_text(opened: Callable[[Path], Any], tmp_path: Path) -> None:
    groups = {topic: f"{HOSTILE}{group}" for topic, group in GROUPS.items()} | {"99": "<img src=x onerror=alert(1)>"}
    path = tmp_path / "report.html"
    rs.write_report(example(), path, groups=groups, title=HOSTILE)
    page = opened(path)
    assert page.complaints == []
    heads = page.locator("#groups-table thead th").all_text_contents()
    assert heads == ["run", f"{HOSTILE}x (2)", f"{HOSTILE}y (6)", "micro", "macro"]
    assert page.locator("#groups img, #groups script").count() == 0
    assert "<img src=x onerror=alert(1)>" in page.locator("#groups ul.warnings").text_content()
    page.locator("#groups-table thead button").nth(1).click()  # tables of groups are sorted as others are
    assert page.locator("#groups-table tbody th").first.text_content() in {"A", "B"}
