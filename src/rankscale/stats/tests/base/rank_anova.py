"""Analysis of variance of ranks, what its kinds share: mean ranks of runs, and Tukey's test over all of them."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.tests.base.test import Omnibus, PairResults, Pairs, ScaleType, Test, complete
from rankscale.stats.tests.base.tukey import Means, quotient, tukey


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
