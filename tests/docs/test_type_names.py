"""A type name has one meaning in the whole of `src/`: a reader who meets it again meets the same thing."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "rankscale"

# Names that are plain words of two rooms which never meet in one file; more than these few would confuse.
MOST = 10


def type_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Public classes, each a meaning of its own, and aliases of types with the text that they stand for."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, "class"
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp | ast.Attribute):
            names = [name.id for name in node.targets if isinstance(name, ast.Name) and not name.id.isupper()]
            yield from ((name, ast.unparse(node.value)) for name in names)


def names_of_several_things() -> dict[str, list[str]]:
    """The files that define a name, for each name that stands for more than one thing."""
    defined = defaultdict(list)
    for path in sorted(SOURCES.rglob("*.py")):
        for name, meaning in type_names(ast.parse(path.read_text(encoding="utf-8"))):
            if name[:1].isupper():
                defined[name].append((meaning, path.relative_to(SOURCES).as_posix()))
    return {
        name: [path for _, path in places]
        for name, places in defined.items()
        if len(places) > 1 and (len({meaning for meaning, _ in places}) > 1 or any(m == "class" for m, _ in places))
    }


def test_a_type_name_has_one_meaning() -> None:
    several = names_of_several_things()
    assert len(several) <= MOST, several
