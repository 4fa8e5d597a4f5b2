"""Reports of values alone: the same numbers as those of rankings, and no section that needs these."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.reporting.parts import Bullets, PageFacts, PageTable
from rankscale.sample import QRELS, RUNS
from tests.reporting.conftest import data_of
from tests.reporting.test_groups import cells, example, section

SOME = [path for path in RUNS if path.name.split(".")[0] in {"bm25", "manual", "tfidf", "dense-hard"}]


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("values") / "values.tsv"
    rs.evaluate(QRELS, SOME, ["AP", "P@10"]).write(path)
    return path


@pytest.fixture(scope="module")
def both(values: Path) -> tuple[rs.Report, rs.Report]:
    """Reports of the same values, with rankings and without."""
    return rs.report(QRELS, SOME, ["AP", "P@10"]), rs.report(rs.read_values(values))


def table(report: rs.Report, name: str, *, folded: bool = False) -> PageTable:
    (one,) = (
        part for part in section(report, name).parts if isinstance(part, PageTable) and bool(part.folded) == folded
    )
    return one


def test_sections_that_need_no_rankings(both: tuple[rs.Report, rs.Report]) -> None:
    _, alone = both
    shown = ["summary", "leaderboard", "compare", "topics", "agreement", "statements", "provenance"]
    assert [one.id for one in alone.sections] == shown
    texts = [item for part in section(alone, "summary").parts if isinstance(part, Bullets) for item in part.items]
    assert "nothing on effort and gain, archetypes of rankings, single rankings, overlap of runs, " in texts[-1]
    assert "agreement of judges and fewer judgments" in texts[-1]
    assert alone.title == "4 runs, 50 topics"
    assert "4 runs, 50 topics, values of 2 measures without rankings" in alone.html()


def test_numbers_are_those_of_the_rankings(both: tuple[rs.Report, rs.Report]) -> None:
    of_rankings, alone = both
    for folded, left_out in ((False, {"Judged@10"}), (True, set())):
        full, few = (table(one, "leaderboard", folded=folded) for one in (of_rankings, alone))
        kept = [place for place, column in enumerate(full.columns) if column.name not in left_out]
        assert [full.columns[place].name for place in kept] == [column.name for column in few.columns]
        bare = [[cell.text for cell in row] for row in few.rows]
        assert bare == [[row[place].text for place in kept] for row in full.rows]
    ranked, bare_data = (data_of(one.html()) for one in both)
    assert bare_data["values"] == ranked["values"]
    assert "rankings" not in bare_data
    statements = [[part for part in section(one, "statements").parts if hasattr(part, "sentence")] for one in both]
    assert [part.sentence for part in statements[1]] == [part.sentence for part in statements[0]]


def test_the_interval_version_is_taken_where_it_was_measured() -> None:
    evaluation = rs.evaluate(QRELS, SOME, ["RR@10", "P@10", "Interval(RR@10)"])
    report, full = rs.report(evaluation), rs.report(QRELS, SOME, ["RR@10", "P@10"])
    names = [column.name for column in table(report, "leaderboard", folded=True).columns]
    assert names[1:4] == ["RR@10", "P@10", "Interval(RR@10)"]
    lines = [
        [
            line
            for part in section(one, "statements").parts
            for line in getattr(part, "lines", ())
            if "interval version" in line
        ]
        for one in (report, full)
    ]
    assert lines[0] == lines[1] != []


def test_bounds_of_values_are_shown() -> None:
    evaluation = rs.evaluate(QRELS, SOME, "P@10", bounds=True)
    full = table(rs.report(QRELS, SOME, "P@10"), "leaderboard", folded=True)
    assert [row[1].note for row in table(rs.report(evaluation), "leaderboard", folded=True).rows] == [
        row[1].note for row in full.rows
    ]
    means = evaluation.extra_means()
    ends = {
        run: (low, high) for run, low, high in zip(evaluation.runs, means["lower"][0], means["upper"][0], strict=True)
    }
    for row in full.rows:
        low, high = (f"{end:.4f}" for end in ends[row[0].text])
        assert ("[" in row[1].note) == (low != high), "no brackets where both ends are the same"
    ties = rs.evaluate(QRELS, SOME, "P@10", ties="range")  # which a leaderboard does not show
    assert not any("[" in row[1].note for row in table(rs.report(ties), "leaderboard", folded=True).rows)


def test_measures_are_chosen_by_name_and_unknown_ones_are_taken(values: Path) -> None:
    evaluation = rs.read_values(values)
    assert [str(one) for one in rs.report(evaluation, measures="P@10").results.measures] == ["P@10"]
    assert [str(one) for one in rs.report(evaluation, measures=["P@10", "AP"]).results.measures] == ["P@10", "AP"]
    runs = {run: {str(t): value + t / 10 for t in range(4)} for run, value in (("A", 0.1), ("B", 0.5))}
    mine = rs.read_values(runs, measure="minutes", low_is_good=True)
    report = rs.report(mine)
    assert cells(table(report, "leaderboard"))[0][1] == "A"
    assert any("the scale of minutes is not known" in str(one) for one in section(report, "statements").parts)


def test_provenance_has_the_files_of_values(both: tuple[rs.Report, rs.Report], values: Path, tmp_path: Path) -> None:
    import hashlib

    digest = hashlib.sha256(values.read_bytes()).hexdigest()
    assert cells(table(both[1], "provenance")) == [["values.tsv", f"{values.stat().st_size:,}", digest]]
    (facts,) = (part for part in section(both[1], "provenance").parts if isinstance(part, PageFacts))
    assert "read as a table with a row for each value" in dict(facts.facts)["values"]
    path = tmp_path / "values.json"  # which records where the values are from
    rs.evaluate(QRELS, SOME, "P@10").write(path)
    report = rs.report(rs.read_values(path), anonymous_paths=True)
    assert [row[0] for row in cells(table(report, "provenance"))] == ["values.json"]
    assert report.title == "4 runs, 50 topics"
    assert str(tmp_path) not in report.html()


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "runs": ({"runs": [SOME[0]]}, "runs needs rankings"),
    "robustness": ({"robustness": True}, "robustness needs rankings, and an evaluation has only what was measured"),
    "a depth": ({"depth": 10}, "depth needs rankings"),
    "effort": ({"effort": "Twist"}, "effort needs rankings"),
    "inspection": ({"inspect": "A"}, "inspect needs rankings"),
    "a section": ({"sections": ["rankings"]}, "the section rankings needs rankings, and there are only values"),
    "no measure": ({"measures": []}, "no measure is requested"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_needs_rankings_is_refused(case: str) -> None:
    options, message = REFUSED[case]
    with pytest.raises(ParameterError, match=message):
        rs.report(example(), **options)


def test_arguments_that_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="two or more"):
        rs.report(example().of_runs(["A"]))
    with pytest.raises(ParameterError, match=r"give qrels and runs, report\(qrels, runs\), or values alone"):
        rs.report(str(QRELS))
    with pytest.raises(ParameterError, match=r"no rankings: write_report\(evaluation, path\)"):
        rs.write_report(example(), "a.html", "b.html")
    with pytest.raises(ParameterError, match="expected the file of the report"):
        rs.write_report(example(), [3])  # type: ignore[call-overload]
    with pytest.raises(ParameterError, match="name the file of the report"):
        rs.write_report(QRELS, SOME)  # type: ignore[call-overload]
    path = tmp_path / "report.html"
    assert rs.write_report(example(), path).title == "2 runs, 8 topics"
    assert "Leaderboard" in path.read_text(encoding="utf-8")


def test_the_page_complains_of_nothing(opened: Callable[[Path], Any], values: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    groups = {str(topic): "even" if topic % 2 == 0 else "odd" for topic in range(101, 151)}
    rs.write_report(rs.read_values(values), path, groups=groups, theme="dark")
    page = opened(path)
    page.evaluate("Promise.all([...document.querySelectorAll('.chart')].map(drawFigure)).then(() => true)")
    assert page.asked == [path.as_uri()]
    assert page.complaints == []
    assert page.locator(".chart svg.marks, .chart canvas.marks").count() == page.locator(".chart").count() == 2
    page.locator("#topics-table thead button").first.click()
    assert page.locator("#topics-table tbody button.open").count() == 0
