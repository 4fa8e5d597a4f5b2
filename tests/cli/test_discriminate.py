"""`rankscale discriminate`: what its options do, in which forms its tables come, and what it refuses."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import rankscale as rs
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS
from rankscale.studies.discriminate import ONE_OF_EACH_KIND as DEFAULT_MEASURES
from rankscale.studies.discriminate import discriminate
from rankscale.studies.support.selection import evaluate_top

FILES = [str(run) for run in RUNS[:6]]
MEASURES = ["P@10", "RR"]
ASKED = ("-m", "P@10", "-m", "RR", "--samples", "100")


def expected(test: Any = "bootstrap", **options: Any) -> Any:
    evaluation = rs.evaluate(QRELS, FILES, MEASURES)
    return discriminate(evaluation, test, **{"samples": 100, **options})


@pytest.fixture
def asked(rankscale: Any) -> Any:
    """Rows, with these options."""

    return lambda *options: rankscale("discriminate", QRELS, *FILES, "--format", "jsonl", *options).rows


def test_the_answer_is_one_row_for_each_measure(rankscale: Any) -> None:
    outcome = rankscale("discriminate", QRELS, *FILES, *ASKED)
    assert outcome.code == 0
    assert outcome.out == f"{expected()}\n"
    table, sentence = outcome.out.split("\n\n")
    assert [line.split()[:2] for line in table.splitlines()[1:]] == [["P@10", "bootstrap"], ["RR", "bootstrap"]]
    assert sentence.startswith("DP is the share of the 15 pairs of 6 runs that differ at ASL < 0.05")


def test_measures_without_any_asked_for(asked: Any) -> None:
    assert [row["measure"] for row in asked("--samples", "10")] == [str(parse(text)) for text in DEFAULT_MEASURES]


@pytest.mark.parametrize("table", ["measures", "counts", "curve", "pairs"])
def test_forms_hold_the_same_numbers(table: str, rankscale: Any, asked: Any, tmp_path: Path) -> None:
    rows = asked(*ASKED, "--table", table)
    assert rows == list(expected().table(table))
    options = ("discriminate", QRELS, *FILES, *ASKED, "--table", table)
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        text = rankscale(*options, "--format", form).out
        found = list(csv.DictReader(io.StringIO(text), delimiter=separator))
        assert found == [{name: str(cell) for name, cell in row.items()} for row in rows]
        assert rankscale(*options, "-o", tmp_path / f"found.{form}").raw == b""
        assert (tmp_path / f"found.{form}").read_text() == text
    assert rankscale(*options, "-o", tmp_path / "found.parquet").code == 0
    stored = parquet.read_table(tmp_path / "found.parquet")
    assert stored.to_pylist() == rows
    assert json.loads(stored.schema.metadata[b"rankscale"])["settings"]["test"] == "bootstrap"
    document = json.loads(rankscale(*options, "--format", "json").out)
    assert document["rows"] == rows
    assert len(rankscale(*options).out.splitlines()) == 1 + len(rows)


def test_json_holds_all_tables(rankscale: Any) -> None:
    document = json.loads(rankscale("discriminate", QRELS, *FILES, *ASKED, "--format", "json").out)
    study = expected()
    assert document["rows"] == list(study.table())
    assert document["curve"] == list(study.table("curve"))
    assert document["pairs"] == list(study.table("pairs"))
    assert document["signature"].startswith("study:discriminate|test:bootstrap|alpha:0.05|samples:100|seed:0|")


def test_options_of_the_test(asked: Any) -> None:
    found = asked(*ASKED, "-t", "randomised tukey", "--alpha", "0.2", "--seed", "4")
    assert found == list(expected("randomised tukey", alpha=0.2, seed=4).table())


def test_counts_by_alpha_of_another_test(rankscale: Any, asked: Any) -> None:
    options = ("-m", "P@10", "-m", "RR", "-t", "wilcoxon", "--alpha", "0.1,0.05,0.01")
    evaluation = rs.evaluate(QRELS, FILES, MEASURES)
    study = discriminate(evaluation, "signed rank", alpha=(0.1, 0.05, 0.01))
    assert asked(*options, "--table", "counts") == list(study.table("counts"))
    outcome = rankscale("discriminate", QRELS, *FILES, *options)
    assert (outcome.code, outcome.out) == (0, f"{study}\n")
    names = ["measure", "test", "correction", "pairs", "alpha=0.1", "alpha=0.05", "alpha=0.01"]
    assert outcome.out.split("\n\n")[1].split("\n")[0].split() == names
    assert asked(*options, "--table", "measures")[0]["delta"] is None


def test_the_best_runs(asked: Any) -> None:
    best = evaluate_top(QRELS, FILES, MEASURES, 0.5)
    assert len(best.runs) == 3
    assert asked(*ASKED, "--top", "0.5") == list(discriminate(best, samples=100).table())


def test_common_topics(rankscale: Any) -> None:
    files = list(map(str, RUNS))
    found = discriminate(rs.evaluate(QRELS, files, MEASURES, missing="common"), samples=100)
    assert rankscale("discriminate", QRELS, *files, *ASKED, "--missing", "common").out == found.text() + "\n"
    assert "49 topics" in found.sentence()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-t", "dunnett"), "'dunnett' is not one of"),
        (("--alpha", "0"), "expected a number between 0 and 1, or several such as 0.05,0.01, found '0'"),
        (("--alpha", "0.05,1"), "expected a number between 0 and 1, or several such as 0.05,0.01, found '0.05,1'"),
        (("--alpha", ""), "expected a number between 0 and 1"),
        (("-t", "student", "--samples", "10"), "makes no draws: leave samples out"),
        (("--correction", "holm"), "stays 0 whatever the correction"),
        (("--top", "0"), "expected a number between 0 and 1, found '0'"),
        (("--samples", "0"), "--samples"),
        (("--table", "matrix"), "'matrix' is not one of"),
        (("--format", "parquet"), "parquet"),
        (("-m", "Nothing"), "unknown measure 'Nothing'"),
    ],
)
def test_refusals(options: tuple[str, ...], message: str, rankscale: Any) -> None:
    assert message in rankscale("discriminate", QRELS, *FILES, *options).refused


def test_one_run_has_no_pairs(rankscale: Any) -> None:
    assert "two runs or more, got 1" in rankscale("discriminate", QRELS, FILES[0]).refused
