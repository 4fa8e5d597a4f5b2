"""The tutorial: its notebook runs from the first cell to the last, in a kernel and as a page."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rankscale as rs

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"


@pytest.fixture(scope="module")
def page() -> str:
    spec = importlib.util.spec_from_file_location("tutorial_page", ROOT / "tools" / "tutorial_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: str = module.tutorial_page()
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


def test_the_notebook_is_kept_without_outputs() -> None:
    import nbformat

    notebook = nbformat.read(NOTEBOOK, as_version=4)
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
