"""Calls that change files fail: no space (ENOSPC), a failing disk (EIO), an interrupted call (EINTR)."""

import errno
import random
from collections.abc import Iterator

from tests.faults.cases import Case
from tests.faults.judging import Bench
from tests.faults.warm import ALL, INTERRUPTIBLE, Fault

ENDLESS = 1 << 30  # all calls from one on
ERRORS = (errno.ENOSPC, errno.EIO, errno.EINTR)


def writes(bench: Bench, count: int, chance: random.Random) -> Iterator[str]:
    """Let so many commands meet a failing call, each of them about as often; lines that say what went wrong."""
    waiting: list[Case] = []
    done = 0
    while done < count:
        waiting = waiting or chance.sample(bench.cases, len(bench.cases))
        case = waiting.pop()
        calls = bench.learn(case).calls
        fault = one_fault(bench, calls, chance)
        bench.prepare(case)
        ended = bench.run(case, fault, brief=chance.random() < 0.8)
        if not ended.faults:  # with an old file there are other calls
            continue
        done += 1
        bench.done("writes", done)
        codes = {0} if fault.error == errno.EINTR else {0, 2}
        for wrong in bench.complaints(case, ended, codes):
            yield f"{case.line}: {errno.errorcode[fault.error]} at call {fault.at} of {calls}, {fault.times}: {wrong}"
        if ended.code == 2 and str(bench.folder) not in ended.err:
            yield f"{case.line}: no file is named: {ended.err}"


def one_fault(bench: Bench, calls: int, chance: random.Random) -> Fault:
    """One call, or all from one on; an interrupt comes now and then."""
    error = chance.choice(ERRORS)
    at = chance.randint(1, calls + 1)
    if error == errno.EINTR:
        return Fault(str(bench.folder), at, chance.randint(1, 3), error, INTERRUPTIBLE)
    return Fault(str(bench.folder), at, chance.choice((1, ENDLESS)), error, ALL)
