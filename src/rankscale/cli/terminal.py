"""What goes to standard error: warnings, and a progress bar where a person looks on."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

SHOWN_WARNINGS = 12
FROM_RUNS = 8  # fewer are read before a bar could be drawn


def warn(warnings: Sequence[str]) -> None:
    """Tell what the user should know, and no more than fits a screen."""
    for warning in warnings[:SHOWN_WARNINGS]:
        print(f"warning: {printable(warning)}", file=sys.stderr)  # noqa: T201
    if len(warnings) > SHOWN_WARNINGS:
        print(f"warning: and {len(warnings) - SHOWN_WARNINGS} more like these", file=sys.stderr)  # noqa: T201


def printable(text: str) -> str:
    """Text in which no control character of a file's names is left; lines stay lines.

    >>> printable("a\\x1b[31m\\nb")
    'a\\ufffd[31m\\nb'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


@contextmanager
def progress_bar(words: str, of: int) -> Iterator[Callable[[int, int], None] | None]:
    """A function to call with (done, of); None where nobody looks on or the work is short."""
    if of < FROM_RUNS or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words, total=of)
        yield lambda done, total: progress.update(task, completed=done, total=total)
