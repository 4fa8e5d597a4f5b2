"""Friedman's test: mean ranks within topics."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.effect_sizes import common_language
from rankscale.stats.tests.base.test import PairResults, Pairs, ScaleType, Test, complete
from rankscale.stats.tests.base.tukey import Ranks


@dataclass(frozen=True)
class Friedman(Test):
    """Whether runs stand at different places among the runs, topic by topic.

    The third run is always the best; the others tie once and beat each other once each:

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[0.1, 0.2, 0.3], [0.5, 0.4, 0.6], [0.2, 0.2, 0.7]])
    >>> result = Friedman().compare(values, all_pairs(3))
    >>> result.difference, round(result.omnibus.statistic, 4)
    (array([ 0. , -1.5, -1.5]), 4.9091)
    """

    name: ClassVar[str] = "friedman"
    label: ClassVar[str] = "Friedman's test with Tukey's HSD"
    help: ClassVar[str] = "mean ranks within topics"
    asks: ClassVar[ScaleType] = "ordinal"
    across_topics: ClassVar[bool] = False
    compares: ClassVar[str] = "mean rank"
    together: ClassVar[bool] = True
    paper: ClassVar[str] = "Friedman, JASA 32(200), 1937"

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """Differences of mean ranks; statistics in standard errors of a mean rank."""
        from scipy.stats import rankdata

        self.check(values)
        kept = complete(values)
        topics, runs = kept.shape
        ranks: Floats = rankdata(kept, axis=1)
        # Of ranks this is k(k+1)/12 - sum(t^3-t)/(12 n (k-1)), without counting ties.
        variance = float(np.square(ranks - (runs + 1) / 2).sum()) / (topics * (runs - 1))
        result = Ranks(ranks, variance, "Kendall's W", topics * (runs - 1)).compare(pairs, confidence)
        wins = np.array([(run > kept.T).sum(axis=1) for run in kept.T], dtype=np.float64)
        won, lost = wins[pairs.first, pairs.second], wins[pairs.second, pairs.first]
        return replace(
            result, effects={"chance of a win": common_language(won, lost, np.full(len(pairs), 1.0 * topics))}
        )
