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

Each message says where, what was expected, what was found and what to do.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

QRELS_FIRST = "qrels come first, then runs, as in evaluate(qrels, runs, measures)"  # where they are seen to be swapped


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


class RankscaleError(Exception):
    """The root: whoever catches this catches all that rankscale raises on purpose."""

    def __reduce__(self) -> "tuple[Callable[..., RankscaleError], tuple[object, ...]]":
        """Pickled with the message it has, whatever its class was made from: errors of workers come home."""
        return _made_again, (type(self), self.args)


def _made_again(kind: "type[RankscaleError]", args: "tuple[object, ...]") -> "RankscaleError":
    error = kind.__new__(kind)
    error.args = args
    return error


class InputError(RankscaleError, ValueError):
    """Something handed in cannot be used."""


class FormatError(InputError):
    """A run, qrels or table that does not read as one."""


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

    def __str__(self) -> str:
        """The message, made when it is read: to look for the nearest name takes milliseconds."""
        if len(self.args) == 4:
            self.args = (_unknown(*self.args),)
        return str(self.args[0])


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
