"""`rankscale diff`."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

PATHS = {path.name.partition(".")[0]: str(path) for path in RUNS}
FILES = [str(QRELS), PATHS["bm25"], PATHS["bm25-ce-pair"]]


@pytest.fixture
def values(tmp_path: Path) -> str:
    path = str(tmp_path / "values.tsv")
    rs.evaluate(FILES[0], [*FILES[1:], PATHS["ql"]], ["AP", "nDCG@10"]).write(path)
    return path


def test_the_command_writes_what_python_gives(rankscale: Any) -> None:
    made = rs.diff(FILES[0], FILES[1:], ["P@10", "ASL"], top_k=4, worst=3, details=2, test="signed rank")
    options = ["-m", "P@10", "-m", "ASL", "--top-k", "4", "--worst", "3", "--details", "2", "-t", "signed rank"]
    assert rankscale("diff", *FILES, *options).out == made.text() + "\n"
    assert rankscale("diff", *FILES, *options, "--format", "json").out == made.to_json()
    assert rankscale("diff", *FILES, *options, "--format", "markdown").out == made.to_markdown()


@pytest.mark.parametrize("table", ["topics", "summary", "documents", "groups"])
def test_every_table_in_every_form(table: str, rankscale: Any, tmp_path: Path, check_forms: Any) -> None:
    groups = tmp_path / "groups.txt"
    groups.write_text("".join(f"{topic} {'even' if topic % 2 == 0 else 'odd'}\n" for topic in range(101, 151)))
    made = rs.diff(FILES[0], FILES[1:], "RR@5", groups=groups, top_k=2)
    options = ["diff", *FILES, "-m", "RR@5", "--groups", groups, "--top-k", "2", "--table", table]
    check_forms(json.loads(made.to_json(table))["rows"], *options)
    page = rankscale(*options, "--format", "html").out
    assert page.count("<tr>") == 1 + len(made.table(table))


def test_values_serve_without_documents(values: str, rankscale: Any) -> None:
    options = ["--baseline", "bm25", "--candidate", "bm25-ce-pair", "-m", "AP"]
    outcome = rankscale("diff", "--values", values, *options)
    rankings = rankscale("diff", *FILES, "-m", "AP", "--top-k", "0")
    assert (outcome.code, outcome.out) == (0, rankings.out)
    assert "documents" not in json.loads(rankscale("diff", "--values", values, *options, "--format", "json").out)


def test_two_of_several_runs_are_named(rankscale: Any) -> None:
    named = rankscale("diff", *FILES, PATHS["ql"], "--baseline", "bm25", "--candidate", "bm25-ce-pair")
    assert named.out == rankscale("diff", *FILES).out
    turned = rankscale("diff", *FILES, "--baseline", "bm25-ce-pair")
    assert turned.out.startswith("bm25 against bm25-ce-pair by nDCG@10: loses on 45 topics, wins on 4, ties on 1;")


def test_runs_can_be_given_names(rankscale: Any) -> None:
    outcome = rankscale("diff", *FILES, "--name", f"old={FILES[1]}", "--name", f"new={FILES[2]}", "-m", "P@10")
    assert outcome.out.startswith("new against old by P@10")


MISUSE = {
    "one run": (FILES[:2], "two runs are compared, and there is one (bm25): give another run"),
    "three runs": ([*FILES, PATHS["ql"]], "name two of them, one as baseline and the other as candidate"),
    "the same file": ([*FILES[:2], FILES[1]], "is given twice: give another run"),
    "the same name": ([*FILES, "--baseline", "bm25", "--candidate", "bm25"], "name two different runs"),
    "unknown": ([*FILES, "--baseline", "bm26"], "unknown run 'bm26'"),
    "no runs": (FILES[:1], "Missing argument 'RUN...'"),
    "no groups": ([*FILES, "--table", "groups"], "--table groups needs --groups"),
    "no documents": ([*FILES, "--table", "documents", "--top-k", "0"], "--top-k 0 leaves them out"),
    "swapped": ([FILES[1], FILES[0], FILES[2]], "qrels come first, then runs: rankscale diff QRELS BASELINE CANDIDATE"),
    "negative": ([*FILES, "--worst", "-1"], "Invalid value for '--worst'"),
    "test": ([*FILES, "-t", "chi"], "unknown test 'chi'"),
    "samples": ([*FILES, "--samples", "10"], "Student's paired t test has no setting samples"),
    "scale": ([*FILES, "--scale", "ratio"], "give --values VALUES... too"),
}


@pytest.mark.parametrize("case", MISUSE)
def test_misuse_ends_with_2_and_words(case: str, rankscale: Any) -> None:
    arguments, message = MISUSE[case]
    assert message in rankscale("diff", *arguments).refused


def test_what_needs_rankings_is_refused_with_values(values: str, rankscale: Any) -> None:
    two = ["--values", values, "--baseline", "bm25", "--candidate", "ql"]
    for option in (["--top-k", "5"], ["--details", "2"], ["--no-interval"], ["--depth", "5"]):
        assert "needs rankings, and --values has only what was measured" in rankscale("diff", *two, *option).refused
    assert "--values leaves them out" in rankscale("diff", *two, "--table", "documents").refused
