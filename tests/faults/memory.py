"""Little memory: an answer, or an error with exit code 2."""

import random
from collections.abc import Iterator

from tests.faults.cases import Case
from tests.faults.fresh import OTHER_LINES, run_fresh
from tests.faults.judging import Bench, complaints_of_words

LEAST, MOST = 200 << 20, 2 << 30  # bytes of address space


def memory(bench: Bench, count: int, chance: random.Random) -> Iterator[str]:
    """Run so many commands under a limit by chance, more often a low one; lines that say what went wrong."""
    lines = [*bench.cases, *map(Case, OTHER_LINES)]
    waiting: list[Case] = []
    for number in range(count):
        bench.done("memory", number)
        waiting = waiting or chance.sample(lines, len(lines))
        case = waiting.pop()
        size = int(LEAST * (MOST / LEAST) ** chance.random())
        bench.clear()
        ended = run_fresh(case.arguments(bench.inputs, bench.folder), bench.warm.folder / "cache", limit=size)
        wrong = [] if ended.code in {0, 2} else [f"exit code {ended.code}: {ended.err[-1500:]}"]
        for words in wrong + complaints_of_words(ended):
            yield f"{case.line}: {size >> 20} MB: {words}"
