"""`rankscale overlap`: tables for people and programs, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

TWO = [str(path) for path in RUNS if path.name.startswith(("bm25.", "ql."))]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, documents in (("a", "12345"), ("b", "21637")):
        lines = [f"1 Q0 d{document} {rank} {-rank} {name}\n" for rank, document in enumerate(documents, 1)]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    return [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]


def test_worked_values(rankscale: Any, files: list[str]) -> None:
    outcome = rankscale("overlap", *files, "--depth", "5", "--format", "tsv")
    assert outcome.code == 0
    rows = [line.split("\t") for line in outcome.raw.decode().splitlines()[1:]]
    means = {row[2]: float(row[3]) for row in rows}
    assert (means["tau_union"], means["KTU"], means["RBO"]) == pytest.approx((0.35, 0.6, 0.592335), abs=5e-7)


def test_repro_evals_own(rankscale: Any, files: list[str]) -> None:
    words = ["--union", "docno", "--norm", "depth", "-p", "0.95"]
    outcome = rankscale("overlap", *files, *words, "--table", "pairs", "--format", "json")
    (row,) = json.loads(outcome.raw)["rows"]
    assert (row["KTU(docno)"], row["RBO"]) == pytest.approx((0.6, 0.284219), abs=5e-7)


def test_all_options_reach_the_function(rankscale: Any) -> None:
    words = ["--qrels", QRELS, "-m", "P@10", "--margin", "2%", "--coefficient", "tau", "--depth", "20", "--seed", "3"]
    outcome = rankscale("overlap", *TWO, *words, "--format", "json")
    document = json.loads(outcome.raw)
    expected = rs.overlap(TWO, QRELS, "P@10", margin="2%", coefficients=["tau"], depth=20, seed=3)
    assert document["rows"] == list(expected.table("overlap"))
    assert document["values"][0]["p_equivalence"] == expected.values[0].difference.p_equivalence


def test_another_collection(rankscale: Any) -> None:
    words = ["--qrels", QRELS, "-m", "P@10", "--other-qrels", QRELS, "--other-run", TWO[1]]
    outcome = rankscale("overlap", TWO[0], *words)
    assert outcome.code == 0
    assert "Other collection" in outcome.raw.decode()
    assert "Student's unpaired t" in outcome.raw.decode()


def test_names_and_forms(rankscale: Any, files: list[str]) -> None:
    outcome = rankscale("overlap", "--name", f"x={files[0]}", "--name", f"y={files[1]}", "--table", "pairs")
    assert outcome.raw.decode().splitlines()[1].split()[:2] == ["x", "y"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "AP"], "--measure is about values, which need judgments"),
        (["--table", "values"], "--table values needs --qrels"),
        (["--table", "effects"], "--table effects needs --baseline"),
        (["--coefficient", "rho"], "there are overlap, jaccard"),
        (["--baseline", "a"], "is about values, which need judgments: give --qrels FILE"),
        (["--draws", "none"], "must be a whole number from 1, or 'all', got 'none'"),
    ],
)
def test_refusals(rankscale: Any, files: list[str], words: list[str], message: str) -> None:
    outcome = rankscale("overlap", *files, *words)
    assert (outcome.code, outcome.raw) == (2, b"")
    assert message in outcome.err


def test_one_run_is_not_enough(rankscale: Any, files: list[str]) -> None:
    outcome = rankscale("overlap", files[0])
    assert outcome.code == 2
    assert "there is one (a): give two runs or more" in outcome.err
