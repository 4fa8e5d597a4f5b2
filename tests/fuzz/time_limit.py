"""A limit on time for what may hang: the core looks up for signals while it reads."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """TimeoutError where the block takes longer."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"still reading after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
