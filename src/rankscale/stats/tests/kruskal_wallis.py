"""The test of Kruskal and Wallis: mean ranks among all values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.effect_sizes import cliffs_delta
from rankscale.stats.tests.base.rank_anova import RankAnova
from rankscale.stats.tests.base.test import Pairs


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
