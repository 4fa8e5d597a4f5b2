"""The sign test."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.exact_sums import PairSums
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import (
    NeededScale,
    PairResults,
    Pairs,
    PairTest,
    SumsTest,
    common_language,
    untested,
)


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
        return _outcome(wins, losses, topics, confidence)

    def compare_sums(self, sums: PairSums, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The same from wins that were counted block by block."""
        check_confidence(confidence)
        self.check_sums(sums)
        topics = sums.of_pairs(pairs.first, pairs.second).topics
        outcome = _outcome(*sums.wins_of(pairs.first, pairs.second), topics, confidence)
        return untested(outcome, topics < self.least_topics)


def _outcome(wins: Ints, losses: Ints, topics: Ints, confidence: float) -> PairResults:
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
