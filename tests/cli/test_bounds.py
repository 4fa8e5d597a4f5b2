"""`rankscale bounds`: what its options do, and in which forms its tables come."""

import json
from typing import Any

import pytest

from rankscale.cli.study import study_command
from rankscale.sample import QRELS, RUNS
from rankscale.studies.bounds import ACCURACY, DEPTHS, GRID, PERSISTENCE, POOL_DEPTHS, bounds

command = study_command("bounds")

FILES = [str(run) for run in RUNS[:3]]
TABLES = ("bounds", "depths", "persistence", "cost", "supports")


def test_tables_by_default(rankscale: Any) -> None:
    outcome = rankscale("bounds", QRELS, *FILES)
    assert (outcome.code, outcome.out) == (0, f"{bounds(QRELS, FILES)}\n")
    table, cost, sentence = outcome.out.split("\n\n")
    assert table.splitlines()[0].split() == ["run", "p", "topics", "lower", "upper", "residual"]
    assert cost.splitlines()[0].split()[:3] == ["p", "accuracy", "depth"]
    assert sentence.startswith("Whatever the unjudged documents are")


@pytest.mark.parametrize("table", TABLES)
def test_forms_hold_the_same_numbers(table: str, check_forms: Any) -> None:
    check_forms(list(bounds(QRELS, FILES).table(table)), "bounds", QRELS, *FILES, "--table", table)


def test_json_holds_all_tables(rankscale: Any) -> None:
    document = json.loads(rankscale("bounds", QRELS, *FILES, "--format", "json").out)
    found = bounds(QRELS, FILES)
    assert document["settings"]["pool-depths"] == list(POOL_DEPTHS)
    assert document["signature"] == found.signature
    assert [document["rows"], *(document[name] for name in TABLES[1:])] == [list(found.table(name)) for name in TABLES]


def test_options(rankscale: Any) -> None:
    def asked(*options: str) -> str:
        text: str = rankscale("bounds", QRELS, *FILES, "--format", "json", *options).out
        return text

    def expected(**settings: Any) -> dict[str, Any]:
        found = bounds(QRELS, FILES, **settings)
        rows = dict(zip(("rows", *TABLES[1:]), (list(found.table(name)) for name in TABLES), strict=True))
        return {**rows, "signature": found.signature}

    def same(found: str, wanted: dict[str, Any]) -> bool:
        document = json.loads(found)
        return {name: document[name] for name in wanted} == wanted

    lists = ("-p", "0.9", "--depths", "3,30", "--grid", "0.2", "--pool-depths", "5", "--accuracy", "0.01,0.001")
    assert same(asked(*lists), expected(p=0.9, depths=(3, 30), grid=[0.2], pool_depths=5, accuracy=(0.01, 0.001)))
    nothing = ("--depths", "", "--grid", "", "--pool-depths", "", "--accuracy", "")
    assert same(asked(*nothing), expected(depths=(), grid=(), pool_depths=(), accuracy=()))
    assert same(asked("--gains", "linear"), expected(gains="linear"))
    assert same(asked("--rel", "2", "--missing", "common"), expected(rel=2, missing="common"))
    assert same(asked("--grades", "0,0,1,1", "--order", "file"), expected(grades=[0, 0, 1, 1], order="file"))
    assert asked("--threads", "1") == asked("--threads", "3")


def test_standard_input_is_read_once(program: Any) -> None:
    content = RUNS[0].read_bytes()
    assert program("bounds", QRELS, "-", stdin=content).out == f"{bounds(QRELS, FILES[:1])}\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-p", "1"), "p must lie between 0 and 1"),
        (("-p", "0.5;0.8"), "expected numbers such as 0.5,0.95, found '0.5;0.8'"),
        (("-p", ""), "give one p or more"),
        (("--depths", "1.5"), "expected whole numbers such as 10,100, found '1.5'"),
        (("--depths", "0"), "the depth must be a whole number from 1"),
        (("--pool-depths", "-1"), "the depth of a pool is a whole number from 1"),
        (("--accuracy", "1"), "an accuracy lies between 0 and 1"),
        (("--accuracy", "nan"), "an accuracy lies between 0 and 1"),
        (("--judged-only",), "No such option '--judged-only'"),
        (("--rel", "2", "--gains", "linear"), "give gains or rel, not both"),
        (("--format", "parquet"), "-o bounds.parquet"),
    ],
)
def test_what_is_refused(options: tuple[str, ...], message: str, rankscale: Any) -> None:
    outcome = rankscale("bounds", QRELS, *FILES, *options)
    assert (outcome.code, outcome.raw) == (2, b"")
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_without_files(rankscale: Any, check_forms: Any) -> None:
    outcome = rankscale("bounds", "--accuracy", "0.0001", "--depths", "100")
    assert (outcome.code, outcome.err) == (0, "")
    cost, supports, _ = outcome.out.split("\n\n")
    assert [line.split() for line in cost.splitlines()[1:]] == [
        ["0.5000", "0.0001", "14"],
        ["0.8000", "0.0001", "42"],
        ["0.9500", "0.0001", "180"],
    ]
    assert supports.splitlines()[1].split()[::2] == ["100", "0.9120"]
    check_forms(
        [{"p": 0.8, "depth": 20, "residual": 0.8**20}], "bounds", "-p", "0.8", "--depths", "20", "--table", "depths"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--table", "bounds"), "--table bounds needs QRELS RUN..."),
        (("--table", "persistence"), "--table persistence needs QRELS RUN..."),
        (("--rel", "2"), "--rel is about files: give QRELS RUN..., or leave it out"),
        (("--missing", "zero"), "--missing is about files"),
        (("--pool-depths", "5"), "pool depths: without qrels and runs"),
        (("--accuracy", "0"), "an accuracy lies between 0 and 1"),
        (("--accuracy", "1"), "an accuracy lies between 0 and 1"),
        (("-p", "1"), "p must lie between 0 and 1"),
        ((QRELS,), "give the qrels and at least one run, or neither"),
    ],
)
def test_what_is_refused_without_files(options: tuple[str, ...], message: str, rankscale: Any) -> None:
    assert message in rankscale("bounds", *options).refused


def test_a_figure_of_bounds_needs_files(rankscale: Any) -> None:
    assert "Missing argument 'QRELS'" in rankscale("figure", "bounds", "-o", "bounds.svg").refused


def test_defaults_of_the_command_are_those_of_the_study() -> None:
    made = command.make_context("bounds", ["qrels", "run"]).params
    values = made["persistence"], made["depths"], made["grid"], made["pool_depths"], made["accuracy"]
    assert values == (PERSISTENCE, DEPTHS, GRID, POOL_DEPTHS, ACCURACY)
    (option,) = (one for one in command.params if one.name == "table")
    assert list(option.type.choices) == list(bounds(QRELS, FILES[:1]).tables())  # type: ignore[attr-defined]
