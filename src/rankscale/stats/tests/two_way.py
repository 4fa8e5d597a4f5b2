"""Two-way analysis of variance: topics and runs, without interaction."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.stats.tests.base.anova import Anova


@dataclass(frozen=True)
class TwoWayAnova(Anova):
    """Whether mean values differ, once topics may be hard or easy for all runs alike.

    The second topic is 3 easier than the first for all runs but the last, where it is 5 easier; the error left has a
    variance of 2/3, and a mean over two topics a standard error of 0.577:

    >>> import numpy as np
    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[1.0, 2.0, 4.0], [4.0, 5.0, 9.0]])
    >>> result = TwoWayAnova().compare(values, all_pairs(3))
    >>> result.difference, result.statistic.round(3), round(result.omnibus.statistic, 3)
    (array([-1., -4., -3.]), array([1.732, 6.928, 5.196]), 13.0)

    `df` is that of the error, or 'infinite', as in the tables of Ferrante, Ferro and Fuhr 2021.
    """

    name: ClassVar[str] = "two-way"
    aliases: ClassVar[tuple[str, ...]] = ("anova", "tukey")
    label: ClassVar[str] = "two-way ANOVA with Tukey's HSD"
    help: ClassVar[str] = "means, topics as a factor"
    paper: ClassVar[str] = "Tague-Sutcliffe and Blustein, TREC-3, 1994"
    topics: ClassVar[bool] = True
