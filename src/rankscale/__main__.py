"""The command line: `rankscale`, and `python -m rankscale`."""

import signal


def main() -> None:
    """Run a command. Until it runs, an interrupt ends the process at once, without a word."""
    waiting = signal.getsignal(signal.SIGINT)
    if waiting is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from rankscale.cli import main as run

    signal.signal(signal.SIGINT, waiting)
    run()


if __name__ == "__main__":
    main()
