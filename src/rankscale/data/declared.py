"""Commands as data: what a study or a figure declares about itself, for the command line, the docs and the tests.

A study or figure ends its file with `COMMAND = Declaration(function, ...)`. The function says the rest: its signature
gives the kind, limits, values and default of each option, its docstring the help of each option (Parameters), the
summary and description of the command, and its examples (Command line). `tools/make_commands.py` derives all that and
writes it into the folder's `register.json`, so that `rankscale robustness --help` need not import numpy.

Markers for annotations say what a type cannot: `Annotated[int, AtLeast(1)]`, `Annotated[str, OneOf(METHODS)]`, `Share`.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from rankscale.data.markers import AtLeast, Grades, Kind, OneOf, Positive, Seed, Share

__all__ = [  # markers among them, for files that declare a command
    "AtLeast",
    "Declaration",
    "Grades",
    "Kind",
    "OneOf",
    "Option",
    "Positive",
    "Registered",
    "Seed",
    "Settings",
    "Share",
    "register",
    "written",
]


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
