"""Discriminative power as one number for each measure, for studies that compute it many times."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.measures.base.measure import Measure
from rankscale.stats.tests.base.achieved_levels import LevelTest
from rankscale.stats.tests.base.test import all_pairs, check_alpha
from rankscale.stats.tests.register import known_tests, level_test
from rankscale.studies.support.rejudging import Values

LEVEL_TESTS = tuple(name for name, kind in known_tests().items() if issubclass(kind, LevelTest))


@dataclass(frozen=True)
class Power:
    """Discriminative power: the share of pairs of runs that a test finds to differ."""

    test: LevelTest
    alpha: float

    def of(self, measure: Measure, values: Floats) -> float:
        """Power of a measure with values (run, topic), as in `discriminate`; NaN with too few topics."""
        runs, topics = values.shape
        if topics < self.test.least_topics:
            return float("nan")
        level = self.test.achieved(measure.averaged(values).T, all_pairs(runs), self.alpha).level
        tested = level[~np.isnan(level)]
        return float(np.count_nonzero(tested < self.alpha) / len(tested)) if len(tested) else float("nan")

    def of_each(self, values: Values) -> Floats:
        """(measure,): power of each measure."""
        return np.array([self.of(*each) for each in zip(values.measures, values.by_measure, strict=True)])


def too_few_draws(samples: int, alpha: float) -> Iterator[str]:
    """A warning if there are too few draws for any level above 0 to be significant."""
    if samples * alpha < 1:
        least = math.ceil(1 / alpha)
        yield f"with {samples:,} draws a level is below {alpha:g} only if it is 0: take {least:,} or more"


def power_named(power: str | None, samples: int, seed: int, alpha: float) -> Power | None:
    """Power by the test of this name, or None."""
    check_alpha(alpha)
    return None if power is None else Power(level_test(power, samples, seed), alpha)
