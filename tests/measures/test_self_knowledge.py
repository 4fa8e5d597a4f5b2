"""No room outside `measures/` decides what a measure is by its class or its name."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankscale.measures import dcg, precision
from rankscale.measures.base import additive, binary, gains
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import ALIASES, CLASSES
from rankscale.measures.families import relative_measure

SOURCES = Path(__file__).parents[2] / "src" / "rankscale"
ROOMS = ("stats", "scales", "studies", "reporting", "figures", "evaluation", "tracing")
FILES = [path for room in ROOMS for path in sorted((SOURCES / room).rglob("*.py"))]
BASES = {
    name
    for module in (additive, binary, dcg, gains, precision, relative_measure)
    for name, one in vars(module).items()
    if inspect.isclass(one) and issubclass(one, Measure) and one is not Measure
}
CLASS_NAMES = BASES | {find(name).__name__ for name in CLASSES}
MEASURE_NAMES = {*CLASSES, *ALIASES}


def decisions(path: Path) -> Iterator[str]:
    """Each place where a class or a name of a measure decides something."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"isinstance", "issubclass"}
        ):
            names = {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
            if names & CLASS_NAMES:
                yield f"{path.name}:{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            text = " ".join(ast.unparse(side) for side in sides)
            texts = {one.value for side in sides for one in ast.walk(side) if isinstance(one, ast.Constant)}
            classes = {one.id for side in sides for one in ast.walk(side) if isinstance(one, ast.Name)} & CLASS_NAMES
            named = any(word in text for word in (".name", "__name__", "type(")) and texts & MEASURE_NAMES
            if named or ("type(" in text and classes):
                yield f"{path.name}:{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name) and node.cls.id in CLASS_NAMES:
            yield f"{path.name}:{node.lineno}: case {ast.unparse(node.cls)}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCES)))
def test_no_class_or_name_of_a_measure_decides(path: Path) -> None:
    assert list(decisions(path)) == []


def test_decisions_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "room.py"
    path.write_text(
        "isinstance(one, RBP | DCG)\nmeasure.name in {'Rprec', 'Bpref'}\ntype(one) is AP\none.name == 'Interval'\n"
        "isinstance(one, Measure)\nx == 'AP'\n"
    )
    assert [text.split(":")[1] for text in decisions(path)] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(("folder", "allowed"), [("base", ("base",)), ("families", ("base", "families"))])
def test_what_measures_share_imports_no_measure(folder: str, allowed: tuple[str, ...]) -> None:
    rooms = tuple(f"rankscale.measures.{room}." for room in allowed)
    for path in (SOURCES / "measures" / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankscale.measures"):
                assert f"{node.module}.".startswith(rooms), f"{path.name}: {node.module}"
