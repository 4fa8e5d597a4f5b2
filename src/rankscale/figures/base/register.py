"""The figures by name, as each declares itself in its file."""

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import Parameter, isclass, signature
from typing import Any

from rankscale.data.declared import register
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.figures.base.figure import Figure

FIGURES = register("figures")  # what each declares, by its name on the command line


def figure(name: str, *given: object, **options: object) -> Figure:
    """A figure by name: `figure("curves", rs.curves(qrels, runs, "nDCG", ideal=True)).save("ndcg.pdf", width="84mm")`.

    >>> figure("curve")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rankscale.errors.UnknownNameError: unknown figure 'curve'; did you mean curves? ...
    """
    if name not in FIGURES:
        raise UnknownNameError("figure", name, FIGURES, f"there are {', '.join(FIGURES)}")
    declared = FIGURES[name]
    make = getattr(import_module(declared.module), declared.python)
    _check(name, make, given, options)
    try:
        made: Figure = make(*given, **options)
    except TypeError as error:  # of a function that options are handed on to
        unknown = [option for option in options if f"unexpected keyword argument {option!r}" in str(error)]
        if unknown:
            raise ParameterError(f"figure {name!r} does not take {unknown[0]!r}") from None
        raise
    return made


def _check(name: str, make: Callable[..., Figure], given: tuple[object, ...], options: Mapping[str, object]) -> None:
    """Refuse what a figure is not made from, in words rather than from within."""
    expected = signature(make)
    first = next(iter(expected.parameters.values())).annotation
    # Any is a class of its own in some versions of Python.
    if given and first is not Any and isclass(first) and not isinstance(given[0], first):
        raise ParameterError(f"figure {name!r} is made from {first.__name__}, got {type(given[0]).__name__}")
    try:
        expected.bind(*given, **options)
    except TypeError as unfit:
        of = ", ".join(one for one, part in expected.parameters.items() if part.kind is not Parameter.VAR_KEYWORD)
        raise ParameterError(f"figure {name!r} takes {of}: {unfit}") from None
