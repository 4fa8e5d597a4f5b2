"""Write the register's table: the names of all measures, read from the sources without importing them.

A measure is a class whose docstring has a section `Formula`; its name is that of the class unless it declares another.
Run without arguments after adding one; `--check` writes nothing and ends with exit code 1 where the table is not what
the sources say.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "rankscale"
FOLDERS = ("measures", "scales")  # `Interval` lives in scales, where measures may not import it from
TABLE = PACKAGE / "measures" / "base" / "register_table.py"
FORMULA = re.compile(r"^Formula\n-+$", re.MULTILINE)  # what makes a class a measure
STUB = PACKAGE / "measures" / "base" / "register_classes.pyi"


class Entry(NamedTuple):
    """One measure of the sources."""

    name: str
    aliases: tuple[str, ...]
    place: str  # module:Class


def measures(package: Path = PACKAGE) -> list[Entry]:
    """Every measure of the package, in the order of names, small letters and capitals alike."""
    modules = [path for folder in FOLDERS for path in sorted((package / folder).glob("*.py"))]
    entries = [entry for path in modules for entry in _in_module(path, package)]
    spellings = [spelling for entry in entries for spelling in (entry.name, *entry.aliases)]
    repeated = sorted({spelling for spelling in spellings if spellings.count(spelling) > 1})
    if repeated:
        raise SystemExit(f"two measures are called {', '.join(repeated)}; names and aliases must differ")
    return sorted(entries, key=lambda entry: (entry.name.casefold(), entry.name))


def _in_module(path: Path, package: Path) -> Iterator[Entry]:
    module = ".".join((package.name, *path.relative_to(package).with_suffix("").parts))
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and FORMULA.search(ast.get_docstring(node) or ""):
            name, aliases = _class_variable(node, "name"), _class_variable(node, "aliases")
            yield Entry(name[0] if name else node.name, aliases, f"{module}:{node.name}")


def _class_variable(node: ast.ClassDef, name: str) -> tuple[str, ...]:
    """The texts that a class itself assigns to a class variable; none where it does not."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and statement.value and ast.unparse(statement.target) == name:
            value = ast.literal_eval(statement.value)
            return (value,) if isinstance(value, str) else tuple(value)
    return ()


def table(entries: list[Entry]) -> str:
    """The text of the table."""
    classes = "".join(f'    "{entry.name}": "{entry.place}",\n' for entry in entries)
    aliases = "".join(f'    "{alias}": "{entry.name}",\n' for entry in entries for alias in entry.aliases)
    return (
        '"""The names of measures, made by tools/make_register.py from the sources: `make register` writes it."""\n\n'
        f"CLASSES = {{\n{classes}}}\n\nALIASES = {{\n{aliases}}}\n"
    )


def stub(entries: list[Entry]) -> str:
    """The classes under the names that `rankscale` gives them, for type checkers and editors."""
    places = sorted((entry.place.split(":"), entry.name) for entry in entries)
    lines = "".join(f"from {module} import {name} as {public}\n" for (module, name), public in places)
    return f'"""The classes of measures, made by tools/make_register.py: what `rankscale.nDCG` is."""\n\n{lines}'


def main() -> int:
    """Write the table and the stub, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the table is out of date")
    check, entries = parser.parse_args().check, measures()
    for path, text in ((TABLE, table(entries)), (STUB, stub(entries))):
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path} is not what the sources say; `make register` writes it anew", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
