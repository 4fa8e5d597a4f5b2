"""click and numpy imported without modules that a command seldom uses."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankscale.cli.later import FOR_CLICK, FOR_NUMPY, _cleandoc

BEGUN = """
import sys
from rankscale.cli.later import import_click, import_dataclasses, import_numpy
import_dataclasses()
import_click()
import_numpy()
import click, dataclasses, numpy
"""
USES = {  # what libraries do with the modules that others stood for, while they were imported
    "ctypes": "print(numpy.arange(3).ctypes.shape[0])",
    "inspect": "print(numpy._core.overrides.inspect.isclass(int), click.core.inspect.cleandoc(' a'))",
    "numpy._core._add_newdocs": "print(numpy._core._add_newdocs.add_newdoc.__name__)",
    "numpy._core._add_newdocs_scalars": "print(numpy._core._add_newdocs_scalars.add_newdoc_for_scalar_type.__name__)",
    "numpy.linalg": "print(numpy.roots([1, -3, 2]), numpy.matrix([[1, 1], [0, 1]]) ** 3, numpy.linalg.det([[2.0]]))",
    "numpy._typing": "import numpy.typing as npt; print(npt.ArrayLike is not None, npt.NDArray[float])",
    "pickle": "import pickle; print(pickle.loads(numpy.arange(3).dumps()))",
    "platform": "print(numpy.lib._utils_impl.platform.system())",
    "textwrap": "print(numpy.lib._utils_impl.textwrap.dedent(' a'))",
    "uuid": "print(click.types.uuid.uuid3.__name__)",
}


def python(program: str, before: str = BEGUN) -> str:
    """What a program prints in a process of its own."""
    return subprocess.run([sys.executable, "-c", before + program], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", sorted({*FOR_CLICK, *FOR_NUMPY}))
def test_a_library_that_uses_a_module_gets_it(name: str) -> None:
    assert python(USES[name]) == python(USES[name], "import click, dataclasses, numpy\n")


def test_all_others_import_the_modules_as_they_are() -> None:
    names = sorted({*FOR_CLICK, *FOR_NUMPY})
    program = f"""
import importlib
print([name for name in {names} if type(importlib.import_module(name)).__name__ != "module"])
import uuid
print(uuid.UUID(int=1))
"""
    assert python(program).split() == ["[]", "00000000-0000-0000-0000-000000000001"]


def test_evaluating_imports_none_of_them(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("1 0 a 1\n")
    run.write_text("1 Q0 a 1 1.0 x\n")
    program = f"""
import atexit, sys
from rankscale.cli import main
atexit.register(lambda: print([name for name in {[*FOR_CLICK, *FOR_NUMPY, "json", "pathlib"]} if name in sys.modules]))
sys.argv = ["rankscale", "evaluate", {str(qrels)!r}, {str(run)!r}, "-m", "AP", "--wide", "--format", "tsv"]
main()
"""
    _, row, imported = python(program, "").splitlines()
    assert row.split("\t")[-1] == "1.0"
    # From Python 3.12 on, `isinstance` of a protocol imports inspect.
    assert set(ast.literal_eval(imported)) <= ({"inspect"} if sys.version_info >= (3, 12) else set())


def test_several_threads_get_one_module() -> None:
    program = """
from threading import Thread
seen = []
threads = [Thread(target=lambda: seen.append(click.core.inspect.signature)) for _ in range(8)]
[one.start() for one in threads]; [one.join() for one in threads]
import inspect
print(len(seen), len(set(map(id, seen))), seen[0] is inspect.signature)
"""
    assert python(program).split() == ["8", "1", "True"]


@given(st.text(st.sampled_from("a \t\n\u00e9"), max_size=30))
@example("a\n    b\n      c\n")
def test_texts_are_cleaned_as_inspect_does(text: str) -> None:
    assert _cleandoc(text) == inspect.cleandoc(text)
