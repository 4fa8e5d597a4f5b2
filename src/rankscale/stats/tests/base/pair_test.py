"""PairTest: what the tests share that take each pair of runs by itself."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import PairResults, Pairs, Test

AT_ONCE = 1 << 20  # values of each run that are compared at once: memory stays small, whatever the number of pairs
GIVEN, OUTCOME = ("difference", "topics"), ("p", "statistic", "lower", "upper")  # what a pair has in any case, or not


@dataclass(frozen=True)
class PairTest(Test):
    """A test that takes each pair by itself, over the topics on which both runs have a value; it gives intervals."""

    @abstractmethod
    def compare_rows(self, first: Floats, second: Floats, topics: Ints, confidence: float) -> PairResults:
        """The outcome for each row of (pair, topic); `topics` says where NaN leaves some out, which it does in both."""

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The outcome for each pair; p and all that goes with it are NaN where a pair has too few topics."""
        check_confidence(confidence)
        self.check(values)
        by_run = np.ascontiguousarray(values.T, dtype=np.float64)
        return _joined([self._compare_some(by_run, some, confidence) for some in _some_at_once(pairs, len(values))])

    def _compare_some(self, by_run: Floats, pairs: Pairs, confidence: float) -> PairResults:
        """The outcome for as many pairs as fit."""
        first, second = by_run[pairs.first], by_run[pairs.second]
        missing = np.isnan(first) | np.isnan(second)
        first[missing] = second[missing] = np.nan
        topics = first.shape[1] - np.count_nonzero(missing, axis=1)
        result = self.compare_rows(first, second, topics, confidence)
        return untested(result, topics < self.least_topics)


def _some_at_once(pairs: Pairs, topics: int) -> Iterator[Pairs]:
    """The pairs, a part at a time; one part, of none, where there are none."""
    size = max(1, AT_ONCE // max(topics, 1))
    for start in range(0, max(len(pairs), 1), size):
        yield Pairs(pairs.first[start : start + size], pairs.second[start : start + size])


def untested(result: PairResults, few: Bools) -> PairResults:
    """With NaN for the pairs that have too few topics; their difference stays, and how many topics it is over."""
    outcome: dict[str, Any] = {name: np.where(few, np.nan, getattr(result, name)) for name in OUTCOME}
    effects = {name: np.where(few, np.nan, effect) for name, effect in result.effects.items()}
    return PairResults(result.difference, topics=result.topics, effects=effects, **outcome)


def _joined(parts: list[PairResults]) -> PairResults:
    """The results of all pairs, from those of some at a time."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in (*GIVEN, *OUTCOME)
    }
    effects = {name: np.concatenate([part.effects[name] for part in parts]) for name in parts[0].effects}
    return PairResults(effects=effects, **columns)
