"""What work takes, before it starts: memory, time, and libraries that need not be installed.

Memory is predicted: what would not fit is refused, with what to do instead. The core reads what the machine, its
control groups and the process's own limit (ulimit -v) leave, and watches the process while files are read, whose needs
nobody can predict. Work that takes long is announced, where somebody listens.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from rankscale import _core
from rankscale.errors import MemoryLimitError, MissingExtraError, ParameterError, Setting, Wording

SHARE = 0.5  # of what is free that one piece of work may take, unless a limit is set
WORTH_ASKING = 64 << 20  # bytes: less than this is not looked at, since asking the system takes time, too
OUT_OF_ROOM = "failed to map segment"  # how the system says that a library could not be loaded for want of memory
MORE = ("allow more with ", Setting("max_memory", python="set_max_memory()"))
SPACE_TIMES, SPACE_ASIDE = 4, 1 << 30  # address space for each byte of a limit, and for all else
LARGEST_SPACE = 1 << 62  # of a limit that the system takes
_limited = False


def set_max_memory(size: int | None) -> None:
    """Limit the memory of this process: work that is predicted to take more is refused before it starts.

    Parameters
    ----------
    size
        Bytes that the process may hold in all, with Python and its libraries (about 60 MB); None for the default: each
        piece of work may take half of what is free at that time. Free is what the machine, its control groups
        (containers, Slurm) and `ulimit -v` leave.

    Raises
    ------
    ParameterError
        If the size is not a positive whole number.

    Examples
    --------
    >>> set_max_memory(4 << 30)
    >>> set_max_memory(None)
    """
    global _limited  # noqa: PLW0603  # one process, one limit, as --max-memory sets it
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or not 0 < size < 1 << 63):
        raise ParameterError(f"size must be a positive whole number of bytes or None, got {size!r:.100}")
    _limited = size is not None
    _core.set_memory_limit(size)


def bound_address_space(size: int) -> Callable[[], None]:
    """Have allocations of any library fail, rather than take the machine, far beyond so many bytes; return the undoing.

    The address space that may still be taken is four times the size, since readers make room for tables to double
    before they fill it, and 1 GiB for libraries and threads, which map more than they use. Where the platform has no
    such limit, or a lower one is set (ulimit -v), nothing changes.
    """
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit, setrlimit

        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError):
        return lambda: None
    soft, hard = getrlimit(RLIMIT_AS)
    most = min(taken + SPACE_TIMES * size + SPACE_ASIDE, LARGEST_SPACE)
    if soft != RLIM_INFINITY and soft <= most:
        return lambda: None
    setrlimit(RLIMIT_AS, (most, hard))
    return lambda: setrlimit(RLIMIT_AS, (soft, hard))


def is_limited() -> bool:
    """Whether the user set a limit.

    >>> is_limited()
    False
    """
    return _limited


def budget() -> int:
    """Bytes that one piece of work may take: what is left of the limit, or half of what is free.

    >>> 0 < budget() < 1 << 50
    True
    """
    limit, held, free, space_left = _core.memory_state()
    allowed = int(SHARE * free) if limit is None else max(0, limit - held)
    return allowed if space_left is None else min(allowed, space_left)


def need(size: float, what: str, instead: Wording, most: int | None = None) -> None:
    """Raise MemoryLimitError where so many bytes are more than the budget.

    Parameters
    ----------
    size
        Bytes that are about to be allocated, all arrays of a piece of work together.
    what
        What they are for, as the subject of a sentence: "DCG@1000000000 at every rank".
    instead
        What to do: "choose a depth within the length of the rankings".
    most
        Bytes that may be used, where they are known already.

    >>> need(1 << 60, "P@1000000000000 at every rank", "choose a smaller depth")
    Traceback (most recent call last):
    rankscale.errors.MemoryLimitError: P@1000000000000 at every rank needs about 1,152,922 TB of memory, ...
    """
    if most is None and size <= WORTH_ASKING and not _limited:
        return
    allowed = budget() if most is None else most
    if size > allowed:
        sizes = f"needs about {size_text(size)} of memory, of {size_text(allowed)} that may be used"
        raise MemoryLimitError(f"{what} {sizes}; ", instead, ", or ", MORE)


def need_for_study(name: str, runs: int, topics: int, size: float) -> None:
    """Raise MemoryLimitError where what a study keeps of its runs and topics, `size` bytes, is more than the budget.

    >>> need_for_study("partial-order", 129, 10**12, 4e16)
    Traceback (most recent call last):
    rankscale.errors.MemoryLimitError: partial-order with 129 runs and 1,000,000,000,000 topics needs ...
    """
    need(size, f"{name} with {runs:,} runs and {topics:,} topics", "take fewer runs, topics or measures")


def need_room(size: int, what: str) -> None:
    """Raise MemoryLimitError where a limit on the process (ulimit -v) leaves less address space than is needed."""
    *_, left = _core.memory_state()
    if left is not None and size > left:
        sizes = f"{size_text(size)} of address space, and {size_text(left)} are left to this process"
        raise MemoryLimitError(f"{what} takes about {sizes}: raise its limit (ulimit -v)")


def size_text(size: float) -> str:
    """Bytes as people write them.

    >>> size_text(0), size_text(4_800), size_text(40e9)
    ('0 bytes', '4.8 KB', '40 GB')
    """
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.2g} {unit}" if size < 10 else f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:,.0f} TB"


LONG = 10.0  # seconds from which work is announced
Listener = Callable[[str], None]
_listener: Listener | None = None


def set_listener(listener: Listener | None) -> None:
    """Have a function called with a sentence before long work starts; the command line writes it to standard error."""
    global _listener  # noqa: PLW0603  # one process, one command
    _listener = listener


def announce(seconds: float, what: str) -> None:
    """Say before it starts that work will take long: `what` is its name, "counting the values of AP@30".

    >>> set_listener(print)
    >>> announce(75, "counting the values of AP@30")
    counting the values of AP@30 will take about 75 s
    >>> announce(0.5, "counting the values of AP@10")
    >>> set_listener(None)
    """
    if seconds > LONG and _listener is not None:
        _listener(f"{what} will take about {_time(seconds)}")


def _time(seconds: float) -> str:
    """Seconds as people say them.

    >>> _time(75), _time(600), _time(7200)
    ('75 s', '10 minutes', '2 hours')
    """
    if seconds < 180:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"


PROVENANCE_KEY = b"rankscale"  # of the metadata of an Arrow schema, where results say how they were made
ROOM = {"pyarrow": 400 << 20, "polars": 500 << 20, "pandas": 300 << 20}  # address space that a library takes, about


def library(name: str, what: str, extra: str = "frames") -> ModuleType:
    """A library that need not be installed; where it is not, the error says what wanted it.

    Where the process may take little address space (ulimit -v), it is refused before it ends the process.
    """
    package = name.partition(".")[0]
    if package not in sys.modules:
        need_room(ROOM.get(package, 0), f"{what} needs {package}, which")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingExtraError(what, package, extra) from None
    except ImportError as error:
        if OUT_OF_ROOM in str(error):
            raise MemoryLimitError(f"{what} needs {package}, and there is not enough memory to load it") from None
        raise MissingExtraError(what, package, extra) from None


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
