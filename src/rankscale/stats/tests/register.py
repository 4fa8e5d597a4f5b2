"""The significance tests by name. A test is a class in a file of this folder; tests that share most share a file.

Nothing else lists the tests but `names.py`, which `make register` writes for the help of commands: adding a file adds
the test to `compare --test`, the documentation and the checks. Those of other packages are found through the entry
points `rankscale.tests`, by the name of the entry point.
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, TypedDict, Unpack

from rankscale.data.extensions import TESTS, described, extensions, load
from rankscale.errors import InputError, ParameterError, UnknownNameError
from rankscale.stats import tests
from rankscale.stats.tests.anova import DegreesOfFreedom
from rankscale.stats.tests.base.resampling import LevelTest
from rankscale.stats.tests.base.test import Test

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# The tests of Ferrante, Ferro and Fuhr (IEEE Access 9, 2021), in the order of their tables.
PAPER = ("sign", "rank sum", "signed rank", "student", "one-way", "kruskal-wallis", "two-way", "friedman")


class SettingsOfTests(TypedDict, total=False):
    """Settings of tests: `samples` and `seed` of tests by resampling, `df` of analyses of variance."""

    samples: int
    seed: int
    df: DegreesOfFreedom


@cache
def known_tests() -> dict[str, type[Test]]:
    """The tests of this package by name, in alphabetical order."""
    modules = [module.name for module in iter_modules(tests.__path__) if not module.ispkg and module.name != "register"]
    kinds = [kind for module in modules for kind in _classes_in(f"{tests.__name__}.{module}")]
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: kind.name)}


def all_tests() -> dict[str, type[Test]]:
    """All tests by name, those of other packages last."""
    own = known_tests()
    return own | {entry_point.name: _loaded(entry_point) for entry_point in extensions(TESTS)} | own


def level_test(name: str, samples: int, seed: int) -> LevelTest:
    """A test that discriminative power can be computed with: 'bootstrap' or 'randomised tukey'."""
    known = {key: kind for key, kind in known_tests().items() if issubclass(kind, LevelTest)}
    kind = find_test(name) if isinstance(name, str) else None
    if kind is None or not issubclass(kind, LevelTest):
        raise UnknownNameError("test", str(name), known, f"discriminative power is by {' or '.join(known)}")
    return kind(samples=samples, seed=seed)


def names_for_all_pairs() -> tuple[str, ...]:
    """Names and aliases of the tests that compare all pairs of runs: those that need no baseline."""
    kinds = [kind for kind in known_tests().values() if not kind.needs_baseline]
    return tuple(name for kind in kinds for name in (kind.name, *kind.aliases))


def find_test(name: str) -> type[Test]:
    """The test of this name or alias; blanks, hyphens and case do not matter.

    >>> find_test("Paired-t").name
    'student'
    """
    classes = known_tests()
    spellings = {spelling: kind for kind in classes.values() for spelling in (kind.name, *kind.aliases)}
    known = {_folded(spelling): kind for spelling, kind in spellings.items()}
    if _folded(name) in known:
        return known[_folded(name)]
    of_others = {_folded(entry_point.name): entry_point for entry_point in extensions(TESTS)}
    if _folded(name) in of_others:
        return _loaded(of_others[_folded(name)])
    others = [entry_point.name for entry_point in of_others.values()]
    raise UnknownNameError("test", name, (*spellings, *others), f"known are {', '.join((*classes, *others))}")


def make_test(name: str | Test, **settings: Unpack[SettingsOfTests]) -> Test:
    """A test, given or named, with its settings; raises ParameterError for one that it does not have."""
    if isinstance(name, Test):
        return name
    kind = find_test(name)
    known = [field.name for field in fields(kind)]
    for setting in settings.keys() - set(known):
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise ParameterError(f"{kind.label} has no setting {setting}; {takes}")
    given: Mapping[str, object] = settings
    return kind(**given)


def _loaded(entry_point: "EntryPoint") -> type[Test]:
    """The test of another package."""
    kind = load(entry_point)
    if not (isinstance(kind, type) and issubclass(kind, Test) and hasattr(kind, "name")):
        raise InputError(
            f"{described(entry_point)} is no class with a name built on rankscale.stats.tests.base.test.Test"
        )
    return kind


def _classes_in(module: str) -> list[type[Test]]:
    """The tests that a module defines: those with a name, which what several share has not."""
    defined = [one for one in vars(import_module(module)).values() if isinstance(one, type) and issubclass(one, Test)]
    return [one for one in defined if one.__module__ == module and hasattr(one, "name")]


def _folded(name: str) -> str:
    return name.casefold().replace("-", " ").replace("_", " ").strip()
