"""Time the same by a loop over pairs, as most would write it: `tests_in_a_loop.py paper|pairs|bootstrap VALUES`.

`pairs` calls scipy four times for each pair. `paper` adds Tukey's HSD after one-way ANOVA, the only one of the others
that scipy has; it takes minutes for all runs, so it is timed for some and taken times as many pairs as there are more.
So is the bootstrap. Loops give p-values alone: no intervals, effect sizes or corrections.
"""
# mypy: disable-error-code="import-untyped"

import json
import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats: TypeAlias = npt.NDArray[np.float64]
Seconds: TypeAlias = npt.NDArray[np.float64]  # wall and processor

EVERY = 6  # of the runs are compared by tukey_hsd
DRAWN = 200  # pairs that are bootstrapped
SAMPLES = 10_000


def pairs_by_scipy(by_run: Floats) -> Seconds:
    """Test all pairs, each four times."""
    start = clocks()
    for first, second in combinations(by_run, 2):
        stats.ttest_rel(first, second)
        stats.wilcoxon(first, second)
        stats.mannwhitneyu(first, second)
        wins, losses = int((first > second).sum()), int((first < second).sum())
        stats.binomtest(wins, max(wins + losses, 1))
    return clocks() - start


def tukey_by_scipy(by_run: Floats) -> Seconds:
    """Test some runs, from all over the list, and extrapolate to all pairs."""
    some = by_run[::EVERY]
    start = clocks()
    stats.tukey_hsd(*some)
    return (clocks() - start) * number_of_pairs(by_run) / number_of_pairs(some)


def bootstrap_by_numpy(by_run: Floats) -> Seconds:
    """Test some pairs and extrapolate to all."""
    every, draws = list(combinations(by_run, 2)), np.random.default_rng(0)
    some = draws.choice(len(every), DRAWN, replace=False)
    start = clocks()
    for place in some.tolist():
        bootstrapped(np.subtract(*every[place]), draws)
    return (clocks() - start) * len(every) / DRAWN


def bootstrapped(differences: Floats, draws: np.random.Generator) -> float:
    """Return Sakai's achieved significance level of one pair."""
    topics = len(differences)
    drawn = (differences - differences.mean())[draws.integers(0, topics, (SAMPLES, topics))]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(topics))
        observed = differences.mean() / (differences.std(ddof=1) / np.sqrt(topics))
    return float(np.mean(np.abs(t) >= abs(observed)))


def number_of_pairs(by_run: Floats) -> int:
    """Return how many pairs there are of these runs."""
    return len(by_run) * (len(by_run) - 1) // 2


def clocks() -> Seconds:
    """Return the seconds so far."""
    return np.array([time.perf_counter(), time.process_time()])


LOOPS: dict[str, tuple[Callable[[Floats], Seconds], ...]] = {
    "paper": (pairs_by_scipy, tukey_by_scipy),
    "pairs": (pairs_by_scipy,),
    "bootstrap": (bootstrap_by_numpy,),
}

what, path = sys.argv[1:]
values = np.ascontiguousarray(np.load(path).T)
wall, cpu = np.sum([loop(values) for loop in LOOPS[what]], axis=0).tolist()
print(json.dumps({"wall": wall, "cpu": cpu}))
