"""What a terminal can show, and what goes to standard error: warnings and errors in the words of a command."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Timer
from typing import TYPE_CHECKING, TextIO

import click

from rankscale.cli import say
from rankscale.errors import QRELS_FIRST, Spelling, in_python, on_command_line

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
    """A notice as the command line words it; one of parts quotes an error, and is spelled as errors are."""
    from rankscale.data.notices import render

    return render(notice, spelling() if isinstance(dict(notice.fields).get("text"), tuple) else on_command_line)


def spelling(command: click.Command | None = None) -> Spelling:
    """How options that an error names are spelled for a command, by default the one that runs.

    An option that the command does not have, or has without that value, is spelled as in Python, so that no advice
    names an option that does not exist.

    >>> method = click.Option(["--method"], type=click.Choice(["auto", "exact"]))
    >>> spelled = spelling(click.Command("scale", params=[method]))
    >>> spelled("method", "exact"), spelled("method", "odd"), spelled("draws")
    ('--method exact', "method='odd'", 'draws=')
    """
    context = click.get_current_context(silent=True)
    running = command or (context.command if context else click.Command(None))

    def spelled(keyword: str, value: str = "", option: str = "", python: str = "") -> str:
        if (keyword, value, option, python) == QRELS_FIRST:
            path = context.command_path if context else "rankscale evaluate"
            given = " ".join(context.command.collect_usage_pieces(context)[1:]) if context else "QRELS RUN..."
            return f"qrels come first, then runs: {path} {given}"
        written = on_command_line(keyword, value, option, python)
        flag = written.partition(" ")[0]
        kinds = [param.type for param in running.params if flag in (*param.opts, *param.secondary_opts)]
        has_value = not value or not any(isinstance(of, click.Choice) and value not in of.choices for of in kinds)
        return written if kinds and has_value else in_python(keyword, value, option, python)

    return spelled


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
