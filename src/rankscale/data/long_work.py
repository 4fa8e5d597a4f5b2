"""Work that is predicted to take long is announced before it starts, where somebody listens."""

from collections.abc import Callable

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
