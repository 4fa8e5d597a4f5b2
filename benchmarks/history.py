"""Ratios by version: `python -m benchmarks --record`, or `python -m benchmarks.history FILE` for earlier results.

Each row of the table becomes a line of history.tsv. Seconds differ from machine to machine; ratios of two programs that
were measured in turns differ less, and can be compared from one version to the next. Lines are added, never changed:
recording the same measurement twice adds nothing.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

HISTORY = Path(__file__).parent / "history.tsv"
COLUMNS = (
    "version",
    "date",
    "cores",
    "load",
    "python",
    "size",
    "what",
    "ratio",
    "cpu_ratio",
    "value",
    "target",
    "verdict",
)


def lines(result: dict[str, Any]) -> list[str]:
    """Return the lines of one measurement, as `report.write` wrote it: those with a number."""
    versions, machine = result["versions"], result["machine"]
    shared = (versions["rankscale"], result["date"], machine["cores"], machine["load_average"][0], versions["python"])
    return [
        "\t".join(map(cell, (*shared, row["size"], row["what"], *numbers(row), row["target"], row["verdict"])))
        for row in result["table"]
        if row["ratio"] is not None or row["ours"] is not None
    ]


def numbers(row: dict[str, Any]) -> tuple[object, object, object]:
    """Return the ratios of wall and processor time or, of rows without a peer, what was measured."""
    return row["ratio"], row["cpu"], row["ours"] if row["ratio"] is None else None


def cell(value: object) -> str:
    """Return a value as text: numbers with three digits that count, nothing for None."""
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("\t", " ")


def record(result: dict[str, Any], history: Path = HISTORY) -> int:
    """Add what is not there yet, and return how many lines that were."""
    head = "\t".join(COLUMNS)
    known = history.read_text(encoding="utf-8").splitlines() if history.exists() else [head]
    if known[:1] != [head]:
        raise SystemExit(f"{history}: its first line should be {head!r}; move the file away and record again")
    new = [line for line in lines(result) if line not in known]
    history.write_text("\n".join([*known, *new]) + "\n", encoding="utf-8")
    return len(new)


def main(arguments: list[str] | None = None) -> int:
    """Record files that `python -m benchmarks` wrote."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="JSON that python -m benchmarks wrote")
    parser.add_argument("--history", type=Path, default=HISTORY, help="default: benchmarks/history.tsv")
    options = parser.parse_args(arguments)
    for path in options.files:
        added = record(json.loads(path.read_text(encoding="utf-8")), options.history)
        print(f"{path}: {added} lines added to {options.history}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
