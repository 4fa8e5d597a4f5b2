"""The GitHub action and the pre-commit hook: what they declare, and the action's script with fake files of GitHub."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from rankscale.sample import QRELS, RUNS

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "gate_action.py"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
RUN = {path.name.partition(".")[0]: str(path) for path in RUNS}
CASES = {"manual": (0, "pass"), "tfidf": (1, "fail"), "ql": (3, "inconclusive")}


@pytest.fixture
def step(tmp_path: Path) -> Any:
    """The script as a step: inputs in; exit code, job summary and outputs out."""

    def run(**inputs: str) -> tuple[int, str, str]:
        files = {name: tmp_path / name.lower() for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        given = {f"RANKSCALE_{name.upper()}": text for name, text in inputs.items()}
        env = {**os.environ, **given, **{name: str(path) for name, path in files.items()}}
        done = subprocess.run(
            [sys.executable, SCRIPT], env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )
        return done.returncode, *(path.read_text() for path in files.values())  # type: ignore[return-value]

    return run


@pytest.mark.parametrize("candidate", CASES)
def test_the_verdict_is_the_exit_code_an_output_and_in_the_summary(candidate: str, step: Any) -> None:
    code, summary, outputs = step(
        qrels=str(QRELS), baseline=RUN["bm25"], candidates=RUN[candidate], measures="P@10", margin="0.02 2%"
    )
    expected, verdict = CASES[candidate]
    assert (code, outputs) == (expected, f"verdict={verdict}\n")
    assert summary.startswith(f"**Gate: {verdict} ({candidate} against bm25)**\n\n| measure | topics |")


def test_an_error_is_in_the_summary_too(step: Any) -> None:
    code, summary, outputs = step(qrels=str(QRELS), baseline=RUN["bm25"], candidates=RUN["ql"], margin="much")
    assert (code, outputs) == (2, "verdict=error\n")
    assert summary.startswith("```text\nrankscale: margin: a margin is a number above 0 such as 0.01")


def test_patterns_values_and_more_options(step: Any, tmp_path: Path) -> None:
    for name in ("bm25", "ql"):
        (tmp_path / f"run of {name}.txt.xz").write_bytes(Path(RUN[name]).read_bytes())
    code, summary, _ = step(
        qrels=str(QRELS),
        baseline=shlex.quote("run of bm25.txt.xz"),
        candidates="'run of q*'",
        margin="5%",
        arguments="--inconclusive pass --losses 1",
    )
    assert code == 0
    assert "Gate: inconclusive, which counts as pass here (ql against bm25)" in summary
    (tmp_path / "values.csv").write_text("topic,old,new\n" + "".join(f"{t},0.{t},0.{t}1\n" for t in range(1, 9)))
    code, summary, _ = step(values="values.csv", measures="P@100", margin="0.01")
    assert (code, "(new against old)" in summary) == (0, True)


def test_an_input_is_never_a_command(step: Any, tmp_path: Path) -> None:
    code, _, _ = step(qrels="$(touch bad)", baseline="`touch bad`", candidates=";touch bad", margin="0.1")
    assert code == 2
    assert not (tmp_path / "bad").exists()


def test_the_action_hands_over_every_input_and_starts_the_script() -> None:
    install, gate = ACTION["runs"]["steps"]
    assert gate["run"] == f'python -P "$GITHUB_ACTION_PATH/{SCRIPT.relative_to(ROOT).as_posix()}"'
    handed = {name: re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text) for name, text in gate["env"].items()}
    assert all(match and name == f"RANKSCALE_{match[1].upper()}" for name, match in handed.items())
    assert set(ACTION["inputs"]) == {match[1] for match in handed.values() if match} | {"install"}
    assert all("${{" not in one["run"] for one in (install, gate))  # inputs reach a shell as variables alone
    assert all(one["run"].startswith("python -P ") for one in (install, gate))  # nothing of the repository is imported


# A verdict is one that the gate wrote


FAKES = {  # what stands in the place of rankscale, and the exit code of the action
    "nothing": ("", 70),
    "a crash": ("raise SystemExit(1)", 70),
    "another crash": ("1 / 0", 70),
    "text alone": ("print('**Gate: pass**')", 70),
    "another verdict": ("write('fail')", 70),
    "a pass with the code of a fail": ("write('pass'); raise SystemExit(1)", 70),
    "a killed process": ("write('pass'); import os; os.kill(os.getpid(), 9)", 70),
    "an unknown code": ("write('pass'); raise SystemExit(5)", 70),
    "an internal error": ("write('pass'); raise SystemExit(70)", 70),
    "bad input": ("raise SystemExit(2)", 2),
    "an interrupt": ("raise SystemExit(130)", 130),
    "broken JSON": ("open(path, 'w').write('{')", 70),
    "JSON of something else": ("open(path, 'w').write('[1]')", 70),
}
FAKE = """
import json, sys
path = sys.argv[2].removeprefix("--json=")
def write(outcome):
    with open(path, "w") as file:
        json.dump({"outcome": outcome}, file)
