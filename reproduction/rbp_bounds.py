"""Figures 5 and 6 of Moffat and Zobel 2008 in numbers: bounds of RBP by depth and by p, TREC-5."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.evaluation.curves.result import Curves
from rankscale.studies.pooling import pool
from reproduction.collections import TREC_5, collection
from reproduction.page import plain

DEPTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
PATIENCE = ("0.5", "0.8", "0.95")
EVERY_P = ("0.1", "0.3", "0.5", "0.6", "0.7", "0.8", "0.9", "0.95", "0.99")
POOLS = (10, 100)
WHAT = (
    "The figures are drawn for runs that the paper does not name, so no number can be held against them; here is the "
    "same for the best run by AP and for the median run. Means over 50 topics of the lowest and the highest value that "
    "RBP could take once all documents were judged. `rankscale bounds` gives this for any runs."
)
READ = (
    "As in the paper: the bounds close with depth where p is small or the pool deep, stay apart at p = 0.95 with a "
    "pool of depth 10, and from p of about 0.7 on a pool of depth 10 leaves noticeable room, one of depth 100 hardly "
    "any."
)


def section(data: Path) -> str:
    """Bounds of one run by depth, and of two by p."""
    best, median = chosen(data)
    return "\n\n".join(
        [
            "## Rank-biased precision: Figures 5 and 6 in numbers, TREC-5",
            WHAT,
            f"By the depth d down to which documents are looked at, run {best.name} (Figure 5):",
            plain(["d", *(f"p={p}, pool {k}" for k in POOLS for p in PATIENCE)], by_depth(data, best)),
            f"By p, with whole rankings, runs {best.name} (A) and {median.name} (B) (Figure 6):",
            plain(["p", *(f"{letter}, pool {k}" for letter in "AB" for k in POOLS)], by_p(data, [best, median])),
            READ,
        ]
    )


def chosen(data: Path) -> tuple[Run, Run]:
    """The best run by AP, and the median one."""
    qrels, runs = collection(data, TREC_5)
    order = rs.evaluate(qrels, runs, "AP").sorted_by("AP").runs
    by_name = {run.name: run for run in runs}
    return by_name[order[0]], by_name[order[len(order) // 2]]


@cache
def judged_to(data: Path, depth: int) -> Qrels:
    """The judgments of a pool."""
    return pool(*collection(data, TREC_5), depth).qrels


def by_depth(data: Path, run: Run) -> Iterator[list[str]]:
    """Lines of Figure 5."""
    drawn = {
        (k, p): rs.curves(judged_to(data, k), [run], f"RBP(p={p})", depth=DEPTHS[-1], bounds=True).mean()
        for k in POOLS
        for p in PATIENCE
    }
    for depth in DEPTHS:
        yield [str(depth), *(_between(*_at(found, depth)) for found in drawn.values())]


def by_p(data: Path, runs: list[Run]) -> Iterator[list[str]]:
    """Lines of Figure 6."""
    for p in EVERY_P:
        line = [p]
        for run in runs:
            for k in POOLS:
                found = rs.evaluate(judged_to(data, k), [run], f"RBP(p={p})", bounds=True)
                if found.lower is not None and found.upper is not None:
                    line.append(_between(float(found.lower.mean()), float(found.upper.mean())))
        yield line


def _at(found: Curves, depth: int) -> tuple[float, float]:
    if found.lower is None or found.upper is None:
        raise ValueError("curves were drawn without bounds")
    return float(found.lower[0][0, 0, depth - 1]), float(found.upper[0][0, 0, depth - 1])


def _between(lower: float, upper: float) -> str:
    return f"{lower:.4f}-{upper:.4f}"
