"""The paired randomisation test, and what tests of pairs by random draws share."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.stats.effect_sizes import hedges_g, paired_d
from rankscale.stats.significance import Found, Pairs, Resampling, ScaleType, share_at_least
from rankscale.stats.tukey import check_confidence

AT_ONCE = 1 << 21  # outcomes of draws that are held at once
EPSILON = float(np.finfo(np.float64).eps)
EFFECTS = ("paired d", "Hedges g")


@dataclass(frozen=True)
class Differences:
    """Of pairs that have a value on the same topics."""

    places: Ints  # (pair,): which they are
    values: Floats  # (pair, topic): first less second
    mean: Floats  # (pair,)
    deviation: Floats  # (pair,), with n - 1; 0 where all differences are the same

    @property
    def topics(self) -> int:
        """How many they are over."""
        return int(self.values.shape[1])

    def found(self, statistic: Floats, p: Floats, lower: Floats, upper: Floats) -> Found:
        """What a test found, and effect sizes; NaN where values are infinite."""
        topics, d = np.full(len(self.mean), self.topics), paired_d(self.mean, self.deviation)
        p = np.where(np.isnan(self.mean), np.nan, p)
        return Found(self.mean, p, topics, statistic, lower, upper, {"paired d": d, "Hedges g": hedges_g(d, topics)})


@dataclass(frozen=True)
class PairedResampling(Resampling):
    """A test of each pair by itself; the same draws serve all pairs that have the same number of topics."""

    @abstractmethod
    def drawn(self, topics: int) -> Floats:
        """(topic, draw): what becomes of each topic."""

    @abstractmethod
    def compare_some(self, some: Differences, drawn: Floats, confidence: float) -> Found:
        """The outcome for some pairs."""

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> Found:
        """The outcome for each pair; p and all that goes with it are NaN where a pair has too few topics."""
        check_confidence(confidence)
        self.check(values)
        topics = np.zeros(len(pairs), dtype=np.int64)
        names = ("difference", "p", "statistic", "lower", "upper")
        columns: dict[str, Any] = {name: np.full(len(pairs), np.nan) for name in names}
        effects = {name: np.full(len(pairs), np.nan) for name in EFFECTS}
        for some, drawn in self.some_at_once(values, pairs):
            topics[some.places] = some.topics
            columns["difference"][some.places] = some.mean
            if some.topics >= self.least_topics:
                found = self.compare_some(some, drawn, confidence)
                for name, column in columns.items():
                    column[some.places] = getattr(found, name)
                for name, column in effects.items():
                    column[some.places] = found.effects[name]
        return Found(topics=topics, effects=effects, **columns)

    def some_at_once(self, values: Floats, pairs: Pairs) -> Iterator[tuple[Differences, Floats]]:
        """All pairs, as many at a time as fit, and the draws for them."""
        size = max(1, AT_ONCE // max(self.samples, len(values)))
        drawn = np.empty((0, 0))
        for some in differences(values, pairs, size):
            if len(drawn) != some.topics:
                drawn = self.drawn(some.topics) if some.topics >= self.least_topics else np.empty((some.topics, 0))
            yield some, drawn


def differences(values: Floats, pairs: Pairs, size: int) -> Iterator[Differences]:
    """All pairs, `size` at a time, those together that have the same topics."""
    by_run = np.ascontiguousarray(values.T, dtype=np.float64)
    known = ~np.isnan(by_run)
    largest = float(np.abs(by_run[np.isfinite(by_run)]).max(initial=0.0))
    for places, topics in _same_topics(known[pairs.first] & known[pairs.second]):
        for start in range(0, len(places), size):
            some = places[start : start + size]
            with np.errstate(invalid="ignore"):  # of two infinite values
                between = by_run[pairs.first[some]][:, topics] - by_run[pairs.second[some]][:, topics]
            yield _described(some, between, 8 * EPSILON * largest)


def _same_topics(known: Bools) -> Iterator[tuple[Ints, Bools]]:
    """Places of the rows (pair, topic) that are alike, and what they are like."""
    if known.all():  # as nearly always
        kinds, kind = known[:1], np.zeros(len(known), dtype=np.int64)
    else:
        kinds, kind = np.unique(known, axis=0, return_inverse=True)
    for number, topics in enumerate(kinds):
        yield np.flatnonzero(kind.ravel() == number), topics


def _described(places: Ints, between: Floats, rounding: float) -> Differences:
    """Means and deviations; differences that vary by no more than rounding are the same."""
    topics = between.shape[1]
    if topics == 0:
        nothing = np.full(len(places), np.nan)
        return Differences(places, between, nothing, nothing)
    undefined = ~np.isfinite(between).all(axis=1)
    between[undefined] = 0.0
    mean = between.sum(axis=1) / topics
    constant = between.max(axis=1) - between.min(axis=1) <= rounding
    same = np.where(np.abs(mean) <= rounding, 0.0, between[:, 0])
    between[constant] = same[constant, None]
    mean = np.where(undefined, np.nan, np.where(constant, same, mean))
    squares = np.square(between - mean[:, None]).sum(axis=1)
    return Differences(places, between, mean, np.where(constant, 0.0, np.sqrt(squares / max(topics - 1, 1))))


def hits_to_keep(alpha: float, samples: int) -> int:
    """How many draws as far out make p = (1 + hits) / (1 + samples) greater than alpha."""
    return math.floor(alpha * (1 + samples) + 1e-9)


@dataclass(frozen=True)
class Randomisation(PairedResampling):
    """Whether two runs differ in their mean: if not, on any topic they might as well change places.

    Ahead on all three topics: two of the eight ways to change places are as one-sided. All ways are tried where they
    are no more than `samples`, and random ones otherwise.

    >>> from rankscale.stats.significance import all_pairs
    >>> Randomisation().compare(np.array([[2.0, 1.0], [4.0, 2.0], [6.0, 3.0]]), all_pairs(2)).p
    array([0.25])
    """

    name: ClassVar[str] = "randomisation"
    words: ClassVar[str] = "the paired randomisation test"
    asks: ClassVar[ScaleType] = "interval"
    paper: ClassVar[str] = "Smucker, Allan and Carterette, CIKM 2007"

    def exact(self, topics: int) -> bool:
        """Whether all ways are tried."""
        return topics < 63 and 2**topics <= self.samples

    def drawn(self, topics: int) -> Floats:
        """(topic, draw): 1 where runs stay, -1 where they change places."""
        if self.exact(topics):
            stay = np.arange(2**topics) >> np.arange(topics)[:, None] & 1
        else:
            stay = self.draws().integers(0, 2, (self.samples, topics), dtype=np.int8).T
        return np.ascontiguousarray(2.0 * stay - 1.0)

    def compare_some(self, some: Differences, drawn: Floats, confidence: float) -> Found:
        """The statistic is the mean difference."""
        sums = some.values @ drawn
        total = some.values.sum(axis=1)
        rounding = 2 * some.topics * EPSILON * np.abs(some.values).sum(axis=1)  # of sums in any order
        hits = np.count_nonzero(np.abs(sums) >= (np.abs(total) - rounding)[:, None], axis=1)
        draws = drawn.shape[1]
        if self.exact(some.topics):
            p, needed = hits / draws, math.floor((1 - confidence) * draws + 1e-9) + 1
        else:
            p, needed = share_at_least(hits, draws), hits_to_keep(1 - confidence, draws)
        ends = _not_rejected(sums, total, drawn, needed)
        lower, upper = (np.where(np.abs(end) <= rounding, 0.0, end) for end in ends)  # where 0 itself is on the edge
        return some.found(some.mean, p, lower, upper)


def _not_rejected(sums: Floats, total: Floats, drawn: Floats, needed: int) -> tuple[Floats, Floats]:
    """The least and greatest difference that the test does not reject.

    A draw is as far out as the observed mean, were the true difference d, exactly where d lies between the mean of the
    topics that stay and the mean of those that change places (Hartigan 1969): ends of the interval are among those.
    """
    if needed == 0:
        return np.full(len(sums), -np.inf), np.full(len(sums), np.inf)
    stay = (len(drawn) + drawn.sum(axis=0)) / 2
    every = (stay == 0) | (stay == len(drawn))  # then any difference is as far out
    stayed, changed = total[:, None] + sums, total[:, None] - sums
    stayed /= 2 * np.where(every, 1, stay)
    changed /= 2 * np.where(every, 1, len(drawn) - stay)
    least, greatest = np.minimum(stayed, changed), np.maximum(stayed, changed, out=changed)
    least[:, every], greatest[:, every] = -np.inf, np.inf
    least.partition(needed - 1, axis=1)
    greatest.partition(greatest.shape[1] - needed, axis=1)
    return least[:, needed - 1], greatest[:, -needed]
