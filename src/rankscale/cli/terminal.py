"""What goes to standard error: warnings, and a progress bar where a person looks on."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankscale.data.notices import Notice


SHOWN_WARNINGS = 12
LONG = 8  # steps; shorter work is over before a bar could be drawn
Progress = Callable[[int, int], None]


def warn(warnings: "Sequence[str | Notice]") -> None:
    """Print notices and other sentences, options spelled as on the command line, no more than fits a screen."""
    for warning in warnings[:SHOWN_WARNINGS]:
        text = warning if isinstance(warning, str) else _spelled(warning)
        print(f"warning: {printable(text)}", file=sys.stderr)  # noqa: T201
    if len(warnings) > SHOWN_WARNINGS:
        print(f"warning: and {len(warnings) - SHOWN_WARNINGS} more like these", file=sys.stderr)  # noqa: T201


def _spelled(notice: "Notice") -> str:
    """A notice as the command line words it; "no scale" quotes an error, and is spelled as errors are."""
    import click

    from rankscale.cli.command import as_options
    from rankscale.data.notices import on_command_line, render

    text, context = render(notice, on_command_line), click.get_current_context(silent=True)
    return as_options(text, context.command) if context and notice.kind == "no scale" else text


def printable(text: str) -> str:
    """Text in which no control character of a file's names is left; lines stay lines.

    >>> printable("a\\x1b[31m\\nb")
    'a\\ufffd[31m\\nb'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


@contextmanager
def progress_bar(label: str = "reading and judging") -> Iterator[Progress | None]:
    """A function to call with (done, of); None where nobody looks on. Short work gets no bar."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None, visible=False)
        yield lambda done, of: bar.update(task, completed=done, total=of, visible=of >= LONG)
