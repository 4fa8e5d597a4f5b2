"""Memory is predicted before it is used: what would not fit is refused, with what to do instead."""

import os
from contextlib import suppress

from rankscale.errors import MemoryLimitError

SHARE = 0.5  # of what the machine has free that one piece of work may take, unless a limit is set
FALLBACK = 4 << 30  # bytes, where the system does not say what is free
WORTH_ASKING = 64 << 20  # bytes: less than this is not looked at, since asking the system takes time, too
OUT_OF_ROOM = "failed to map segment"  # how the system says that a library could not be loaded for want of memory
_limit: int | None = None


def set_limit(size: int | None) -> None:
    """Set the number of bytes that one piece of work may take; None for a share of what the machine has free."""
    global _limit  # noqa: PLW0603  # one process, one limit, as --max-memory sets it
    _limit = size


def budget() -> int:
    """Bytes that one piece of work may take: the limit, or half of what is free, within the process's own limit.

    >>> set_limit(1000)
    >>> budget()
    1000
    >>> set_limit(None)
    """
    if _limit is not None:
        return _limit
    return int(min(SHARE * _free(), _left_to_the_process()))


def need(size: int, what: str, instead: str) -> None:
    """Raise MemoryLimitError where so many bytes are more than the budget.

    Parameters
    ----------
    size
        Bytes that are about to be allocated, all arrays of a piece of work together.
    what
        What they are for, as the subject of a sentence: "DCG@1000000000 at every rank".
    instead
        What to do: "choose a depth within the length of the rankings".

    >>> need(1 << 60, "P@1000000000000 at every rank", "choose a smaller depth")
    Traceback (most recent call last):
    rankscale.errors.MemoryLimitError: P@1000000000000 at every rank needs about 1.2e+09 GB of memory, ...
    """
    if size > WORTH_ASKING and size > (allowed := budget()):
        raise MemoryLimitError(f"{what} needs about {_gigabytes(size)} of memory, of {_gigabytes(allowed)}; {instead}")


def need_room(size: int, what: str) -> None:
    """Raise MemoryLimitError where a limit on the process (ulimit -v) leaves less address space than is needed."""
    if size and size > (left := _left_to_the_process()):
        raise MemoryLimitError(
            f"{what} takes about {_gigabytes(size)} of address space, and {_gigabytes(left)} are left to this process: "
            "raise its limit (ulimit -v)"
        )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.2g} GB"


def _free() -> int:
    """Bytes that the machine has free, caches included."""
    with suppress(OSError, ValueError, StopIteration), open("/proc/meminfo", encoding="ascii") as lines:
        return int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]) * 1024
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return FALLBACK


def _left_to_the_process() -> int:
    """Bytes of address space that the process may still take (ulimit -v)."""
    try:
        import resource
    except ImportError:  # there is none on Windows
        return 1 << 62
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return 1 << 62
    used = 0
    with suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as sizes:
        used = int(sizes.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return max(0, limit - used)
