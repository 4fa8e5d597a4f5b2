"""Arguments of functions: declared by annotations, checked by them, shown by help(), and made options of commands.

Markers say what a type cannot: `Annotated[int, AtLeast(1)]`, `Annotated[str, OneOf(METHODS)]`, `Share`. A public
function calls `check_arguments` first. A study or figure ends its file with `COMMAND = Declaration(function, ...)`. The
function says the rest: its signature gives the kind, limits, values and default of each option, its docstring the help
of each option (Parameters), the summary and description of the command, and its examples (Command line).
`rankscale.cli.declarations` derives all that; `make register` writes it into the folder's `register.json`, so that
`rankscale robustness --help` need not import numpy.
"""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from reprlib import repr as shortened
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, Unpack, cast, get_args, get_origin

from rankscale.errors import ParameterError, UnknownOptionError


@dataclass(frozen=True)
class AtLeast:
    """The smallest value of a number, and if `most` is given the largest."""

    least: int
    most: int | None = None


@dataclass(frozen=True, eq=False, repr=False)  # hashable whatever the values are kept in
class OneOf:
    """The values that a text can have, where these are listed elsewhere at run time."""

    values: Collection[str]

    def __repr__(self) -> str:
        return f"OneOf({', '.join(self.values)})"


@dataclass(frozen=True)
class ValueKind:
    """A kind of option value that is not clear from its type: a key of `rankscale.cli.sources.TYPES`."""

    name: str


@dataclass(frozen=True, eq=False, repr=False)
class NamedInHelp:
    """Values that the help of an option names after its meaning, and that are not all there are."""

    values: Collection[str]


Positive = Annotated[int, AtLeast(1)]
Seed = Annotated[int, AtLeast(0)]
DrawCount = int | Literal["all"]  # of topics, with replacement; all that there are
DRAWS = 1000  # unless another number is given
Share = Annotated[float, ValueKind("share")]  # between 0 and 1, exclusive
Grades = Annotated[Sequence[float], ValueKind("grades")]


Fits = Callable[[object], bool]
PLAIN: Mapping[object, tuple[str, Fits]] = {
    str: ("a text", lambda value: isinstance(value, str)),
    bool: ("True or False", lambda value: type(value).__name__ in {"bool", "bool_"}),  # also numpy's
    NoneType: ("None", lambda value: value is None),
}
PLURALS = {
    "a number": "numbers",
    "a text": "texts",
    "a whole number": "whole numbers",
    "a whole number from 1": "whole numbers from 1",
}


def check_arguments(
    function: Callable[..., object], given: Mapping[str, object], *, choices: Sequence[str] = ()
) -> None:
    """Raise ParameterError for an argument of another type, UnknownOptionError for a keyword that is not declared.

    Called first in a function, with its `locals()`. Types that say too little, such as Mapping, are not checked. Which
    texts are known is checked where they are used, but for parameters among `choices`: those of their Literal alone.

    Examples
    --------
    >>> import rankscale as rs
    >>> check_arguments(rs.topics_needed, {"power": "much"})
    Traceback (most recent call last):
    rankscale.errors.ParameterError: power must be a number, got 'much'
    """
    for name, annotation in function.__annotations__.items():
        if name == "return" or name not in given:
            continue
        if getattr(annotation, "__origin__", None) is Unpack:
            _check_options(function, get_args(annotation)[0], cast("Mapping[str, object]", given[name]))
        else:
            _check(name, given[name], annotation)
    for name in choices:
        members = (one for one in _members(function.__annotations__[name]) if get_origin(one) is Literal)
        texts = [text for one in members for text in get_args(one)]
        if given[name] is not None and given[name] not in texts:
            raise ParameterError(f"{name} must be {_alternatives(texts)}, got {given[name]!r}")


def _alternatives(texts: Sequence[object]) -> str:
    *others, last = map(repr, texts)
    return f"{', '.join(others)} or {last}" if others else last


def _check_options(function: Callable[..., object], declared: type, given: Mapping[str, object]) -> None:
    for name, value in given.items():
        if name not in declared.__annotations__:
            known = {*declared.__annotations__, *function.__annotations__} - {"options", "settings", "return"}
            raise UnknownOptionError(function.__name__, name, known)
        _check(name, value, declared.__annotations__[name])


