"""`rankscale effort-gain`: what its options do, and in which forms its tables come."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.cli.study import study_command
from rankscale.sample import QRELS, RUNS
from rankscale.studies.effort_gain import EffortGain, effort_gain

command = study_command("effort-gain")

FILES = [str(run) for run in RUNS[:6]]
TABLES = ("areas", "grid", "quadrants", "runs", "points")


def study(*gains: str, effort: str = "Twist", **settings: Any) -> EffortGain:
    asked = list(gains or ("AP",))
    return effort_gain(rs.evaluate(QRELS, FILES, [*asked, effort], **settings), asked, effort)


def test_a_table_by_default(rankscale: Any) -> None:
    outcome = rankscale("effort-gain", QRELS, *FILES)
    assert (outcome.code, outcome.out) == (0, f"{study().text()}\n")
    areas, grid, sentence = outcome.out.split("\n\n")
    assert [line.split()[1] for line in areas.splitlines()[1:]] == ["diagonal", "high-high", "gray", "below", "top"]
    assert [line.split()[1] for line in grid.splitlines()[1:]] == ["huge", "high", "medium", "low"]
    assert sentence.startswith("Each ranking is a point: 300 for AP.")


@pytest.mark.parametrize("table", TABLES)
def test_forms_hold_the_same_numbers(table: str, check_forms: Any) -> None:
    check_forms(
        list(study("AP", "P@10").table(table)), "effort-gain", QRELS, *FILES, "-m", "AP", "-m", "P@10", "--table", table
    )


def test_json_holds_all_tables(rankscale: Any) -> None:
    document = json.loads(rankscale("effort-gain", QRELS, *FILES, "--format", "json").out)
    assert document["settings"] == {"study": "effort-gain", "gain": ["AP"], "effort": "Twist", "area": None}
    assert document["signature"] == study().signature
    assert [document["rows"], *(document[name] for name in TABLES[1:])] == [
        list(study().table(name)) for name in TABLES
    ]


def test_options_of_measures(rankscale: Any) -> None:
    def asked(*options: str) -> str:
        text: str = rankscale("effort-gain", QRELS, *FILES, *options).out
        return text

    assert asked("--effort", "Twist@20") == study(effort="Twist@20").text() + "\n"
    assert asked("--rel", "2") == study("AP(rel=2)", effort="Twist(rel=2)").text() + "\n"
    assert (
        asked("-m", "nDCG(base=10)", "--gains", "0,5,10,15") == study("nDCG(base=10,gains=[0,5,10,15])").text() + "\n"
    )
    assert asked("--depth", "30", "--judged-only") == study(depth=30, judged_only=True).text() + "\n"
    assert asked("-m", "rho", "--effort", "rho") == study("rho", effort="rho").text() + "\n"


def test_topics_that_a_run_misses_are_empty_rankings_or_left_out(
    rankscale: Any, qrels: Path, good: Path, part: Path
) -> None:
    options = ("effort-gain", qrels, good, part, "--format", "jsonl", "--table", "points")
    topics = [json.loads(line)["topic"] for line in rankscale(*options).out.splitlines()]
    assert topics == ["1", "2", "1", "2"]
    topics = [json.loads(line)["topic"] for line in rankscale(*options, "--missing", "common").out.splitlines()]
    assert topics == ["1", "1"]


def test_points_of_an_area(rankscale: Any) -> None:
    for area in ("gray", "huge gain at medium effort"):
        outcome = rankscale("effort-gain", QRELS, *FILES, "--area", area, "--format", "jsonl")
        found = [json.loads(line) for line in outcome.out.splitlines()]
        assert found == list(study().within(area).table("points"))
        assert found
    none = rankscale("effort-gain", QRELS, *FILES, "--area", "low gain at low effort")
    assert (none.code, len(none.out.splitlines())) == (0, 1)
    assert "warning: no ranking stands in low gain at low effort" in none.err


def test_pairs_of_runs(rankscale: Any, check_forms: Any) -> None:
    evaluation = rs.evaluate(QRELS, FILES, ["AP", "Twist"])
    made = effort_gain(evaluation, pairs=True, test="signed rank", correction="bh", alpha=0.1)
    options = ("--pairs", "-t", "signed rank", "--correction", "bh", "--alpha", "0.1")
    outcome = rankscale("effort-gain", QRELS, *FILES, *options)
    assert (outcome.code, outcome.out) == (0, f"{made.text()}\n")
    assert outcome.out.splitlines()[0].split()[:4] == ["measure", "scope", "pairs", "gain_significant"]
    for table in ("agreement", "pairs"):
        check_forms(list(made.table(table)), "effort-gain", QRELS, *FILES, *options, "--table", table)
    document = json.loads(rankscale("effort-gain", QRELS, *FILES, *options, "--format", "json").out)
    assert document["settings"]["test"] == "signed rank"
    assert document["rows"] == list(made.table("agreement"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--area", "high high"), "unknown area 'high high'; did you mean high-high?"),
        (("--area", "gray", "--table", "runs"), "--table runs does not go with --area: leave one out"),
        (("-m", "ESL(n=1)"), "whose highest value is the best, and ESL"),
        (("--effort", "CRP@10"), "from 0 (all of it) to 1 (none), as Twist is, and CRP@10 is not one"),
        (("--effort", "Twits"), "did you mean Twist?"),
        (("--effort", "P.5,10"), "--effort is one measure, and P.5,10 names 2"),
        (("-m", "nDGC"), "did you mean nDCG?"),
        (("--table", "point"), "'point' is not one of"),
        (("--format", "parquet"), "-o effort-gain.parquet"),
        (("--table", "pairs"), "--table pairs needs --pairs"),
        (("--test", "sign"), "test is of pairs of runs, which are not compared: add pairs, or leave test out"),
        (("--pairs", "--area", "gray"), "area lists points and pairs compares runs: leave one out"),
        (("--pairs", "--test", "friedman"), "tests all runs at once; take one of bootstrap"),
        (("--pairs", "--test", "sing"), "unknown test 'sing'; did you mean sign?"),
        (("--pairs", "--correction", "homl"), "'homl' is not one of"),
        (("--pairs", "--alpha", "2"), "--alpha"),
        (("-o", "points.html"), "unknown ending .html; known are .tsv"),
    ],
)
def test_what_is_refused(options: tuple[str, ...], message: str, rankscale: Any) -> None:
    outcome = rankscale("effort-gain", QRELS, *FILES, *options)
    assert (outcome.code, outcome.raw) == (2, b"")
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_help_names_all_tables() -> None:
    (option,) = (one for one in command.params if one.name == "table")
    pairs = ("agreement", "pairs")
    assert list(option.type.choices) == [*study().tables(), *pairs]  # type: ignore[attr-defined]
