"""Commands killed (SIGKILL), at random times and within the calls that write."""

import random
import signal
from collections.abc import Iterator

from tests.faults.cases import Case
from tests.faults.judging import Bench
from tests.faults.warm import Fault

KILLED = -signal.SIGKILL


def kills(bench: Bench, count: int, chance: random.Random) -> Iterator[str]:
    """Kill so many commands, half of them within a call that writes; lines that say what went wrong."""
    waiting: list[Case] = []
    done = 0
    while done < count:
        waiting = waiting or chance.sample(bench.cases, len(bench.cases))
        case = waiting.pop()
        usual = bench.learn(case)
        bench.prepare(case)
        if chance.random() < 0.5:
            when = f"at call {chance.randint(1, usual.calls + 1)} of {usual.calls}"
            ended = bench.run(case, Fault(str(bench.folder), int(when.split()[2])))
        else:
            after = chance.random() * usual.seconds
            when = f"after {after:.3f} s of {usual.seconds:.3f}"
            ended = bench.run(case, signals=[(after, signal.SIGKILL)])
        if ended.code != KILLED:  # it was done by then
            continue
        done += 1
        bench.done("kills", done)
        for wrong in bench.complaints(case, ended, {KILLED}):
            yield f"{case.line}: killed {when}: {wrong}"
