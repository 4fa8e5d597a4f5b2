"""`rankscale gate`: exit codes, settings in files, values in place of runs, and errors in words."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

RUN = {path.name.partition(".")[0]: str(path) for path in RUNS}
FILES = [str(QRELS), RUN["bm25"], RUN["ql"]]
CODES = {"manual": 0, "tfidf": 1, "ql": 3}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("candidate", CODES)
def test_exit_codes(candidate: str, rankscale: Any) -> None:
    files = [str(QRELS), RUN["bm25"], RUN[candidate]]
    outcome = rankscale("gate", *files, "-m", "P@10", "--margin", "0.02")
    made = rs.gate(rs.evaluate(files[0], files[1:], "P@10"), 0.02)
    assert (outcome.code, outcome.out) == (CODES[candidate], f"{made.text()}\n")


@pytest.mark.parametrize(("counts", "code"), [("pass", 0), ("fail", 1)])
def test_inconclusive_is_mapped_and_the_output_says_so(counts: str, code: int, rankscale: Any) -> None:
    outcome = rankscale("gate", *FILES, "--margin", "0.02", "--inconclusive", counts)
    assert outcome.code == code
    assert outcome.out.startswith(f"Gate: inconclusive, which counts as {counts} here (ql against bm25)\n")


def test_all_options_reach_the_function(rankscale: Any) -> None:
    (Path("groups.csv")).write_text("topic,kind,other\n" + "".join(f"{t},{t % 2},z\n" for t in range(101, 151)))
    files = [str(QRELS), RUN["manual"], RUN["bm25"], RUN["ql"], RUN["tfidf"]]
    options = "-m AP -m P@10 --margin 2% --margin 0.01 --baseline bm25 --candidate ql --candidate tfidf --alpha 0.1 "
    options += "-t randomisation --correction none --groups groups.csv --group-column kind --equivalence "
    options += "--upper-margin 0.05 --theta 0.4 --losses 2 --samples 99 --seed 7 --format json"
    outcome = rankscale("gate", *files, *options.split())
    made = rs.gate(
        rs.evaluate(files[0], files[1:], ["AP", "P@10"]),
        ["2%", 0.01],
        baseline="bm25",
        candidate=["ql", "tfidf"],
        alpha=0.1,
        test="randomisation",
        correction="none",
        groups="groups.csv",
        column="kind",
        equivalence=True,
        upper_margin=0.05,
        theta=0.4,
        losses=2,
        samples=99,
        seed=7,
    )
    assert outcome.out == made.to_json()
    assert json.loads(outcome.out)["settings"]["samples"] == 99


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "json", "markdown", "html", "latex", "table"])
def test_every_form(form: str, rankscale: Any) -> None:
    made = rs.gate(rs.evaluate(FILES[0], FILES[1:], "nDCG@10"), 0.02)
    outcome = rankscale("gate", *FILES, "--margin", "0.02", "--format", form)
    assert (outcome.code, outcome.raw) == (3, b"".join(made.chunks(form)))
    table = rankscale("gate", *FILES, "--margin", "0.02", "--format", form, "--table", "losses")
    assert table.raw == b"".join(made.chunks(form, "losses"))


def test_parquet(rankscale: Any) -> None:
    pq: Any = pytest.importorskip("pyarrow.parquet")
    assert rankscale("gate", *FILES, "--margin", "0.02", "-o", "gate.parquet").code == 3
    assert pq.read_table("gate.parquet").to_pylist()[0]["verdict"] == "inconclusive"


def test_a_stored_baseline_and_values_of_the_candidate(rankscale: Any) -> None:
    for name in ("bm25", "ql"):
        rs.evaluate(QRELS, RUN[name], ["P@10", "AP"]).write(f"{name}.tsv")
    expected = rankscale("gate", *FILES, "-m", "P@10", "--margin", "2%")
    stored = rankscale("gate", "--values", "bm25.tsv", "ql.tsv", "-m", "P@10", "--margin", "2%")
    assert (stored.code, stored.out) == (expected.code, expected.out)
    named = ("--baseline", "bm25", "--candidate", "ql")
    turned = rankscale("gate", "--values", "ql.tsv", "bm25.tsv", *named, "-m", "P@10", "--margin", "2%")
    assert turned.out == expected.out


SETTINGS = 'measure = ["P@10", "AP"]\nmargin = [0.01, "2%"]\nalpha = 0.1\nequivalence = true\ninconclusive = "fail"\n'
AS_OPTIONS = shlex.split("-m P@10 -m AP --margin 0.01 --margin 2% --alpha 0.1 --equivalence --inconclusive fail")


@pytest.mark.parametrize(("name", "head"), [("pyproject.toml", "[tool.rankscale.gate]\n"), ("gate.toml", "")])
def test_settings_of_a_file(name: str, head: str, rankscale: Any) -> None:
    expected = rankscale("gate", *FILES, *AS_OPTIONS)
    Path(name).write_text(head + SETTINGS)
    outcome = rankscale("gate", *FILES, *([] if head else ["--config", name]))
    assert (outcome.code, outcome.out) == (1, expected.out)
    assert f"settings of {name}: measure, margin, alpha, equivalence, inconclusive\n" in outcome.err


def test_the_command_line_overrides_settings(rankscale: Any) -> None:
    Path("pyproject.toml").write_text("[tool.rankscale.gate]\n" + SETTINGS)
    over = ("-m", "AP", "--margin", "0.5", "--alpha", "0.01")
    outcome = rankscale("gate", *FILES, *over, "--format", "json")
    document = json.loads(outcome.out)
    assert document["measures"] == ["AP"]
    assert (document["settings"]["margin"], document["settings"]["alpha"]) == ("0.5", 0.01)


def test_other_project_files_change_nothing(rankscale: Any) -> None:
    expected = rankscale("gate", *FILES, "--margin", "0.02")
    Path("pyproject.toml").write_text('[project]\nname = "x"\n[tool.rankscale]\nother = 1\n')
    outcome = rankscale("gate", *FILES, "--margin", "0.02")
    assert (outcome.out, outcome.err) == (expected.out, expected.err)


def test_missing_of_a_file_holds_for_values_too(rankscale: Any) -> None:
    Path("gate.toml").write_text('margin = 0.1\nmissing = "common"\n')
    Path("values.csv").write_text("run,topic,measure,value\na,1,P@10,0.5\na,2,P@10,0.4\na,3,P@10,0.1\nb,1,P@10,0.5\n")
    with_rule = rankscale("gate", "--values", "values.csv", "--config", "gate.toml", "--format", "jsonl")
    assert json.loads(with_rule.out)["topics"] == 1
    refused = rankscale("gate", "--values", "values.csv", "--margin", "0.1").refused
    assert "not all runs have topics 2, 3: evaluate with --missing zero" in refused


def test_settings_that_need_rankings_are_refused_with_values(rankscale: Any) -> None:
    Path("gate.toml").write_text("margin = 0.1\ndepth = 5\n")
    Path("values.csv").write_text("topic,old,new\n1,0.5,0.6\n2,0.1,0.3\n")
    refused = rankscale("gate", "--values", "values.csv", "-m", "P@10", "--config", "gate.toml").refused
    assert "--depth needs rankings" in refused
    assert rankscale("gate", *FILES, "--config", "gate.toml").code in {0, 1, 3}


WRONG_SETTINGS = {
    "margn = 0.1": "unknown setting in gate.toml: 'margn'; did you mean margin? settings are the options of",
    "config = 'x'\nmargin = 1": "unknown setting in gate.toml: 'config'",
    "alpha = 3\nmargin = 1": "Invalid value for '--alpha': expected a number between 0 and 1, found '3'",
    "test = 'sign'\nmargin = 1": "'sign' is not one of 'student', 'randomisation'",
    "margin = {a = 1}": "gate.toml: margin: expected a text, a number, true, false, or a list of them, found dict",
    "margin = ": "gate.toml: expected TOML;",
    "margin = 'much'": "got 'much'",
    "[tool.rankscale]\ngate = 3": "gate.toml: expected a table [tool.rankscale.gate], found none",
}


@pytest.mark.parametrize("text", WRONG_SETTINGS)
def test_settings_that_are_refused(text: str, rankscale: Any) -> None:
    Path("gate.toml").write_text(text)
    assert WRONG_SETTINGS[text] in rankscale("gate", *FILES, "--config", "gate.toml").refused


def test_files_of_settings_that_are_not_there(rankscale: Any) -> None:
    assert "none.toml: there is no such file" in rankscale("gate", *FILES, "--config", "none.toml").refused
    Path("pyproject.toml").write_text("[project]\n")
    refused = rankscale("gate", *FILES, "--config", "pyproject.toml").refused
    assert "pyproject.toml: expected a table [tool.rankscale.gate], found none" in refused


REFUSED: list[tuple[list[str], str]] = [
    (FILES, "Missing option '--margin'"),
    ([*FILES[:2], "--margin", "1"], "Missing argument 'CANDIDATE...': name the runs to decide about after"),
    (["--margin", "1"], "Missing argument 'QRELS'"),
    (["--margin", "1", "--values"], "--values takes one file of values or more"),
    ([*FILES, "--margin", "0.1", "--margin", "0.2"], "one absolute and one relative margin can be given"),
    ([*FILES, "--margin", "-1"], "a margin is a number above 0 such as 0.01"),
    ([*FILES, "--margin", "1", "--alpha", "0.6"], "alpha must lie between 0 and 0.5, got 0.6"),
    ([*FILES, "--margin", "1", "--baseline", "bm26"], "unknown run 'bm26'; did you mean bm25?"),
    ([*FILES, "--margin", "1", "-m", "RP@5"], "a gate needs a measure of which more, or less, is better"),
    ([*FILES, "--margin", "1", "--format", "html", "--caption", "x"], "--caption goes with LaTeX"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_is_refused(arguments: list[str], message: str, rankscale: Any) -> None:
    assert message in rankscale("gate", *arguments).refused


def test_runs_with_the_same_tag(rankscale: Any, written: Callable[[str, str], Path]) -> None:
    qrels = written("q.txt", "1 0 a 1 / 2 0 a 1 / 3 0 a 1")
    old = written("old.txt", "1 Q0 a 1 2 x / 2 Q0 a 1 2 x / 3 Q0 b 1 2 x")
    new = written("new.txt", "1 Q0 a 1 2 x / 2 Q0 a 1 2 x / 3 Q0 a 1 2 x")
    outcome = rankscale("gate", qrels, old, new, "-m", "P@1", "--margin", "0.9")
    assert outcome.out.startswith("Gate: pass (new.txt against old.txt)")
    named = rankscale("gate", qrels, "--name", f"a={old}", "--name", f"b={new}", "-m", "P@1", "--margin", "0.9")
    assert named.out.startswith("Gate: pass (b against a)")


def test_a_baseline_of_one_topic_is_inconclusive_and_the_summary_of_a_job_says_why(rankscale: Any) -> None:
    Path("qrels.txt").write_text("".join(f"{t} 0 a 1\n" for t in range(50)))
    Path("base.txt").write_text("0 Q0 a 1 1 base\n")
    Path("cand.txt").write_text("".join(f"{t} Q0 b 1 2 cand\n{t} Q0 a 2 1 cand\n" for t in range(50)))
    command = ("gate", "qrels.txt", "base.txt", "cand.txt", "-m", "RR", "--margin", "0.01")
    ended = rankscale(*command, "--format", "markdown")
    assert ended.code == 3
    for sentence in ("49 of 50 topics in qrels.txt are missing from base.txt", "the verdict depends on how they are"):
        assert sentence in ended.out
    assert "--missing zero" in ended.err
    assert [rankscale(*command, "--missing", rule).code for rule in ("zero", "common")] == [0, 3]
