"""What measures declare: parameters with kind, default, limits and help, and sections of their docstrings.

A measure declares `p: float = param(0.8, ge=0, lt=1, help="...")`. The constructor checks values against this, and the
parser, `rankscale measures`, the pages of the documentation and the tests read it. Formula, user model and references
are read where they are written, in its docstring.
"""

import math
import re
import sys
from collections.abc import Iterable
from dataclasses import MISSING, Field, dataclass, field, fields
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Literal, TypeVar, get_args, get_origin

import numpy as np

from rankscale.errors import ParameterError, echoed
from rankscale.measures.base.structure import shortest

if TYPE_CHECKING:
    from rankscale.measures.base.measure import Measure


T = TypeVar("T")
ABOUT = "about"  # the key of a field's metadata
RBP_P = "the probability of reading on after a document"
KINDS: dict[object, str] = {
    Fraction: "a number",
    float: "a number",
    int: "a whole number",
    bool: "True or False",
    str: "a text",
    NoneType: "None",
}
HEADING = re.compile(r"^(\S.*)\n-{3,}\n", re.MULTILINE)


@dataclass(frozen=True)
class About:
    """The limits of a parameter, and what it means."""

    help: str = ""
    ge: float = -math.inf  # at least
    gt: float = -math.inf  # above
    le: float = math.inf  # at most
    lt: float = math.inf  # below
    choices: tuple[object, ...] = ()

    def allows(self, value: object) -> bool:
        """Whether a value of the right kind lies within the limits."""
        if self.choices:
            return value in self.choices
        if not isinstance(value, int | float | Fraction):
            return True
        return self.ge <= value <= self.le and self.gt < value < self.lt

    def limits(self, *, whole: bool = False) -> str:
        """The limits in words; empty where there are none.

        >>> About(ge=0, lt=1).limits(), About(gt=0).limits(), About(ge=1).limits(whole=True)
        ('must lie between 0 and 1, 1 itself left out', 'must be above 0', 'must be a whole number from 1')
        """
        if self.choices:
            *others, last = (repr(one) for one in self.choices if one is not None)
            return f"must be {', '.join(others)} or {last}" if others else f"must be {last}"
        low, high = max(self.ge, self.gt), min(self.le, self.lt)
        if math.isfinite(low) and math.isfinite(high):
            ends = (low, self.gt > self.ge), (high, self.lt < self.le)
            left_out = [f"{end:g}" for end, out in ends if out]
            without = f", {' and '.join(left_out)} itself left out" if left_out else ""
            return f"must lie between {low:g} and {high:g}{without}"
        if self.gt > self.ge:
            return f"must be above {self.gt:g}"
        if whole and self.ge == 1:
            return "must be a whole number from 1"
        return f"must be {self.ge:g} or more" if math.isfinite(self.ge) else ""


def param(
    default: T,
    *,
    help: str,  # noqa: A002  # as argparse and click call it
    ge: float = -math.inf,
    gt: float = -math.inf,
    le: float = math.inf,
    lt: float = math.inf,
    choices: tuple[object, ...] = (),
) -> T:
    """A parameter with a default, limits (ge: at least, gt: above, le: at most, lt: below, or choices) and its help."""
    return field(default=default, metadata={ABOUT: About(help, ge, gt, le, lt, choices)})


def needed(about: str, *, ge: float = -math.inf, le: float = math.inf) -> dict[str, About]:
    """The metadata of a parameter without a default: `recall: float = field(metadata=needed("..."))`."""
    return {ABOUT: About(about, ge, le=le)}


def rel_param() -> float:
    """The parameter `rel`, for all measures of relevance."""
    return param(1, help="the lowest grade that is relevant")


@cache
def declared(measure: "type[Measure]") -> tuple[Field[object], ...]:
    """The parameters of a measure, its own first; cached, since measures are made often."""
    return tuple(sorted(fields(measure), key=lambda one: one.kw_only is True))


def about(parameter: "Field[object]") -> About:
    """Limits and help of a parameter; none for one that was declared as a plain field."""
    known: About = parameter.metadata.get(ABOUT, About())
    if get_origin(parameter.type) is Literal and not known.choices:
        return About(known.help, choices=get_args(parameter.type))
    return known


