"""The command line: `main` is where it starts; `program.py` has the commands, each of which is imported when it runs.

Nothing is imported here but what Python has loaded anyway: the drop-in for trec_eval starts without click.
"""

import errno
import gc
import os
import sys
from typing import TYPE_CHECKING

from rankscale.cli.streams import discard_if_closed, is_starved, keep_places, say, was_interrupted

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
