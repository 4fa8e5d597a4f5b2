"""Discriminative power in one number, for studies that ask for it again and again."""

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
from rankscale.studies.support.shared_topics import added_up

LEVEL_TESTS = tuple(name for name, kind in known_tests().items() if issubclass(kind, LevelTest))


@dataclass(frozen=True)
class Power:
    """Discriminative power: the share of pairs of runs that a test finds to differ."""

    test: LevelTest
    alpha: float

    def of(self, measure: Measure, values: Floats) -> float:
        """Of a measure's values, (run, topic), as `discriminate` has it; undefined where there are too few topics."""
        runs, topics = values.shape
        if topics < self.test.least_topics:
            return float("nan")
        level = self.test.achieved(added_up(measure, values).T, all_pairs(runs), self.alpha).level
        tested = level[~np.isnan(level)]
        return float(np.count_nonzero(tested < self.alpha) / len(tested)) if len(tested) else float("nan")

    def of_each(self, values: Values) -> Floats:
        """(measure,): of all measures."""
        return np.array([self.of(*each) for each in zip(values.measures, values.by_measure, strict=True)])


def too_few_draws(samples: int, alpha: float) -> Iterator[str]:
    """What to tell where no draw at all may be as far out as what was seen."""
    if samples * alpha < 1:
        least = math.ceil(1 / alpha)
        yield f"with {samples:,} draws a level is below {alpha:g} only if it is 0: take {least:,} or more"


def power_named(power: str | None, samples: int, seed: int, alpha: float) -> Power | None:
    """The power by the test of this name; None where none is named."""
    check_alpha(alpha)
    return None if power is None else Power(level_test(power, samples, seed), alpha)
