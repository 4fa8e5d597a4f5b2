"""Every error a user can meet.

    RankscaleError
    ├── InputError              something handed in cannot be used: exit code 2
    │   ├── FormatError         a file or table: where, what was expected, what was found
    │   │   └── DuplicateError  a document twice in one ranking, or judged twice for one topic
    │   ├── ParameterError      a measure or an option with a value it cannot take
    │   │   ├── UnknownOptionError  a keyword that a function does not take; a TypeError too, as Python raises
    │   │   ├── BoundsError     a measure that unjudged documents give no bounds, and why
    │   │   └── ScaleError      an interval scale that cannot say what it is asked, and what can be asked instead
    │   ├── MemoryLimitError    work that would take more memory than there is, said before it starts; a MemoryError too
    │   └── UnknownNameError    a name that is not in the register, with the nearest one that is
    ├── MissingExtraError       an optional library is not installed; says what to install
    ├── RenderingError          the process that draws figures ends, or cannot draw one
    └── WorkerError             worker processes that end while they work or start, and the items that they were given

Each message says where, what was expected, what was found and what to do. An error is data: its `args` are the parts
of its message, plain words and the options that it names, and `str(error)` spells these as Python does. The command
line spells them in its own way with `error.worded(on_command_line)`. Nothing reads or changes the text of a message.

    raise ParameterError(Setting("draws"), " must be a whole number from 1, or 'all', got 0")
    # Python:            draws= must be a whole number from 1, or 'all', got 0
    # command line:      --draws must be a whole number from 1, or 'all', got 0
"""

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Setting(NamedTuple):
    """An option that a message names, with a value or without."""

    keyword: str
    value: str = ""
    option: str = ""  # on the command line, where that is not the keyword with hyphens
    python: str = ""  # in Python, where there is no such keyword


class Spelling(Protocol):
    """How a surface spells an option: the fields of a `Setting` as a user would write them."""

    def __call__(self, keyword: str, value: str = "", option: str = "", python: str = "") -> str:
        """The option in words."""


def in_python(keyword: str, value: str = "", option: str = "", python: str = "") -> str:  # noqa: ARG001  # as Spelling
    """An option as Python spells it: `missing='zero'`, `tie_orders=1000`, `draws=`."""
    return python or (f"{keyword}={value}" if not value or value.isdigit() else f"{keyword}={value!r}")


def on_command_line(keyword: str, value: str = "", option: str = "", python: str = "") -> str:  # noqa: ARG001
    """An option as the command line spells it: `--missing zero`, `--draws`."""
    flag = option or f"--{keyword.replace('_', '-')}"
    shown = f"'{value}'" if " " in value else value
    return f"{flag} {shown}" if value else flag


def worded(parts: "Iterable[object]", spelling: Spelling = in_python) -> str:
    """The text of a message from its parts.

    >>> worded(["give ", Setting("missing", "zero"), " or ", Setting("draws")], on_command_line)
    'give --missing zero or --draws'
    """
    return "".join(
        spelling(*part)
        if isinstance(part, Setting)
        else worded(part, spelling)
        if isinstance(part, tuple)
        else str(part)
        for part in parts
    )


Wording = str | tuple["str | Setting", ...]  # a text, or the parts of one


class Place(NamedTuple):
    """A line of a file, from 1; column 0 means the whole line."""

    source: str
    line: int
    column: int = 0


QRELS_FIRST = Setting(  # where they are seen to be swapped; the command line names the command that runs
    "qrels, runs",
    option="qrels come first, then runs: rankscale evaluate QRELS RUN...",
    python="qrels come first, then runs, as in evaluate(qrels, runs, measures)",
)


ECHOED = 100  # characters of what was given that a message repeats


def echoed(value: object) -> str:
    """What was given, as a message repeats it: as Python writes it, and of a long one the start.

    >>> echoed("a"), echoed("x" * 1000)
    ("'a'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'...")
    """
    if isinstance(value, int) and value.bit_length() > ECHOED * 3:
        return f"a number of {value.bit_length()} bits"
    text = value if isinstance(value, str) else repr(value)
    if len(text) <= ECHOED:
        return repr(value)
    return f"{text[:ECHOED]!r}..." if isinstance(value, str) else f"{text[:ECHOED]}..."