def _check(name: str, value: object, annotation: object) -> None:
    kinds = _kinds(annotation)
    if any(kind is None or kind[1](value) for kind in kinds):
        return
    if of_ir_measures(value) and {"a text", "a Measure"} <= {kind[0] for kind in kinds if kind}:
        return  # its text is read as a measure
    words = " or ".join(dict.fromkeys(kind[0] for kind in kinds if kind and kind[0] != "None"))
    raise ParameterError(f"{name} must be {words}, got {shortened(value)}")


def of_ir_measures(value: object) -> bool:
    """Whether this is a measure of ir_measures, such as `ir_measures.nDCG @ 10`; nothing is imported for that."""
    return type(value).__module__.partition(".")[0] == "ir_measures"


@cache
def _kinds(annotation: object) -> list[tuple[str, Fits] | None]:
    """The kinds of a union, worked out once for all calls."""
    return [_kind(one) for one in _members(annotation)]


def _members(annotation: object) -> Iterator[object]:
    """The types of a union, each with its markers."""
    if get_origin(annotation) in {Union, UnionType}:
        for one in get_args(annotation):
            yield from _members(one)
    else:
        yield annotation


def _kind(annotation: object) -> tuple[str, Fits] | None:
    """A type in words, and whether a value is of it; None for types that cannot be checked."""
    markers: Sequence[object] = ()
    if get_origin(annotation) is Annotated:
        annotation, *markers = get_args(annotation)
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _alternatives(parts), lambda value: isinstance(value, str)
    if isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, Mapping):
        return _listed(parts[0])
    if annotation is int or annotation is float:
        return _number(annotation, markers)
    return PLAIN.get(annotation) or _of_ours(annotation)


def _of_ours(annotation: object) -> tuple[str, Fits] | None:
    """Measures and runtime protocols; what takes results, such as an Evaluation, says where they come from."""
    if getattr(annotation, "_is_runtime_protocol", False) or getattr(annotation, "__name__", "") == "Measure":
        assert isinstance(annotation, type)  # noqa: S101
        article = "an" if annotation.__name__[0] in "AEIOU" else "a"
        return f"{article} {annotation.__name__}", lambda value: isinstance(value, annotation)
    return None


def _number(kind: type[int] | type[float], markers: Iterable[object]) -> tuple[str, Fits]:
    """Numbers; their limits, which depend on each other at times, are checked where they are used."""
    limits = next((one for one in markers if isinstance(one, AtLeast)), None)
    words = "a whole number" if kind is int else "a number"
    words += " between 0 and 1" if any(isinstance(one, ValueKind) and one.name == "share" for one in markers) else ""
    words += f" from {limits.least}" if limits else ""
    words += f" to {limits.most}" if limits and limits.most is not None else ""
    among = Integral if kind is int else Real
    return words, lambda value: isinstance(value, among) and not isinstance(value, bool)


def _listed(annotation: object) -> tuple[str, Fits] | None:
    kinds = _kinds(annotation)
    known = [kind for kind in kinds if kind]
    words = PLURALS.get(known[0][0], known[0][0]) if len(known) == len(kinds) == 1 else "these"

    def fits(value: object) -> bool:
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            return False
        if len(known) < len(kinds) or not isinstance(value, Collection):  # what is read once is not read here
            return True
        return all(any(kind[1](one) for kind in known) for one in value)

    return f"a list of {words}", fits


class _Documented:
    """A default that the docstring states."""

    def __repr__(self) -> str:
        return "..."


def plain(function: Callable[..., object]) -> Signature:
    """The signature without types, and with each keyword of `**options: Unpack[...]` by name.

    >>> import rankscale as rs
    >>> plain(rs.top)
    <Signature (evaluation, share, by='AP') -> rankscale.evaluation.result.Evaluation>
    """
    written = signature(function)
    shown: list[Parameter] = []
    for one in written.parameters.values():
        keywords = get_args(one.annotation) if one.kind is Parameter.VAR_KEYWORD else ()
        names = [name for options in keywords for name in options.__annotations__]
        spelt_out = [Parameter(name, Parameter.KEYWORD_ONLY, default=_Documented()) for name in names]
        shown += spelt_out or [one.replace(annotation=Parameter.empty)]
    return written.replace(parameters=shown)


