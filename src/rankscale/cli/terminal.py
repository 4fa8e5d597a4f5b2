"""What a terminal can show, and what goes to standard error: warnings and errors in the words of a command."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Timer
from typing import TYPE_CHECKING, TextIO

import click

from rankscale.cli.streams import say
from rankscale.errors import QRELS_FIRST

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from rankscale.data.notices import Notice
    from rankscale.outputs.screen import Screen


DELAY = 0.4  # seconds: shorter work is over before anybody could read what it is
ENOUGH = 1.0  # seconds of steps from which the time of all of them is predicted
START = 10.0  # seconds within which the first step may have waited for other processes to start
REFRESH = 0.05  # seconds between two changes of what is shown
BAR, LEAST_NAME = 40, 12  # columns for the bar and what is around it, and the fewest of a description
Progress = Callable[[int, int], None]  # called with (done, of)
SETTING = re.compile(r"(?<![(,\w])(\w+)='(\w+)'")  # in a sentence; after a parenthesis or comma it is a measure's own
SHOWN_WARNINGS = 12
USUAL_WIDTH = 80  # of a terminal that does not tell its own


class Display:
    """One line at the bottom of the terminal, shown once work has taken a while, and wiped before anything is printed.

    Work is done in the main thread; a timer's thread shows the line, so that one long step is seen as well.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._timer: Timer | None = None
        self._bar: Bar | None = None
        self._text, self._done, self._of = "", 0, 0
        self._changed = 0.0

    def reading(self, what: str, name: str, place: int, of: int) -> None:
        """A file is read now: `place` of `of`, counted from 1; `what` is empty once all of them are."""
        which = f" {place} of {of}" if of > 1 else ""
        where = os.path.basename(name.rstrip("/")) or name
        self._step(f"reading {what}{which}: {where}" if what else "computing", place - bool(what), of)

    def working(self, label: str) -> Progress:
        """A function to call with (done, of) while something is done."""
        return lambda done, of: self._step(f"{label}, {done} of {of}", done, of)

    def _step(self, text: str, done: int, of: int) -> None:
        """Show how far work has come; where files are read ahead of what is measured, the bar does not go back."""
        with self._lock:
            self._done = max(done, self._done) if of == self._of else done
            self._text, self._of = text, of
            if self._bar is None and self._timer is None:
                self._timer = Timer(DELAY, self._show)
                self._timer.daemon = True
                self._timer.start()
            elif self._bar is not None and time.monotonic() - self._changed > REFRESH:
                self._update(self._bar)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._timer is None:  # hidden meanwhile
                return
            columns = (TextColumn("{task.description}", markup=False), BarColumn(20), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(stderr=True, highlight=False), transient=True)
            self._bar.add_task("", total=None)
            self._update(self._bar)
            self._bar.start()

    def _update(self, bar: "Bar") -> None:
        from rankscale.outputs.names import on_terminal
        from rankscale.outputs.screen import cut

        room = max(bar.console.width - BAR, LEAST_NAME)
        total = self._of if self._of > 1 else None  # a bar that only moves to and fro
        bar.update(bar.task_ids[0], description=cut(on_terminal(self._text), room), completed=self._done, total=total)
        self._changed = time.monotonic()

    def hide(self) -> None:
        """Wipe the line, if there is one; the next step may bring it back."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            bar, self._timer, self._bar = self._bar, None, None
        if bar is not None:
            bar.stop()


_display: ContextVar[Display | None] = ContextVar("display", default=None)


@contextmanager
def showing_progress() -> Iterator[None]:
    """Show within the block which files are read, and what `progress_bar` is told, if a person looks on."""
    if not sys.stderr.isatty():
        yield
        return
    from rankscale.inputs.files import watching

    display = Display()
    token = _display.set(display)
    try:
        with watching(display.reading):
            yield
    finally:
        display.hide()
        _display.reset(token)


def hide_progress() -> None:
    """Wipe the line of progress: something is about to be printed."""
    display = _display.get()
    if display is not None:
        display.hide()


@contextmanager
def progress_bar(label: str = "measuring runs", *, predicts: bool = True) -> Iterator[Progress | None]:
    """A function to call with (done, of), shown where a person looks on; elsewhere it tells whether work takes long.

    None where nobody looks on, and nothing is to be predicted.
    """
    display = _display.get()
    if display is not None:
        yield display.working(label)
    else:
        yield _Predicted(label) if predicts else None


class _Predicted:
    """Announces long work as soon as its first steps tell how long it takes.

    Where the first step is done within seconds, most of that time may have passed while processes started: the
    prediction then rests on the steps after it.
    """

    def __init__(self, label: str) -> None:
        self.label, self.is_done = label, False
        self.start = self.since = time.monotonic()
        self.before = 0  # steps done by `since`

    def __call__(self, done: int, of: int) -> None:
        """So many steps of so many are done."""
        now = time.monotonic()
        if self.since == self.start and done > 0 and now < self.start + START:
            self.since, self.before = now, done
        if self.is_done or done <= self.before or now < self.since + ENOUGH:
            return
        from rankscale.data.resources import announce

        self.is_done = True
        announce(now - self.start + (of - done) * (now - self.since) / (done - self.before), self.label)


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
