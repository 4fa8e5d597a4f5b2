"""Files of every form on the command line: told by content, said once, and what options say of them."""

from pathlib import Path
from typing import Any

import pytest

from rankscale.sample import QRELS

RUN = QRELS.parent / "runs" / "bm25.txt.xz"
FORMS = {"csv": "CSV", "tsv": "TSV", "jsonl": "JSON Lines", "parquet": "Parquet"}


@pytest.fixture(name="trec")
def values_of_trec(rankscale: Any) -> Any:
    return rankscale("evaluate", QRELS, RUN, "-m", "AP", "-m", "nDCG@10", "--per-topic", "--format", "tsv").out


@pytest.mark.parametrize("form", FORMS)
def test_converted_files_give_the_same_values(form: str, rankscale: Any, trec: str, tmp_path: Path) -> None:
    run, qrels = tmp_path / f"run.{form}", tmp_path / f"qrels.{form}"
    assert rankscale("convert", RUN, run).code == 0
    assert rankscale("convert", QRELS, qrels).code == 0
    made = rankscale("evaluate", qrels, run, "-m", "AP", "-m", "nDCG@10", "--per-topic", "--format", "tsv", "--strict")
    assert made.code == 0
    assert made.out == trec
    assert f"{qrels}: read as {FORMS[form]}: topic, document, grade\n" in made.err
    assert f"{run}: read as {FORMS[form]}: topic, document, score" in made.err
    assert "warning" not in made.err


def test_one_line_for_many_files_of_one_form(rankscale: Any, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text("qid,docno,score\n101,d0064,2\n")
    made = rankscale("evaluate", QRELS, tmp_path, "-m", "RR")
    (line,) = [line for line in made.err.splitlines() if "read as" in line]
    assert line == f"{tmp_path}/a.csv and 2 more files: read as CSV: topic in qid, document in docno, score"
    assert [row.split()[0] for row in made.out.splitlines()[1:]] == ["a", "b", "c"]


def test_options_reach_the_reader(rankscale: Any, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("101;d0064#1;2\n101;d0064#2;3\n101;x#1;1\n")
    (tmp_path / "qrels").write_text("101,d0064,1\n101,d0064,3\n102,y,1\n")
    options = ["--columns", "topic=1,document=2,score=3", "--document-from", "^(.*)#", "--duplicates", "best"]
    of_qrels = ["--qrels-columns", "topic=1,document=2,grade=3", "--qrels-merge", "max"]
    made = rankscale(
        "evaluate",
        tmp_path / "qrels",
        tmp_path / "run",
        "-m",
        "CG@1",
        *options,
        *of_qrels,
        "--per-topic",
        "--format",
        "tsv",
    )
    assert made.out.splitlines()[1] == "run\t101\tCG@1\t3.0"
    for command in ("curves", "compare", "report", "bounds"):
        assert "--document-from" in rankscale(command, "--help").out


def test_misuse_is_refused_in_words(rankscale: Any, tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("qid,docno,score\n101,d0064,2\n")
    run = tmp_path / "run.csv"
    assert "expected columns such as topic=qid" in rankscale("evaluate", QRELS, run, "--columns", "qid").refused
    assert "did you mean 'topic'?" in rankscale("evaluate", QRELS, run, "--columns", "topics=qid").refused
    assert (
        "run.csv, line 1: expected a column x with the topics"
        in rankscale("evaluate", QRELS, run, "--columns", "topic=x").refused
    )
    assert "expected parquet, found text" in rankscale("evaluate", QRELS, run, "--form", "parquet").refused
    assert "matches no document" in rankscale("evaluate", QRELS, run, "--document-from", "^(.*)#").refused
    assert "expected a group" in rankscale("evaluate", QRELS, run, "--document-from", "#").refused
    assert "needs rankings" in rankscale("compare", "--values", run, "--form", "csv").refused


def test_a_run_of_several_is_converted(rankscale: Any, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("system,qid,docno,score\nx,1,a,2\ny,1,b,2\n")
    out = tmp_path / "y.txt"
    message = rankscale("convert", tmp_path / "runs.csv", out).refused
    assert "there are 2 runs (x, y); name one of them" in message
    assert not out.exists()
    assert rankscale("convert", tmp_path / "runs.csv", out, "--run", "y").code == 0
    assert out.read_text() == "1 Q0 b 1 2.0 y\n"
    assert "there is no run z; there are x, y" in rankscale("convert", tmp_path / "runs.csv", out, "--run", "z").refused


def test_every_form_is_converted_into_every_other(rankscale: Any, tmp_path: Path) -> None:
    text = "1 Q0 b 1 2.5 t\n1 Q0 a 2 1.25 t\n2 Q0 c 1 0.5 t\n"
    (tmp_path / "run.txt").write_text(text)
    for form in FORMS:
        rankscale("convert", tmp_path / "run.txt", tmp_path / f"run.{form}")
        rankscale("convert", tmp_path / f"run.{form}", tmp_path / f"back.{form}.txt", "--to", "trec")
        assert (tmp_path / f"back.{form}.txt").read_text() == text
    rankscale("convert", tmp_path / "run.txt", tmp_path / "ms.tsv", "--to", "msmarco")
    rankscale("convert", tmp_path / "ms.tsv", tmp_path / "back.txt", "--name", "t")
    assert (tmp_path / "back.txt").read_text() == "1 Q0 b 1 2.0 t\n1 Q0 a 2 1.0 t\n2 Q0 c 1 1.0 t\n"
