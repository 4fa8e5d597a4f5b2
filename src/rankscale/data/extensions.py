"""What other packages add, found through entry points: measures, tests, figures, studies and forms.

Each group below is one extension point; docs/extending.md shows all of them. Looking for packages takes longer than
most commands start, so it is done late: for a name that is not known here, and for lists.
"""

import os
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rankscale.errors import InputError, RankscaleError

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint, EntryPoints

    from rankscale.data.arguments import Declaration

MEASURES = "rankscale.measures"  # a class built on Measure
TESTS = "rankscale.tests"  # a class built on Test
FIGURES = "rankscale.figures"  # a Declaration of a function that makes a Figure
STUDIES = "rankscale.studies"  # a Declaration of a function that makes a Study
FORMS = "rankscale.forms"  # a module or object with the functions read, write or both


def extensions(group: str) -> "EntryPoints":
    """The entry points of a group; nothing of them is imported."""
    folders = ((folder, os.stat(folder).st_mtime_ns) for folder in sys.path if os.path.isdir(folder))
    return _entry_points(group, tuple(folders))


@lru_cache(maxsize=8)
def _entry_points(group: str, folders: tuple[tuple[str, int], ...]) -> "EntryPoints":  # noqa: ARG001  # they change with a package
    """Read again only where a package was added since: a file may hold thousands of unknown names."""
    from importlib.metadata import entry_points

    return entry_points(group=group)


def extension(group: str, name: str) -> object | None:
    """What another package has under this name in a group, imported now; None where none has."""
    return load(extensions(group)[name]) if name in extensions(group).names else None


def declaration(group: str, name: str) -> "Declaration | None":
    """The declaration of a figure or study of another package; None where none is called so."""
    from rankscale.data.arguments import Declaration

    declared = extension(group, name)
    if declared is not None and not isinstance(declared, Declaration):
        raise InputError(f"{named(group, name)} is no rankscale.data.arguments.Declaration")
    return declared


def named(group: str, name: str) -> str:
    """What other packages have under this name, in words."""
    return described(extensions(group)[name])


def function_of_form(form: str, name: str) -> "Callable[[Any], Any] | None":
    """The function `read` or `write` of a form of another package; None where no package has such a form."""
    if form not in extensions(FORMS).names:
        return None
    function = getattr(extension(FORMS, form), name, None)
    if not callable(function):
        raise InputError(f"{named(FORMS, form)} has no function {name}")

    def call(given: object) -> object:
        try:
            return function(given)
        except RankscaleError:
            raise
        except Exception as error:
            raise InputError(f"{named(FORMS, form)} cannot {name}: {type(error).__name__}: {error}") from error

    return call


def load(entry_point: "EntryPoint") -> object:
    """What an entry point names; raise InputError with the name of its package where that cannot be imported."""
    try:
        return entry_point.load()
    except Exception as error:
        raise InputError(f"{described(entry_point)} cannot be loaded: {type(error).__name__}: {error}") from error


def described(entry_point: "EntryPoint") -> str:
    """An entry point in words: what it is called, of which package, and what it names.

    >>> from importlib.metadata import EntryPoint
    >>> described(EntryPoint("tower", "towers:COMMAND", "rankscale.figures"))
    'tower (towers:COMMAND, rankscale.figures of another package)'
    """
    package = entry_point.dist.name if entry_point.dist else "another package"
    return f"{entry_point.name} ({entry_point.value}, {entry_point.group} of {package})"
