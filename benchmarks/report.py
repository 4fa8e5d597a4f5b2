"""The table on the screen and the same in JSON, with every raw timing."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.collection import Collection
from benchmarks.jobs import Plan
from benchmarks.machine import machine, versions
from benchmarks.targets import Row, Samples

HEADER = ("size", "what", "first", "second", "ratio", "1 thread", "CPU", "target", "", "best of")
NOTES = """\
first, second: wall seconds, the least of `best of` runs each (first/second); ratio: first over second.
A number alone is in the unit that its row names: the least CPU seconds, the highest peak of memory.
1 thread: the ratio with rankscale on one thread; CPU: the ratio of processor seconds.
Slow peers get fewer runs; on XL peers run once, rankscale as often as elsewhere."""


def table(rows: Sequence[Row]) -> str:
    """Return the rows as aligned text."""
    cells = [HEADER, *(row_cells(row) for row in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    texts = [aligned(line, widths) for line in cells]
    return "\n".join([texts[0], "-" * max(map(len, texts)), *texts[1:], "", NOTES])


def aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return one line of the table."""
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def row_cells(row: Row) -> tuple[str, ...]:
    """Return one row as texts: seconds with three decimals, ratios with two."""
    seconds = ("" if value is None else f"{value:.3f}" for value in (row.theirs, row.ours))
    ratios = ("" if value is None else f"{value:.2f}x" for value in (row.ratio, row.one_thread, row.cpu))
    return (row.size, row.what, *seconds, *ratios, row.target, row.verdict, row.best_of)


def failures(samples: Samples) -> list[str]:
    """Return one line for each tool that did not do its job, with the reason."""
    return [
        f"{size}, {tool}: {next(sample.error for sample in taken if sample.error)}"
        for (size, tool), taken in samples.items()
        if any(sample.error for sample in taken)
    ]


def write(path: Path, rows: Sequence[Row], samples: Samples, plan: Plan, sizes: Sequence[str]) -> None:
    """Write everything that was measured; called after each size, so that stopping early loses little."""
    found = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": machine(),
        "versions": versions(),
        "sizes": {name: described(held) for name in sizes if (held := plan.collection(name))},
        "table": [asdict(row) for row in rows],
        "samples": [
            {"size": size, "tool": tool, "repeat": repeat, **asdict(sample)}
            for (size, tool), taken in samples.items()
            for repeat, sample in enumerate(taken, start=1)
        ],
    }
    path.write_text(json.dumps(found, indent=1) + "\n")


def described(found: Collection) -> dict[str, object]:
    """Return what a size holds."""
    return {
        "about": found.about,
        "runs": len(found.runs),
        "topics": found.topics,
        "run_bytes": sum(path.stat().st_size for path in found.runs),
        "qrels_bytes": found.qrels.stat().st_size,
    }
