"""Student's paired t test."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.stats.effect_sizes import paired_d, paired_effects
from rankscale.stats.tests.base.pair_test import PairTest
from rankscale.stats.tests.base.test import PairResults, ScaleType


@dataclass(frozen=True)
class PairedT(PairTest):
    """Whether two runs differ in their mean over the same topics.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[0.4, 0.3], [0.6, 0.6], [0.5, 0.2], [0.9, 0.7]])
    >>> result = PairedT().compare(values, all_pairs(2))
    >>> print(result.difference, result.lower.round(4), result.upper.round(4), result.p.round(4))
    [0.15] [-0.0554] [0.3554] [0.1027]

    Where all differences are the same, t is 0 if they are 0, and infinite if not.
    """

    name: ClassVar[str] = "student"
    aliases: ClassVar[tuple[str, ...]] = ("t", "t-test", "paired t")
    label: ClassVar[str] = "Student's paired t test"
    help: ClassVar[str] = "the mean difference (the default)"
    asks: ClassVar[ScaleType] = "interval"
    paper: ClassVar[str] = "Student, Biometrika 6(1), 1908"

    def compare_rows(self, first: Floats, second: Floats, topics: Ints, confidence: float) -> PairResults:
        """Means of differences over their standard errors."""
        from scipy.special import stdtr, stdtrit

        mean, deviation = _mean_and_deviation(first, second, topics)
        freedom = np.maximum(topics - 1, 1)
        error = deviation / np.sqrt(np.maximum(topics, 1))
        t = paired_d(mean, error)
        reach = stdtrit(freedom, (1 + confidence) / 2) * error
        return PairResults(
            difference=mean,
            p=2 * stdtr(freedom, -np.abs(t)),
            topics=topics,
            statistic=t,
            lower=mean - reach,
            upper=mean + reach,
            effects=paired_effects(mean, deviation, topics),
        )


def _mean_and_deviation(first: Floats, second: Floats, topics: Ints) -> tuple[Floats, Floats]:
    """(pair,) each, of the differences; a mean is NaN without topics, a deviation with fewer than two."""
    missing = np.isnan(first)
    with np.errstate(invalid="ignore"):  # infinite values have no difference, and their pair no mean
        differences = np.where(missing, 0.0, first - second)
        mean = differences.sum(axis=1) / np.where(topics > 0, topics, np.nan)
        squares = np.square(np.where(missing, 0.0, differences - mean[:, None])).sum(axis=1)
        deviation = np.sqrt(squares / np.where(topics > 1, topics - 1, np.nan))
    # A sum of equal numbers, divided by how many there are, may miss them by a digit.
    least = np.where(missing, np.inf, differences).min(axis=1)
    same = (least == np.where(missing, -np.inf, differences).max(axis=1)) & (topics > 1)
    return np.where(same, least, mean), np.where(same, 0.0, deviation)
