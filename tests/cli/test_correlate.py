"""`rankscale correlate`: what its options do, in which forms its tables come, and what it refuses."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import rankscale as rs
from rankscale.cli.study import study_command
from rankscale.measures.base.parser import parse, parse_all
from rankscale.sample import QRELS, RUNS
from rankscale.stats.correlation.correlations import METHODS
from rankscale.studies.correlate import correlate, with_interval_versions
from rankscale.studies.discriminate import ONE_OF_EACH_KIND as DEFAULT_MEASURES
from rankscale.studies.intervals import WITH_INTERVAL_VERSIONS as WITH_DEPTH
from rankscale.studies.support.selection import evaluate_top

command = study_command("correlate")

FILES = [str(run) for run in RUNS[:8]]
MEASURES = ["AP", "P@10", "RR"]
ASKED = [word for measure in MEASURES for word in ("-m", measure)]
QUICK = ("--samples", "20")


def expected(measures: Any = tuple(MEASURES), method: str = "tau_b", **options: Any) -> Any:
    return correlate(rs.evaluate(QRELS, FILES, list(measures)), method, **{"samples": 20, **options})


@pytest.fixture
def asked(rankscale: Any) -> Any:
    """Rows, with these options."""

    def rows(*options: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = rankscale(
            "correlate", QRELS, *FILES, "--format", "jsonl", *(() if "--samples" in options else QUICK), *options
        ).rows
        return found

    return rows


def as_json(rows: Any) -> list[dict[str, Any]]:
    """Undefined numbers are nothing."""
    return [
        {name: None if isinstance(cell, float) and math.isnan(cell) else cell for name, cell in row.items()}
        for row in rows
    ]


def test_the_answer_is_the_pairs(rankscale: Any) -> None:
    outcome = rankscale("correlate", QRELS, *FILES, *ASKED, *QUICK)
    assert outcome.code == 0
    assert outcome.out == expected().text() + "\n"
    table, sentence = outcome.out.split("\n\n")
    assert [line.split()[:2] for line in table.splitlines()[1:]] == [["AP", "P@10"], ["AP", "RR"], ["P@10", "RR"]]
    assert sentence.startswith("value is Kendall's tau-b between the means of 8 runs")


def test_measures_without_any_asked_for(asked: Any) -> None:
    names = {str(parse(text)) for text in DEFAULT_MEASURES}
    assert {row["measure"] for row in asked()} | {row["other"] for row in asked()} == names
    with_depth = [str(parse(text)) for text in WITH_DEPTH]
    assert [row["measure"] for row in asked("--interval", "--table", "versions")] == with_depth


@pytest.mark.parametrize("table", ["pairs", "matrix", "topics"])
def test_forms_hold_the_same_numbers(table: str, rankscale: Any, asked: Any, tmp_path: Path) -> None:
    rows = asked(*ASKED, "--table", table)
    assert rows == as_json(expected().table(table))
    options = ("correlate", QRELS, *FILES, *ASKED, *QUICK, "--table", table)
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        text = rankscale(*options, "--format", form).out
        found = list(csv.DictReader(io.StringIO(text), delimiter=separator))
        assert [list(row) for row in found] == [list(row) for row in rows]
        for row, other in zip(found, rows, strict=True):
            for name, cell in other.items():
                assert row[name] == ("nan" if cell is None else cell if isinstance(cell, str) else repr(cell))
        assert rankscale(*options, "-o", tmp_path / f"found.{form}").raw == b""
        assert (tmp_path / f"found.{form}").read_text() == text
    assert rankscale(*options, "-o", tmp_path / "found.parquet").code == 0
    stored = parquet.read_table(tmp_path / "found.parquet")
    assert stored.to_pylist() == rows
    assert json.loads(stored.schema.metadata[b"rankscale"])["settings"]["study"] == "correlate"
    document = json.loads(rankscale(*options, "--format", "json").out)
    assert document["rows"] == rows
    assert document["signature"].startswith("study:correlate|method:tau_b|")
    assert len(rankscale(*options).out.splitlines()) == 1 + len(rows)


def test_json_holds_all_tables(rankscale: Any) -> None:
    document = json.loads(rankscale("correlate", QRELS, *FILES, *ASKED, *QUICK, "--format", "json").out)
    assert document["rows"] == as_json(expected().table("pairs"))
    assert document["matrix"] == as_json(expected().table("matrix"))
    assert document["topics"] == as_json(expected().table("topics"))
    assert document["settings"] == {
        "study": "correlate",
        "method": "tau_b",
        "confidence": 0.95,
        "samples": 20,
        "seed": 0,
    }


@pytest.mark.parametrize("method", METHODS)
def test_methods(method: str, asked: Any) -> None:
    assert asked(*ASKED, "--method", method) == as_json(expected(method=method).table())


def test_draws(asked: Any) -> None:
    options = ("--seed", "3", "--samples", "30", "--confidence", "0.5")
    assert asked(*ASKED, *options) == as_json(expected(seed=3, samples=30, confidence=0.5).table())
    assert "lower" not in asked(*ASKED, "--samples", "0")[0]
    assert "by_topic" not in asked(*ASKED, "--no-by-topic")[0]


def test_the_best_runs(asked: Any, rankscale: Any) -> None:
    best = evaluate_top(QRELS, FILES, ["P@10", "RR"], 0.5)
    assert len(best.runs) == 4
    assert asked("-m", "P@10", "-m", "RR", "--top", "0.5") == as_json(correlate(best, samples=20).table())
    by_grade_2 = evaluate_top(QRELS, FILES, ["P(rel=2)@10", "RR(rel=2)"], 0.5, by="AP(rel=2)")
    outcome = rankscale("correlate", QRELS, *FILES, "-m", "P@10", "-m", "RR", "--rel", "2", "--top", "0.5", *QUICK)
    assert outcome.out == correlate(by_grade_2, samples=20).text() + "\n"


def test_interval_versions(asked: Any, rankscale: Any) -> None:
    measures = with_interval_versions(parse_all(["AP@10", "RR@10"]))
    study = expected(measures)
    options = ("-m", "AP@10", "-m", "RR@10", "--interval")
    for table in ("versions", "scaled", "pairs"):
        assert asked(*options, "--table", table) == as_json(study.table(table))
    outcome = rankscale("correlate", QRELS, *FILES, *options, *QUICK)
    assert outcome.out == study.text() + "\n"
    assert "surrogate" in outcome.err
    assert [part.split()[0] for part in outcome.out.split("\n\n")] == ["measure", "measure", "value"]


def test_common_topics(rankscale: Any) -> None:
    files = list(map(str, RUNS))
    found = correlate(rs.evaluate(QRELS, files, MEASURES, missing="common"), samples=20)
    assert rankscale("correlate", QRELS, *files, *ASKED, *QUICK, "--missing", "common").out == found.text() + "\n"
    assert "49 topics" in found.sentence()


def test_names_from_files_are_text_and_nothing_more(rankscale: Any, written: Any) -> None:
    qrels = written("qrels.txt", "1 0 a 1 / 1 0 b 1 / \x1b[31m 0 a 1")
    runs = [written(f"{name}.txt", f"1 Q0 {name} 1 1 {name} / \x1b[31m Q0 {name} 1 1 {name}") for name in "ac"]
    outcome = rankscale("correlate", qrels, *runs, "-m", "AP", "-m", "RR", "--samples", "0", "--table", "topics")
    assert outcome.code == 0
    assert "\x1b" not in outcome.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-m", "AP"), "two or more of both, got 1 measures and 8 runs"),
        (("--method", "tau"), "'tau' is not one of"),
        (("--top", "1.5"), "expected a number between 0 and 1, found '1.5'"),
        (("--table", "scaled"), "--table scaled needs --interval"),
        (("--table", "topics", "--no-by-topic"), "--table topics needs --by-topic"),
        (("-m", "AP", "-m", "RR", "--interval"), "name one length, as in Interval(AP@10)"),
        (("-m", "Interval(P@10)", "--interval"), "name the measures themselves"),
        (("--format", "parquet"), "parquet"),
        (("--samples", "-1"), "--samples"),
        (("-m", "Nothing"), "unknown measure 'Nothing'"),
    ],
)
def test_refusals(options: tuple[str, ...], message: str, rankscale: Any) -> None:
    assert message in rankscale("correlate", QRELS, *FILES, *options).refused


def test_the_examples_of_the_help_are_commands(rankscale: Any) -> None:
    assert command.help
    assert rankscale("correlate", "--help").code == 0
    assert set(METHODS) == set(command.params[3].type.choices)  # type: ignore[attr-defined]
