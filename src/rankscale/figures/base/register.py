"""The figures by name, as each declares itself in its file, and those of several collections side by side.

Every figure can be a panel: it is drawn by itself, in the space of a panel. Its data are then those rows of a common
dataset that are about its collection, and what it names (views and parameters) gets a name of its own.
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import Parameter, isclass, signature
from typing import ClassVar, cast

from rankscale.data.arguments import register
from rankscale.data.extensions import FIGURES as GROUP
from rankscale.data.extensions import declaration, extensions
from rankscale.data.notices import Notice
from rankscale.data.table import Table
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Grid, Space, Spec, grid
from rankscale.figures.base.look import TEXT_WIDTH
from rankscale.figures.base.vega import heading, only
from rankscale.studies.support.study import COLLECTION, ByCollection, below_each_other

MOST_COLUMNS = 3
EXPRESSIONS = {"test", "expr", "filter", "calculate", "and", "or"}  # keys under which texts are programs
SPACING = 2.5  # between panels, in heights of type
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
    make = _maker(name)
    if given and isinstance(of := given[0], ByCollection):
        return panels({one: figure(name, study, *given[1:], **options) for one, study in of.studies.items()})
    _check(name, make, given, options)
    return make(*given, **options)


def _maker(name: str) -> Callable[..., Figure]:
    """The function that makes a figure: of this package, or of another one."""
    if name in FIGURES:
        make: Callable[..., Figure] = getattr(import_module(FIGURES[name].module), FIGURES[name].python)
        return make
    declared = declaration(GROUP, name)
    if declared is None:
        known = [*FIGURES, *extensions(GROUP).names]
        raise UnknownNameError("figure", name, known, f"there are {', '.join(known)}")
    return cast("Callable[..., Figure]", declared.python or declared.function)


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


@dataclass(frozen=True, eq=False, repr=False)
class Panels(Figure):
    """The same figure of several collections, a panel for each."""

    name: ClassVar[str] = "panels"
    tries: ClassVar[int] = 12  # headings within panels, too, decide how wide they are

    figures: Mapping[str, Figure]  # by name of the collection
    notices: tuple[Notice, ...]

    @property
    def _first(self) -> Figure:
        return next(iter(self.figures.values()))

    @property
    def title(self) -> str:
        """What the figures show, and of which collections."""
        declared = FIGURES.get(self._first.name)
        summary = (declared.summary if declared else self._first.name).removeprefix("Draw ").removesuffix(".")
        return f"{summary[0].upper()}{summary[1:]}: {', '.join(self.figures)}"

    @property
    def description(self) -> str:
        """What is to be seen in each panel."""
        return " ".join(f"{name}: {figure.description}" for name, figure in self.figures.items())

    def data(self) -> Mapping[str, Table]:
        """The tables of all figures, with the name of the collection in the first column."""
        by_figure = {name: figure.data() for name, figure in self.figures.items()}
        names = dict.fromkeys(table for tables in by_figure.values() for table in tables)
        return {
            table: below_each_other({name: tables[table] for name, tables in by_figure.items() if table in tables})
            for table in names
        }

    def draw(self, space: Space) -> Spec:
        """As many panels in a row as have room."""
        room = grid(len(self.figures), space, self._first.panel_width, MOST_COLUMNS)
        plots: list[Spec] = []
        params: list[Spec] = []
        for place, (name, figure) in enumerate(self.figures.items()):
            panel = figure.beside(list(self.figures.values()))
            drawn, own_params = Scoped(name, place).within(panel.draw(_part(figure, room)))
            params += own_params  # those of a whole drawing can be nowhere else
            plots.append({"title": _heading(name, figure, room), **drawn})
        return {**room.spec(plots, SPACING), **({"params": params} if params else {})}


def panels(figures: Mapping[str, Figure]) -> Panels:
    """Draw figures of several collections side by side, a panel for each.

    Parameters
    ----------
    figures : dict of Figure
        Figures of one kind, by name of the collection.

    Returns
    -------
    Panels
        One figure.

    Raises
    ------
    ParameterError
        If there are none, or figures of several kinds.

    Examples
    --------
    >>> import rankscale as rs
    >>> runs = {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"b": 2, "a": 1}}}
    >>> old, new = (rs.evaluate({"1": {"a": grade, "b": 1}}, runs, "AP") for grade in (0, 1))
    >>> drawn = panels({"old": rs.figure("means", old), "new": rs.figure("means", new)})
    >>> drawn
    <Figure panels: The means of runs for each measure, with median and quartiles: old, new>
    >>> drawn.data()["runs"].columns["collection"]
    ['old', 'old', 'new', 'new']
    """
    kinds = list(dict.fromkeys(figure.name for figure in figures.values()))
    if len(kinds) != 1:
        raise ParameterError(f"panels are figures of one kind, got {', '.join(kinds) or 'none'}")
    notices = tuple(notice.within(name) for name, figure in figures.items() for notice in figure.notices)
    return Panels(dict(figures), notices)


def _part(figure: Figure, room: Grid) -> Space:
    """What one panel has to fit: its part of the space, and of the size that is requested of the whole figure."""
    look, rows = room.space.look, -(-room.count // room.columns)
    across = round(max(room.space.width, look.width or TEXT_WIDTH) / room.columns)
    down = None if look.height is None else max(1, round(look.height / rows))
    part = replace(look, width=across, height=down)
    return Space(part, room.width, room.height(room.width * figure.ratio))


def _heading(name: str, figure: Figure, room: Grid) -> Spec:
    """The collection; under it, the figure's own title."""
    look = room.space.look
    letters = max(20, int(room.width / (WIDTH_OF_LETTER * look.font_size)))
    below = textwrap.wrap(figure.title, letters)
    return heading(name, look, room.width, anchor="start", below=below, colour=look.grey, padding=look.font_size / 4)


