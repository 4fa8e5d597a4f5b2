"""Modules in the current folder: commands, their workers and the action import none of them."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from rankscale.sample import QRELS, RUNS

SCRIPT = str(Path(sysconfig.get_path("scripts")) / "rankscale")
ACTION = Path(__file__).parents[2] / "tools" / "gate_action.py"
RUN = {path.name.partition(".")[0]: str(path) for path in RUNS}
NAMES = (
    *("_core", "abc", "ast", "asyncio", "atexit", "base64", "bisect", "click", "codecs", "collections", "concurrent"),
    *(
        "contextlib",
        "copyreg",
        "ctypes",
        "dask",
        "dataclasses",
        "distributed",
        "encodings",
        "enum",
        "errno",
        "fractions",
    ),
    *("functools", "glob", "hashlib", "heapq", "importlib", "inspect", "io", "itertools", "json", "keyword", "logging"),
    *("math", "multiprocessing", "numpy", "operator", "os", "pathlib", "pickle", "platform", "queue", "random", "re"),
    *("resource", "runpy", "scipy", "selectors", "shlex", "shutil", "signal", "site", "sitecustomize", "socket", "ssl"),
    *("stat", "string", "struct", "subprocess", "tempfile", "textwrap", "threading", "tokenize", "tomllib", "tornado"),
    *("traceback", "types", "typing", "usercustomize", "warnings", "weakref", "yaml", "zlib"),
)
PLANTED = "import os\nopen({marker!r}, 'a').write(__name__ + ' ')\nos._exit(0)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a module of each name, which leaves a mark and ends the process with 0."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(PLANTED.format(marker=str(tmp_path / "ran")))
    return tmp_path


def run(folder: Path, *command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return subprocess.run(
        command, cwd=folder, env={**env, **variables}, capture_output=True, text=True, check=False, timeout=120
    )


def ran(folder: Path) -> str:
    """The modules of the folder that were imported."""
    marker = folder / "ran"
    return marker.read_text() if marker.exists() else ""


@pytest.mark.parametrize("executor", ["inline", "processes:2", pytest.param("dask:2", marks=pytest.mark.slow)])
def test_commands_and_workers_import_nothing_from_the_current_folder(executor: str, folder: Path) -> None:
    words = ("evaluate", str(QRELS), RUN["ql"], RUN["bm25"], "-m", "AP", "--digits", "8")
    expected = run(folder.parent, SCRIPT, *words)
    done = run(folder, SCRIPT, *words, "--executor", executor)
    assert ran(folder) == ""
    assert (done.returncode, done.stdout) == (0, expected.stdout)


def test_a_script_whose_own_folder_is_another_starts_workers_that_import_nothing_from_here(folder: Path) -> None:
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "script.py").write_text(
        "import operator\nfrom rankscale.executors import Processes\n"
        "if __name__ == '__main__':\n    print(list(Processes(2).map(operator.neg, [1, 2])))\n"
    )
    done = run(folder, sys.executable, str(elsewhere / "script.py"))
    assert ran(folder) == ""
    assert (done.returncode, done.stdout) == (0, "[-1, -2]\n")


def test_processes_that_ignore_the_environment_are_refused(tmp_path: Path) -> None:
    words = ("evaluate", str(QRELS), RUN["ql"], "-m", "AP", "--executor", "processes:1")
    code = "import sys; sys.path[:0] = sys.argv.pop(1).split(':'); from rankscale.__main__ import main; main()"
    path = os.environ.get("PYTHONPATH", "")
    done = run(tmp_path, sys.executable, "-E", "-c", code, path, *words)
    assert (done.returncode, "started with -E" in done.stderr) == (2, True)
    done = run(tmp_path, sys.executable, "-E", "-P", "-c", code, path, *words)
    assert done.returncode == 0


def test_python_m_imports_from_the_current_folder_only_what_python_itself_does_first(folder: Path) -> None:
    first = run(folder, sys.executable, "-P", "-c", "import runpy, sys; print(*sys.modules)").stdout.split()
    for name in first:  # imported by `python -m` before any line of ours
        (folder / f"{name}.py").unlink(missing_ok=True)
    assert {"numpy", "struct", "signal", "json", "random", "pickle", "socket"} <= {one.stem for one in folder.iterdir()}
    done = run(folder, sys.executable, "-m", "rankscale", "evaluate", str(QRELS), RUN["ql"], "-m", "AP")
    assert ran(folder) == ""
    assert done.returncode == 0
    assert done.stdout.startswith("run")


@pytest.mark.parametrize(("candidate", "code", "verdict"), [("manual", 0, "pass"), ("tfidf", 1, "fail")])
def test_the_action_imports_nothing_from_the_repository(candidate: str, code: int, verdict: str, folder: Path) -> None:
    done = run(
        folder,
        sys.executable,
        str(ACTION),
        GITHUB_OUTPUT=str(folder / "output"),
        RANKSCALE_QRELS=str(QRELS),
        RANKSCALE_BASELINE=RUN["bm25"],
        RANKSCALE_CANDIDATES=RUN[candidate],
        RANKSCALE_MEASURES="P@10",
        RANKSCALE_MARGIN="0.02",
    )
    assert ran(folder) == ""
    assert (done.returncode, (folder / "output").read_text()) == (code, f"verdict={verdict}\n")
