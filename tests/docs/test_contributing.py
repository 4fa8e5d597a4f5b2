"""The measure that CONTRIBUTING.md adds: short enough, and right."""

import doctest
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

import rankscale as rs
from rankscale.measures.base import register
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.register_table import CLASSES

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
LONGEST = 41


@pytest.fixture
def source() -> str:
    found = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    return str(found[0])


@pytest.fixture
def measure(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install: Callable[[str, Path], None]
) -> Iterator[type[Measure]]:
    """The class, in the register as if another package had brought it."""
    install(source, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    register.find.cache_clear()
    yield register.find("LastRel")
    register.find.cache_clear()


def test_the_file_is_short(source: str) -> None:
    assert len(source.splitlines()) <= LONGEST


def test_the_example_in_it_holds(measure: type[Measure]) -> None:
    found = doctest.testmod(import_module(measure.__module__))
    assert (found.failed, found.attempted) == (0, 2)


def test_it_has_the_value_that_one_computes_by_hand(measure: type[Measure]) -> None:
    # Relevant at ranks 2, 3 and 5 of topic 1 (the third of them with grade 2), nowhere in topic 2.
    qrels = {"1": {"b": 1, "c": 1, "e": 2, "missed": 1}, "2": {"a": 0, "missed": 1}}
    run = {"1": {"a": 9.0, "b": 8.0, "c": 7.0, "d": 6.0, "e": 5.0, "f": 4.0}, "2": {"a": 1.0}}
    asked = ["LastRel", "LastRel@4", "LastRel@1", "LastRel(rel=2)"]
    found = rs.evaluate(qrels, {"mine": run}, asked)
    assert found.to_dict()["mine"] == {
        "1": {"LastRel": 5, "LastRel@4": 3, "LastRel@1": 0, "LastRel(rel=2)": 5},
        "2": {"LastRel": 0, "LastRel@4": 0, "LastRel@1": 0, "LastRel(rel=2)": 0},
    }
    assert found.means()["mine", "LastRel"] == 2.5


def test_it_is_no_measure_of_ours() -> None:
    assert "LastRel" not in CLASSES
