"""Tests that discriminative power can be computed with: they give the significance level that each pair achieves."""

import math
from abc import abstractmethod

from rankscale.data.arrays import Floats
from rankscale.data.records import dataclass
from rankscale.stats.tests.base.test import Pairs, Resampling, check_alpha


@dataclass(frozen=True)
class AchievedLevels:
    """Significance levels that pairs of runs achieve by a test by draws, and the differences they need."""

    level: Floats  # (pair,): the share of draws that are at least as extreme as the observed difference
    difference: Floats  # (pair,): the mean difference that is significant at alpha, as estimated


@dataclass(frozen=True)
class LevelTest(Resampling):
    """A test by draws that gives achieved significance levels."""

    def parts(self, values: Floats, pairs: Pairs) -> list[Pairs]:  # noqa: ARG002  # others depend on the number of topics
        """The pairs in parts that can be tested apart, with the same outcome: all, unless each pair is by itself."""
        return [pairs]

    @abstractmethod
    def achieved(self, values: Floats, pairs: Pairs, alpha: float) -> AchievedLevels:
        """The achieved level of each pair, and the difference it needs at alpha; `values` is (topic, run)."""


def critical_draw(alpha: float, samples: int) -> int:
    """Index of the critical draw, ceil(alpha * samples), counted from the most extreme one.

    >>> critical_draw(0.05, 1000), critical_draw(0.05, 1001)
    (50, 51)
    """
    check_alpha(alpha)
    return math.ceil(alpha * samples - 1e-9)
