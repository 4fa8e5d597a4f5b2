"""Write the registers of studies and figures: what each declares about its command, as `register.json` of its folder.

Run without arguments (`make register` does) after adding a study or a figure or changing an option of one; `--check`
writes nothing and ends with exit code 1 where a register is not what the sources say.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from rankscale.data.declared import Declaration, resolved, written

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "rankscale"
FOLDERS = ("studies", "figures")


def declarations(folder: str, package: Path = PACKAGE) -> list[Declaration]:
    """Every `COMMAND` of a folder's modules."""
    names = [path.stem for path in sorted((package / folder).glob("*.py"))]
    modules = [import_module(f"{package.name}.{folder}.{name}") for name in names if name != "__init__"]
    return [
        resolved(module.COMMAND, getattr(module, module.COMMAND.function), module.__name__)
        for module in modules
        if hasattr(module, "COMMAND")
    ]


def main() -> int:
    """Write the registers, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a register is out of date")
    check, stale = parser.parse_args().check, 0
    for folder in FOLDERS:
        register, wanted = PACKAGE / folder / "register.json", written(declarations(folder))
        if register.exists() and register.read_text(encoding="utf-8") == wanted:
            continue
        stale += 1
        if check:
            print(
                f"{folder}/register.json is not what the sources say; `make register` writes it anew", file=sys.stderr
            )
        else:
            register.write_text(wanted, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