@dataclass(frozen=True)
class Option:
    """One option of a command, as derived from a parameter of its function."""

    help: str
    kind: str  # int, float, share, shares, flag, text, path, ints, floats, grades, measure, choice
    keyword: str  # the parameter
    flags: tuple[str, ...]  # such as ("-t", "--test")
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    default: object = None
    default_text: str = ""  # the default in words, where the function works it out
    multiple: bool = False
    required: bool = False
    flag_value: str = ""  # what a flag stands for, where that is not True


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a declaration states and the register repeats."""

    source: str  # what the function is given first: a key of `rankscale.cli.sources.SOURCES`
    shared: tuple[str, ...] = ()  # options that commands share: keys of `rankscale.cli.options.SHARED`
    measures: tuple[str, ...] = ()  # defaults of a repeatable --measure; () for commands without
    measures_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # other defaults if this flag is set
    measure: str = ""  # default of a --measure that is given once; "" for commands without
    lengths: tuple[int, ...] = ()  # defaults of --length, of figures of scales
    tables: tuple[str, ...] = ()  # of a study, the answer first
    tables_with: Mapping[str, str] = field(default_factory=dict)  # option that a table needs, or excludes (!area)
    study: str = ""  # of a figure: the study that it draws
    study_options: tuple[str, ...] = ()  # options of that study that the figure has too
    fixed: Mapping[str, object] = field(default_factory=dict)  # values of other options of that study


@dataclass(frozen=True, kw_only=True)
class Declaration(Settings):
    """A command as a study or figure declares it."""

    function: Callable[..., object] = field(kw_only=False)
    python: Callable[..., object] | None = None  # the public function, where that is another
    name: str = ""  # by default that of the public function, without _figure
    flags: Mapping[str, str] = field(default_factory=dict)  # by parameter, such as {"tests": "-t --test"}
    without: tuple[str, ...] = ()  # parameters that are no options


@dataclass(frozen=True, kw_only=True)
class Registered(Settings):
    """A command as the register has it: all that its help shows, and where its function is."""

    name: str
    summary: str  # one line, in the list of commands
    about: str  # what the help says below the usage
    examples: tuple[str, ...]  # that run; qrels.txt, run.txt and runs/*.gz stand for the user's files
    module: str
    function: str
    python: str  # name of the public function
    result: str  # name of the class of its result
    takes: tuple[str, ...]  # parameters of the function
    deferred: bool  # whether the function is given one that makes the source, rather than the source
    measure_help: str = ""
    options: Mapping[str, Option] = field(default_factory=dict)  # by name of the long flag, - as _


def written(commands: Sequence[Registered]) -> str:
    """The register of a folder: its commands, by name."""
    by_name = {command.name: asdict(command) for command in sorted(commands, key=lambda one: one.name)}
    return json.dumps(by_name, indent=1, ensure_ascii=False) + "\n"


def register(folder: str) -> dict[str, Registered]:
    """The commands of `studies` or `figures`, by name, without importing either."""
    path = os.path.join(os.path.dirname(os.path.dirname(__file__)), folder, "register.json")
    with open(path, encoding="utf-8") as file:
        return {name: _read(cells) for name, cells in json.load(file).items()}


def _read(cells: dict[str, object]) -> Registered:
    plain = {name: _tuples(cell) for name, cell in cells.items()}
    options = {name: Option(**option) for name, option in plain.pop("options").items()}  # type: ignore[attr-defined]
    return Registered(**plain, options=options)  # type: ignore[arg-type]  # as `written` wrote them


def _tuples(cell: object) -> object:
    """Lists of JSON as the tuples that they were."""
    if isinstance(cell, dict):
        return {name: _tuples(part) for name, part in cell.items()}
    return tuple(map(_tuples, cell)) if isinstance(cell, list) else cell
