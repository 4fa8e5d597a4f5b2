"""`rankscale agree`."""

import json
from pathlib import Path
from typing import Any

TOPICS = (
    [(0, 0), (1, 1), (1, 0), (2, 2)],
    [(0, 0), (0, 1), (1, 1), (2, 1)],
    [(0, 0), (1, 1), (2, 2), (2, 2)],
)  # grades by A and B, of which kappa is known


def test_agreement_and_what_is_refused(rankscale: Any, tmp_path: Path) -> None:
    for name, side in (("a.txt", 0), ("b.txt", 1)):
        lines = (f"{t} 0 d{i} {pair[side]}\n" for t, pairs in enumerate(TOPICS) for i, pair in enumerate(pairs))
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "run.txt").write_text("".join(f"{t} Q0 d{i} {i} {9 - i} mine\n" for t in range(3) for i in range(4)))
    a, b, run = (str(tmp_path / name) for name in ("a.txt", "b.txt", "run.txt"))
    outcome = rankscale("agree", a, b, "--draws", "all", "--format", "json")
    made = json.loads(outcome.out)
    assert made["settings"]["draws"] == "all"
    assert next(row for row in made["rows"] if row["coefficient"] == "kappa")["pooled"] == 0.625
    assert "0.6250 [0.3261, 0.9179]" in rankscale("agree", a, b, "--draws", "all").out
    with_run = rankscale("agree", a, b, run, "-m", "P@5", "--table", "runs", "--format", "tsv")
    assert with_run.out.splitlines()[1].startswith("P@5\tmine\t")
    shares = rankscale("agree", a, b, "--shares", "total", "--table", "matrix", "--format", "jsonl").rows
    assert [row["B=1 %"] for row in shares] == [100 / 12, 300 / 12, 100 / 12, 500 / 12]
    for arguments, message in (
        (("--shares", "grade"), "'grade' is not one of 'none', 'row', 'column', 'total'"),
        (("--table", "pairs"), "--table pairs is about runs: give RUN... after the two files of qrels"),
        (("-m", "AP"), "--measure is about runs"),
        (("--draws", "none"), "--draws must be a whole number from 1, or 'all'"),
    ):
        refused = rankscale("agree", a, b, *arguments)
        assert refused.code == 2
        assert message in refused.err
    one = rankscale("agree", a)
    assert one.code == 2
    assert (
        "expected several assessors, whom the second column names, found one; give the second judgments too" in one.err
    )
    assert "standard input can be read only once" in rankscale("agree", "-", "-").err


def test_assessors_of_one_file(rankscale: Any, tmp_path: Path) -> None:
    lines = (
        f"{t} {name} d{i} {pair[side]}\n"
        for t, pairs in enumerate(TOPICS)
        for i, pair in enumerate(pairs)
        for side, name in enumerate(("ann", "bob"))
    )
    (tmp_path / "both.txt").write_text("".join(lines))
    (tmp_path / "run.txt").write_text("".join(f"{t} Q0 d{i} {i} {9 - i} mine\n" for t in range(3) for i in range(4)))
    both, run = (str(tmp_path / name) for name in ("both.txt", "run.txt"))
    made = json.loads(rankscale("agree", both, "--draws", "all", "--format", "json").out)
    assert [row["kappa"] for row in made["assessor_pairs"]] == [0.625]
    assert "Cohen's kappa of two assessors: 0.6250 (ann and bob, 12 documents)" in rankscale("agree", both).out
    with_run = rankscale("agree", "--assessors", both, run, "-m", "P@5", "--table", "runs", "--format", "tsv")
    assert [line.split("\t")[:3] for line in with_run.out.splitlines()[1:]] == [
        ["ann", "P@5", "mine"],
        ["bob", "P@5", "mine"],
    ]
    named = rankscale("agree", "--assessors", both, run, "--name", f"his={run}", "-m", "P@5", "--table", "orders")
    assert named.code == 0
    for arguments, message in (
        ((both, run), "assessors of one file, and runs: rankscale agree --assessors QRELS RUN..."),
        ((both, "--table", "matrix"), "--table matrix is about two files of qrels: give both"),
        ((both, "--shares", "row"), "shares are those of the matrix of two sets of judgments: give both"),
        ((both, both, "--table", "assessors"), "--table assessors is about the assessors of one file"),
        ((both, "--table", "orders"), "--table orders is about runs: give RUN... after the two files of qrels, or"),
        (("--assessors", both, run, "--judgments", "fill"), "--judgments fill completes one set"),
    ):
        refused = rankscale("agree", *arguments)
        assert refused.code == 2
        assert message in refused.err
