"""The tests by the names users write; a test is imported when it is asked for."""

from dataclasses import fields
from importlib import import_module
from typing import Any

from rankscale.errors import ParameterError, UnknownNameError
from rankscale.stats.tests.base.test import Test

TESTS = {
    "sign": "sign:Sign",
    "rank sum": "rank_sum:RankSum",
    "signed rank": "signed_rank:SignedRank",
    "student": "student:PairedT",
    "one-way": "one_way_anova:OneWayAnova",
    "kruskal-wallis": "kruskal_wallis:KruskalWallis",
    "two-way": "two_way_anova:TwoWayAnova",
    "friedman": "friedman:Friedman",
    "randomised tukey": "randomised_tukey:RandomisedTukey",
    "bootstrap": "bootstrap:PairedBootstrap",
    "randomisation": "randomisation:Randomisation",
}
ALIASES = {
    "t": "student",
    "t-test": "student",
    "paired t": "student",
    "wilcoxon": "signed rank",
    "mann-whitney": "rank sum",
    "tukey": "two-way",
    "anova": "two-way",
    "permutation": "randomisation",
    "randomized tukey": "randomised tukey",
    "randomization": "randomisation",
}
PAPER = ("sign", "rank sum", "signed rank", "student", "one-way", "kruskal-wallis", "two-way", "friedman")  # of SCALE


def test_named(name: str | Test, **settings: Any) -> Test:  # noqa: ANN401  # parameters of the test
    """The test of this name, spaces or hyphens alike.

    >>> test_named("paired-t").name
    'student'
    """
    if isinstance(name, Test):
        return name
    known = {_folded(one): one for one in (*TESTS, *ALIASES)}
    asked = known.get(_folded(name))
    if asked is None:
        raise UnknownNameError("test", name, (*TESTS, *ALIASES), f"known are {', '.join(TESTS)}")
    module, _, kind = TESTS[ALIASES.get(asked, asked)].partition(":")
    found: type[Test] = getattr(import_module(f"rankscale.stats.tests.{module}"), kind)
    known_settings = [field.name for field in fields(found)]
    for setting in settings.keys() - set(known_settings):
        takes = f"it takes {', '.join(known_settings)}" if known_settings else "it takes none"
        raise ParameterError(f"{found.words} has no setting {setting}; {takes}")
    return found(**settings)


test_named.__test__ = False  # type: ignore[attr-defined]  # pytest takes no notice


def _folded(name: str) -> str:
    return name.casefold().replace("-", " ").replace("_", " ").strip()
