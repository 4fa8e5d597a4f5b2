"""Standard streams that are closed, full or broken: for every command an exit code that is documented, no traceback."""

import random
from collections.abc import Iterator
from itertools import product

from tests.faults.cases import Case
from tests.faults.fresh import OTHER_LINES, run_fresh
from tests.faults.judging import Bench, complaints_of_words

# What follows a command on the shell's line, and the exit codes that it may have: 2 without a place for results.
STREAMS = {
    "<&-": {0},
    ">&-": {0, 2},
    "2>&-": {0},
    "<&- >&-": {0, 2},
    ">&- 2>&-": {0, 2},
    "<&- 2>&-": {0},
    "<&- >&- 2>&-": {0, 2},
    ">/dev/full": {0, 2},
    "2>/dev/full": {0},
    ">/dev/full 2>/dev/full": {0, 2},
    "| head -n1 | cat >/dev/null": {0},
    "2>&1 | true": {0, 2},
}


def streams(bench: Bench, count: int, chance: random.Random) -> Iterator[str]:
    """Run so many commands with streams by chance (0: all with all); lines that say what went wrong."""
    lines = [*{case.command: case for case in bench.cases}.values(), *map(Case, OTHER_LINES)]
    every = list(product(lines, STREAMS))
    for number, (case, shell) in enumerate(chance.sample(every, count) if count else every):
        bench.done("streams", number)
        bench.clear()
        arguments = case.arguments(bench.inputs, bench.folder)
        ended = run_fresh(arguments, bench.warm.folder / "cache", shell=shell, unbuffered=chance.random() < 0.2)
        wrong = [] if ended.code in STREAMS[shell] else [f"exit code {ended.code}: {ended.err}"]
        is_heard = "2>" not in shell
        for words in wrong + [words for words in complaints_of_words(ended) if is_heard or "without" not in words]:
            yield f"{case.line} {shell}: {words}"
