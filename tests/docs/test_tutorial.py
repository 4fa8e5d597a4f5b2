"""The notebooks: they run from the first cell to the last, in a kernel and as pages."""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))


@pytest.fixture(scope="module")
def page() -> str:
    spec = importlib.util.spec_from_file_location("notebook_pages", ROOT / "tools" / "notebook_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: str = module.notebook_page(NOTEBOOK)
    return made


@pytest.mark.slow
def test_the_notebook_runs_in_a_kernel(tmp_path: Path) -> None:
    # In a process of its own: what the kernel's libraries warn of is theirs.
    code = (
        "import nbclient, nbformat, sys\n"
        "nb = nbformat.read(sys.argv[1], as_version=4)\n"
        "nbclient.NotebookClient(nb, timeout=120, resources={'metadata': {'path': sys.argv[2]}}).execute()\n"
        "code = [cell for cell in nb.cells if cell.cell_type == 'code']\n"
        "assert all(cell.outputs for cell in code)\n"
        "kinds = [set(out.get('data', ())) for cell in code for out in cell.outputs]\n"
        "print(sum('text/html' in kind for kind in kinds), len(code))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, NOTEBOOK, tmp_path], capture_output=True, text=True, check=False, timeout=180
    )
    assert done.returncode == 0, done.stderr
    shown, cells = map(int, done.stdout.split())
    assert shown >= cells - 2, "all but the list of runs and a pair of numbers are shown as designed"
    assert (tmp_path / "report.html").stat().st_size > 100_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not [cell for cell in notebook.cells if cell.cell_type == "code" and (cell.outputs or cell.execution_count)]


@pytest.mark.slow
def test_the_page_shows_every_step(page: str) -> None:
    for verb in ("read_qrels", "read_runs", "evaluate", "compare", "statements", "diff", "gate", "scale", "figure"):
        assert f"rs.{verb}(" in page
    means = rs.evaluate(*_sample(), "nDCG@10").means()
    assert f"<strong>{max(means.values[0]):.4f}</strong>" in page
    assert 'class="badge good">pass</span>' in page
    assert page.count("<svg") >= 5
    assert not re.search(r"/(?:work|home|root|tmp|Users)/", page), "no page knows the machine it was made on"
    assert page.count("```") % 2 == 0


def _sample() -> tuple[Path, list[Path]]:
    from rankscale.sample import QRELS, RUNS

    names = {"bm25", "ql", "tfidf", "dense-hard", "bm25-ce-pair", "manual"}
    return QRELS, [path for path in RUNS if path.name.split(".")[0] in names]


def test_what_is_computed_by_hand_is_what_rankscale_says() -> None:
    names: dict[str, Any] = {}
    for cell in json.loads((ROOT / "docs" / "measures-by-hand.ipynb").read_text(encoding="utf-8"))["cells"]:
        code = "".join(cell["source"])
        if cell["cell_type"] != "code" or "rs.figure(" in code:
            continue
        *body, last = ast.parse(code).body
        if not isinstance(last, ast.Expr):
            body.append(last)
        exec(compile(ast.Module(body, []), "a cell", "exec"), names)
        shown = eval(compile(ast.Expression(last.value), "a cell", "eval"), names) if isinstance(last, ast.Expr) else ()
        for name, by_hand, ours in shown if isinstance(shown, list) else ():
            if isinstance(name, str) and isinstance(ours, float):
                assert by_hand == pytest.approx(ours, rel=1e-12), name
    assert names["ours"]("CRP@6") == sum(names["positions"])
