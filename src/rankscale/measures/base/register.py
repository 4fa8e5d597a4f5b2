"""The register: which class a measure's name stands for. Importing it imports no measure."""

import os
import sys
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from rankscale.errors import UnknownNameError
from rankscale.measures.base.other_names import NAMES, folded, known_name, one_of
from rankscale.measures.base.register_table import ALIASES, CLASSES

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

    from rankscale.measures.base.measure import Measure

GROUP = "rankscale.measures"  # the entry points through which other packages add measures
HINT = "`rankscale measures` lists all of them"


@cache
def find(name: str) -> "type[Measure]":
    """The class of a measure, imported now; entry points are read only for a name that is not in the table.

    The exact name wins, then any case and names of other tools that stand for a measure without parameters.

    >>> find("MAP"), find("map"), find("RetrievalMAP")
    (<class 'rankscale.measures.ap.AP'>, <class 'rankscale.measures.ap.AP'>, <class 'rankscale.measures.ap.AP'>)
    """
    place = CLASSES.get(ALIASES.get(name, name))
    if place is not None:
        module, _, kind = place.partition(":")
        measure: type[Measure] = getattr(import_module(module), kind)
        return measure
    of_others = _elsewhere()
    for entry_point in of_others:
        if entry_point.name == name:
            loaded: type[Measure] = entry_point.load()
            return loaded
    elsewhere = [entry_point.name for entry_point in of_others if folded(entry_point.name) == folded(name)]
    meant = one_of(name, [*filter(None, [known_name(name)]), *elsewhere])
    if meant in CLASSES or meant in elsewhere:
        return find(meant)
    raise UnknownNameError("measure", name, [*NAMES, *ALIASES, *names()], HINT)  # of two spellings, the name


def names() -> tuple[str, ...]:
    """The names of all measures, those of other packages last."""
    elsewhere = {entry_point.name for entry_point in _elsewhere()}
    return (*CLASSES, *sorted(elsewhere - CLASSES.keys()))


def _elsewhere() -> "EntryPoints":
    """Measures of other packages; looking for them takes longer than most evaluations start, so it is done late."""
    folders = ((folder, os.stat(folder).st_mtime_ns) for folder in sys.path if os.path.isdir(folder))
    return _entry_points(tuple(folders))


@lru_cache(maxsize=1)
def _entry_points(folders: tuple[tuple[str, int], ...]) -> "EntryPoints":  # noqa: ARG001  # they change with a package
    """Read again only where a package was added since: a file may hold thousands of unknown names."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)
