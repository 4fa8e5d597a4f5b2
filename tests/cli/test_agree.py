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
    for arguments, message in (
        (("--table", "pairs"), "--table pairs is about runs: give RUN... after the two files of qrels"),
        (("-m", "AP"), "--measure is about runs"),
        (("--draws", "none"), "--draws (draws= in Python) must be a whole number from 1, or 'all'"),
    ):
        refused = rankscale("agree", a, b, *arguments)
        assert refused.code == 2
        assert message in refused.err
    assert rankscale("agree", a).code == 2
    assert "standard input can be read only once" in rankscale("agree", "-", "-").err
