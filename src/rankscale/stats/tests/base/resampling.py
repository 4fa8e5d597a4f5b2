"""Tests by random draws, what they share: draws in parts that fit into memory, pairs tested apart, achieved levels."""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.resources import announce
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import PairResults, Pairs, Progress, Resampling, Test, check_alpha, paired_effects

CELLS = 1 << 23  # topics times draws that are held at once: 64 MB
TOGETHER = 64  # parts have a multiple of this many draws, so that sums do not depend on where parts end
PACKED = 4  # or of this many: random bytes come in fours, and those left over are lost
AT_ONCE = 1 << 20  # outcomes of draws that are held at once: a part of a second, so that a test can be left
EPSILON = float(np.finfo(np.float64).eps)
EFFECTS = ("paired_d", "hedges_g")


@dataclass(frozen=True)
class Draws:
    """All draws of a test. Few are kept; many are made anew, part by part, each time sums are taken.

    >>> draws = Draws(topics=3, number=8, seed=0, make=lambda random, start, stop: random.random((3, stop - start)))
    >>> [sums.shape for sums in draws.sums(np.ones((2, 3)))]
    [(2, 8)]
    """

    topics: int
    number: int
    seed: int
    make: "Callable[[np.random.Generator, int, int], Floats]"  # (topic, draw): the draws from `start` to `stop`

    def __iter__(self) -> Iterator[Floats]:
        """(topic, draw) each: the parts."""
        if self._size >= self.number:
            yield self._all
            return
        random = np.random.default_rng(self.seed)
        for start in range(0, self.number, self._size):
            yield self.make(random, start, min(start + self._size, self.number))

    @property
    def _size(self) -> int:
        """Draws in a part."""
        fit = CELLS // max(1, self.topics)
        return fit // TOGETHER * TOGETHER or max(PACKED, fit // PACKED * PACKED)

    @cached_property
    def _all(self) -> Floats:
        return self.make(np.random.default_rng(self.seed), 0, self.number)

    def sums(self, *values: Floats) -> list[Floats]:
        """(pair, draw) for each of `values`, (pair, topic): sums over topics, weighted by each draw."""
        if self._size >= self.number:
            return [one @ self._all for one in values]
        made = [np.empty((len(one), self.number)) for one in values]
        start = 0
        for part in self:
            stop = start + part.shape[1]
            for sums, one in zip(made, values, strict=True):
                sums[:, start:stop] = one @ part
            start = stop
            del part  # before the next one is made
        return made


@dataclass(frozen=True)
class AchievedLevels:
    """Significance levels that pairs of runs achieve by a test, and the differences they need."""

    level: Floats  # (pair,): the share of draws that are at least as extreme as the observed difference; or p
    difference: Floats  # (pair,): the mean difference that is significant at alpha, as estimated by draws; or NaN


@dataclass(frozen=True)
class LevelTest(Resampling):
    """A test by draws that gives achieved significance levels."""

    def parts(self, values: Floats, pairs: Pairs) -> list[Pairs]:  # noqa: ARG002  # others depend on the number of topics
        """The pairs in parts that can be tested apart, with the same outcome: all, unless each pair is by itself."""
        return [pairs]

    @abstractmethod
    def achieved(self, values: Floats, pairs: Pairs, alpha: float) -> AchievedLevels:
        """The achieved level of each pair, and the difference it needs at alpha; `values` is (topic, run)."""


def achieved_levels(test: Test, values: Floats, pairs: Pairs, alpha: float) -> AchievedLevels:
    """The level of each pair by any test: by draws as `LevelTest` says, else p; `values` is (topic, run)."""
    if isinstance(test, LevelTest):
        return test.achieved(values, pairs, alpha)
    test.check(values)
    return AchievedLevels(test.compare(values, pairs).p, np.full(len(pairs), np.nan))


def critical_draw(alpha: float, samples: int) -> int:
    """Index of the critical draw, ceil(alpha * samples), counted from the most extreme one.

    >>> critical_draw(0.05, 1000), critical_draw(0.05, 1001)
    (50, 51)
    """
    check_alpha(alpha)
    return math.ceil(alpha * samples - 1e-9)


