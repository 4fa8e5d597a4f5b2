"""Write the registers of studies and figures: what each declares about its command, as `register.json` of its folder.

Options are derived from the function that a module's `COMMAND` names. Every documented parameter is one, except those
that come from the files of the command line or from shared options: kind, limits, values and default are those of the
signature, the help is that of the docstring. Run without arguments (`make register` does) after adding a study or a
figure or changing an option of one; `--check` writes nothing and ends with exit code 1 where a register is not what the
sources say.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from importlib import import_module
from inspect import Parameter, Signature, signature
from pathlib import Path
from pkgutil import iter_modules
from types import FunctionType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import rankscale
from rankscale.cli import options as shared_options
from rankscale.data.arguments import AtLeast, Declaration, OneOf, Option, Registered, Settings, ValueKind, written
from rankscale.measures.base.measure import Measure

sys.path.append(str(Path(__file__).resolve().parent.parent))  # run as a script, there is only the folder of the script
from tools import docstrings

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "rankscale"
FOLDERS = ("studies", "figures")
# Parameters that the command line fills in by itself.
SOURCES = {"qrels", "runs", "run", "measures", "measure", "evaluation", "evaluated", "study", "curves", "scales"}
MEASURE = "Measure, such as nDCG, P@10 or 'RBP(p=0.9)'."  # where a function is not given the measure itself
NO_OPTIONS = {"progress", "executor"}
PLAIN = ((bool, "flag"), (int, "int"), (float, "float"), (str, "text"))  # kinds of types, in this order


def commands(folder: str, package: Path = PACKAGE) -> list[Registered]:
    """Every `COMMAND` of a folder's modules and packages."""
    names = [found.name for found in iter_modules([str(package / folder)])]
    modules = [import_module(f"{package.name}.{folder}.{name}") for name in names]
    return [registered(module.COMMAND) for module in modules if hasattr(module, "COMMAND")]


def registered(declared: Declaration) -> Registered:
    """The command with all that its function says."""
    public = declared.python or declared.function
    document = docstrings.read(public)
    parameters = as_written(declared.function).parameters
    documented = document.parameters | docstrings.read(declared.function).parameters
    first = next(iter(parameters.values()), None)
    options = dict(_options(declared, documented))
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
        options=options,
        **{one.name: getattr(declared, one.name) for one in fields(Settings)},
    )


def _result(annotation: object) -> type:
    """The class of a result; of several the first, which the verb is mostly asked for."""
    made = get_args(annotation)[0] if get_origin(annotation) is UnionType else annotation
    assert isinstance(made, type)  # noqa: S101
    return made


def as_written(function: Callable[..., object]) -> Signature:
    """The signature with its types, also where `rankscale` has put a plainer one on the function."""
    assert isinstance(function, FunctionType)  # noqa: S101
    again = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    again.__kwdefaults__, again.__annotations__ = function.__kwdefaults__, function.__annotations__
    return signature(again)


def _options(declared: Declaration, documented: dict[str, docstrings.Parameter]) -> Iterator[tuple[str, Option]]:
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
        decorated: Any = shared_options.SHARED[group](lambda: None)
        yield from (param.name for param in decorated.__click_params__)


def option(parameter: Parameter, flags: tuple[str, ...], entry: docstrings.Parameter) -> Option:
    """An option from a parameter and what its docstring says of it."""
    types, markers = _parts(parameter.annotation)
    choices = next((tuple(get_args(one)) for one in types if get_origin(one) is Literal), ())
    choices = next((tuple(one.values) for one in markers if isinstance(one, OneOf)), choices)
    limits = next((one for one in markers if isinstance(one, AtLeast)), None)
    kind, multiple = _kind(types)
    kind = next((one.name for one in markers if isinstance(one, ValueKind)), "choice" if choices else kind)
    multiple = multiple and kind in {"text", "measure"}
    long = flags[-1].removeprefix("--")
    default = None if parameter.default is Parameter.empty else parameter.default
    return Option(
        help=entry.meaning,
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
    if Measure in types:
        return "measure", Measure in members
    if any(one is os.PathLike or get_origin(one) is os.PathLike for one in types):
        return "path", False
    for kind, name in (*((int, "ints"), (float, "floats")), (str, "text")):
        if kind in members:
            return name, name == "text"
    return next((name for kind, name in PLAIN if kind in types), "text"), False


def stub() -> str:
    """The public names of the package with their imports, for type checkers and editors."""
    places = rankscale._verbs() | rankscale._studies()  # noqa: SLF001  # the tables of names
    lines = [f"    from {place.partition(':')[0]} import {name} as {name}\n" for name, place in places.items()]
    modules = ("rankscale import errors", "rankscale import executors", "rankscale.evaluation import engine")
    lines += [f"    from {module} as {module.split()[-1]}\n" for module in modules]
    lines.append("    from rankscale.measures.base.register_classes import *  # noqa: F403\n")
    return "".join(
        [
            f"# The public names of rankscale, made by tools/{Path(__file__).name}: `make register` writes them.\n",
            "from typing import TYPE_CHECKING\n\n",
            "# Always so; but imports in it do not decide in which order a type checker reads modules.\n",
            "if TYPE_CHECKING:  # noqa: PYI002\n",
            *sorted(lines),
            "\n__version__: str\n__all__: list[str]  # noqa: PYI035  # verbs and results; measures are public too\n\n",
            "def _verbs() -> dict[str, str]: ...\ndef _studies() -> dict[str, str]: ...\n",
        ]
    )


def main() -> int:
    """Write the registers and the stub, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a register is out of date")
    check, stale = parser.parse_args().check, 0
    # One after the other: the stub is made from the registers.
    made = [(f"{folder}/register.json", lambda folder=folder: written(commands(folder))) for folder in FOLDERS]
    for name, make in [*made, ("__init__.pyi", stub)]:
        path, wanted = PACKAGE / name, make()
        if path.exists() and path.read_text(encoding="utf-8") == wanted:
            continue
        stale += 1
        if check:
            print(f"{name} is not what the sources say; `make register` writes it anew", file=sys.stderr)
        else:
            path.write_text(wanted, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
