"""Arguments checked by the annotations of the function that takes them, in words rather than from within."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from reprlib import repr as shortened
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, Unpack, get_args, get_origin, is_typeddict

from rankscale.data.markers import AtLeast, Kind
from rankscale.errors import ParameterError, UnknownOptionError

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


def check_arguments(function: Callable[..., object], given: Mapping[str, object]) -> None:
    """Raise ParameterError for an argument of another type, UnknownOptionError for a keyword that is not declared.

    Called first in a function, with its `locals()`. Types that say too little, such as Mapping, are not checked, and
    which texts are known is checked where they are used.

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
            _check_options(function, get_args(annotation)[0], given[name])
        else:
            _check(name, given[name], annotation)


def _check_options(function: Callable[..., object], declared: type, given: object) -> None:
    assert isinstance(given, dict)  # noqa: S101  # Python has made it
    assert is_typeddict(declared)  # noqa: S101
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
        *others, last = map(repr, parts)
        return f"{', '.join(others)} or {last}" if others else last, lambda value: isinstance(value, str)
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
    words += " between 0 and 1" if any(isinstance(one, Kind) and one.name == "share" for one in markers) else ""
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