@dataclass(frozen=True)
class PairDifferences:
    """Differences of pairs of runs that have values on the same topics."""

    places: Ints  # (pair,): indices of the pairs
    values: Floats  # (pair, topic): first less second
    mean: Floats  # (pair,)
    deviation: Floats  # (pair,), with n - 1; 0 where all differences are the same

    @property
    def topics(self) -> int:
        """Number of topics."""
        return int(self.values.shape[1])

    def results(self, statistic: Floats, p: Floats, lower: Floats, upper: Floats) -> PairResults:
        """Results of a test, with effect sizes; NaN where values are infinite."""
        topics = np.full(len(self.mean), self.topics)
        effects = paired_effects(self.mean, self.deviation, topics)
        return PairResults(
            self.mean, np.where(np.isnan(self.mean), np.nan, p), topics, statistic, lower, upper, effects
        )


@dataclass(frozen=True)
class PairedResampling(Resampling):
    """A test of each pair by itself; the same draws serve all pairs that have the same number of topics."""

    seconds: ClassVar[float] = 3e-8  # of a draw of a topic and its sums, about

    @abstractmethod
    def draws_over(self, topics: int) -> Draws:
        """The weight or sign of each topic in each draw."""

    @abstractmethod
    def compare_some(self, some: PairDifferences, drawn: Draws, confidence: float) -> PairResults:
        """The outcome for some pairs."""

    def compare(
        self, values: Floats, pairs: Pairs, confidence: float = 0.95, progress: Progress | None = None
    ) -> PairResults:
        """The outcome for each pair; p and all that goes with it are NaN where a pair has too few topics."""
        check_confidence(confidence)
        self.check(values)
        topics = np.zeros(len(pairs), dtype=np.int64)
        names = ("difference", "p", "statistic", "lower", "upper")
        columns: dict[str, Any] = {name: np.full(len(pairs), np.nan) for name in (*names, *EFFECTS)}
        done = 0
        for some, drawn in self.some_at_once(values, pairs):
            if progress is not None:
                progress(done, len(pairs))
            done += len(some.places)
            topics[some.places] = some.topics
            columns["difference"][some.places] = some.mean
            if some.topics >= self.least_topics:
                result = self.compare_some(some, drawn, confidence)
                for name, column in columns.items():
                    column[some.places] = result.effects[name] if name in EFFECTS else getattr(result, name)
        effects = {name: columns.pop(name) for name in EFFECTS}
        return PairResults(topics=topics, effects=effects, **columns)

    def pairs_at_once(self, topics: int) -> int:
        """How many pairs fit."""
        return max(1, AT_ONCE // max(self.samples, topics))

    def some_at_once(self, values: Floats, pairs: Pairs) -> Iterator[tuple[PairDifferences, Draws]]:
        """All pairs, as many at a time as fit, and the draws for them."""
        drawn: Draws | None = None
        times = math.ceil(len(pairs) / self.pairs_at_once(len(values)))
        announce(values.shape[0] * self.samples * times * self.seconds, f"{self.label} with {self.samples} draws")
        for some in differences(values, pairs, self.pairs_at_once(len(values))):
            if drawn is None or drawn.topics != some.topics:
                drawn = self.draws_over(some.topics)
            yield some, drawn


def differences(values: Floats, pairs: Pairs, size: int) -> Iterator[PairDifferences]:
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
    """Groups of pairs with values on the same topics: indices of pairs, and the mask (topic,) they share."""
    if known.all():  # as nearly always
        kinds, kind = known[:1], np.zeros(len(known), dtype=np.int64)
    else:
        kinds, kind = np.unique(known, axis=0, return_inverse=True)
    for number, topics in enumerate(kinds):
        yield np.flatnonzero(kind.ravel() == number), topics


def _described(places: Ints, between: Floats, rounding: float) -> PairDifferences:
    """Means and deviations; differences that vary by no more than rounding are the same."""
    topics = between.shape[1]
    if topics == 0:
        nothing = np.full(len(places), np.nan)
        return PairDifferences(places, between, nothing, nothing)
    undefined = ~np.isfinite(between).all(axis=1)
    between[undefined] = 0.0
    mean = between.sum(axis=1) / topics
    constant = between.max(axis=1) - between.min(axis=1) <= rounding
    same = np.where(np.abs(mean) <= rounding, 0.0, between[:, 0])
    between[constant] = same[constant, None]
    mean = np.where(undefined, np.nan, np.where(constant, same, mean))
    squares = np.square(between - mean[:, None]).sum(axis=1)
    return PairDifferences(places, between, mean, np.where(constant, 0.0, np.sqrt(squares / max(topics - 1, 1))))


def hits_to_keep(alpha: float, samples: int) -> int:
    """Least number of hits with which p = (1 + hits) / (1 + samples) exceeds alpha."""
    return math.floor(alpha * (1 + samples) + 1e-9)
