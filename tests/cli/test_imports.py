"""What is imported when: help and `import rankscale` cost next to nothing."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankscale
from rankscale.measures.base.register_table import CLASSES

HEAVY = {"numpy", "scipy", "polars", "pandas", "pyarrow", "ir_datasets", "rich", "vl_convert", "jinja2"}
Python = Callable[[str], str]


def modules_after(python: Python, code: str) -> set[str]:
    """Names of all modules that are loaded once the code has run."""
    return set(json.loads(python(f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))").splitlines()[-1]))


def calling(*arguments: str) -> str:
    return (
        f"import sys\nsys.argv = ['rankscale', *{list(arguments)!r}]\n"
        "from rankscale.cli import main\ntry:\n    main()\nexcept SystemExit as ended:\n    assert not ended.code"
    )


def test_importing_the_package_imports_nothing_heavy(python: Python) -> None:
    loaded = modules_after(python, "import rankscale")
    assert not loaded & (HEAVY | {"click", "rankscale._core"})
    assert {name for name in loaded if name.startswith("rankscale")} == {"rankscale"}


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["evaluate", "--help"], ["figure", "--help"], ["completion", "bash"]],
    ids=str,
)
def test_help_imports_neither_numpy_nor_a_measure(arguments: list[str], python: Python) -> None:
    loaded = modules_after(python, calling(*arguments))
    assert not loaded & (HEAVY | {"rankscale._core"})
    ours = {name for name in loaded if name.startswith(("rankscale.measures", "rankscale.data"))}
    assert ours <= {"rankscale.data", "rankscale.data.extensions"}  # lists show what other packages add
    if arguments[0] == "--help":
        needed = {f"rankscale.cli{name}" for name in ("", ".program")}
        assert {name for name in loaded if name.startswith("rankscale.cli")} == needed


def test_evaluating_imports_only_the_measures_that_were_asked_for(python: Python) -> None:
    code = "import rankscale as rs\nrs.evaluate({'1': {'a': 1}}, {'1': {'a': 1.0}}, 'AP')"
    loaded = modules_after(python, code)
    assert "rankscale.measures.ap" in loaded
    assert "rankscale.measures.rbp" not in loaded
    assert not loaded & (HEAVY - {"numpy"} | {"click"})


NOT_NEEDED = {
    *("scipy", "rich", "polars", "pandas", "pyarrow", "numpy.ma", "numpy.random", "numpy.fft", "numpy.polynomial"),
    *("hashlib", "logging", "concurrent.futures", "tempfile", "pathlib"),
}


@pytest.mark.parametrize("command", ["trec_eval", "evaluate"])
def test_measuring_one_run_imports_little(command: str, python: Python, qrels: Path, good: Path) -> None:
    chosen = ["-m", "all_trec"] if command == "trec_eval" else ["-m", "map", "-m", "ndcg_cut_10", "--format", "tsv"]
    loaded = modules_after(python, calling(command, *chosen, str(qrels), str(good)))
    assert not loaded & NOT_NEEDED
    assert not {
        name for name in loaded if name.startswith(("rankscale.stats", "rankscale.scales", "rankscale.studies"))
    }
    assert ("click" in loaded) == (command == "evaluate")


def test_the_drop_in_reads_its_own_options(program: Any, qrels: Path, good: Path) -> None:
    stopped = program("trec_eval", "--", "-q", qrels)  # -- ends the options, as in trec_eval: -q is a file here
    assert (stopped.code, stopped.raw) == (2, b"")
    assert "Quit in file '-q'" in stopped.err
    assert program("trec_eval", "-q", "-m", "map", qrels, good).out.count("\n") == 3
    assert program("trec_eval", "--nothing").code == 1


def test_public_names_are_there_and_listed(python: Python) -> None:
    for name in rankscale.__all__:
        assert getattr(rankscale, name) is not None
    assert set(dir(rankscale)) == {*rankscale.__all__, *CLASSES}
    with pytest.raises(AttributeError, match="module 'rankscale' has no attribute 'nope'"):
        rankscale.nope  # type: ignore[attr-defined]  # noqa: B018
    assert python("from rankscale import *; print(evaluate.__name__)").strip() == "evaluate"


def test_the_program_shows_no_warning_of_python(program: Any) -> None:
    outcome = program("demo", "-o", os.devnull, env={"PYTHONWARNINGS": "error"})
    assert (outcome.code, outcome.err) == (0, "")
