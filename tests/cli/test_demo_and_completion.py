"""`rankscale demo`, whose suggestions can be followed, and `rankscale completion`."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from rankscale.measures.base.register import names
from rankscale.sample import RUNS


def test_the_demo_shows_all_runs_best_first_and_what_to_try_next(rankscale: Any) -> None:
    outcome = rankscale("demo", "-o", os.devnull)
    assert (outcome.code, outcome.err) == (0, "")
    before, _, after = outcome.out.partition("What to try next:\n")
    board = [words for words in map(str.split, before.splitlines()) if len(words) == 8 and words[0] != "run"]
    assert {line[0] for line in board} == {path.name.removesuffix(".txt.xz") for path in RUNS}
    means = [float(line[2]) for line in board]  # of nDCG@10
    assert means == sorted(means, reverse=True)
    folder, *commands = after.splitlines()
    assert folder.startswith("  S=")
    assert all(line.startswith("  rankscale ") for line in commands)
    assert len(commands) >= 3


def test_without_figures_the_demo_says_how_to_get_them_and_suggests_none(
    rankscale: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("jinja2", "vl_convert"):
        monkeypatch.setitem(sys.modules, library, None)
    shown = rankscale("demo", "-o", os.devnull).out
    assert "as a page, but a report needs jinja2, which is not installed: pip install 'rankscale[report]'\n" in shown
    assert "rankscale compare" in shown
    assert "rankscale figure" not in shown


def test_the_sample_is_copied_and_nothing_is_overwritten(rankscale: Any, tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    assert rankscale("demo", "--copy", folder).code == 0
    assert {path.name for path in (folder / "runs").iterdir()} == {path.name for path in RUNS}
    assert all((folder / "runs" / path.name).read_bytes() == path.read_bytes() for path in RUNS)
    assert rankscale("demo", "--copy", folder).code == 0  # it is there
    (folder / "qrels.txt.xz").write_text("mine")
    assert "name a new folder" in rankscale("demo", "--copy", folder).refused
    assert (folder / "qrels.txt.xz").read_text() == "mine"
    assert os.listdir(tmp_path) == ["sample"]


def test_the_commands_that_the_demo_prints_work(rankscale: Any, tmp_path: Path) -> None:
    shown = rankscale("demo", "-o", os.devnull).out
    (folder,) = re.findall(r"^  (S=.*)$", shown, re.MULTILINE)
    commands = re.findall(r"^  (rankscale .*)$", shown, re.MULTILINE)
    scripts = sysconfig.get_path("scripts")
    for command in commands:
        ended = subprocess.run(
            f'{folder}; PATH="{scripts}:$PATH" {command}',
            shell=True,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        wanted = 1 if " check " in command else 0  # it is shown a run that misses a topic
        assert ended.returncode == wanted, (command, ended.stderr)
        assert ended.stdout or "-o " in command
        assert "Traceback" not in ended.stderr
    assert (tmp_path / "values.tsv").read_text().startswith("run\ttopic\tmeasure\tvalue\n")


@pytest.mark.parametrize(
    ("shell", "sign"), [("bash", "complete -o"), ("zsh", "#compdef rankscale"), ("fish", "complete ")]
)
def test_completion_scripts(shell: str, sign: str, rankscale: Any) -> None:
    outcome = rankscale("completion", shell)
    assert (outcome.code, outcome.err) == (0, "")
    assert sign in outcome.out
    assert "_RANKSCALE_COMPLETE" in outcome.out
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=outcome.raw, check=True, capture_output=True, timeout=120)


def test_a_shell_without_completion(rankscale: Any) -> None:
    outcome = rankscale("completion", "tcsh")
    assert outcome.code == 2
    assert "'bash', 'zsh', 'fish'" in outcome.err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("rankscale ev", {"evaluate"}),
        ("rankscale evaluate --per", {"--per-topic"}),
        ("rankscale evaluate q r -m ndcg", {name for name in names() if name.lower().startswith("ndcg")}),
        ("rankscale measures RB", {"RBP", "RBTO"}),
        ("rankscale evaluate q r --format js", {"json", "jsonl"}),
    ],
)
def test_what_a_shell_is_offered(typed: str, offered: set[str], program: Any) -> None:
    words = typed.split()
    environment = {"_RANKSCALE_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    outcome = program(env=environment)
    assert {line.split(",")[1] for line in outcome.out.splitlines()} == offered
