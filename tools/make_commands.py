"""Write the registers of studies and figures: what each declares about its command, as `register.json` of its folder.

`rankscale.cli.declarations` derives it from the function that a module's `COMMAND` names. Run without arguments (`make
register` does) after adding a study or a figure or changing an option of one; `--check` writes nothing and ends with
exit code 1 where a register is not what the sources say.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import rankscale
from rankscale.cli.declarations import registered
from rankscale.data.arguments import Registered, written
from rankscale.stats.tests.register import known_tests

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "rankscale"
FOLDERS = ("studies", "figures")


def commands(folder: str, package: Path = PACKAGE) -> list[Registered]:
    """Every `COMMAND` of a folder's modules and packages."""
    names = [found.name for found in iter_modules([str(package / folder)])]
    modules = [import_module(f"{package.name}.{folder}.{name}") for name in names]
    return [registered(module.COMMAND) for module in modules if hasattr(module, "COMMAND")]


def test_names() -> str:
    """The names of significance tests, for help that imports none."""
    rows = "".join(f'    "{name}": {kind.needs_baseline},\n' for name, kind in known_tests().items())
    return (
        f'"""The names of tests, and whether each needs a baseline, made by tools/{Path(__file__).name}."""\n\n'
        f"TESTS = {{\n{rows}}}\n"
    )


def stub() -> str:
    """The public names of the package with their imports, for type checkers and editors."""
    places = rankscale._verbs() | rankscale._studies()  # noqa: SLF001  # the tables of names
    lines = [f"    from {place.partition(':')[0]} import {name} as {name}\n" for name, place in places.items()]
    modules = ("rankscale import errors", "rankscale import executors", "rankscale.evaluation import engine")
    lines += [f"    from {module} as {module.split()[-1]}\n" for module in modules]
    lines.append("    from rankscale.measures.base.register_classes import *  # noqa: F403\n")
    return "".join(
        [
            f"# The public names of rankscale, made by tools/{Path(__file__).name}: `make register` writes them.\n",
            "from typing import TYPE_CHECKING\n\n",
            "# Always so; but imports in it do not decide in which order a type checker reads modules.\n",
            "if TYPE_CHECKING:  # noqa: PYI002\n",
            *sorted(lines),
            "\n__version__: str\n__all__: list[str]  # noqa: PYI035  # verbs and results; measures are public too\n\n",
            "def _verbs() -> dict[str, str]: ...\ndef _studies() -> dict[str, str]: ...\n",
        ]
    )


def main() -> int:
    """Write the registers and the stub, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a register is out of date")
    check, stale = parser.parse_args().check, 0
    # One after the other: the stub is made from the registers.
    made = [(f"{folder}/register.json", lambda folder=folder: written(commands(folder))) for folder in FOLDERS]
    for name, make in [*made, ("stats/tests/names.py", test_names), ("__init__.pyi", stub)]:
        path, wanted = PACKAGE / name, make()
        if path.exists() and path.read_text(encoding="utf-8") == wanted:
            continue
        stale += 1
        if check:
            print(f"{name} is not what the sources say; `make register` writes it anew", file=sys.stderr)
        else:
            path.write_text(wanted, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
