"""Significance tests over all pairs of runs: what is timed, beside loops over pairs, and how much it may take.

The first task writes the values that all others read: AP of every topic and run. On one thread of linear algebra, as
the command line has it, processor seconds are those of the work alone.
"""

from benchmarks.tasks import CPU, PEAK, Task

STATS = "stats"  # a size of its own: TREC-8 where it is there
VALUES = "values.npy"  # in the folder that tools write into
ONE_THREAD = ("env", "OPENBLAS_NUM_THREADS=1")  # before a command
RUNS = (20, 60, 129)
SECONDS = {"paper": 3.0, "bootstrap": 5.0}  # most, for all runs
MEGABYTES = 1000.0
FASTER = {"paper": 20.0, "bootstrap": 20.0}  # times, at least, than a loop over pairs
TESTS = {  # what is tested at once, and what it is called
    "paper": "the paper's eight tests",
    "pairs": "its four tests of pairs",
    "bootstrap": "bootstrap, B=10,000",
}
LOOPS = {  # over pairs; scipy has no Tukey's HSD after two-way ANOVA, Kruskal-Wallis and Friedman
    "paper": "scipy, five of the eight (tukey_hsd extrapolated)",
    "pairs": "scipy, the four pair by pair",
    "bootstrap": "numpy, pair by pair (extrapolated)",
}


def at_once(what: str, runs: int) -> Task:
    """Return the task to test all pairs of the first `runs` runs."""
    all_runs = runs == RUNS[-1]
    limits = {CPU: SECONDS.get(what), PEAK: MEGABYTES} if all_runs else {CPU: None, PEAK: None}
    arguments = (what, str(runs), VALUES)
    return Task(f"{TESTS[what]}, {runs} runs", "tests_at_once.py", arguments, limits)


def in_a_loop(what: str) -> Task:
    """Return the task to do the same for all runs pair by pair."""
    return Task(LOOPS[what], "tests_in_a_loop.py", (what, VALUES), {CPU: None}, slow=True)


EVALUATED = Task("AP of all runs", "values_of_runs.py", ("AP", VALUES), {}, over_runs=True)
GROWING = tuple(at_once(what, runs) for what in ("paper", "bootstrap") for runs in RUNS)
RACES = tuple((in_a_loop(what), at_once(what, RUNS[-1]), FASTER.get(what)) for what in TESTS)
TASKS = (EVALUATED, *GROWING, at_once("pairs", RUNS[-1]), *(loop for loop, _, _ in RACES))