@dataclass(frozen=True)
class Scoped:
    """One panel's drawing among others: its rows of the data, and names of its own."""

    collection: str
    place: int

    def within(self, spec: Spec) -> tuple[Spec, list[Spec]]:
        """The drawing of a figure as that of a panel, and the parameters at its root."""
        names = {name: f"{name}_{self.place}" for name in _names(spec)}
        renamed = self._mapping(spec, names, "")
        params = renamed.pop("params", [])
        return renamed, [self._labelled(param) for param in params] if isinstance(params, list) else []

    def _labelled(self, param: dict[str, object]) -> Spec:
        """A parameter; the label of what a page sets it with names the collection."""
        bind = param.get("bind")
        if not isinstance(bind, dict):
            return param
        return {**param, "bind": {**bind, "name": f"{self.collection}, {bind.get('name', '')}"}}

    def _part(self, part: object, names: Mapping[str, str], key: str = "") -> object:
        """A part of a specification, under a key of the part around it."""
        if isinstance(part, dict):
            return self._mapping(part, names, key)
        if isinstance(part, list):
            return [self._part(one, names, key) for one in part]
        if not isinstance(part, str):
            return part
        if key in {"param", "views"}:
            return names.get(part, part)
        if key in EXPRESSIONS and names:
            return re.sub(rf"\b({'|'.join(map(re.escape, names))})\b", lambda match: names[match[1]], part)
        return part

    def _mapping(self, part: Mapping[str, object], names: Mapping[str, str], key: str) -> dict[str, object]:
        made = {
            name: value if name in {"values", "datum"} else self._part(value, names, name)
            for name, value in part.items()
        }
        if key not in {"data", "bind"} and isinstance(made.get("name"), str):
            made["name"] = names[str(made["name"])]
        if isinstance(data := part.get("data"), dict) and "name" in data and key != "from":
            transform = made.get("transform", [])
            made["transform"] = [only(COLLECTION, self.collection), *(transform if isinstance(transform, list) else [])]
        return made


def _names(part: object, key: str = "") -> Iterator[str]:
    """Names of views and parameters."""
    if isinstance(part, dict):
        if key not in {"data", "bind"} and isinstance(part.get("name"), str):
            yield str(part["name"])
        for name, value in part.items():
            if name not in {"values", "datum"}:
                yield from _names(value, name)
    elif isinstance(part, list):
        for one in part:
            yield from _names(one, key)
