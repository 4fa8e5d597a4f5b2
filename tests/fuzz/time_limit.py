"""A limit on time for what may hang: the core looks up for signals while it reads."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

WAITING = 10  # times as long may pass on a clock, where the machine has much else to do


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """TimeoutError where the block takes longer: so much of the processors' time, or ten times that by the clock."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"still reading after {seconds} s")

    before = [(one, signal.signal(one, give_up)) for one in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(WAITING * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for one, handler in before:
            signal.signal(one, handler)
