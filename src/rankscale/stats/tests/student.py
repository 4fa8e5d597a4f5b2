"""Student's paired t test."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import DifferenceSums, PairSums, nearest
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import (
    NeededScale,
    PairResults,
    Pairs,
    SumsTest,
    paired_d,
    paired_effects,
    untested,
)


@dataclass(frozen=True)
class PairedT(SumsTest):
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
    asks: ClassVar[NeededScale] = "interval"
    paper: ClassVar[str] = "Student, Biometrika 6(1), 1908"

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """Means of differences over their standard errors."""
        check_confidence(confidence)
        self.check(values)
        by_run = np.ascontiguousarray(values.T, dtype=np.float64)
        return self._of(DifferenceSums.of_pairs(by_run, pairs.first, pairs.second), confidence)

    def compare_sums(self, sums: PairSums, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The same from sums that were made block by block: no digit depends on how topics are ordered or split."""
        check_confidence(confidence)
        self.check_sums(sums)
        return self._of(sums.of_pairs(pairs.first, pairs.second), confidence)

    def _of(self, differences: DifferenceSums, confidence: float) -> PairResults:
        return untested(_outcome(differences, confidence), differences.topics < self.least_topics)


def _outcome(differences: DifferenceSums, confidence: float) -> PairResults:
    from scipy.special import stdtr, stdtrit

    topics = differences.topics
    mean, deviation = _mean_and_deviation(differences)
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


def _mean_and_deviation(differences: DifferenceSums) -> tuple[Floats, Floats]:
    """(pair,) each: mean and variance are exact and rounded once.

    A mean is NaN without topics, a deviation with fewer than two; infinite differences have no deviation.
    """
    counts, unit = differences.topics.tolist(), min(differences.total.unit, differences.squares.unit // 2)
    totals: list[int] = differences.total.in_unit(unit).tolist()
    squares: list[int] = differences.squares.in_unit(2 * unit).tolist()
    mean = [nearest(total, n, unit) if n else np.nan for total, n in zip(totals, counts, strict=True)]
    variance = [
        nearest(n * square - total * total, n * (n - 1), 2 * unit) if n > 1 else np.nan
        for total, square, n in zip(totals, squares, counts, strict=True)
    ]
    infinite = differences.total.infinite
    deviation = np.where(infinite == 0, np.sqrt(np.array(variance, dtype=np.float64)), np.nan)
    return np.array(mean, dtype=np.float64) + infinite, deviation
