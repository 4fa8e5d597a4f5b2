"""Randomised Tukey HSD: all pairs of runs tested together, without a distribution."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.resources import announce
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.resampling import AchievedLevels, LevelTest, critical_draw, hits_to_keep
from rankscale.stats.tests.base.test import (
    NeededScale,
    Omnibus,
    PairResults,
    Pairs,
    Progress,
    check_finite,
    complete,
    share_at_least,
)

AT_ONCE = 1 << 18  # values that are permuted at once
SECONDS = 3e-8  # for each value that is dealt out, about


@dataclass(frozen=True)
class RandomisedTukey(LevelTest):
    """Whether mean values differ by more than the best and the worst of all runs would, were all of them alike.

    If they are, then on each topic any run might have got the value of any other. Two runs, one ahead on all of three
    topics: two of the eight ways to deal the values out again put them as far apart.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> result = RandomisedTukey(samples=100_000).compare(np.array([[2.0, 1.0], [4.0, 2.0], [6.0, 3.0]]), all_pairs(2))
    >>> print(abs(result.p - 0.25) < 0.006)
    [ True]
    """

    name: ClassVar[str] = "randomised tukey"
    aliases: ClassVar[tuple[str, ...]] = ("randomized tukey",)
    label: ClassVar[str] = "randomised Tukey HSD"
    help: ClassVar[str] = "means, by permutations within topics"
    asks: ClassVar[NeededScale] = "interval"
    together: ClassVar[bool] = True
    paper: ClassVar[str] = "Carterette, TOIS 30(1), 2012"

    def compare(
        self, values: Floats, pairs: Pairs, confidence: float = 0.95, progress: Progress | None = None
    ) -> PairResults:
        """Differences of means, which are the statistics too; an interval is as wide as chance alone may reach."""
        check_confidence(confidence)
        dealt = self._dealt(values, progress)
        difference = dealt.differences(pairs)
        needed = hits_to_keep(1 - confidence, self.samples)
        reach = dealt.ranges[-needed] if needed else np.inf
        observed = dealt.means.max() - dealt.means.min()
        return PairResults(
            difference=difference,
            p=share_at_least(dealt.hits(np.abs(difference)), self.samples),
            topics=np.full(len(pairs), dealt.topics),
            statistic=difference,
            lower=difference - reach,
            upper=difference + reach,
            omnibus=Omnibus(
                "range of means", float(observed), float(share_at_least(dealt.hits(observed), self.samples))
            ),
            corrected=True,
        )

    def achieved(self, values: Floats, pairs: Pairs, alpha: float) -> AchievedLevels:
        """The achieved significance levels, and the one difference of means that all pairs must exceed at alpha.

        That is the ceil(alpha B)-th largest of the ranges: what exceeds it has fewer than alpha B of them as far out.
        """
        place = critical_draw(alpha, self.samples)
        dealt = self._dealt(values)
        level = dealt.hits(np.abs(dealt.differences(pairs))) / self.samples
        return AchievedLevels(level, np.full(len(pairs), dealt.ranges[-place]))

    def _dealt(self, values: Floats, progress: Progress | None = None) -> "_Dealt":
        self.check(values)
        check_finite(self.label, int(np.count_nonzero(np.isinf(values))))
        kept = np.ascontiguousarray(complete(values))
        rounding = 2 * len(kept) * np.finfo(np.float64).eps * np.abs(kept).max()  # of sums in any order
        return _Dealt(len(kept), kept.sum(axis=0) / len(kept), np.sort(self._ranges(kept, progress)), float(rounding))

    def _ranges(self, values: Floats, progress: Progress | None) -> Floats:
        """(sample,): between the best and the worst mean, with the values of each topic dealt out at random."""
        draws = self.draws()
        ranges = np.empty(self.samples)
        announce(values.size * self.samples * SECONDS, f"{self.label} with {self.samples} samples")
        size = max(1, AT_ONCE // values.size)
        for start in range(0, self.samples, size):
            if progress is not None:
                progress(start, self.samples)
            number = min(size, self.samples - start)
            dealt = draws.permuted(np.broadcast_to(values, (number, *values.shape)), axis=2)
            means = dealt.sum(axis=1) / len(values)
            ranges[start : start + number] = means.max(axis=1) - means.min(axis=1)
        return ranges


@dataclass(frozen=True)
class _Dealt:
    """Means as they are, and how far the best is from the worst where values are dealt out at random."""

    topics: int
    means: Floats  # (run,)
    ranges: Floats  # (sample,), ascending
    rounding: float  # by which equal ranges may differ

    def differences(self, pairs: Pairs) -> Floats:
        """(pair,): first less second."""
        return self.means[pairs.first] - self.means[pairs.second]

    def hits(self, apart: Floats) -> Ints:
        """Number of ranges that are at least as wide."""
        return len(self.ranges) - np.searchsorted(self.ranges, apart - self.rounding, side="left")
