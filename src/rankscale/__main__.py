"""The command line: `rankscale`, and `python -m rankscale`."""

import atexit
import os
import signal
import sys


def main() -> None:
    """Run a command. Until it runs, an interrupt ends the process at once, without a word."""
    waiting = signal.getsignal(signal.SIGINT)
    if waiting is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    ended: list[int] = []
    atexit.register(leave, ended)  # before all others, so that it comes after them
    from rankscale.cli import main as run

    signal.signal(signal.SIGINT, waiting)
    try:
        run()
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            ended.append(error.code or 0)
        raise


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


if __name__ == "__main__":
    main()
