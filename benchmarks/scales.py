"""Interval scales: what is timed, each in a fresh process, and how much it may take."""

from collections.abc import Mapping

from benchmarks.tasks import CPU, PEAK, Task

SCALES = "scales"  # a size of its own: all rankings of TREC-8 where it is there, and random ones


def over_runs(measure: str, seconds: float, megabytes: float | None = None) -> Task:
    """Return the task to evaluate all rankings of the collection."""
    return Task(measure, "interval_values.py", (measure,), {CPU: seconds, PEAK: megabytes}, over_runs=True)


def of_dcg(
    depth: int, part: str, limits: Mapping[str, float | None], *, method: str = "exact", highest: int = 1
) -> Task:
    """Return the task to set a scale of DCG up, or to place random rankings on it."""
    grades = f"grades 0 to {highest}, " if highest > 1 else ""
    arguments = ("rankscale", part, method, str(depth), str(highest))
    return Task(f"DCG(base=2)@{depth} {method}, {grades}{WORDS[part]}", "interval_scale.py", arguments, limits)


def enumerating(way: str) -> Task:
    """Return the task to do without rankscale what `SHORT` does."""
    return Task(f"all enumerated by {way}", "interval_scale.py", (way, *SHORT.arguments[1:]), {PEAK: None})


WORDS = {"set-up": "set-up", "rankings": "1,000 rankings", "both": "set-up and 1,000 rankings"}
OVER_RUNS = (
    over_runs("Interval(DCG(base=2)@30)", 2.0, 300.0),
    over_runs("Interval(RBP(p=0.8)@30)", 2.0, 300.0),
    over_runs("Interval(AP@20)", 2.0, 300.0),
    over_runs("Interval(AP@30)", 12.0, 300.0),
    over_runs("Interval(DCG(base=2)@40,method='exact')", 300.0),
)
GROWING = tuple(
    task
    for depth in (20, 30, 40)
    for task in (of_dcg(depth, "set-up", {CPU: None}), of_dcg(depth, "rankings", {CPU: None, PEAK: None}))
)
CERTIFIED = tuple(
    task
    for highest in (1, 3)
    for task in (
        of_dcg(1000, "set-up", {CPU: 1.0}, method="certified", highest=highest),
        of_dcg(1000, "rankings", {CPU: None, PEAK: None}, method="certified", highest=highest),
    )
)
SHORT = of_dcg(20, "both", {PEAK: None})  # short enough for all its rankings to be enumerated
ENUMERATED = (enumerating("matrix"), enumerating("doubling"))
TASKS = (*OVER_RUNS, *GROWING, *CERTIFIED, SHORT, *ENUMERATED)
