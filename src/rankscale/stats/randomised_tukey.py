"""Randomised Tukey HSD: all pairs of runs tested together, without a distribution."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.paired_resampling import hits_to_keep
from rankscale.stats.significance import (
    Found,
    Omnibus,
    Pairs,
    Resampling,
    ScaleType,
    check_confidence,
    complete,
    share_at_least,
)
from rankscale.stats.tukey import check_finite

AT_ONCE = 1 << 18  # values that are permuted at once


@dataclass(frozen=True)
class RandomisedTukey(Resampling):
    """Whether mean values differ by more than the best and the worst of all runs would, were all of them alike.

    If they are, then on each topic any run might have got the value of any other. Two runs, one ahead on all of three
    topics: two of the eight ways to deal the values out again put them as far apart.

    >>> from rankscale.stats.significance import all_pairs
    >>> found = RandomisedTukey(samples=100_000).compare(np.array([[2.0, 1.0], [4.0, 2.0], [6.0, 3.0]]), all_pairs(2))
    >>> print(abs(found.p - 0.25) < 0.006)
    [ True]
    """

    name: ClassVar[str] = "randomised tukey"
    words: ClassVar[str] = "randomised Tukey HSD"
    asks: ClassVar[ScaleType] = "interval"
    together: ClassVar[bool] = True
    paper: ClassVar[str] = "Carterette, TOIS 30(1), 2012"

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> Found:
        """Differences of means, which are the statistics too; an interval is as wide as chance alone may reach."""
        self.check(values)
        check_confidence(confidence)
        check_finite(self.words, values)
        kept = np.ascontiguousarray(complete(values))
        topics = len(kept)
        means = kept.sum(axis=0) / topics
        ranges = np.sort(self._ranges(kept))
        rounding = 2 * topics * np.finfo(np.float64).eps * np.abs(kept).max()  # of sums in any order
        difference = means[pairs.first] - means[pairs.second]

        def p(apart: Floats) -> Floats:
            hits = self.samples - np.searchsorted(ranges, apart - rounding, side="left")
            return share_at_least(hits, self.samples)

        needed = hits_to_keep(1 - confidence, self.samples)
        reach = ranges[-needed] if needed else np.inf
        observed = means.max() - means.min()
        return Found(
            difference=difference,
            p=p(np.abs(difference)),
            topics=np.full(len(pairs), topics),
            statistic=difference,
            lower=difference - reach,
            upper=difference + reach,
            omnibus=Omnibus("range of means", float(observed), float(p(observed))),
            corrected=True,
        )

    def _ranges(self, values: Floats) -> Floats:
        """(sample,): between the best and the worst mean, with the values of each topic dealt out at random."""
        draws = self.draws()
        ranges = np.empty(self.samples)
        size = max(1, AT_ONCE // values.size)
        for start in range(0, self.samples, size):
            number = min(size, self.samples - start)
            dealt = draws.permuted(np.broadcast_to(values, (number, *values.shape)), axis=2)
            means = dealt.sum(axis=1) / len(values)
            ranges[start : start + number] = means.max(axis=1) - means.min(axis=1)
        return ranges
