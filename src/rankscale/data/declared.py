"""Commands as data: what a study or a figure declares about itself, for the command line, the docs and the tests.

A study or figure ends its file with `COMMAND = Declaration(...)`. What its function's signature already says (kind and
default of an option) is not repeated. `tools/make_commands.py` writes the declarations of a folder into its
`register.json`, so that `rankscale --help` and `rankscale robustness --help` need not import numpy. Nothing here knows
click.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from inspect import Parameter, signature

KINDS = {int: "int", float: "float", bool: "flag", str: "text"}  # of an option, by its parameter's annotation


@dataclass(frozen=True)
class Option:
    """One option of a command: a keyword of the function, with what its signature does not say."""

    help: str
    kind: str = ""  # int, float, share, flag, text, path, ints, floats, grades, measure; "" is that of the annotation
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    default: object = None  # None is that of the signature
    flags: tuple[str, ...] = ()  # such as ("-t", "--test"); () is --name
    metavar: str = ""
    multiple: bool = False
    required: bool = False
    keyword: str = ""  # of the function, where another option of the command has that name
    flag_value: str = ""  # what a flag stands for, where that is not True
    shown: str = ""  # the default in words, where the function works it out


@dataclass(frozen=True)
class Declaration:
    """A command: one function, what it is called with, and the words of its help."""

    name: str
    summary: str  # one line, in the list of commands
    about: str  # what the help says below the usage
    examples: tuple[str, ...]  # that run; qrels.txt, run.txt and runs/*.gz stand for the user's files
    function: str  # in the same module
    python: str = field(default="", kw_only=True)  # the function of `rs.figure`, where that is another
    source: str  # what the function is given first: a key of `rankscale.cli.sources.SOURCES`
    deferred: bool = False  # whether it is given a function that makes the source, rather than the source
    options: Mapping[str, Option] = field(default_factory=dict)
    shared: tuple[str, ...] = ()  # names of options that commands share, in `rankscale.cli.options.SHARED`
    measures: tuple[str, ...] = ()  # defaults of a repeatable --measure; () for commands without
    measures_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # other defaults if this flag is set
    measure: str = ""  # default of a --measure that is given once; "" for commands without
    measure_help: str = ""
    tables: Mapping[str, str] = field(
        default_factory=dict
    )  # of a study: name, and the option that it needs (`power`) or excludes (`!area`)
    study: str = ""  # of a figure: the study that it draws
    study_options: tuple[str, ...] = ()  # the options of that study that the figure has too
    fixed: Mapping[str, object] = field(default_factory=dict)  # what the study is given instead of its other options
    module: str = ""  # filled in by the register, as is `takes`
    takes: tuple[str, ...] = ()  # parameters of the function


def resolved(declared: Declaration, function: Callable[..., object], module: str) -> Declaration:
    """The declaration with kinds and defaults of options as the function's signature has them."""
    parameters = signature(function).parameters
    options = {
        name: _resolved(option, parameters.get(option.keyword or name)) for name, option in declared.options.items()
    }
    return replace(declared, module=module, takes=tuple(parameters), options=options)


def _resolved(option: Option, parameter: Parameter | None) -> Option:
    if parameter is None:
        return option
    default = parameter.default if option.default is None and not option.required else option.default
    return replace(
        option,
        kind=option.kind or ("choice" if option.choices else KINDS.get(parameter.annotation, "text")),
        default=None if default is Parameter.empty or option.multiple else default,
    )


def written(declarations: list[Declaration]) -> str:
    """The register of a folder: its declarations, by name."""
    by_name = {declared.name: asdict(declared) for declared in sorted(declarations, key=lambda one: one.name)}
    return json.dumps(by_name, indent=1, ensure_ascii=False) + "\n"


def register(folder: str) -> dict[str, Declaration]:
    """The declarations of `studies` or `figures`, by name, without importing either."""
    path = os.path.join(os.path.dirname(os.path.dirname(__file__)), folder, "register.json")
    with open(path, encoding="utf-8") as file:
        return {name: _read(cells) for name, cells in json.load(file).items()}


def _read(cells: dict[str, object]) -> Declaration:
    plain = {name: _tuples(cell) for name, cell in cells.items()}
    options = {name: Option(**option) for name, option in plain.pop("options").items()}  # type: ignore[attr-defined]
    return Declaration(**plain, options=options)  # type: ignore[arg-type]  # as `written` wrote them


def _tuples(cell: object) -> object:
    """Lists of JSON as the tuples that they were."""
    if isinstance(cell, dict):
        return {name: _tuples(part) for name, part in cell.items()}
    return tuple(map(_tuples, cell)) if isinstance(cell, list) else cell
