"""The walks of docs/architecture.md: each step names a file and something that is defined there."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rankscale.sample import QRELS, RUNS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\d+\. `([\w/.]+)`, `(\w+)`: ", re.MULTILINE)
WALKS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}


def test_the_walks_are_there() -> None:
    assert list(WALKS) == [
        "evaluate",
        "evaluate, block by block",
        "evaluate, on several processes, resumed",
        "compare --statements",
        "report",
        "serve",
        "Interval(DCG(base=2)@30)",
    ]


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_is_short_and_its_steps_exist(walk: str) -> None:
    steps = STEP.findall(WALKS[walk])
    assert len(steps) == len(re.findall(r"^\d+\. ", WALKS[walk], re.MULTILINE))
    assert 5 <= len(steps) <= (12 if walk == "evaluate" else 15)
    for file, name in steps:
        path = ROOT / file if file.startswith("rust/") else ROOT / "src" / "rankscale" / file
        text = path.read_text(encoding="utf-8")
        defined = rf"^\s*(?:pub(?:\(\w+\))? )?(?:def|class|fn|struct) {name}\b"
        assert re.search(defined, text, re.MULTILINE), (file, name)


TRACING = """
import sys
called = set()
def look(frame, event, _):
    if event == "call" and frame.f_code.co_flags & 1 and not frame.f_code.co_name.startswith("<"):
        called.add(frame.f_code.co_filename)
from rankscale.__main__ import main
sys.setprofile(look)
try:
    main()
except SystemExit:
    sys.setprofile(None)
import json
print(json.dumps(sorted(file for file in called if file.startswith(sys.argv.pop()))), file=sys.stderr)
"""


def test_the_walk_of_evaluate_names_every_file_on_the_way() -> None:
    """A file is on the way if a function of it is called, whatever else is imported."""
    package = f"{ROOT / 'src' / 'rankscale'}/"
    words = ["evaluate", str(QRELS), str(RUNS[0]), "-m", "nDCG@10"]
    code = TRACING.replace("sys.argv.pop()", repr(package))
    made = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    files = [file.removeprefix(package) for file in json.loads(made.stderr.splitlines()[-1])]
    assert len(files) > 30
    walk = WALKS["evaluate"]
    assert [file for file in files if f"`{file}`" not in walk and f"`{file.rpartition('/')[2]}`" not in walk] == []


def test_every_part_has_its_place_on_the_pages() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = [path.parent.name for path in (ROOT / "src" / "rankscale").glob("*/__init__.py")]
    assert len(folders) > 15
    assert [name for name in folders if f"| `src/rankscale/{name}/` |" not in table] == []
