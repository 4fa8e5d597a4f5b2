"""The simulation of false positives and power: what the guide shows is what it gives."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def simulation() -> Any:
    spec = spec_from_file_location("simulate_tests", ROOT / "tools" / "simulate_tests.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.nightly
def test_the_guide_has_this_table() -> None:
    assert "\n".join(simulation().table()) in (ROOT / "docs" / "guide" / "comparing.md").read_text()


def test_rows_are_in_the_guide(monkeypatch: pytest.MonkeyPatch) -> None:
    made = simulation()
    monkeypatch.setattr(made, "TIMES", 2)
    guide = (ROOT / "docs" / "guide" / "comparing.md").read_text()
    for row in made.table():
        assert " | ".join(row.split(" | ")[:3]) in guide
