"""Where results go and in which form: standard output, files, pipes."""

import csv
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

ENDINGS = {
    "tsv": "tsv",
    "csv": "csv",
    "json": "json",
    "jsonl": "jsonl",
    "tex": "latex",
    "md": "markdown",
    "html": "html",
    "txt": "table",
}


@pytest.fixture
def printed(rankscale: Any, qrels: Path, good: Path) -> Any:
    """What is printed with these options."""

    def run(*options: object) -> bytes:
        outcome = rankscale("evaluate", qrels, good, "-m", "RR", "-m", "AP", *options)
        assert outcome.code == 0, outcome.err
        raw: bytes = outcome.raw
        return raw

    return run


@pytest.mark.parametrize(("ending", "form"), ENDINGS.items())
@pytest.mark.parametrize("per_topic", [(), ("-q",)])
def test_the_form_is_what_the_file_s_ending_says(
    ending: str, form: str, per_topic: tuple[str, ...], printed: Any, tmp_path: Path
) -> None:
    out = tmp_path / "out" / f"values.{ending}"
    out.parent.mkdir()
    assert printed("-o", out, *per_topic) == b""
    assert out.read_bytes() == printed("--format", form, *per_topic)
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_a_form_asked_for_goes_before_the_file_s_ending(printed: Any, tmp_path: Path) -> None:
    printed("-o", tmp_path / "values.csv", "--format", "jsonl")
    assert json.loads((tmp_path / "values.csv").read_text().splitlines()[0])["topic"] == "all"


def test_forms_differ(printed: Any) -> None:
    assert len({printed("--format", form) for form in ENDINGS.values()}) == len(ENDINGS)
    assert printed() == printed("--format", "table") == printed("-o", "-")


def test_each_form_is_what_its_name_says(printed: Any) -> None:
    head, *_ = csv.reader(printed("--format", "csv").decode().splitlines())
    assert head == ["run", "topic", "measure", "value"]
    assert json.loads(printed("--format", "json"))["runs"][0]["run"] == "good"
    assert r"\begin{tabular}" in printed("--format", "latex").decode()
    assert printed("--format", "markdown").startswith(b"| run | topics |")


def test_parquet_goes_to_a_file(rankscale: Any, qrels: Path, good: Path, tmp_path: Path) -> None:
    path = tmp_path / "values.parquet"
    assert rankscale("evaluate", qrels, good, "-m", "RR", "-q", "-o", path).code == 0
    rows = parquet.read_table(path).to_pylist()
    assert [(row["topic"], row["measure"]) for row in rows] == [("1", "RR"), ("2", "RR")]
    assert json.loads(parquet.read_schema(path).metadata[b"rankscale"])["sources"] == [str(qrels), str(good)]


@pytest.mark.parametrize("output", [(), ("-o", "-")])
def test_parquet_is_not_for_standard_output(
    output: tuple[str, ...], rankscale: Any, qrels: Path, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = rankscale("evaluate", qrels, good, "--format", "parquet", *output)
    assert (outcome.code, outcome.raw) == (2, b"")
    assert "Parquet goes to a file: name it with -o values.parquet" in outcome.err
    assert not Path("-").exists()


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "json", "table", "latex", "markdown"])
def test_places(form: str, printed: Any) -> None:
    text = printed("--format", form, "--digits", "2").decode()
    assert "0.46" in text  # AP 11/24
    assert "0.458" not in text


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "json"])
def test_all_digits_for_programs(form: str, printed: Any) -> None:
    assert repr(((1 / 2 + 2 / 3) / 2 + 1 / 3) / 2) in printed("--format", form).decode()


def test_a_file_replaces_the_one_before_and_a_failure_leaves_it(
    rankscale: Any, qrels: Path, good: Path, written: Any, tmp_path: Path
) -> None:
    out = tmp_path / "values.tsv"
    out.write_text("before")
    broken = written("broken.txt", "1 Q0 a")
    for arguments in ((qrels, broken), (qrels, good, "--sort", "nope"), (qrels, good, broken), (broken, good)):
        assert rankscale("evaluate", *arguments, "-o", out).code == 2
        assert out.read_text() == "before"
    assert rankscale("evaluate", qrels, good, "-o", out).code == 0
    assert out.read_text().startswith("run\ttopic")
    assert not list(tmp_path.glob(".*"))


def test_a_folder_that_is_missing(rankscale: Any, qrels: Path, good: Path, tmp_path: Path) -> None:
    out = tmp_path / "no" / "values.tsv"
    outcome = rankscale("evaluate", qrels, good, "-o", out)
    assert outcome.code == 2
    assert outcome.err == f"rankscale: {out}: there is no folder {out.parent}; make it first\n"


def test_a_file_that_may_not_be_written(rankscale: Any, qrels: Path, good: Path) -> None:
    outcome = rankscale("evaluate", qrels, good, "-o", "/proc/values.tsv")
    assert outcome.code == 2
    assert outcome.err.startswith("rankscale: ")
    assert "/proc" in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_device_is_written_to(program: Any, qrels: Path, good: Path) -> None:
    """Standard output is a pipe here; where it is a file, see tests/outputs/test_files.py."""
    before = os.lstat("/dev/stdout")
    outcome = program("evaluate", qrels, good, "-m", "RR", "-o", "/dev/stdout")
    assert outcome.code == 0, outcome.err
    assert outcome.words[1][0] == "good"
    assert stat.S_ISLNK(os.lstat("/dev/stdout").st_mode)
    assert os.lstat("/dev/stdout").st_ino == before.st_ino


def test_names_that_are_not_utf8_come_out_as_they_were(rankscale: Any, qrels: Path, tmp_path: Path) -> None:
    run = tmp_path / "latin.txt"
    run.write_bytes(b"1 Q0 a 1 1 caf\xe9\n2 Q0 a 1 1 caf\xe9\n")
    for form in ("tsv", "csv"):
        assert b"\ncaf\xe9" in rankscale("evaluate", qrels, run, "-m", "RR", "--format", form).raw
    for form in ("jsonl", "json", "table", "latex", "markdown"):
        outcome = rankscale("evaluate", qrels, run, "-m", "RR", "--format", form)
        assert outcome.code == 0
        assert "caf" in outcome.raw.decode("utf-8")


def test_names_that_are_not_utf8_and_parquet(rankscale: Any, qrels: Path, tmp_path: Path) -> None:
    run = tmp_path / "latin.txt"
    run.write_bytes(b"1 Q0 a 1 1 caf\xe9\n2 Q0 a 1 1 caf\xe9\n")
    outcome = rankscale("evaluate", qrels, run, "-o", tmp_path / "values.parquet")
    assert outcome.code in {0, 2}  # written with a replacement, or refused in words; no traceback
