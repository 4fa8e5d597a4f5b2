"""The significance level that each pair of runs achieves by a test, and how large a difference is significant."""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.tests.base.test import Pairs, Resampling, Test, check_alpha


@dataclass(frozen=True)
class AchievedLevels:
    """Significance levels that pairs of runs achieve by a test, and the differences they need."""

    level: Floats  # (pair,): the share of draws that are at least as extreme as the observed difference; or p
    difference: Floats  # (pair,): the mean difference that is significant at alpha, as estimated by draws; or NaN


@dataclass(frozen=True)
class LevelTest(Resampling):
    """A test by draws that gives achieved significance levels."""

    def parts(self, values: Floats, pairs: Pairs) -> list[Pairs]:  # noqa: ARG002  # others depend on the number of topics
        """The pairs in parts that can be tested apart, with the same outcome: all, unless each pair is by itself."""
        return [pairs]

    @abstractmethod
    def achieved(self, values: Floats, pairs: Pairs, alpha: float) -> AchievedLevels:
        """The achieved level of each pair, and the difference it needs at alpha; `values` is (topic, run)."""


def achieved_levels(test: Test, values: Floats, pairs: Pairs, alpha: float) -> AchievedLevels:
    """The level of each pair by any test: by draws as `LevelTest` says, else p; `values` is (topic, run)."""
    if isinstance(test, LevelTest):
        return test.achieved(values, pairs, alpha)
    test.check(values)
    return AchievedLevels(test.compare(values, pairs).p, np.full(len(pairs), np.nan))


def critical_draw(alpha: float, samples: int) -> int:
    """Index of the critical draw, ceil(alpha * samples), counted from the most extreme one.

    >>> critical_draw(0.05, 1000), critical_draw(0.05, 1001)
    (50, 51)
    """
    check_alpha(alpha)
    return math.ceil(alpha * samples - 1e-9)
