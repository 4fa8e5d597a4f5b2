"""Two-way analysis of variance: topics and runs, without interaction."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Floats
from rankscale.stats.significance import Found, Pairs, ScaleType, Test
from rankscale.stats.tukey import DegreesOfFreedom, check_df, check_finite, compare_means


@dataclass(frozen=True)
class TwoWayAnova(Test):
    """Whether mean values differ, once topics may be hard or easy for all runs alike.

    The second topic is 3 easier than the first for all runs but the last, where it is 5 easier; the error left has a
    variance of 2/3, and a mean over two topics a standard error of 0.577:

    >>> import numpy as np
    >>> from rankscale.stats.significance import all_pairs
    >>> values = np.array([[1.0, 2.0, 4.0], [4.0, 5.0, 9.0]])
    >>> found = TwoWayAnova().compare(values, all_pairs(3))
    >>> found.difference, found.statistic.round(3), round(found.omnibus.statistic, 3)
    (array([-1., -4., -3.]), array([1.732, 6.928, 5.196]), 13.0)

    `df` is that of the error, or 'infinite', as in the tables of Ferrante, Ferro and Fuhr 2021.
    """

    name: ClassVar[str] = "two-way"
    words: ClassVar[str] = "two-way ANOVA with Tukey's HSD"
    asks: ClassVar[ScaleType] = "interval"
    together: ClassVar[bool] = True
    paper: ClassVar[str] = "Tague-Sutcliffe and Blustein, TREC-3, 1994"

    df: DegreesOfFreedom = "error"

    def __post_init__(self) -> None:
        check_df(self.words, self.df)

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> Found:
        """Differences of means; statistics are in standard errors of a mean."""
        self.check(values)
        check_finite(self.words, values)
        return compare_means(values, pairs, confidence, self.df, topics=True)
