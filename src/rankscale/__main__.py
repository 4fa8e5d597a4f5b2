"""The command line: `rankscale`, and `python -m rankscale`."""

import signal


def main() -> None:
    """Run a command. Until it runs, an interrupt ends the process at once, without a word; then the first stops it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # `heed_interrupts` heeds them again
    from rankscale.cli import main as run
    from rankscale.cli.streams import heed_interrupts

    run(heed_interrupts)


if __name__ == "__main__":
    main()
