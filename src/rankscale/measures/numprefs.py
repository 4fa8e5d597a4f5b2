"""Preferences counted: those that were expressed, and those that a ranking fulfils."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.base.parameters import param
from rankscale.measures.base.preference_counts import Among
from rankscale.measures.base.preference_measure import Counted, HalfForTies


@dataclass(frozen=True)
class PreferenceCount(HalfForTies):
    """Base of the counts.

    References
    ----------
    Buckley's trec_eval
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    summary: ClassVar = "sum"
    drawn_ties: ClassVar[str] = ""

    @property
    def linear(self) -> bool:
        """Yes: nothing is divided."""
        return True


@dataclass(frozen=True)
class NumPrefs(PreferenceCount):
    """How many preferences were expressed, by all assessors: the same for all runs.

    >>> from rankscale.data.judged import judged
    >>> NumPrefs().value(judged("2 0 1", missed="0"))
    array([5.])

    Formula
    -------
    preferences, added up over assessors and topics
    """

    scale: ClassVar = "ratio"
    takes_depth: ClassVar[bool] = False
    best_first: ClassVar = "always"

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): the number, whatever was retrieved."""
        total = np.zeros((judged.topics, judged.rank.shape[-1] + 1))
        for places, _, counted in groups:
            total[places] += counted
        return total


@dataclass(frozen=True)
class NumPrefsFul(PreferenceCount):
    """How many preferences the ranking fulfils: the better document is retrieved, and above the other one.

    >>> from rankscale.data.judged import judged
    >>> NumPrefsFul().value(judged("2 0 1", missed="0"))
    array([4.])

    Formula
    -------
    preferences fulfilled, added up over assessors and topics
    """

    among: Among = param(
        "all",
        choices=("all", "retrieved"),
        help="which preferences count: 'all', or those with both documents retrieved ('retrieved')",
    )

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): the number at each entry."""
        total = np.zeros((judged.topics, judged.rank.shape[-1] + 1))
        for places, fulfilled, _ in groups:
            total[places] += fulfilled
        return total
