"""The programs of docs/guide/engines, as a reader would run them."""

import shutil
import subprocess
import sys
from pathlib import Path

from rankscale import sample
from tests.docs.test_pages import ROOT, Block, blocks, environment, run_console

LONGEST = 600  # seconds; engines take long to start on a loaded machine


def run_page(name: str, folder: Path) -> None:
    """Run the commands and the program of a page in a folder with the sample; it prints what the page says."""
    shutil.copytree(sample.QRELS.parent, folder / "sample", ignore=shutil.ignore_patterns("__*"))
    page = blocks(ROOT / "docs" / "guide" / "engines" / f"{name}.md")
    commands, program, printed = (only(page, kind) for kind in ("console", "py", "text"))
    run_console(commands, folder)
    (folder / "measure.py").write_text(program.text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "measure.py"],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed.text, done.stderr
    runs = [f"sample/runs/{run}.txt.xz" for run in ("bm25", "ql")]
    command = ["rankscale", "evaluate", "sample/qrels.txt.xz", *runs, "-m", "AP", "-m", "nDCG@10"]
    alone = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=True)
    assert printed.text.endswith(alone.stdout)


def only(page: list[Block], kind: str) -> Block:
    (block,) = (block for block in page if block.kind == kind)
    return block
