"""Floods of signals while commands run: the exit code that is documented, no traceback, no half file."""

import random
import signal
from collections.abc import Iterator

from tests.faults.cases import Case
from tests.faults.judging import Bench

STOPPED = 130  # after one Ctrl-C
HARMLESS = (signal.SIGWINCH, signal.SIGCONT, signal.SIGURG)
ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGQUIT)
SLOWEST = 1.0  # seconds from Ctrl-C to the end, on a machine that does nothing else


def signals(bench: Bench, count: int, chance: random.Random) -> Iterator[str]:
    """Send so many floods, each of one kind; lines that say what went wrong."""
    waiting: list[Case] = []
    for number in range(count):
        bench.done("signals", number)
        waiting = waiting or chance.sample(bench.cases, len(bench.cases))
        case = waiting.pop()
        usual = bench.learn(case)
        bench.prepare(case)
        sent, codes = _flood(usual.seconds, chance)
        ended = bench.run(case, signals=sent, brief=chance.random() < 0.5)
        for wrong in bench.complaints(case, ended, codes):
            yield f"{case.line}: {len(sent)} of {signal.Signals(sent[0][1]).name} from {sent[0][0]:.3f} s on: {wrong}"


def _flood(seconds: float, chance: random.Random) -> tuple[list[tuple[float, int]], set[int]]:
    """Signals with the times they are sent at, and the exit codes that they may lead to."""
    start = chance.random() * seconds
    times = [start + number * chance.choice((0.0, 0.001, 0.01)) for number in range(chance.choice((1, 2, 50)))]
    kind = chance.choice(("interrupt", "harmless", "stop", "end"))
    if kind == "interrupt":
        return [(time, signal.SIGINT) for time in times], {0, STOPPED, -signal.SIGINT}
    if kind == "harmless":
        number = chance.choice(HARMLESS)
        return [(time, number) for time in times], {0}
    if kind == "stop":
        return [pair for time in times for pair in ((time, signal.SIGSTOP), (time + 0.002, signal.SIGCONT))], {0}
    number = chance.choice(ENDING)
    return [(time, number) for time in times], {0, -number}
