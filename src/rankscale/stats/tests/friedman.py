"""Friedman's test: mean ranks within topics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.effect_sizes import common_language
from rankscale.stats.tests.base.rank_anova import RankAnova
from rankscale.stats.tests.base.test import Pairs


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
