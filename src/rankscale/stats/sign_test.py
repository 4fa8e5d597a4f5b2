"""The sign test, and what the tests share that take each pair of runs by itself."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ParameterError
from rankscale.stats.effect_sizes import common_language
from rankscale.stats.significance import Found, Pairs, ScaleType, Test

AT_ONCE = 1 << 20  # values of each run that are compared at once: memory stays small, whatever the number of pairs
GIVEN, OUTCOME = ("difference", "topics"), ("p", "statistic", "lower", "upper")  # what a pair has in any case, or not


@dataclass(frozen=True)
class PairTest(Test):
    """A test that takes each pair by itself, over the topics on which both runs have a value; it gives intervals."""

    @abstractmethod
    def compare_rows(self, first: Floats, second: Floats, topics: Ints, confidence: float) -> Found:
        """The outcome for each row of (pair, topic); `topics` says where NaN leaves some out, which it does in both."""

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> Found:
        """The outcome for each pair; p and all that goes with it are NaN where a pair has too few topics."""
        if not 0 < confidence < 1:
            raise ParameterError(
                f"the confidence of an interval lies between 0 and 1, both left out, got {confidence}; 0.95 is usual"
            )
        self.check(values)
        by_run = np.ascontiguousarray(values.T, dtype=np.float64)
        found = [self._compare_some(by_run, some, confidence) for some in _some_at_once(pairs, len(values))]
        return _joined(found)

    def _compare_some(self, by_run: Floats, pairs: Pairs, confidence: float) -> Found:
        """The outcome for as many pairs as fit."""
        first, second = by_run[pairs.first], by_run[pairs.second]
        missing = np.isnan(first) | np.isnan(second)
        first[missing] = second[missing] = np.nan
        topics = first.shape[1] - np.count_nonzero(missing, axis=1)
        found = self.compare_rows(first, second, topics, confidence)
        return _untested(found, topics < self.least_topics)


def _some_at_once(pairs: Pairs, topics: int) -> Iterator[Pairs]:
    """The pairs, a part at a time; one part, of none, where there are none."""
    size = max(1, AT_ONCE // max(topics, 1))
    for start in range(0, max(len(pairs), 1), size):
        yield Pairs(pairs.first[start : start + size], pairs.second[start : start + size])


def _untested(found: Found, few: Bools) -> Found:
    """With NaN for the pairs that have too few topics; their difference stays, and how many topics it is over."""
    outcome: dict[str, Any] = {name: np.where(few, np.nan, getattr(found, name)) for name in OUTCOME}
    effects = {name: np.where(few, np.nan, effect) for name, effect in found.effects.items()}
    return Found(found.difference, topics=found.topics, effects=effects, **outcome)


def _joined(found: list[Found]) -> Found:
    """What was found for all pairs."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in found]) for name in (*GIVEN, *OUTCOME)
    }
    effects = {name: np.concatenate([part.effects[name] for part in found]) for name in found[0].effects}
    return Found(effects=effects, **columns)


@dataclass(frozen=True)
class Sign(PairTest):
    """Whether one run is better on more topics than the other, by how much does not matter.

    Exact and two-sided; topics on which both have the same value are left out.

    Better on five topics and worse on none: two of the 32 ways in which that may fall are as one-sided.

    >>> from rankscale.stats.significance import all_pairs
    >>> values = np.array([[0.5, 0.1], [0.4, 0.2], [0.9, 0.8], [0.3, 0.3], [0.7, 0.2], [1.0, 0.5]])
    >>> found = Sign().compare(values, all_pairs(2))
    >>> print(found.p, found.difference.round(4))
    [0.0625] [0.8333]

    The interval is that of Clopper and Pearson for the share of wins among the topics that differ, at their number:

    >>> print(found.lower.round(4), found.upper.round(4))
    [-0.0364] [0.8333]
    """

    name: ClassVar[str] = "sign"
    words: ClassVar[str] = "the sign test"
    asks: ClassVar[ScaleType] = "ordinal"
    across_topics: ClassVar[bool] = False
    compares: ClassVar[str] = "share of topics won, less share lost"
    paper: ClassVar[str] = "Dixon and Mood, JASA 41(236), 1946"

    def compare_rows(self, first: Floats, second: Floats, topics: Ints, confidence: float) -> Found:
        """Wins and losses of the first run; the statistic is its wins."""
        from scipy.special import bdtr

        wins, losses = (np.count_nonzero(better, axis=1) for better in (first > second, first < second))
        differing = wins + losses
        p = np.minimum(2 * bdtr(np.minimum(wins, losses), differing, 0.5), 1.0)
        all_topics = np.where(topics > 0, topics, np.nan)
        lower, upper = (differing / all_topics * (2 * share - 1) for share in _shares_of_wins(wins, losses, confidence))
        return Found(
            difference=(wins - losses) / all_topics,
            p=p,
            topics=topics,
            statistic=wins.astype(np.float64),
            lower=lower,
            upper=upper,
            effects={"chance of a win": common_language(wins * 1.0, losses * 1.0, all_topics)},
        )


def _shares_of_wins(wins: Ints, losses: Ints, confidence: float) -> tuple[Floats, Floats]:
    """The shares of wins that so many wins and losses do not rule out."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    outcomes, place = np.unique(np.stack([wins, losses]), axis=1, return_inverse=True)  # few are different
    won, lost = outcomes
    lower = np.where(won > 0, betaincinv(np.maximum(won, 1), lost + 1, tail), 0.0)
    upper = np.where(lost > 0, betaincinv(won + 1, np.maximum(lost, 1), 1 - tail), 1.0)
    return lower[place], upper[place]
