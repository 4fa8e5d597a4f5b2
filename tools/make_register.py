"""Write the register's table: the names of all measures, read from the sources without importing them.

A measure is a class that gives itself a `name`. Run without arguments after adding one; `--check` writes nothing and
ends with exit code 1 where the table is not what the sources say.
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "rankscale"
FOLDERS = ("measures", "scales")  # `Interval` lives in scales, where measures may not import it from
TABLE = PACKAGE / "measures" / "base" / "register_table.py"
STUB = PACKAGE / "measures" / "base" / "register_classes.pyi"


class Found(NamedTuple):
    """One measure of the sources."""

    name: str
    aliases: tuple[str, ...]
    place: str  # module:Class


def measures(package: Path = PACKAGE) -> list[Found]:
    """Every measure of the package, in the order of names, small letters and capitals alike."""
    modules = [path for folder in FOLDERS for path in sorted((package / folder).glob("*.py"))]
    found = [measure for path in modules for measure in _in_module(path, package)]
    spellings = [spelling for measure in found for spelling in (measure.name, *measure.aliases)]
    repeated = sorted({spelling for spelling in spellings if spellings.count(spelling) > 1})
    if repeated:
        raise SystemExit(f"two measures are called {', '.join(repeated)}; names and aliases must differ")
    return sorted(found, key=lambda measure: (measure.name.casefold(), measure.name))


def _in_module(path: Path, package: Path) -> Iterator[Found]:
    module = ".".join((package.name, *path.relative_to(package).with_suffix("").parts))
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            given = _class_variables(node)
            if "name" in given:
                yield Found(str(given["name"]), tuple(given.get("aliases", ())), f"{module}:{node.name}")


def _class_variables(node: ast.ClassDef) -> dict[str, Any]:
    """The `name` and `aliases` a class gives itself; subclasses give themselves their own."""
    return {
        statement.target.id: ast.literal_eval(statement.value)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and statement.target.id in {"name", "aliases"}
        and ast.unparse(statement.annotation).startswith("ClassVar")
        and statement.value is not None
    }


def table(found: list[Found]) -> str:
    """The text of the table."""
    classes = "".join(f'    "{measure.name}": "{measure.place}",\n' for measure in found)
    aliases = "".join(f'    "{alias}": "{measure.name}",\n' for measure in found for alias in measure.aliases)
    return (
        '"""The names of measures, made by tools/make_register.py from the sources: `make register` writes it."""\n\n'
        f"CLASSES = {{\n{classes}}}\n\nALIASES = {{\n{aliases}}}\n"
    )


def stub(found: list[Found]) -> str:
    """The classes under the names that `rankscale` gives them, for type checkers and editors."""
    places = sorted((measure.place.split(":"), measure.name) for measure in found)
    lines = "".join(f"from {module} import {name} as {public}\n" for (module, name), public in places)
    return f'"""The classes of measures, made by tools/make_register.py: what `rankscale.nDCG` is."""\n\n{lines}'


def main() -> int:
    """Write the table and the stub, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the table is out of date")
    check, found = parser.parse_args().check, measures()
    for path, text in ((TABLE, table(found)), (STUB, stub(found))):
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path} is not what the sources say; `make register` writes it anew", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
