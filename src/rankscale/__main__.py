"""The command line: `rankscale`, and `python -m rankscale`."""

import atexit
import os
import sys

INTERNAL = 70  # exit code of a defect of ours; as in rankscale.cli, which may be what cannot be imported
LEAST_ROOM = 128 << 20  # bytes of address space that the smallest command takes, with one thread


def main() -> None:
    """Run a command. Control-C ends the process silently until the command runs; from then on it stops the command."""
    import signal  # not before the current folder has left the path: the modules above are part of Python itself

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # `heed_interrupts` heeds them again
    ended: list[int] = []
    atexit.register(leave, ended)  # before all others, so that it comes after them
    check_room(sys.argv[1:])
    try:
        from rankscale.cli import heed_interrupts
        from rankscale.cli import main as run

        run(heed_interrupts)
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            ended.append(error.code or 0)
        raise
    except Exception:  # noqa: BLE001  # Python would end with 1, which is a verdict of some commands
        sys.excepthook(*sys.exc_info())
        raise SystemExit(INTERNAL) from None


def check_room(words: list[str]) -> None:
    """End with a message where a limit (ulimit -v) leaves too little address space to load libraries.

    They would end the process themselves, or leave Python in disorder. What needs none of them is let through.
    """
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # on Windows, or where even this does not fit
        return
    most, _ = getrlimit(RLIMIT_AS)
    if most == RLIM_INFINITY:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each takes address space of its own
    if most < LEAST_ROOM and words and not {"-h", "--help", "--version"}.intersection(words):
        sys.stderr.write(
            f"rankscale: the address space of this process is limited to {most / 1e6:.0f} MB, and Python and its "
            f"libraries take {LEAST_ROOM / 1e6:.0f} MB: raise the limit (ulimit -v)\n"
        )
        raise SystemExit(2)


def leave(ended: list[int]) -> None:
    """End with this exit code, if there is one, and have the system take back what Python would free piece by piece."""
    if not ended or "coverage" in sys.modules:  # which writes what it saw at the very end
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # Python's own end has words and a code for it
    os._exit(ended[0] & 0xFF)


def leave_current_folder() -> None:
    """Import nothing more from the current folder, which `python -m` puts first: its files are not ours to run."""
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
        del sys.path[0]


if __name__ == "__main__":
    leave_current_folder()
    main()
