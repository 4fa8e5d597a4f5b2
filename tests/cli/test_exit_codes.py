"""Exit codes: whatever goes wrong, 0, 1 and 3 are verdicts; a defect of ours is 70."""

import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from rankscale.errors import InputError
from rankscale.sample import QRELS, RUNS

SCRIPT = Path(sysconfig.get_path("scripts")) / "rankscale"
RUN = {path.name.partition(".")[0]: str(path) for path in RUNS}
VERDICTS = {"manual": 0, "tfidf": 1, "ql": 3}


class PanicError(BaseException):
    """As a panic of the core is: no Exception."""


@pytest.mark.parametrize(
    "error", [KeyError("a"), AssertionError(), RecursionError("deep"), PanicError("core"), ValueError("b")]
)
@pytest.mark.parametrize("command", ["gate", "check", "evaluate"])
def test_a_defect_ends_with_70_and_says_what_to_do(
    error: BaseException, command: str, rankscale: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    places = {"gate": "rankscale.cli.gate.result", "check": "rankscale.inputs.check.check.check"}
    monkeypatch.setattr(places.get(command, "rankscale.evaluation.evaluate.evaluated"), fails)
    words: dict[str, tuple[object, ...]] = {
        "gate": (QRELS, RUN["bm25"], RUN["ql"], "-m", "P@10", "--margin", "0.02"),
        "check": (RUN["ql"],),
        "evaluate": (QRELS, RUN["ql"], "-m", "AP"),
    }
    outcome = rankscale(command, *words[command])
    assert (outcome.code, outcome.raw) == (70, b"")
    assert "Traceback" in outcome.err
    *_, last = outcome.err.strip().splitlines()
    assert last.startswith(f"rankscale: internal error: {type(error).__name__}. This is a defect of rankscale")
    assert "report" in last


def test_an_error_of_input_stays_2(rankscale: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise InputError("not so")

    monkeypatch.setattr("rankscale.cli.gate.result", fails)
    outcome = rankscale("gate", QRELS, RUN["bm25"], RUN["ql"], "-m", "P@10", "--margin", "0.02")
    assert outcome.refused == "rankscale: not so\n"


def test_an_installation_that_cannot_be_imported_ends_with_70(tmp_path: Path) -> None:
    code = "import sys; sys.modules['rankscale.cli'] = None; from rankscale.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "gate"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 70
    assert "ModuleNotFoundError" in done.stderr


@pytest.mark.parametrize("candidate", VERDICTS)
def test_the_verdict_stands_where_nobody_reads_the_output(candidate: str) -> None:
    words = ("gate", QRELS, RUN["bm25"], RUN[candidate], "-m", "P@10", "--margin", "0.02", "--format", "jsonl")
    with subprocess.Popen([SCRIPT, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=60) == VERDICTS[candidate]


HALF = '"\\ud800"'


def test_half_of_a_surrogate_pair_in_json_ends_with_2(tmp_path: Path, rankscale: Any) -> None:
    values, groups = tmp_path / "values.jsonl", tmp_path / "groups.jsonl"
    values.write_text("".join(f'{{"topic": {topic}, "a": 0.1, "b": 0.2}}\n' for topic in ('"1"', HALF)))
    assert "line 2: expected characters" in rankscale("gate", "--values", values, "-m", "AP", "--margin", "1").refused
    groups.write_text(f'{{"topic": "101", "group": {HALF}}}\n')
    outcome = rankscale("evaluate", QRELS, RUNS[0], "-m", "AP", "--groups", groups, "--format", "json")
    assert "line 1: expected characters" in outcome.refused
