"""Print published tables beside ours, and write them to docs/reproduction.md: `python -m reproduction`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from reproduction import correlation_tables, interval_tables, large_vectors, rbp_tables, significance_tables

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "reproduction.md"
DATA = HERE.parent.parent / "shared" / "data"
HEAD = """# Published tables, reproduced

Made by `make reproduce` from the runs and judgments of TREC. A value stands alone where ours is equal to the published
one to its last digit; where it is not, both stand there, and the reason below the table.
"""
SECTIONS = {
    "intervals": interval_tables.section,
    "correlations": correlation_tables.section,
    "significance": significance_tables.section,
    "vectors": large_vectors.section,
    "rbp": rbp_tables.section,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the sections that are asked for, and the page if all are."""
    asked = parser().parse_args(arguments)
    if not asked.data.is_dir():
        print(f"no data at {asked.data}: name the folder that holds trec8_adhoc with --data", file=sys.stderr)
        return 2
    made = [SECTIONS[name](asked.data) for name in asked.sections or SECTIONS]
    page = "\n".join([HEAD, "\n\n".join(made), ""])
    print(page)
    if not asked.sections:
        asked.output.write_text(page, encoding="utf-8")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    options = argparse.ArgumentParser(prog="python -m reproduction", description=__doc__)
    # [] is what argparse checks where none is named
    options.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="default: all, written to the page")
    options.add_argument("--data", type=Path, default=DATA, help="where the runs and judgments are")
    options.add_argument("-o", "--output", type=Path, default=PAGE, help="the page")
    return options


if __name__ == "__main__":
    sys.exit(main())
