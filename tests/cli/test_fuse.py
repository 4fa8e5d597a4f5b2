"""`rankscale fuse`: a file from several, and a report where parameters are tuned."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

TWO = [str(path) for path in RUNS if path.name.startswith(("bm25.", "dense-base"))]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "x.txt").write_text("1 Q0 a 1 9 x\n1 Q0 b 2 7 x\n1 Q0 c 3 5 x\n1 Q0 d 4 4 x\n")
    (tmp_path / "y.txt").write_text("1 Q0 b 1 .8 y\n1 Q0 e 2 .6 y\n1 Q0 a 3 .2 y\n")
    return [str(tmp_path / "x.txt"), str(tmp_path / "y.txt")]


def test_a_run_to_standard_output(rankscale: Any, files: list[str]) -> None:
    outcome = rankscale("fuse", *files, "--method", "combsum", "--name", "both", "-o", "-")
    assert outcome.code == 0
    rows = [line.split() for line in outcome.raw.decode().splitlines()]
    assert [(row[2], row[3], row[5]) for row in rows] == [
        ("b", "1", "both"),
        ("a", "2", "both"),
        ("e", "3", "both"),
        ("c", "4", "both"),
        ("d", "5", "both"),
    ]
    assert [float(row[4]) for row in rows] == pytest.approx([1.6, 1, 2 / 3, 0.2, 0])


def test_options_reach_the_function(rankscale: Any, files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    words = ["--method", "WSum", "--weights", "0.3,0.7", "--norm", "zmuv", "--depth", "3", "--scores", "rank"]
    assert rankscale("fuse", *files, *words, "-o", out).code == 0
    rows = [line.split(",") for line in out.read_text().splitlines()[1:]]
    expected = rs.fuse(files, "WSum", weights=[0.3, 0.7], norm="zmuv", depth=3, scores="rank").run["1"]
    assert {row[1]: float(row[3]) for row in rows} == expected


def test_forms_of_runs(rankscale: Any, files: list[str], tmp_path: Path) -> None:
    odd = tmp_path / "odd.csv"
    odd.write_text("qq,dd,ss\n1,a,5\n1,z,4\n")
    outcome = rankscale("fuse", odd, odd, "--columns", "topic=qq,document=dd,score=ss", "-o", tmp_path / "o.txt")
    assert outcome.code == 0
    assert [line.split()[2] for line in (tmp_path / "o.txt").read_text().splitlines()] == ["a", "z"]


def test_tuning_reports_and_writes_both_runs(rankscale: Any, tmp_path: Path) -> None:
    words = ["--tune", "AP", "--qrels", QRELS, "--step", "0.25", "--folds", "3", "--seed", "2"]
    outs = ["-o", tmp_path / "final.txt", "--held-out", tmp_path / "held.txt"]
    outcome = rankscale("fuse", *TWO, *words, *outs, "--report", tmp_path / "report.json")
    assert (outcome.code, outcome.raw) == (0, b"")
    document = json.loads((tmp_path / "report.json").read_text())
    tuned = rs.tune_fusion(QRELS, TWO, "AP", step=0.25, folds=3, seed=2)
    assert document["rows"][0]["mean"] == tuned.held_out_mean
    assert len(document["folds"]) == 3
    held = rs.evaluate(QRELS, str(tmp_path / "held.txt"), "AP", order="score64").means()
    assert held["WSum-held-out", "AP"] == pytest.approx(tuned.held_out_mean)
    assert (tmp_path / "final.txt").read_text().split()[2] == next(iter(tuned.fuse().run["101"]))


def test_a_table_of_the_report(rankscale: Any, tmp_path: Path) -> None:
    words = ["--tune", "AP", "--qrels", QRELS, "--method", "RRF", "--grid", "5,50", "-o", tmp_path / "o.txt"]
    outcome = rankscale("fuse", *TWO, *words, "--table", "grid", "--format", "tsv")
    assert [line.split("\t")[0] for line in outcome.raw.decode().splitlines()] == [
        "parameters",
        "RRF(k=5)",
        "RRF(k=50)",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "x", "--folds", "3"], "--folds goes with --tune MEASURE"),
        (["-o", "x", "--qrels", "q"], "--qrels goes with --tune MEASURE"),
        (["-o", "x", "--tune", "AP"], "--tune needs judgments: name them with --qrels FILE"),
        (["-o", "x", "--tune", "AP", "--qrels", "q", "--weights", "1,2"], "leave out --weights"),
        (["-o", "-", "--tune", "AP", "--qrels", "q"], "name a file with --report"),
        (["-o", "x", "--method", "RRG"], "did you mean RRF?"),
        (["-o", "x.xlsx"], "no run is written as .xlsx"),
        ([], "Missing option '-o'"),
        (["-o", "x", "--missing", "common", "--method", "wsum"], "WSum needs weights"),
    ],
)
def test_refusals(rankscale: Any, files: list[str], words: list[str], message: str) -> None:
    outcome = rankscale("fuse", *files, *words)
    assert (outcome.code, outcome.raw) == (2, b"")
    assert message in outcome.err


def test_advice_names_options(rankscale: Any, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("1 Q0 a 1 9 x\n")
    (tmp_path / "y.txt").write_text("2 Q0 a 1 9 y\n")
    outcome = rankscale("fuse", tmp_path / "x.txt", tmp_path / "y.txt", "--missing", "common", "-o", "-")
    assert outcome.code == 2
    assert "--missing zero takes all" in outcome.err
