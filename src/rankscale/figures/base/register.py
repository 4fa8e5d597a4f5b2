"""The figures by name, as each declares itself in its file."""

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import Parameter, isclass, signature

from rankscale.data.declared import register
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.figures.base.figure import Figure
from rankscale.figures.base.side_by_side import panels
from rankscale.studies.support.collections import ByCollection

FIGURES = register("figures")  # what each declares, by its name on the command line


def figure(name: str, *given: object, **options: object) -> Figure:
    """Make a figure of a result.

    Parameters
    ----------
    name : str
        Of results: 'curves' (from `curves`, of one measure), 'means', 'topics' (from `evaluate`), 'critical-difference'
        (from `compare`), 'correlate', 'asl' (from `discriminate`), 'archetype-ratios' (from `archetypes`),
        'robustness', 'intervals', 'partial-order', 'effort-gain', 'bounds', 'recall-precision', 'overlap' (from the
        functions of these names). Of qrels and runs: 'crp', 'crp-dcg', 'indicators', 'archetypes', 'pools'. Of
        measures: 'values', 'spacing' and 'hasse', the partial order of rankings.
    *given
        What is drawn, as listed above; or the results of several collections (from `by_collection`), a panel for each.
    **options
        Options of the figure, as `rankscale figure NAME --help` lists them: for 'curves' topic, runs and ratio.

    Returns
    -------
    Figure
        Write it with `save(path, width="84mm")`: .pdf, .svg, .png, .html, .json, .tsv or .csv. Notebooks show it.

    Raises
    ------
    UnknownNameError
        If there is no figure of that name.
    ParameterError
        If it is made from another kind of result, or does not take an option.

    Examples
    --------
    >>> import rankscale as rs
    >>> runs = {"bm25": {"1": {"a": 2, "b": 1}}, "ql": {"1": {"b": 2, "a": 1}}}
    >>> drawn = figure("means", rs.evaluate({"1": {"a": 1, "b": 0}}, runs, "AP"))
    >>> list(drawn.data())
    ['runs', 'quartiles']
    >>> figure("curve")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rankscale.errors.UnknownNameError: unknown figure 'curve'; did you mean curves? ...
    """
    if name not in FIGURES:
        raise UnknownNameError("figure", name, FIGURES, f"there are {', '.join(FIGURES)}")
    if given and isinstance(of := given[0], ByCollection):
        return panels({one: figure(name, study, *given[1:], **options) for one, study in of.studies.items()})
    declared = FIGURES[name]
    make = getattr(import_module(declared.module), declared.python)
    _check(name, make, given, options)
    made: Figure = make(*given, **options)
    return made


def _check(name: str, make: Callable[..., Figure], given: tuple[object, ...], options: Mapping[str, object]) -> None:
    """Refuse what a figure is not made from, in words rather than from within."""
    expected = signature(make)
    first = next(iter(expected.parameters.values())).annotation
    if given and isclass(first) and not isinstance(given[0], first):
        raise ParameterError(f"figure {name!r} is made from {first.__name__}, got {type(given[0]).__name__}")
    try:
        expected.bind(*given, **options)
    except TypeError as unfit:
        of = ", ".join(one for one, part in expected.parameters.items() if part.kind is not Parameter.VAR_KEYWORD)
        raise ParameterError(f"figure {name!r} takes {of}: {unfit}") from None
