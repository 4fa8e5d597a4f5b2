"""Analysis of variance of ranks: Friedman's test within topics, that of Kruskal and Wallis among all values."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.effect_sizes import cliffs_delta, common_language
from rankscale.stats.tests.base.simultaneous import Means, quotient, tukey
from rankscale.stats.tests.base.test import Omnibus, PairResults, Pairs, ScaleType, Test, complete


@dataclass(frozen=True)
class RankAnova(Test):
    """Whether mean ranks differ; the variance of ranks is known, so that the error has infinite degrees of freedom."""

    asks: ClassVar[ScaleType] = "ordinal"
    compares: ClassVar[str] = "mean rank"
    in_values: ClassVar[bool] = False
    together: ClassVar[bool] = True
    statistic: ClassVar[str]  # name of the omnibus statistic, which is distributed as chi-squared
    association: ClassVar[str]  # name of the omnibus effect size: chi-squared over its maximum

    @abstractmethod
    def ranked(self, values: Floats) -> tuple[Floats, int]:
        """Ranks (topic, run) of complete values, and n - 1 summed over the samples that were ranked."""

    @abstractmethod
    def effects(self, values: Floats, pairs: Pairs) -> Mapping[str, Floats]:
        """Effect sizes by name, (pair,) each."""

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """Differences of mean ranks; statistics in standard errors of a mean rank."""
        from scipy.special import chdtrc

        self.check(values)
        kept = complete(values)
        topics, runs = kept.shape
        ranks, freedom = self.ranked(kept)
        # The sample variance of ranks allows for ties, without counting them.
        variance = float(np.square(ranks - ranks.mean()).sum()) / freedom
        means = ranks.mean(axis=0)
        statistic = float(quotient(topics * np.square(means - ranks.mean()).sum(), variance))
        p, association = float(chdtrc(runs - 1, statistic)), {self.association: statistic / freedom}
        omnibus = Omnibus(self.statistic, statistic, p, association, (runs - 1,))
        result = tukey(Means(means, variance / topics, math.inf, topics), pairs, confidence, omnibus)
        return replace(result, effects=self.effects(kept, pairs))


@dataclass(frozen=True)
class Friedman(RankAnova):
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
    across_topics: ClassVar[bool] = False
    paper: ClassVar[str] = "Friedman, JASA 32(200), 1937"

    statistic: ClassVar[str] = "chi-squared"
    association: ClassVar[str] = "Kendall's W"

    def ranked(self, values: Floats) -> tuple[Floats, int]:
        """Ranks within each topic."""
        from scipy.stats import rankdata

        topics, runs = values.shape
        return rankdata(values, axis=1), topics * (runs - 1)

    def effects(self, values: Floats, pairs: Pairs) -> Mapping[str, Floats]:
        """The chance of a win, ties counted half."""
        wins = np.array([(run > values.T).sum(axis=1) for run in values.T], dtype=np.float64)
        won, lost = wins[pairs.first, pairs.second], wins[pairs.second, pairs.first]
        return {"chance_of_a_win": common_language(won, lost, len(values))}


@dataclass(frozen=True)
class KruskalWallis(RankAnova):
    """Whether the values of runs stand at different places among all values, of all runs and topics.

    Ranks 1, 2, 3.5 and 3.5, 5, 6: the mean ranks differ by 2.667.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> result = KruskalWallis().compare(np.array([[0.1, 0.3], [0.2, 0.4], [0.3, 0.9]]), all_pairs(2))
    >>> result.difference.round(3), round(result.omnibus.statistic, 3)
    (array([-2.667]), 3.137)
    """

    name: ClassVar[str] = "kruskal-wallis"
    label: ClassVar[str] = "the Kruskal-Wallis test with Tukey's HSD"
    help: ClassVar[str] = "mean ranks among all values"
    paper: ClassVar[str] = "Kruskal and Wallis, JASA 47(260), 1952"

    statistic: ClassVar[str] = "H"
    association: ClassVar[str] = "epsilon squared"

    def ranked(self, values: Floats) -> tuple[Floats, int]:
        """Ranks among the values of all topics and runs."""
        from scipy.stats import rankdata

        return rankdata(values).reshape(values.shape), values.size - 1

    def effects(self, values: Floats, pairs: Pairs) -> Mapping[str, Floats]:
        """Cliff's delta, from how often a value of one run is above a value of the other, (run, run)."""
        by_run = np.sort(values.T, axis=1)
        above = np.stack([np.searchsorted(other, by_run, side="left").sum(axis=1) for other in by_run], axis=1)
        won, lost = above[pairs.first, pairs.second], above[pairs.second, pairs.first]
        return {"cliffs_delta": cliffs_delta(won, lost, len(values) ** 2)}