def parameters(measure: "type[Measure]") -> dict[str, "Field[object]"]:
    """The parameters of a measure by name; `depth` only where it takes one.

    >>> from rankscale.measures.rbp import RBP
    >>> list(parameters(RBP))
    ['p', 'rel', 'gains', 'otherwise', 'depth', 'judged_only']
    """
    return {one.name: one for one in declared(measure) if one.name != "depth" or measure.takes_depth}


def check_given(measure: "type[Measure]", given: Iterable[str]) -> None:
    """Raise ParameterError for names that a measure does not know, and where a needed parameter is missing."""
    known = {one.name for one in declared(measure)}
    for name in given:
        if name not in known:
            there = ", ".join(parameters(measure))
            raise refused(measure, f"there is no parameter {echoed(name)}, but there are {there}")
    for name, parameter in parameters(measure).items():
        if parameter.default is MISSING and name not in given:
            raise refused(measure, f"{name} is needed" + (f", as in {measure.example}" if measure.example else ""))


def refused(measure: "type[Measure]", reason: str) -> ParameterError:
    """The error to raise, which ends with where to read on."""
    return ParameterError(f"{measure.name}: {reason}", explained_by(measure))


def explained_by(measure: "type[Measure]") -> str:
    """Where to read on about a measure: the end of errors about its parameters."""
    return f"; `rankscale measures {measure.name}` explains it"


def checked(measure: "Measure", parameter: "Field[object]", value: object) -> object:
    """A value in plain Python types; ParameterError where it is of another kind than declared or out of its limits."""
    value = _plain(value, parameter.type)
    known = about(parameter)
    if not _fits(value, parameter.type):
        kind = kind_in_words(parameter.type)
        raise ParameterError(f"{measure.name}: {parameter.name} must be {kind}, got {echoed(value)}")
    if not known.allows(value) and not (value is None and NoneType in get_args(parameter.type)):
        limits = known.limits(whole=isinstance(value, int))
        shown = str(value) if isinstance(value, Fraction) else repr(value)
        raise ParameterError(f"{measure.name}: {parameter.name} {limits}, got {shown}")
    return value


def _plain(value: object, kind: object) -> object:
    """Numbers of numpy as Python's, classes of measures as their defaults, fractions where only they are exact."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return tuple(_plain(item, get_args(kind)[0]) for item in value) if get_origin(kind) is tuple else tuple(value)
    if isinstance(value, type) and hasattr(value, "at_parameter"):
        return value()
    if isinstance(value, Fraction):  # one with a short decimal form is that number: equal measures have one name
        short = shortest(value)
        return short if Fraction in get_args(kind) or isinstance(short, int) else float(value)
    return value


def _fits(value: object, kind: object) -> bool:
    """Whether a value is of a kind; gains are left to the measure, and choices to its limits."""
    if isinstance(kind, UnionType):
        return any(_fits(value, choice) for choice in get_args(kind))
    if get_origin(kind) is tuple:
        return isinstance(value, tuple) and all(_fits(item, get_args(kind)[0]) for item in value)
    if kind is float or kind is Fraction:
        return _is_number(value)
    if kind is int:
        return _is_number(value) and isinstance(value, int)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return False
    return abs(value) <= sys.maxsize if isinstance(value, int) else math.isfinite(value)


def kind_in_words(kind: object) -> str:
    """The name of a type in words.

    >>> kind_in_words(int | None), kind_in_words(tuple[float, ...])
    ('a whole number or None', 'a list of which each item is a number')
    """
    if get_origin(kind) is tuple:
        return f"a list of which each item is {kind_in_words(get_args(kind)[0])}"
    choices = get_args(kind) or (kind,)
    return " or ".join(dict.fromkeys(KINDS.get(choice, "a measure") for choice in choices))


class DocstringSection:
    """A section of the docstring of a class, as one line of text.

    Where the class has no such section, that of its nearest base; empty where none of them has it.
    """

    def __init__(self, title: str) -> None:
        self.title = title

    def __get__(self, instance: object, owner: type) -> str:
        return _nearest(owner, self.title)


@cache
def sections(owner: type) -> dict[str, str]:
    """The sections of a class's own docstring by title; what stands above the first of them has the title ''."""
    from inspect import cleandoc

    start, *rest = HEADING.split(cleandoc(owner.__doc__ or ""))
    return {"": start} | dict(zip(rest[::2], rest[1::2], strict=True))


@cache
def _nearest(owner: type, title: str) -> str:
    return next((" ".join(sections(base)[title].split()) for base in owner.__mro__ if title in sections(base)), "")
