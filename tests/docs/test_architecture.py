"""The walks of docs/architecture.md: each step names a file and something that is defined there."""

import re
from pathlib import Path

import pytest

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
    assert 5 <= len(steps) <= 15
    for file, name in steps:
        path = ROOT / file if file.startswith("rust/") else ROOT / "src" / "rankscale" / file
        text = path.read_text(encoding="utf-8")
        defined = rf"^\s*(?:pub(?:\(\w+\))? )?(?:def|class|fn|struct) {name}\b"
        assert re.search(defined, text, re.MULTILINE), (file, name)


def test_every_part_has_its_place_on_the_pages() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = [path.parent.name for path in (ROOT / "src" / "rankscale").glob("*/__init__.py")]
    assert len(folders) > 15
    assert [name for name in folders if f"| `src/rankscale/{name}/` |" not in table] == []
