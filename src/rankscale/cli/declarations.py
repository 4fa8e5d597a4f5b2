"""Commands of what studies and figures declare: options are derived from the signature and docstring of a function.

Every documented parameter is an option, except those that come from the files of the command line or from shared
options: kind, limits, values and default are those of the signature, the help is that of the docstring, in the form of
numpydoc: prose, then sections under a line of dashes. `make register` writes what is derived for this package; for
another package it is derived when its command is called.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from inspect import Parameter, Signature, signature
from itertools import pairwise
from types import FunctionType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from rankscale.cli import options
from rankscale.data.arguments import AtLeast, Declaration, NamedInHelp, OneOf, Option, Registered, Settings, ValueKind
from rankscale.data.extensions import declaration, named
from rankscale.errors import InputError, RankscaleError, UnknownNameError

# Parameters that the command line fills in by itself.
SOURCES = {"qrels", "runs", "run", "measures", "measure", "evaluation", "evaluated", "study", "curves", "scales"}
MEASURE = "Measure, such as nDCG, P@10 or 'RBP(p=0.9)'."  # where a function is not given the measure itself
NO_OPTIONS = {"progress", "executor"}
PLAIN = ((bool, "flag"), (int, "int"), (float, "float"), (str, "text"))  # kinds of types, in this order

SECTIONS = (
    "Parameters",
    "Returns",
    "Yields",
    "Raises",
    "Attributes",
    "Examples",
    "Command line",
    "Notes",
    "References",
    "See Also",
)


@dataclass(frozen=True)
class DocumentedParameter:
    """One entry of a Parameters section."""

    kind: str  # the type in words, without the default
    default: str  # in words; "" if none is stated
    meaning: str


@dataclass(frozen=True)
class Docstring:
    """A docstring: its first line, all its prose, and its sections."""

    summary: str = ""
    prose: str = ""
    sections: dict[str, list[str]] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, DocumentedParameter]:
        """Entries of the Parameters section by name; `a, b : int` documents both."""
        parameters: dict[str, DocumentedParameter] = {}
        for head, below in entries(self.sections.get("Parameters", [])):
            names, _, kind = head.partition(" : ")
            kind, _, default = kind.partition(", default ")
            meaning = " ".join(line.strip() for line in below if line.strip())
            parameters |= {
                name.strip().lstrip("*"): DocumentedParameter(kind, default, meaning) for name in names.split(",")
            }
        return parameters

    @property
    def command_lines(self) -> tuple[str, ...]:
        """Examples of the section Command line."""
        return tuple(line.strip() for line in self.sections.get("Command line", []) if line.strip())


def entries(lines: list[str]) -> list[tuple[str, list[str]]]:
    """A section that lists names: each head, and the indented lines below it."""
    heads = [place for place, line in enumerate(lines) if line and not line.startswith(" ")]
    return [(lines[head], lines[head + 1 : end]) for head, end in pairwise([*heads, len(lines)])]


def read_docstring(value: object) -> Docstring:
    """The docstring of an object, or of its text."""
    lines = (value if isinstance(value, str) else inspect.getdoc(value) or "").splitlines()
    starts = [
        place
        for place, (line, below) in enumerate(pairwise(lines))
        if line in SECTIONS and below and set(below) == {"-"}
    ]
    ends = [*starts[1:], len(lines)]
    prose = "\n".join(lines[: starts[0]] if starts else lines).strip()
    sections = {lines[start]: lines[start + 2 : end] for start, end in zip(starts, ends, strict=False)}
    return Docstring(prose.partition("\n")[0], prose, sections)


def of_another_package(folder: str, name: str) -> Registered:
    """The command of a study or figure of another package; `folder` is that of ours."""
    group = f"rankscale.{folder}"
    declared = declaration(group, name)
    if declared is None:
        raise UnknownNameError(folder, name, [])
    try:
        return replace(registered(declared), name=name)
    except RankscaleError:
        raise
    except Exception as error:
        raise InputError(f"{named(group, name)} declares no command: {type(error).__name__}: {error}") from error


def registered(declared: Declaration) -> Registered:
    """The command with all that its function says."""
    public = declared.python or declared.function
    document = read_docstring(public)
    parameters = as_written(declared.function).parameters
    documented = document.parameters | read_docstring(declared.function).parameters
    first = next(iter(parameters.values()), None)
    return Registered(
        name=declared.name or public.__name__.removesuffix("_figure").replace("_", "-"),
        summary=document.summary,
        about=document.prose,
        examples=document.command_lines,
        module=declared.function.__module__,
        function=declared.function.__name__,
        python=public.__name__,
        result=_result(signature(public).return_annotation).__name__,
        takes=tuple(parameters),
        deferred=first is not None and get_origin(first.annotation) is Callable,
        measure_help=documented["measure"].meaning if "measure" in documented else MEASURE,
        options=dict(_options(declared, documented)),
        **{one.name: getattr(declared, one.name) for one in fields(Settings)},
    )


def _result(annotation: object) -> type:
    """The class of a result; of several the first, which the verb is mostly asked for."""
    made = get_args(annotation)[0] if get_origin(annotation) is UnionType else annotation
    if not isinstance(made, type) or made is Signature.empty:
        raise TypeError("the function must name the class of its result, as in `-> MyStudy`")
    return made


def as_written(function: Callable[..., object]) -> Signature:
    """The signature with its types, also where `rankscale` has put a plainer one on the function."""
    assert isinstance(function, FunctionType)  # noqa: S101
    again = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    again.__kwdefaults__, again.__annotations__ = function.__kwdefaults__, function.__annotations__
    return signature(again)


def _options(declared: Declaration, documented: dict[str, DocumentedParameter]) -> Iterator[tuple[str, Option]]:
    taken = NO_OPTIONS | set(declared.without) | set(_shared_names(declared.shared))
    for name, parameter in as_written(declared.function).parameters.items():
        given = name in SOURCES | taken and name not in declared.flags
        if given or name not in documented or parameter.kind is Parameter.VAR_KEYWORD:
            continue
        flags = tuple(declared.flags.get(name, f"--{name.replace('_', '-')}").split())
        yield flags[-1].removeprefix("--").replace("-", "_"), option(parameter, flags, documented[name])


def _shared_names(groups: Iterable[str]) -> Iterator[str]:
    """Names of the parameters that shared options fill in."""
    for group in groups:
        decorated: Any = options.SHARED[group](lambda: None)
        yield from (param.name for param in decorated.__click_params__)


def option(parameter: Parameter, flags: tuple[str, ...], entry: DocumentedParameter) -> Option:
    """An option from a parameter and what its docstring says of it."""
    types, markers = _parts(parameter.annotation)
    choices = next((tuple(get_args(one)) for one in types if get_origin(one) is Literal), ())
    choices = next((tuple(one.values) for one in markers if isinstance(one, OneOf)), choices)
    limits = next((one for one in markers if isinstance(one, AtLeast)), None)
    named_in_help = [name for one in markers if isinstance(one, NamedInHelp) for name in one.values]
    kind, multiple = _kind(types)
    kind = next((one.name for one in markers if isinstance(one, ValueKind)), "choice" if choices else kind)
    multiple = multiple and kind in {"text", "measure"}
    long = flags[-1].removeprefix("--")
    default = None if parameter.default is Parameter.empty else parameter.default
    return Option(
        help=f"{entry.meaning.removesuffix('.')}: {', '.join(named_in_help)}." if named_in_help else entry.meaning,
        kind=kind,
        keyword=parameter.name,
        flags=flags,
        choices=choices,
        least=limits.least if limits else None,
        most=limits.most if limits else None,
        default=None if multiple else default,
        default_text=entry.default or (", ".join(default) if multiple and isinstance(default, tuple) else ""),
        multiple=multiple,
        required=parameter.default is Parameter.empty,
        # A flag that is called like one of the values stands for it.
        flag_value=long if long != parameter.name and long in choices else "",
    )


def _parts(annotation: object) -> tuple[list[Any], list[object]]:
    """The types of a union without None, and the markers of `Annotated` on any of them."""
    if get_origin(annotation) is Annotated:
        types, markers = _parts(get_args(annotation)[0])
        return types, [*get_args(annotation)[1:], *markers]
    if get_origin(annotation) in {Union, UnionType}:
        parts = [_parts(one) for one in get_args(annotation) if one is not NoneType]
        return [one for types, _ in parts for one in types], [one for _, markers in parts for one in markers]
    return [annotation], []


def _kind(types: list[Any]) -> tuple[str, bool]:
    """The kind of option for a parameter of these types, and whether it takes several texts or measures."""
    members = {part for one in types for many in get_args(one)[:1] for part in _parts(many)[0]}
    from rankscale.measures.base.measure import Measure

    if Measure in types:
        return "measure", Measure in members
    if any(one is os.PathLike or get_origin(one) is os.PathLike for one in types):
        return "path", False
    for kind, name in (*((int, "ints"), (float, "floats")), (str, "text")):
        if kind in members:
            return name, name == "text"
    return next((name for kind, name in PLAIN if kind in types), "text"), False
