"""What surrounds the program: standard streams that are closed or cannot be written to, interrupts, limits."""

import os
import signal
import sys
from typing import TextIO, cast

DESCRIPTORS = (0, 1, 2)
STARVED = 32 << 20  # bytes of address space with which hardly anything can be done


class ClosedOutput:
    """Standard output where there is none: writing fails in words, before anything takes its place."""

    encoding = "utf-8"
    errors = "strict"

    @property
    def buffer(self) -> "ClosedOutput":
        """Bytes are refused as text is."""
        return self

    def write(self, _: object) -> int:
        """Raise OSError."""
        raise OSError("standard output is closed; name a file with -o")

    def writelines(self, _: object) -> None:
        """Raise OSError."""
        self.write("")

    def flush(self) -> None:
        """There is nothing to flush."""

    def isatty(self) -> bool:
        """Nobody reads here."""
        return False

    def fileno(self) -> int:
        """The place that stays taken."""
        return 1


def keep_places() -> None:
    """Take the places of closed streams, so that no file that is opened later becomes one of them.

    Without this, the file of -o could become standard error, and warnings would stand among the results.
    """
    for descriptor in DESCRIPTORS:
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest place that is free
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # open as long as the program runs
    if sys.stdout is None:
        sys.stdout = cast("TextIO", ClosedOutput())  # as far as it is used
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115


def say(text: str) -> None:
    """Print a line to standard error; where that cannot be written to, there is nobody to say it to."""
    try:
        print(text, file=sys.stderr, flush=True)  # noqa: T201
    except OSError:
        discard_if_closed(sys.stderr)


def discard_if_closed(stream: TextIO) -> bool:
    """Redirect a stream to nowhere if it cannot be written to any more; return whether that was so.

    Python writes out standard streams once more when it ends, and says in its own words that it cannot.
    """
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        return True
    return False


_interrupted: list[bool] = []


def was_interrupted() -> bool:
    """Whether Control-C was pressed, whatever became of it: Python makes other errors of it while a class is made."""
    return bool(_interrupted)


def heed_interrupts() -> None:
    """Let the first Control-C raise KeyboardInterrupt, and the second end the process at once.

    Two in a row would end in a traceback, raised while the first is answered. One that comes where Python cannot raise
    it, as while an object is removed, ends the process, too.
    """
    if signal.getsignal(signal.SIGINT) not in {signal.default_int_handler, signal.SIG_DFL}:
        return  # somebody else heeds them, or they are ignored (nohup)

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _interrupted.append(True)
        raise KeyboardInterrupt

    usual = sys.unraisablehook

    def unraisable(what: "sys.UnraisableHookArgs") -> None:
        if issubclass(what.exc_type, KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        usual(what)

    sys.unraisablehook = unraisable
    signal.signal(signal.SIGINT, interrupt)


def is_starved() -> bool:
    """Whether a limit on the process (ulimit -v) leaves it next to no address space."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        with open("/proc/self/statm", "rb") as sizes:  # as bytes: decoding may import a module
            used = int(sizes.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, MemoryError):
        return False
    return limit != resource.RLIM_INFINITY and limit - used < STARVED
