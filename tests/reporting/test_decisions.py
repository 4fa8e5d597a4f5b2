"""Sections of a report that are made on request: gate, differences, overlap of runs, agreement of judges."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.reporting.parts import Badge, Bullets, Conclusion, Drawing, PageTable, Paragraph, ReportSection
from rankscale.sample import QRELS, RUNS
from tests.reporting.conftest import lenient

SOME = [path for path in RUNS if path.name.split(".")[0] in {"bm25", "dense-base", "manual"}]
NAMES = ("bm25", "dense-base", "manual")
MEASURES = ["nDCG@10", "P@10"]
GROUPS = {str(topic): "early" if topic <= 120 else "late" for topic in range(101, 151)}


def report(**options: Any) -> rs.Report:
    return rs.report(QRELS, SOME, MEASURES, **options)


def section(made: rs.Report, name: str) -> ReportSection:
    (one,) = (section for section in made.sections if section.id == name)
    return one


def parts(made: rs.Report, name: str, kind: type) -> list[Any]:
    return [part for part in section(made, name).parts if isinstance(part, kind)]


def table(made: rs.Report, section: str, name: str) -> PageTable:
    (one,) = (part for part in parts(made, section, PageTable) if part.name == name)
    return one  # type: ignore[no-any-return]


def cells(one: PageTable, column: str) -> list[str]:
    place = [of.name for of in one.columns].index(column)
    return [row[place].text for row in one.rows]


@pytest.fixture(scope="module")
def decided() -> rs.Report:
    return report(baseline="bm25", candidate="dense-base", margin="0.01", overlap=True, agree=lenient())


def test_sections_are_there_on_request_alone(decided: rs.Report) -> None:
    wanted = ["gate", "diff", "overlap", "judges"]
    assert [one.id for one in decided.sections if one.id in wanted] == wanted
    assert not [one.id for one in report(baseline="bm25").sections if one.id in wanted]
    assert [one.id for one in report(margin=0.01).sections if one.id in wanted] == ["gate"]
    assert [one.id for one in report(sections="overlap").sections] == ["overlap"]


def test_the_gate_is_that_of_the_verb(decided: rs.Report) -> None:
    expected = rs.gate(
        rs.evaluate(QRELS, SOME, MEASURES, missing="zero"), 0.01, baseline="bm25", candidate="dense-base"
    )
    (badge,) = parts(decided, "gate", Badge)
    assert badge.word == expected.verdict
    assert badge.sentence == "dense-base against bm25"
    rows = table(decided, "gate", "gate-table")
    assert cells(rows, "measure") == MEASURES
    assert cells(rows, "p_NI") == [f"{row.p.noninferior:.4f}" for row in expected.rows]
    assert cells(rows, "verdict") == [row.verdict for row in expected.rows]
    sentences = [text for one in parts(decided, "gate", Bullets) for text in one.items]
    assert any("topics detect a drop of" in text for text in sentences) == any(
        row.verdict == "inconclusive" for row in expected.rows
    )


def test_the_power_of_an_inconclusive_gate() -> None:
    made = report(baseline="manual", candidate="bm25", margin="50%", sections="gate")
    assert parts(made, "gate", Badge)[0].word == "inconclusive"
    text = " ".join(parts(made, "gate", Bullets)[0].items)
    assert "50 topics detect a drop of" in text
    assert table(made, "gate", "gate-losses").rows


def test_a_gate_of_several_candidates_and_groups() -> None:
    made = report(baseline="bm25", margin="2%", groups=GROUPS, sections="gate")
    rows = table(made, "gate", "gate-table")
    assert len(rows.rows) == 2 * 2 * 2
    assert set(cells(rows, "candidate")) == {"dense-base", "manual"}
    assert set(cells(rows, "group")) == {"early", "late"}
    study = made.results.studies.gate
    assert study is not None
    (badge,) = parts(made, "gate", Badge)
    assert badge.sentence.startswith("2 candidates against bm25: ")
    for name in ("dense-base", "manual"):
        assert f"{study.verdict_of(name)} " in badge.sentence
    order = ["fail", "inconclusive", "pass"]
    assert cells(rows, "verdict") == sorted((row.verdict for row in study.rows), key=order.index)
    (sentences,) = parts(made, "gate", Bullets)
    assert sentences.folded.startswith("What each row says")


def test_measures_without_a_direction_are_no_part_of_the_gate() -> None:
    made = rs.report(QRELS, SOME, ["P@10", "NCRP@10"], margin=0.01, sections="gate")
    assert cells(table(made, "gate", "gate-table"), "measure") == ["P@10", "P@10"]
    assert "no part of the gate: " in parts(made, "gate", Paragraph)[0].text


def test_differences_are_those_of_the_values(decided: rs.Report) -> None:
    both = rs.evaluate(QRELS, SOME, "nDCG@10", missing="zero").of_runs(["bm25", "dense-base"])
    gaps = both.values[0, 1] - both.values[0, 0]
    order = np.argsort(gaps, kind="stable")
    for name, places in (("losses", order[:10]), ("wins", order[::-1][:10])):
        rows = table(decided, "diff", f"diff-1-{name}")
        assert cells(rows, "difference") == [f"{gaps[place]:.4f}" for place in places]
        assert cells(rows, "topic") == [both.topics[place] for place in places]
    (conclusion,) = parts(decided, "diff", Conclusion)
    losses, wins = np.count_nonzero(gaps < 0), np.count_nonzero(gaps > 0)
    assert f"loses on {losses} topics, wins on {wins}" in conclusion.sentence
    assert any("On the interval version" in line for line in conclusion.lines)
    summary = table(decided, "diff", "diff-1-summary")
    assert cells(summary, "measure") == MEASURES
    assert "paired d" in [column.name for column in summary.columns]
    (drawn,) = parts(decided, "diff", Drawing)
    assert len(drawn.datasets["bars"]) == 50


def test_documents_that_left_and_entered(decided: rs.Report) -> None:
    rankings = {}
    for path in SOME[:2]:
        run = rs.read_runs(QRELS, path, keep_documents=True)[0]
        rankings[run.name] = dict(zip(rs.read_qrels(QRELS).topics, run.documents or (), strict=True))
    grades = {(topic, document): grade for topic, document, grade in _judgments()}
    losses = table(decided, "diff", "diff-1-losses")
    for row in losses.rows:
        topic = row[0].text
        old, new = (rankings[name][topic][:10] for name in ("bm25", "dense-base"))
        for cell, gone, there in ((row[4], old, new), (row[5], new, old)):
            documents = [name for name in gone if name not in there]
            lines = [*cell.note.splitlines(), *(cell.more[1] if cell.more else ())]
            assert sorted(line.split()[0] for line in lines) == sorted(documents)
            relevant = [name for name in documents if grades.get((topic, name), 0) > 0]
            assert cell.text.startswith(f"{len(documents)}: {len(relevant)} relevant") or not documents


def _judgments() -> list[tuple[str, str, int]]:
    from tests.reporting.conftest import judgments

    return list(judgments())


def test_several_candidates_have_parts_of_their_own() -> None:
    made = report(baseline="bm25", candidate=["manual", "dense-base"], groups=GROUPS, sections="diff")
    names = [part.name for part in parts(made, "diff", PageTable)]
    assert len(names) == len(set(names)) == 8
    assert cells(table(made, "diff", "diff-2-groups"), "group") == ["early", "late"] * 2
    assert [part.id for part in parts(made, "diff", Drawing)] == ["diff-1-bars", "diff-2-bars"]


def test_values_alone_have_a_gate_and_differences_without_documents() -> None:
    values = rs.read_values(
        {"a": {"1": 0.5, "2": 0.25, "3": 0.5}, "b": {"1": 0.25, "2": 0.5, "3": 0.75}}, measure="P@4"
    )
    made = rs.report(values, candidate="b", margin=0.1)
    rows = table(made, "diff", "diff-1-losses")
    assert [column.name for column in rows.columns] == ["topic", "baseline", "candidate", "difference"]
    assert cells(rows, "difference") == ["-0.2500"]
    assert parts(made, "gate", Badge)
    for option in ({"overlap": True}, {"agree": {"1": {"a": 1}}}):
        with pytest.raises(ParameterError, match="needs rankings"):
            rs.report(values, **option)


def test_overlap_is_that_of_the_verb(decided: rs.Report) -> None:
    expected = rs.overlap(SOME, coefficients="RBO")
    rows = table(decided, "overlap", "overlap-pairs")
    values = sorted((float(row["RBO"] or 0) for row in expected.table("pairs")), reverse=True)
    assert [cell.split()[0] for cell in cells(rows, "RBO")] == [f"{value:.4f}" for value in values]
    (drawn,) = parts(decided, "overlap", Drawing)
    assert len(drawn.datasets["cells"]) == 3 * 2
    many = rs.report(QRELS, RUNS, "P@10", sections="overlap")
    assert [len(one.rows) for one in parts(many, "overlap", PageTable)] == [10, 10]


def test_runs_that_were_read_before() -> None:
    runs = rs.read_runs(QRELS, SOME, keep_documents=True)
    made = rs.report(QRELS, runs, "P@10", overlap=True, sections="overlap")
    again = report(sections="overlap")
    assert cells(table(made, "overlap", "overlap-pairs"), "RBO") == cells(
        table(again, "overlap", "overlap-pairs"), "RBO"
    )
    with pytest.raises(rs.errors.InputError, match="read it again with keep_documents=True"):
        rs.report(QRELS, rs.read_runs(QRELS, SOME), "P@10", overlap=True)


def test_many_runs_are_not_all_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscale.reporting.sections.agreement.MOST_RUNS", 2)
    made = report(sections="overlap")
    (drawn,) = parts(made, "overlap", Drawing)
    assert "The best 2 of 3 runs are drawn" in parts(made, "overlap", Paragraph)[0].text
    shown = {row["first"] for row in drawn.datasets["cells"]}
    assert shown == set(made.results.comparison.runs[:2])


def test_agreement_is_that_of_the_verb(decided: rs.Report) -> None:
    expected = rs.agree(QRELS, lenient(), SOME, MEASURES)
    rows = table(decided, "judges", "judges-1")
    assert [cell.split()[0] for cell in cells(rows, "pooled")] == [
        f"{one.pooled:.4f}" for one in expected.judges.coefficients
    ]
    pairs = table(decided, "judges", "judges-6")
    for outcome in ("kept", "lost", "gained"):
        assert cells(pairs, outcome) == [str(cell) for cell in expected.table("pairs").columns[outcome]]
    runs = table(decided, "judges", "judges-4")
    assert len(runs.rows) == 3
    assert runs.caption.endswith("mean nDCG@10")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sections": "gate"}, ParameterError, r"name one \(margin, --margin 0.01\)"),
        ({"sections": "judges"}, ParameterError, r"name its file \(agree, --agree QRELS\)"),
        ({"sections": "diff"}, ParameterError, r"there are 3 runs: name one or more, candidate="),
        ({"candidate": "bm25", "baseline": "bm25"}, ParameterError, "is the baseline, and cannot be a candidate too"),
        ({"candidate": NAMES}, ParameterError, "one must be left as the baseline"),
        ({"candidate": ()}, ParameterError, "candidate names no run"),
        ({"candidate": "nobody"}, UnknownNameError, "nobody"),
        ({"margin": "much"}, ParameterError, "margin"),
        (
            {"agree": {"1": {}}, "baseline": "bm25", "test": "dunnett"},
            ParameterError,
            "take another test, or leave out",
        ),
        ({"agree": {"999": {"x": 1}}}, rs.errors.InputError, "no topic in common"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        report(**options)


def test_the_other_of_two_runs_is_the_candidate() -> None:
    made = rs.report(QRELS, SOME[:2], "P@10", sections="diff")
    assert "dense-base against bm25" in parts(made, "diff", Conclusion)[0].sentence
    made = rs.report(QRELS, SOME[:2], "P@10", sections="diff", candidate="bm25")
    assert "bm25 against dense-base" in parts(made, "diff", Conclusion)[0].sentence


def test_a_fused_run_is_a_run_like_any_other(tmp_path: Path) -> None:
    fused = rs.fuse(SOME, name="fused")
    fused.write(tmp_path / "fused.run")
    made = rs.report(QRELS, [*SOME, tmp_path / "fused.run"], "nDCG@10", baseline="bm25", candidate="fused", margin=0.01)
    assert "fused against bm25" in parts(made, "diff", Conclusion)[0].sentence
    same = rs.report(QRELS, {"bm25": SOME[0], "fused": fused.run}, "nDCG@10", candidate="fused", sections="diff")
    assert parts(same, "diff", Conclusion)[0].sentence == parts(made, "diff", Conclusion)[0].sentence


def test_the_verdict_is_a_word_on_the_page(opened: Callable[[Path], Any], sample_report: Path) -> None:
    page = opened(sample_report)
    assert page.locator("#gate .badge").text_content() in {"pass", "fail", "inconclusive"}
    page.locator("#diff-1-losses details summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#diff-1-losses details[open] .note").count() > 0
    assert page.locator("#overlap-most tbody tr").count() == 10
    assert page.complaints == []
