"""The command line: `main` is where it starts; `program.py` has the commands, each of which is imported when it runs.

Nothing is imported here but what Python has loaded anyway: the drop-in for trec_eval starts without click.
"""

import errno
import gc
import os
import signal
import sys
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Callable

YOUNG = 100_000  # objects made between two searches for cycles: more than most commands make while they are imported
UNWRITABLE = {errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF}
WANT_OF_MEMORY = ("failed to map segment", "annot allocate memory", "can't start new thread", "std::bad_alloc")
STOPPED = 130  # exit code after Control-C, as shells have it
INTERNAL = 70  # exit code of a defect of ours, which is no verdict (EX_SOFTWARE)
REPORT = (
    "This is a defect of rankscale, and no result: please report it among the issues of its repository, with the "
    f"command and the lines above (exit code {INTERNAL})"
)
DESCRIPTORS = (0, 1, 2)
STARVED = 32 << 20  # bytes of address space with which hardly anything can be done


def main(prepare: "Callable[[], None] | None" = None) -> None:
    """Run a command, first `prepare`; errors of input end with code 2 and a clear message, defects of ours with 70."""
    keep_places()
    # Our arrays are small: threads of the linear algebra library would only cost start-up time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command makes few cycles and ends soon: looking for them while importing would take a tenth of its time.
    gc.set_threshold(YOUNG, 50, 50)
    try:
        try:
            if prepare is not None:
                prepare()
            _run()
        except SystemExit:
            discard_if_closed(sys.stderr)
            sys.stdout.flush()  # here, where an error can still be said
            if was_interrupted():  # while click was reading the options, whose code for it is another
                sys.exit(STOPPED)
            raise
    except (BrokenPipeError, KeyboardInterrupt) as error:
        sys.exit(stopped(error))
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001  # a panic of the core is no Exception
        if was_interrupted():
            sys.exit(stopped(error))
        discard_if_closed(sys.stdout)
        if not _is_said(error):
            _tell_defect(error)
            sys.exit(INTERNAL)
        _tell(error)
        sys.exit(2)


def _run() -> None:
    if sys.argv[1:2] == ["trec_eval"]:
        from rankscale.trec_eval import main as trec_eval

        sys.exit(trec_eval(sys.argv[2:]))
    from rankscale.cli.program import cli

    cli.main(prog_name="rankscale", standalone_mode=True)


def stopped(error: BaseException) -> int:
    """The exit code of a command that was stopped from outside, by Control-C or by the reader of its output."""
    if isinstance(error, BrokenPipeError):
        discard_if_closed(sys.stdout)  # who did has seen enough (`| head`)
        return 0
    say("rankscale: stopped")
    return STOPPED


def _is_said(error: BaseException) -> bool:
    """Whether an error is one that users are told of in words: all others are defects of ours."""
    from rankscale.errors import RankscaleError

    return isinstance(error, RankscaleError | OSError | MemoryError) or _is_want_of_memory(error)


def _is_want_of_memory(error: BaseException) -> bool:
    """Whether an error is what becomes of too little memory in Python and in libraries that are being loaded."""
    if isinstance(error, MemoryError) or any(words in str(error) for words in WANT_OF_MEMORY):
        return True
    within = error.__cause__ or error.__context__
    if within is not None and _is_want_of_memory(within):
        return True
    return is_starved()


def _tell(error: BaseException) -> None:
    """Print the message of an error; where there is no memory even for that, fewer words."""
    try:
        from rankscale.cli.terminal import tell

        tell(f"rankscale: {_words(error)}")
    except (MemoryError, ImportError, OSError):
        say("rankscale: not enough memory")


def _tell_defect(error: BaseException) -> None:
    """Print where an error of ours was raised, and what to do about it."""
    from traceback import format_exception

    try:
        from rankscale.cli.terminal import tell

        tell(f"{''.join(format_exception(error))}rankscale: internal error: {type(error).__name__}. {REPORT}")
    except Exception:  # noqa: BLE001  # whatever is out of order, the exit code stands
        say(f"rankscale: internal error: {type(error).__name__}")


def _words(error: BaseException) -> str:
    """What went wrong; of an error of the system the file first, without its number."""
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: there is no such file"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror[0].lower()}{error.strerror[1:]}"
    if isinstance(error, OSError) and error.strerror:  # files that are read and written have names
        where = "standard output: " if error.errno in UNWRITABLE else ""
        return f"{where}{error.strerror[0].lower()}{error.strerror[1:]}"
    from rankscale.errors import RankscaleError

    if isinstance(error, RankscaleError | OSError):
        return str(error)
    reason = str(error).partition("\n")[0] or "none is left"
    return f"not enough memory ({reason}); choose smaller depths, fewer runs, or a larger machine"


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