"""


def fake(folder: Path, does: str) -> None:
    """A package called rankscale that is found first."""
    (folder / "fake" / "rankscale").mkdir(parents=True)
    (folder / "fake" / "rankscale" / "__init__.py").write_text("")
    (folder / "fake" / "rankscale" / "__main__.py").write_text(FAKE + does + "\n")


@pytest.mark.parametrize("case", FAKES)
def test_no_crash_reads_as_a_verdict(case: str, step: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    does, expected = FAKES[case]
    fake(tmp_path, does)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "fake"))
    code, summary, outputs = step(qrels="q", baseline="b", candidates="c", margin="0.01")
    assert (code, outputs) == (expected, "verdict=error\n")
    assert "rankscale: the gate ended with code" in summary or expected in {2, 130} or case == "an internal error"


def test_a_quotation_mark_that_is_not_closed_is_an_error_of_input(step: Any) -> None:
    code, summary, outputs = step(qrels="q", baseline="'b", candidates="c", margin="0.01")
    assert (code, outputs) == (2, "verdict=error\n")
    assert "cannot be split into words: No closing quotation" in summary


def test_an_error_of_the_script_itself_is_no_verdict(tmp_path: Path) -> None:
    env = {**os.environ, "RANKSCALE_MARGIN": "0.01", "GITHUB_OUTPUT": str(tmp_path / "no" / "such" / "folder")}
    done = subprocess.run([sys.executable, SCRIPT], env=env, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert done.returncode == 70


# Commands of the runner


def is_command(line: str) -> bool:
    """Whether GitHub's runner takes a line for a command: `::` after blanks at its start, or `##[` anywhere."""
    return line.lstrip().startswith("::") or "##[" in line or "##vso[" in line


def log_of(folder: Path, **inputs: str) -> list[str]:
    env = {**os.environ, **{f"RANKSCALE_{name.upper()}": text for name, text in inputs.items()}}
    done = subprocess.run([sys.executable, SCRIPT], env=env, cwd=folder, capture_output=True, check=False, timeout=60)
    return re.split(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", (done.stdout + done.stderr).decode())


def test_a_line_of_a_file_is_no_command_of_the_runner(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("::stop-commands::x\n")
    log = log_of(tmp_path, qrels=str(QRELS), baseline=RUN["bm25"], candidates="run.txt", measures="AP", margin="0.01")
    assert any(": :stop-commands::x" in line for line in log)
    assert not any(map(is_command, log))


STARTS = ("", " ", "\t", "\n", "\r", "\x0b", "\u2028", "\u00a0", "\ufeff", "a\r", "a\n   ", ":", "::", "::a::")


@pytest.mark.parametrize("text", ["::set-output name=verdict::pass", "##[set-env name=PATH;]/tmp", "##vso[task.x]y"])
def test_whatever_the_gate_prints_is_no_command_of_the_runner(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = "".join(f"{start}{text}\n" for start in STARTS)
    fake(tmp_path, f"for out in (sys.stdout, sys.stderr): out.buffer.write({printed!r}.encode())")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "fake"))
    log = log_of(tmp_path, qrels="q", baseline="b", candidates="c", margin="0.01")
    assert not any(map(is_command, log))
    assert sum(line.endswith(text[-8:]) for line in log) == 2 * len(STARTS)


def test_the_hook_checks_runs(rankscale_script: str) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert re.search(hook["files"], "submissions/runs/bm25.txt.gz")
    assert not re.search(hook["files"], "runs/notes/readme.md")
    program, *arguments = shlex.split(hook["entry"])
    assert program == "rankscale"
    done = subprocess.run([rankscale_script, *arguments, RUN["ql"]], capture_output=True, check=False, timeout=60)
    assert done.returncode == 0


@pytest.fixture
def rankscale_script() -> str:
    import sysconfig

    return str(Path(sysconfig.get_path("scripts")) / "rankscale")
