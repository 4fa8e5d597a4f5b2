"""Tests of means by random draws: of each pair by Sakai's bootstrap or flips of signs, of all by randomised Tukey."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.resources import announce
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.resampling import (
    EPSILON,
    AchievedLevels,
    Draws,
    LevelTest,
    PairDifferences,
    PairedResampling,
    critical_draw,
    hits_to_keep,
)
from rankscale.stats.tests.base.test import (
    NeededScale,
    Omnibus,
    PairResults,
    Pairs,
    Progress,
    check_finite,
    complete,
    paired_d,
    share_at_least,
)

AT_ONCE = 1 << 18  # values that are permuted at once
SECONDS = 3e-8  # for each value that is dealt out, about
TIED = 1 - 1e-10  # statistics that are equal but for rounding count as equal


@dataclass(frozen=True)
class PairedBootstrap(PairedResampling, LevelTest):
    """Whether two runs differ in their mean: topics are drawn again and again, with replacement, as if they did not.

    What is drawn are differences less their mean, the same topics for all pairs; the statistic is Student's t. Here the
    first run is ahead by 1, 2 and 3. Of the 27 ways to draw three topics only two are as far out, where the first or
    the last is drawn three times and t is infinite:

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[2.0, 1.0], [4.0, 2.0], [6.0, 3.0]])
    >>> result = PairedBootstrap(samples=100_000).compare(values, all_pairs(2))
    >>> print(abs(result.p - 2 / 27) < 0.003)
    [ True]
    """

    name: ClassVar[str] = "bootstrap"
    label: ClassVar[str] = "the paired bootstrap test"
    help: ClassVar[str] = "the mean difference, by draws of topics (Sakai)"
    asks: ClassVar[NeededScale] = "interval"
    paper: ClassVar[str] = "Sakai, SIGIR 2006"
    seconds: ClassVar[float] = 1e-7

    def draws_over(self, topics: int) -> Draws:
        """How often each topic was drawn."""

        def times(random: np.random.Generator, start: int, stop: int) -> Floats:
            drawn = random.multinomial(topics, np.full(topics, 1 / topics), size=stop - start)
            return np.ascontiguousarray(drawn.T, dtype=np.float64)

        return Draws(topics, self.samples, self.seed, times)

    def compare_some(self, some: PairDifferences, drawn: Draws, confidence: float) -> PairResults:
        """Intervals hold the differences that the test does not reject."""
        far, _ = _resampled(some, drawn)
        hits = _hits(far, some)
        needed, critical = hits_to_keep(1 - confidence, self.samples), np.ones(len(far))
        if needed:
            far.partition(self.samples - needed, axis=1)  # in place: its order is of no more use
            critical = far[:, -needed]
        with np.errstate(divide="ignore"):
            t = np.sqrt((some.topics - 1) * critical / (1 - critical))
        error = some.deviation / math.sqrt(some.topics)
        reach = np.where(error > 0, t, 0.0) * error
        p = share_at_least(hits, self.samples)
        return some.results(paired_d(some.mean, error), p, some.mean - reach, some.mean + reach)

    def parts(self, values: Floats, pairs: Pairs) -> list[Pairs]:
        """The pairs as they are tested at once, where all runs have values on the same topics."""
        size = self.pairs_at_once(len(values))
        starts = range(0, len(pairs), size) if len(pairs) and not np.isnan(values).any() else ()
        return [Pairs(pairs.first[at : at + size], pairs.second[at : at + size]) for at in starts] or [pairs]

    def achieved(self, values: Floats, pairs: Pairs, alpha: float) -> AchievedLevels:
        """The achieved significance levels, and how large differences must be to be significant at alpha.

        That is the mean of the resample, as if the runs did not differ, whose t is the ceil(alpha B)-th largest.
        """
        place = critical_draw(alpha, self.samples)
        self.check(values)
        level, difference = (np.full(len(pairs), np.nan) for _ in range(2))
        for some, drawn in self.some_at_once(values, pairs):
            if some.topics >= self.least_topics:
                far, sums = _resampled(some, drawn)
                chosen = np.argpartition(far, -place, axis=1)[:, -place, None]
                known = ~np.isnan(some.mean)
                means = np.abs(np.take_along_axis(sums, chosen, axis=1)[:, 0]) / some.topics
                level[some.places] = np.where(known, _hits(far, some) / self.samples, np.nan)
                difference[some.places] = np.where(known, means, np.nan)
        return AchievedLevels(level, difference)


def _resampled(some: PairDifferences, drawn: Draws) -> tuple[Floats, Floats]:
    """(pair, draw): how far out each draw is, and its sum of differences less their mean.

    How far out is mean^2 / mean of squares, from 0 to 1: it grows with |t|, needs no variance, which would lose digits,
    and is 1 where t is infinite.
    """
    centred = np.where(some.deviation[:, None] > 0, some.values - some.mean[:, None], 0.0)
    sums, squares = drawn.sums(centred, np.square(centred))
    squares *= some.topics
    far = np.square(sums)
    np.divide(far, squares, out=far, where=squares > 0)  # where all are 0 so is t
    return np.minimum(far, 1.0, out=far), sums


def _hits(far: Floats, some: PairDifferences) -> Ints:
    """(pair,): how many draws are at least as far out as what was observed."""
    squares = np.square(some.values).sum(axis=1) * some.topics
    observed = np.divide(np.square(some.values.sum(axis=1)), squares, out=np.zeros(len(squares)), where=squares > 0)
    hits: Ints = np.count_nonzero(far >= (TIED * observed)[:, None], axis=1)
    return hits


@dataclass(frozen=True)
class Randomisation(PairedResampling):
    """Whether two runs differ in their mean: if not, on any topic they might as well change places.

    Ahead on all three topics: two of the eight ways to change places are as one-sided. All ways are tried where they
    are no more than `samples`, and random ones otherwise.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> Randomisation().compare(np.array([[2.0, 1.0], [4.0, 2.0], [6.0, 3.0]]), all_pairs(2)).p
    array([0.25])
    """

    name: ClassVar[str] = "randomisation"
    aliases: ClassVar[tuple[str, ...]] = ("randomization", "permutation")
    label: ClassVar[str] = "the paired randomisation test"
    help: ClassVar[str] = "the mean difference, by flips of signs"
    asks: ClassVar[NeededScale] = "interval"
    paper: ClassVar[str] = "Smucker, Allan and Carterette, CIKM 2007"

    def exact(self, topics: int) -> bool:
        """Whether all ways are tried."""
        return topics < 63 and 2**topics <= self.samples

    def draws_over(self, topics: int) -> Draws:
        """1 where runs stay, -1 where they change places."""
        every = self.exact(topics)

        def signs(random: np.random.Generator, start: int, stop: int) -> Floats:
            if every:
                stay = np.arange(start, stop) >> np.arange(topics)[:, None] & 1
            else:
                stay = random.integers(0, 2, (stop - start, topics), dtype=np.int8).T
            made = np.empty((topics, stop - start))
            np.multiply(stay, 2.0, out=made)
            made -= 1.0
            return made

        return Draws(topics, 2**topics if every else self.samples, self.seed, signs)

    def compare_some(self, some: PairDifferences, drawn: Draws, confidence: float) -> PairResults:
        """The statistic is the mean difference."""
        sums, signs = drawn.sums(some.values, np.ones((1, some.topics)))
        total = some.values.sum(axis=1)
        rounding = 2 * some.topics * EPSILON * np.abs(some.values).sum(axis=1)  # of sums in any order
        hits = np.count_nonzero(np.abs(sums) >= (np.abs(total) - rounding)[:, None], axis=1)
        draws = drawn.number
        if self.exact(some.topics):
            p, needed = hits / draws, math.floor((1 - confidence) * draws + 1e-9) + 1
        else:
            p, needed = share_at_least(hits, draws), hits_to_keep(1 - confidence, draws)
        ends = _not_rejected(sums, total, (some.topics + signs[0]) / 2, some.topics, needed)
        lower, upper = (np.where(np.abs(end) <= rounding, 0.0, end) for end in ends)  # where 0 itself is on the edge
        return some.results(some.mean, p, lower, upper)


def _not_rejected(sums: Floats, total: Floats, stay: Floats, topics: int, needed: int) -> tuple[Floats, Floats]:
    """The least and greatest difference that the test does not reject; `stay`, (draw,), are topics that stay.

    A draw is as far out as the observed mean, were the true difference d, exactly where d lies between the mean of the
    topics that stay and the mean of those that change places (Hartigan 1969): ends of the interval are among those.
    """
    if needed == 0:
        return np.full(len(sums), -np.inf), np.full(len(sums), np.inf)
    every = (stay == 0) | (stay == topics)  # then any difference is as far out
    stayed, changed = total[:, None] + sums, total[:, None] - sums
    stayed /= 2 * np.where(every, 1, stay)
    changed /= 2 * np.where(every, 1, topics - stay)
    least, greatest = np.minimum(stayed, changed), np.maximum(stayed, changed, out=changed)
    least[:, every], greatest[:, every] = -np.inf, np.inf
    least.partition(needed - 1, axis=1)
    greatest.partition(greatest.shape[1] - needed, axis=1)
    return least[:, needed - 1], greatest[:, -needed]


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
        rounding = 2 * len(kept) * EPSILON * np.abs(kept).max()  # of sums in any order
        return _Dealt(len(kept), kept.sum(axis=0) / len(kept), np.sort(self._ranges(kept, progress)), float(rounding))

    def _ranges(self, values: Floats, progress: Progress | None) -> Floats:
        """(sample,): between the best and the worst mean, with the values of each topic dealt out at random."""
        draws = np.random.default_rng(self.seed)
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
