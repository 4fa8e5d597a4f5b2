"""`rankscale archetypes`: what its options do, and in which forms its tables come."""

import json
from pathlib import Path
from typing import Any

import pytest

from rankscale.cli.study import study_command
from rankscale.sample import QRELS, RUNS
from rankscale.studies.archetypes import archetypes

command = study_command("archetypes")

FILES = [str(run) for run in RUNS[:6]]
TABLES = ("collection", "merged", "ratios", "runs", "topics", "rankings")


def test_a_table_by_default(rankscale: Any) -> None:
    outcome = rankscale("archetypes", QRELS, *FILES)
    assert (outcome.code, outcome.out) == (0, f"{archetypes(QRELS, FILES)}\n")
    table, sentence = outcome.out.split("\n\n")
    assert table.splitlines()[0].split() == ["archetype", "in_table_2", "rankings", "share"]
    assert sentence.startswith("300 rankings of 6 runs, cut at 1,000; grades from 1 on are relevant.")


@pytest.mark.parametrize("table", TABLES)
def test_forms_hold_the_same_numbers(table: str, check_forms: Any) -> None:
    check_forms(list(archetypes(QRELS, FILES).table(table)), "archetypes", QRELS, *FILES, "--table", table)


def test_json_holds_all_tables(rankscale: Any) -> None:
    document = json.loads(rankscale("archetypes", QRELS, *FILES, "--format", "json", "--rel", "2").out)
    found = archetypes(QRELS, FILES, rel=2)
    assert document["settings"] == {"study": "archetypes", "k": 1000, "rel": "2"}
    assert [document["rows"], *(document[name] for name in TABLES[1:])] == [list(found.table(name)) for name in TABLES]


def test_options(rankscale: Any) -> None:
    def asked(*options: str) -> str:
        text: str = rankscale("archetypes", QRELS, *FILES, *options).out
        return text

    assert asked("--depth", "20", "--rel", "2") == archetypes(QRELS, FILES, depth=20, rel=2).text() + "\n"
    assert asked("--judged-only") == archetypes(QRELS, FILES, judged_only=True).text() + "\n"
    assert asked("--grades", "0,0,1,1") == archetypes(QRELS, FILES, grades=[0, 0, 1, 1]).text() + "\n"
    assert asked("--order", "file") == archetypes(QRELS, FILES, order="file").text() + "\n"
    assert asked("--threads", "1") == asked("--threads", "3")


def test_missing_topics_and_warnings(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    outcome = rankscale("archetypes", qrels, good, part, "--depth", "3", "--table", "rankings", "--format", "tsv")
    assert [line.split("\t")[:3] for line in outcome.out.splitlines()[1:]] == [
        ["good", "1", "typical A"],
        ["good", "2", "full scale"],
        ["part", "1", "typical B"],
        ["part", "2", "worst"],
    ]
    assert "warning: 50% of the topics have 2RB beyond depth 3" in outcome.err
    common = rankscale("archetypes", qrels, good, part, "--missing", "common", "--table", "rankings", "--format", "tsv")
    assert len(common.out.splitlines()) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--gains", "0,1,2,3"), "No such option '--gains'"),
        (("--depth", "0"), "0 is not in the range"),
        (("--table", "run"), "'run' is not one of"),
        (("--format", "parquet"), "-o archetypes.parquet"),
        (("--rel", "nan"), "expected a number"),
    ],
)
def test_what_is_refused(options: tuple[str, ...], message: str, rankscale: Any) -> None:
    outcome = rankscale("archetypes", QRELS, *FILES, *options)
    assert (outcome.code, outcome.raw) == (2, b"")
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_help_names_all_tables() -> None:
    (option,) = (one for one in command.params if one.name == "table")
    assert list(option.type.choices) == list(archetypes(QRELS, FILES[:1]).tables())  # type: ignore[attr-defined]
