"""The figures by name: where each is made."""

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import Parameter, isclass, signature
from typing import Any

from rankscale.errors import ParameterError, UnknownNameError
from rankscale.figures.base.figure import Figure

FIGURES = {  # the name, as on the command line: the module, and the function that makes the figure
    "curves": ("rankscale.figures.curves", "curves_figure"),
    "crp": ("rankscale.figures.crp", "crp_figure"),
    "crp-dcg": ("rankscale.figures.crp_dcg", "crp_dcg_figure"),
    "indicators": ("rankscale.figures.indicators", "indicators_figure"),
    "archetypes": ("rankscale.figures.archetypes", "archetypes_figure"),
    "effort-gain": ("rankscale.figures.effort_gain", "effort_gain_figure"),
    "topics": ("rankscale.figures.topics", "topics_figure"),
    "means": ("rankscale.figures.means", "means_figure"),
    "correlate": ("rankscale.figures.correlate", "correlate_figure"),
    "critical-difference": ("rankscale.figures.critical_difference", "critical_difference_figure"),
    "robustness": ("rankscale.figures.robustness", "robustness_figure"),
    "asl": ("rankscale.figures.asl", "asl_figure"),
    "bounds": ("rankscale.figures.bounds", "bounds_figure"),
    "pools": ("rankscale.figures.pools", "pools_figure"),
    "values": ("rankscale.figures.scale_values", "scale_values_figure"),
    "spacing": ("rankscale.figures.spacing", "spacing_figure"),
    "hasse": ("rankscale.figures.hasse", "hasse_figure"),
    "intervals": ("rankscale.figures.intervals", "intervals_figure"),
}


def figure(name: str, *given: Any, **options: Any) -> Figure:  # noqa: ANN401  # each figure has its own
    """A figure by name: `figure("curves", rs.curves(qrels, runs, "nDCG", ideal=True)).save("ndcg.pdf", width="84mm")`.

    >>> figure("curve")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rankscale.errors.UnknownNameError: unknown figure 'curve'; did you mean curves? ...
    """
    if name not in FIGURES:
        raise UnknownNameError("figure", name, FIGURES, f"there are {', '.join(FIGURES)}")
    module, maker = FIGURES[name]
    make = getattr(import_module(module), maker)
    _check(name, make, given, options)
    try:
        made: Figure = make(*given, **options)
    except TypeError as error:  # of a function that options are handed on to
        unknown = [option for option in options if f"unexpected keyword argument {option!r}" in str(error)]
        if unknown:
            raise ParameterError(f"figure {name!r} does not take {unknown[0]!r}") from None
        raise
    return made


def _check(name: str, make: Callable[..., Figure], given: tuple[Any, ...], options: Mapping[str, Any]) -> None:
    """Refuse what a figure is not made from, in words rather than from within."""
    asked = signature(make)
    first = next(iter(asked.parameters.values())).annotation
    # Any is a class of its own in some versions of Python.
    if given and first is not Any and isclass(first) and not isinstance(given[0], first):
        raise ParameterError(f"figure {name!r} is made from {first.__name__}, got {type(given[0]).__name__}")
    try:
        asked.bind(*given, **options)
    except TypeError as unfit:
        of = ", ".join(one for one, part in asked.parameters.items() if part.kind is not Parameter.VAR_KEYWORD)
        raise ParameterError(f"figure {name!r} takes {of}: {unfit}") from None
