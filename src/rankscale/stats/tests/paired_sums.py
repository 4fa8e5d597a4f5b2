"""Tests of single pairs that rest on sums over topics: Student's paired t test, and the sign test."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.exact_sums import DifferenceSums, PairSums, nearest
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import (
    NeededScale,
    PairResults,
    Pairs,
    PairTest,
    SumsTest,
    common_language,
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
        return untested(_t_outcome(differences, confidence), differences.topics < self.least_topics)


def _t_outcome(differences: DifferenceSums, confidence: float) -> PairResults:
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


@dataclass(frozen=True)
class Sign(PairTest, SumsTest):
    """Whether one run is better on more topics than the other, by how much does not matter.

    Exact and two-sided; topics on which both have the same value are left out.

    Better on five topics and worse on none: two of the 32 ways in which that may fall are as one-sided.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[0.5, 0.1], [0.4, 0.2], [0.9, 0.8], [0.3, 0.3], [0.7, 0.2], [1.0, 0.5]])
    >>> result = Sign().compare(values, all_pairs(2))
    >>> print(result.p, result.difference.round(4))
    [0.0625] [0.8333]

    The interval is that of Clopper and Pearson for the share of wins among the topics that differ, at their number:

    >>> print(result.lower.round(4), result.upper.round(4))
    [-0.0364] [0.8333]
    """

    name: ClassVar[str] = "sign"
    label: ClassVar[str] = "the sign test"
    help: ClassVar[str] = "on how many topics one is better"
    asks: ClassVar[NeededScale] = "ordinal"
    across_topics: ClassVar[bool] = False
    compares: ClassVar[str] = "share of topics won, less share lost"
    in_values: ClassVar[bool] = False
    paper: ClassVar[str] = "Dixon and Mood, JASA 41(236), 1946"

    def compare_rows(self, first: Floats, second: Floats, topics: Ints, confidence: float) -> PairResults:
        """Wins and losses of the first run; the statistic is its wins."""
        wins, losses = (np.count_nonzero(better, axis=1) for better in (first > second, first < second))
        return _sign_outcome(wins, losses, topics, confidence)

    def compare_sums(self, sums: PairSums, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The same from wins that were counted block by block."""
        check_confidence(confidence)
        self.check_sums(sums)
        topics = sums.of_pairs(pairs.first, pairs.second).topics
        outcome = _sign_outcome(*sums.wins_of(pairs.first, pairs.second), topics, confidence)
        return untested(outcome, topics < self.least_topics)


def _sign_outcome(wins: Ints, losses: Ints, topics: Ints, confidence: float) -> PairResults:
    """(pair,) each: the exact two-sided test of so many wins and losses."""
    from scipy.special import bdtr

    differing = wins + losses
    p = np.minimum(2 * bdtr(np.minimum(wins, losses), differing, 0.5), 1.0)
    all_topics = np.where(topics > 0, topics, np.nan)
    lower, upper = (differing / all_topics * (2 * share - 1) for share in _shares_of_wins(wins, losses, confidence))
    return PairResults(
        difference=(wins - losses) / all_topics,
        p=p,
        topics=topics,
        statistic=wins.astype(np.float64),
        lower=lower,
        upper=upper,
        effects={"chance_of_a_win": common_language(wins.astype(np.float64), losses.astype(np.float64), all_topics)},
    )


def _shares_of_wins(wins: Ints, losses: Ints, confidence: float) -> tuple[Floats, Floats]:
    """The shares of wins that so many wins and losses do not rule out."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    outcomes, place = np.unique(np.stack([wins, losses]), axis=1, return_inverse=True)  # few are different
    won, lost = outcomes
    lower = np.where(won > 0, betaincinv(np.maximum(won, 1), lost + 1, tail), 0.0)
    upper = np.where(lost > 0, betaincinv(won + 1, np.maximum(lost, 1), 1 - tail), 1.0)
    return lower[place], upper[place]
