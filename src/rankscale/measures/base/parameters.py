"""What a measure can be given, and whether what it is given is of the right kind."""

import math
import sys
from collections.abc import Mapping
from dataclasses import InitVar
from inspect import Parameter, signature
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure

_seen: dict[type[Measure], Mapping[str, Parameter]] = {}
KINDS = {float: "a number", int: "a whole number", bool: "True or False", str: "a text", NoneType: "None"}


def parameters(measure: type[Measure]) -> dict[str, Parameter]:
    """What a measure can be given, by name; a depth only where it takes one.

    >>> from rankscale.measures.rbp import RBP
    >>> list(parameters(RBP))
    ['p', 'rel', 'gains', 'otherwise', 'depth', 'judged_only']
    """
    return {name: parameter for name, parameter in _every(measure).items() if name != "depth" or measure.takes_depth}


def _every(measure: type[Measure]) -> Mapping[str, Parameter]:
    # Asked for again with each measure of a list: looking once per class makes parsing several times faster.
    if measure not in _seen:
        _seen[measure] = signature(measure).parameters
    return _seen[measure]


def check_given(measure: type[Measure], given: Mapping[str, object]) -> None:
    """Refuse parameters that a measure does not have, values of the wrong kind, and the lack of what it needs."""
    known = parameters(measure)
    for name, value in given.items():
        check_known(measure, name)
        kind = kind_of(_every(measure)[name])
        if not _fits(value, kind):
            raise refused(measure, f"{name} must be {_said(kind)}, got {value!r}")
    for name, parameter in known.items():
        if parameter.default is Parameter.empty and name not in given:
            raise refused(measure, f"{name} is needed" + (f", as in {measure.example}" if measure.example else ""))


def check_known(measure: type[Measure], name: str) -> None:
    """Refuse a parameter that a measure does not have."""
    if name not in _every(measure):
        known = ", ".join(parameters(measure))
        raise refused(measure, f"there is no parameter {name!r}, but there are {known}")


def refused(measure: type[Measure], reason: str) -> ParameterError:
    """The error to raise, which ends with where to read on."""
    return ParameterError(f"{measure.name}: {reason}; `rankscale measures {measure.name}` explains it")


def kind_of(parameter: Parameter) -> Any:  # noqa: ANN401  # a type, or what typing has for one
    """The type a parameter is declared with."""
    declared = parameter.annotation
    return declared.type if isinstance(declared, InitVar) else declared


def _fits(value: object, kind: Any) -> bool:  # noqa: ANN401  # a type, or what typing has for one
    """Whether a value is of a kind; lists of choices and gains are left to the measure, which knows them better."""
    if isinstance(kind, UnionType):
        return any(_fits(value, choice) for choice in get_args(kind))
    if get_origin(kind) is tuple:
        return isinstance(value, tuple) and all(_fits(item, get_args(kind)[0]) for item in value)
    if kind is float:
        return _is_number(value)
    if kind is int:
        return _is_number(value) and isinstance(value, int)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.maxsize if isinstance(value, int) else math.isfinite(value)


def _said(kind: Any) -> str:  # noqa: ANN401  # a type, or what typing has for one
    if get_origin(kind) is tuple:
        return f"a list of which each item is {_said(get_args(kind)[0])}"
    choices = get_args(kind) or (kind,)
    return " or ".join(KINDS[choice] for choice in choices)
