"""The test of Kruskal and Wallis: mean ranks among all values."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.effect_sizes import cliffs_delta
from rankscale.stats.tests.base.test import PairResults, Pairs, ScaleType, Test, complete
from rankscale.stats.tests.base.tukey import Ranks


@dataclass(frozen=True)
class KruskalWallis(Test):
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
    asks: ClassVar[ScaleType] = "ordinal"
    compares: ClassVar[str] = "mean rank"
    together: ClassVar[bool] = True
    paper: ClassVar[str] = "Kruskal and Wallis, JASA 47(260), 1952"

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """Differences of mean ranks; statistics in standard errors of a mean rank."""
        from scipy.stats import rankdata

        self.check(values)
        kept = complete(values)
        ranks: Floats = rankdata(kept).reshape(kept.shape)
        # Of ranks this is M(M+1)/12 - sum(t^3-t)/(12(M-1)), without counting ties.
        variance = float(np.square(ranks - (kept.size + 1) / 2).sum()) / (kept.size - 1)
        result = Ranks(ranks, variance, "epsilon squared", kept.size - 1).compare(pairs, confidence)
        above = _above(kept)
        won, lost = above[pairs.first, pairs.second], above[pairs.second, pairs.first]
        delta = cliffs_delta(won, lost, np.full(len(pairs), float(len(kept) ** 2)))
        return replace(result, effects={"Cliff's delta": delta})


def _above(values: Floats) -> Floats:
    """(run, other): how many values of a run are above how many of the other, all topics against all."""
    by_run = np.sort(values.T, axis=1)
    beaten = [np.searchsorted(other, by_run, side="left").sum(axis=1) for other in by_run]
    return np.array(beaten, dtype=np.float64).T
