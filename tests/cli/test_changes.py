"""`rankscale changes`: what its options do, and in which forms its tables come."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from rankscale.cli.study import study_command
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS
from rankscale.scales.question import feasible
from rankscale.stats.tests.register import PAPER
from rankscale.studies.changes import changes
from rankscale.studies.intervals import WITH_INTERVAL_VERSIONS as DEFAULT_MEASURES

command = study_command("changes")

FILES = [str(run) for run in RUNS[:6]]
TABLES = ("changes", "correlations", "pairs", "reversals", "overview", "summary")


@pytest.fixture
def asked(rankscale: Any) -> Any:
    """Rows, with these options."""

    return lambda *options: rankscale("changes", QRELS, *FILES, "--format", "jsonl", *options).rows


def test_tables_by_default(rankscale: Any) -> None:
    outcome = rankscale("changes", QRELS, *FILES, "-m", "RR@5", "-m", "P@5")
    assert outcome.code == 0
    assert outcome.out == f"{changes(QRELS, FILES, ['RR@5', 'P@5'])}\n"
    first, second, sentence = outcome.out.split("\n\n")
    assert "alpha 0.05, no correction" in sentence
    assert [line.split("  ")[0] for line in first.splitlines()[1:]] == ["RR@5"] * 8 + ["P@5"] * 8
    assert second.splitlines()[0].split()[:3] == ["measure", "other", "tau"]


@pytest.mark.parametrize("verb", ["changes", "intervals"])
def test_the_help_tells_which_rankings_a_scale_is_over(verb: str, rankscale: Any) -> None:
    """All of them for R, AP and nDCG, which use the recall base, too; feasible ones where no other scale exists."""
    said = " ".join(rankscale(verb, "--help").out.split())
    assert "[default: (all; feasible for measures that have no other, such as Twist, Rprec and Bpref)]" in said
    assert {feasible(parse(text), None) for text in ("R@10", "F@10", "AP@10", "nDCG@10", "RR@10")} == {False}
    assert {feasible(parse(text), None) for text in ("Twist@10", "Rprec", "Bpref@10")} == {True}


def test_measures_and_tests_without_any_asked_for(asked: Any) -> None:
    names = [str(parse(text)) for text in DEFAULT_MEASURES]
    assert [(row["measure"], row["test"]) for row in asked()] == [(name, test) for name in names for test in PAPER]


@pytest.mark.parametrize("table", TABLES)
def test_forms_hold_the_same_numbers(table: str, rankscale: Any, asked: Any, tmp_path: Path) -> None:
    measures = ("-m", "RR@10", "-m", "AP@10", "--table", table)
    expected = asked(*measures)
    study = changes(QRELS, FILES, ["RR@10", "AP@10"])
    assert tuple(study.tables()) == TABLES
    assert expected == list(study.table(table))
    assert expected
    options = ("changes", QRELS, *FILES, *measures)
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        text = rankscale(*options, "--format", form).out
        found = list(csv.DictReader(io.StringIO(text), delimiter=separator))
        assert found == [{name: _written(cell) for name, cell in row.items()} for row in expected]
        assert rankscale(*options, "-o", tmp_path / f"changes.{form}").raw == b""
        assert (tmp_path / f"changes.{form}").read_text() == text
    assert rankscale(*options, "-o", tmp_path / "changes.parquet").code == 0
    assert parquet.read_table(tmp_path / "changes.parquet").to_pylist() == expected
    document = json.loads(rankscale(*options, "--format", "json").out)
    assert document["rows"] == expected
    assert (document["settings"]["alpha"], document["settings"]["correction"]) == (0.05, "none")
    assert not set(TABLES) & set(document)
    assert len(rankscale(*options, "--format", "table").out.splitlines()) == 1 + len(expected)


def _written(cell: Any) -> str:
    return repr(cell) if isinstance(cell, float) else str(cell)


def test_json_holds_all_tables(rankscale: Any, asked: Any) -> None:
    text = rankscale("changes", QRELS, *FILES, "-m", "RR@5", "-m", "AP@5", "--format", "json").out
    for table in TABLES:
        rows = json.loads(text)["rows" if table == "changes" else table]
        assert rows == asked("-m", "RR@5", "-m", "AP@5", "--table", table)


def test_json_is_json_where_nothing_is_significant(rankscale: Any, written: Any) -> None:
    qrels = written("two.txt", "1 0 a 1 / 2 0 a 1")
    runs = [written(f"{name}.txt", f"1 Q0 a 1 1 {name} / 2 Q0 a 1 1 {name}") for name in ("x", "y")]
    text = rankscale("changes", qrels, *runs, "-m", "P@2", "-m", "RR@2", "--format", "json").out
    document = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert {(row["Sig"], row["change"]) for row in document["rows"]} == {(0, None)}
    assert document["correlations"][0]["tau"] is None


def test_places(rankscale: Any, asked: Any) -> None:
    (row,) = asked("-m", "AP@5", "-m", "RR@5", "--table", "correlations")
    (short,) = asked("-m", "AP@5", "-m", "RR@5", "--table", "correlations", "--digits", "2")
    assert short["tau"] == round(row["tau"], 2)
    table = rankscale(
        "changes", QRELS, *FILES, "-m", "AP@5", "-m", "RR@5", "--table", "correlations", "--digits", "2"
    ).out
    assert f"  {row['tau']:.2f}  " in table


def test_options_of_tests(asked: Any) -> None:
    def expected(**options: Any) -> list[dict[str, Any]]:
        return list(changes(QRELS, FILES, "RR@10", **options).table())

    assert asked("-m", "RR@10", "-t", "student", "-t", "bootstrap", "--samples", "200", "--seed", "3") == (
        expected(tests=["student", "bootstrap"], samples=200, seed=3)
    )
    assert asked("-m", "RR@10", "--alpha", "0.2", "--correction", "bh", "--df", "infinite") == (
        expected(alpha=0.2, correction="bh", df="infinite")
    )


def test_options_of_scales(asked: Any, rankscale: Any) -> None:
    def expected(measure: str, **options: Any) -> list[dict[str, Any]]:
        return list(changes(QRELS, FILES, measure, **options).table())

    assert asked("-m", "AP@6", "--universe", "feasible") == expected("AP@6", universe="feasible")
    assert asked("-m", "AP@10", "--deduplicate", "float") == expected("AP@10", deduplicate="float")
    assert asked("-m", "DCG(base=2)@10", "--method", "exact") == expected("DCG(base=2)@10")
    assert asked("-m", "P@5", "--rel", "2") == expected("P(rel=2)@5")
    assert asked("-m", "P@5", "--judged-only", "--missing", "common") == expected(
        "P@5", judged_only=True, missing="common"
    )
    assert asked("-m", "DCG@5", "--grades", "0,0,1,1") == expected("DCG@5", grades=[0, 0, 1, 1])
    assert "surrogate" in rankscale("changes", QRELS, *FILES, "-m", "AP@6").err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-m", "DCG"], "name one length, as in Interval(DCG@10)"),
        (["-m", "Interval(P@5)"], "name the measures themselves"),
        (["-m", "P@5", "-t", "studnet"], "did you mean student?"),
        (["-m", "P@5", "--alpha", "1"], "expected a number between 0 and 1"),
        (["-m", "P@5", "--df", "few"], "'infinite'"),
        (["-m", "P@5", "--correction", "some"], "'holm'"),
        (["-m", "P@5", "--samples", "0"], "--samples"),
        (["-m", "P@5", "-t", "bootstrap", "--seed", "-1"], "--seed"),
        (["-m", "P@5", "--table", "rows"], "'correlations'"),
        (["-m", "P@5", "--deduplicate", "float"], "--deduplicate float is for AP only"),
        (["-m", "AP@35"], "use --method exact, --method estimated, "),
        (["--format", "xyz"], "'parquet'"),
        (["--format", "parquet"], "Parquet goes to a file: name it with -o changes.parquet"),
        (["-o", "changes.xyz"], "unknown ending .xyz; known are .tsv"),
        (["-o", "changes.xyz"], "unknown ending .xyz"),
    ],
)
def test_what_cannot_be(options: list[str], said: str, rankscale: Any, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in rankscale("changes", QRELS, *FILES[:2], *options).refused
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_read(rankscale: Any, qrels: Path, good: Path, written: Any, tmp_path: Path) -> None:
    broken = written("broken.txt", "1 Q0 a")
    for files, said in (
        ((qrels, good, broken), "broken.txt"),
        ((qrels, good, tmp_path / "absent.txt"), "absent.txt"),
        ((qrels, good), "give two runs or more"),
        (("-", "-", good), "only once"),
    ):
        assert said in rankscale("changes", *files, "-m", "P@2").refused


def test_help_says_what_it_gives(rankscale: Any) -> None:
    outcome = rankscale("changes", "--help")
    assert outcome.code == 0
    for option in command.params:
        if option.opts[0].startswith("-"):
            assert option.opts[-1] in outcome.out
    examples = [line.split() for line in outcome.out.splitlines() if "rankscale changes qrels.txt" in line]
    assert len(examples) == 3
    for words in examples:
        asked = [words[place + 1] for place, word in enumerate(words) if word == "-m"]
        changes(QRELS, FILES, asked, "sign")
