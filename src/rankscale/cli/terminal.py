"""What a terminal can show, and what goes to standard error: warnings and errors in the words of a command."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

import click

from rankscale.cli.progress import hide_progress
from rankscale.cli.streams import say
from rankscale.errors import QRELS_FIRST

if TYPE_CHECKING:
    from rankscale.data.notices import Notice
    from rankscale.outputs.screen import Screen

SETTING = re.compile(r"(?<![(,\w])(\w+)='(\w+)'")  # in a sentence; after a parenthesis or comma it is a measure's own
SHOWN_WARNINGS = 12
USUAL_WIDTH = 80  # of a terminal that does not tell its own


def warn(warnings: "Sequence[str | Notice]") -> None:
    """Print notices and other sentences, options spelled as on the command line, no more than fits a screen."""
    from rankscale.data.notices import is_warning

    forms = [warning for warning in warnings if not isinstance(warning, str) and not is_warning(warning)]
    if forms:
        for line in _forms(forms):
            tell(line)
        warnings = [warning for warning in warnings if warning not in forms]
    for warning in warnings[:SHOWN_WARNINGS]:
        text = warning if isinstance(warning, str) else _spelled(warning)
        tell(f"warning: {text}")
    if len(warnings) > SHOWN_WARNINGS:
        tell(f"warning: and {len(warnings) - SHOWN_WARNINGS} more like these")


def _forms(notices: "Sequence[Notice]") -> Iterator[str]:
    """What files were taken for, a line for each form, however many files have it."""
    from rankscale.data.notices import SUBTOPICS, render

    alike: dict[str, dict[str, str]] = {}
    for notice in notices:
        if notice.kind in {"read as", SUBTOPICS}:  # files of values are named together already; measures come first
            yield render(notice)
            continue
        source, text = str(notice["source"]), render(notice)
        alike.setdefault(text.removeprefix(source), {})[source] = text
    for sources in alike.values():
        first, text = next(iter(sources.items()))
        others = len(sources) - 1
        more = f" and {others} more file{'s' * (others > 1)}" if others else ""
        yield f"{first}{more}{text.removeprefix(first)}"


def _spelled(notice: "Notice") -> str:
    """A notice as the command line words it; "no scale" quotes an error, and is spelled as errors are."""
    from rankscale.data.notices import on_command_line, render

    text = render(notice, on_command_line)
    return with_options(text) if notice.kind == "no scale" else text


def with_options(text: str, command: click.Command | None = None) -> str:
    """Spell settings in a message as options of the command, by default the one that runs.

    Errors and the notes that quote them are made where no command is known, and their advice is spelled as in Python
    (`method='exact'`). This is the only place that rewrites it. A setting is rewritten only if the command has an
    option of that name with that value; all others stay as they are, so that no advice names an option that does not
    exist.

    >>> method = click.Option(["--method"], type=click.Choice(["auto", "exact"]))
    >>> with_options("ask for method='exact', or method='odd'", click.Command("scale", params=[method]))
    "ask for --method exact, or method='odd'"
    """
    context = click.get_current_context(silent=True)
    running = command or (context.command if context else click.Command(None))
    options = {
        (param.name, choice): f"{param.opts[-1]} {choice}"
        for param in running.params
        if isinstance(param.type, click.Choice)
        for choice in param.type.choices
    }
    return SETTING.sub(lambda match: options.get((match[1], match[2]), match[0]), text)


def with_arguments(text: str) -> str:
    """An error about swapped arguments with those of the command that runs, rather than Python's."""
    context = click.get_current_context(silent=True)
    path = context.command_path if context else "rankscale evaluate"
    given = " ".join(context.command.collect_usage_pieces(context)[1:]) if context else "QRELS RUN..."
    return text.replace(QRELS_FIRST, f"qrels come first, then runs: {path} {given}")


def printable(text: str) -> str:
    """Text in which no control character of a file's names is left; lines stay lines.

    >>> printable("a\\x1b[31m\\nb")
    'a\\ufffd[31m\\nb'
    """
    from rankscale.outputs.names import on_terminal

    return on_terminal(text, kept="\n\t")


def screen_of_output(more: str = "--format tsv") -> "Screen":
    """The terminal that standard output is; one without limits where it is a file or a pipe."""
    from rankscale.outputs.screen import PLAIN, Screen

    if not sys.stdout.isatty():
        return PLAIN
    styled = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Screen(_width(sys.stdout), styled=styled, more=more)


def _width(stream: TextIO) -> int:
    """Characters of a line: what COLUMNS says, or the terminal itself."""
    given = os.environ.get("COLUMNS", "")
    return (int(given) if given.isdecimal() else os.get_terminal_size(stream.fileno()).columns) or USUAL_WIDTH


def encodable(text: str) -> str:
    """Text with signs in the place of blocks where standard output has an encoding without them."""
    from rankscale.outputs.screen import SIGNS, in_ascii

    try:
        "".join(SIGNS).encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return in_ascii(text)
    return text


def tell(text: str) -> None:
    """Print a message to standard error, without control characters; wrapped at words where that is a terminal."""
    from rankscale.outputs.screen import wrapped

    hide_progress()
    width = _width(sys.stderr) if sys.stderr.isatty() else None
    for line in text.split("\n"):
        say(wrapped(line, width))