READS_AS_RUN = "a run as qrels"  # kind of error of a file of qrels that can be read as a run


class RankscaleError(Exception):
    """The root: whoever catches this catches all that rankscale raises on purpose."""

    def worded(self, spelling: Spelling = in_python) -> str:
        """The message, its options in the spelling of a surface."""
        return worded(self.args, spelling)

    def __str__(self) -> str:
        return self.worded()

    def __reduce__(self) -> "tuple[Callable[..., RankscaleError], tuple[object, ...], dict[str, object]]":
        """Pickled with the message it has, whatever its class was made from: errors of workers come home."""
        return _made_again, (type(self), self.args), vars(self)


def _made_again(kind: "type[RankscaleError]", args: "tuple[object, ...]") -> "RankscaleError":
    error = kind.__new__(kind)
    error.args = args
    return error


def message_of(error: Exception, spelling: Spelling) -> str:
    """The message of any error: of ours in the spelling of a surface."""
    return error.worded(spelling) if isinstance(error, RankscaleError) else str(error)


class InputError(RankscaleError, ValueError):
    """Something handed in cannot be used."""


class FormatError(InputError):
    """A run, qrels or table that does not read as one.

    Attributes
    ----------
    kind : str
        A few words, the same for all errors of a kind: columns, score, rank, document twice, NUL byte, unreadable.
    place : Place, optional
        The line of text that it is about; None where that is not a line, or not known.
    problem : str
        What is wrong there, without the place and without advice.
    expected, found : str
        What was expected there, and what was there; empty where the problem is of another sort.
    """

    kind = "unreadable"
    place: Place | None = None
    problem = expected = found = ""


class DuplicateError(FormatError):
    """A document stands twice in one ranking, or is judged twice for one topic."""


class ParameterError(InputError):
    """A measure or an option was given a value it cannot take."""


class UnknownOptionError(ParameterError, TypeError):
    """A function was given a keyword that it does not take."""

    def __init__(self, function: str, name: str, known: "Iterable[str]") -> None:
        from difflib import get_close_matches

        near = get_close_matches(name, known := sorted(known), n=1)
        hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known)}"
        super().__init__(f"{function}() got an unexpected keyword argument {name!r}; {hint}")


class BoundsError(ParameterError):
    """A measure whose values unjudged documents do not bound."""

    def __init__(self, measure: str, reason: str) -> None:
        super().__init__(f"{measure} has no bounds: {reason}")
        self.measure, self.reason = measure, reason


class ScaleError(ParameterError):
    """An interval scale cannot say what it is asked; the message names what can be asked instead."""


class MemoryLimitError(InputError, MemoryError):
    """Work would take more memory than may be used, or than there is; the message names what can be done instead."""


class UnknownNameError(InputError):
    """A name that nobody registered."""

    def __init__(self, kind: str, name: str, known: "Iterable[str]", hint: str = "") -> None:
        super().__init__(kind, str(name), tuple(known), hint)

    def worded(self, spelling: Spelling = in_python) -> str:
        """The message, made when it is read: to look for the nearest name takes milliseconds."""
        if len(self.args) == 4:
            self.args = (_unknown(*self.args),)
        return super().worded(spelling)


def _unknown(kind: str, name: str, known: "Iterable[str]", hint: str) -> str:
    from difflib import get_close_matches

    by_folded = {candidate.casefold(): candidate for candidate in known}
    near = get_close_matches(name[:ECHOED].casefold(), by_folded, n=1, cutoff=0.6)
    suggestion = f"; did you mean {by_folded[near[0]]}?" if near else ""
    if hint:
        suggestion = f"{suggestion or ';'} {hint}"
    return f"unknown {kind} {echoed(name)}{suggestion}"


class MissingExtraError(RankscaleError, ImportError):
    """An optional library is needed and not installed."""

    def __init__(self, what: str, library: str, extra: str) -> None:
        super().__init__(f"{what} needs {library}, which is not installed: pip install 'rankscale[{extra}]'")


class RenderingError(RankscaleError):
    """The process that draws figures ended, or refused what it was given."""


class WorkerError(RankscaleError):
    """Worker processes ended while they worked or started; `items` are those that could not be done."""

    def __init__(self, message: str, items: "Iterable[object]" = ()) -> None:
        super().__init__(message)
        self.items = tuple(items)
