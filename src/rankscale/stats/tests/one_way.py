"""One-way analysis of variance: runs, with all that topics do counted as error."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.stats.tests.base.anova import Anova


@dataclass(frozen=True)
class OneWayAnova(Anova):
    """Whether mean values differ, taking the values of each run as a sample of their own.

    The variance within these runs is 1, the standard error of a mean over three topics 0.577:

    >>> import numpy as np
    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[1.0, 2.0, 4.0], [2.0, 3.0, 5.0], [3.0, 4.0, 6.0]])
    >>> result = OneWayAnova().compare(values, all_pairs(3))
    >>> result.difference, result.statistic.round(3), round(result.omnibus.statistic, 3)
    (array([-1., -3., -2.]), array([1.732, 5.196, 3.464]), 7.0)
    >>> result.p.round(3)
    array([0.483, 0.024, 0.109])

    `df` is that of the error, or 'infinite', as in the tables of Ferrante, Ferro and Fuhr 2021.
    """

    name: ClassVar[str] = "one-way"
    label: ClassVar[str] = "one-way ANOVA with Tukey's HSD"
    help: ClassVar[str] = "means, topics as repetitions"
    paper: ClassVar[str] = "Tukey, Biometrics 5(2), 1949"
    topics: ClassVar[bool] = False
