"""Analysis of variance, what its kinds share: means of runs, and Tukey's test over all of them."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import PairSums, RunSums
from rankscale.stats.tests.base.test import PairResults, Pairs, ScaleType, SumsTest
from rankscale.stats.tests.base.tukey import DegreesOfFreedom, check_df, check_finite, compare_means


@dataclass(frozen=True)
class Anova(SumsTest):
    """Whether mean values differ; `df` is that of the error, or 'infinite', as in published tables."""

    asks: ClassVar[ScaleType] = "interval"
    together: ClassVar[bool] = True
    topics: ClassVar[bool]  # whether what topics add to all runs alike is taken out of the error

    df: DegreesOfFreedom = "error"

    def __post_init__(self) -> None:
        check_df(self.label, self.df)

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """Differences of means; statistics are in standard errors of a mean."""
        self.check(values)
        return self.compare_together(RunSums.of(values), pairs, confidence)

    def compare_sums(self, sums: PairSums, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The same from exact sums that were made block by block."""
        self.check_sums(sums)
        return self.compare_together(sums.together, pairs, confidence)

    def compare_together(self, sums: RunSums, pairs: Pairs, confidence: float) -> PairResults:
        """Analysis of variance of the topics of all runs, then Tukey's test."""
        check_finite(self.label, sums.infinite)
        return compare_means(sums, pairs, confidence, self.df, topics=self.topics)
