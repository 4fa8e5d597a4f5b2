"""Outcomes: the result of a comparison for two runs, over the topics on which both have a value."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.stats.comparison import Comparison
from rankscale.stats.dominance import Dominance, dominance
from rankscale.stats.resampling.order_statistics import (
    HodgesLehmann,
    MedianInterval,
    MedianRelation,
    compare_medians,
    hodges_lehmann,
    median,
    sign_interval,
)
from rankscale.stats.tests.base.test import Pairs, complete
from rankscale.stats.tests.pair_tests import Sign

Number = TypeVar("Number")  # a mean, or both medians
PLACES, MOST_PLACES = 4, 17  # of means, and where two would look the same

Claim = Literal["better", "not told apart", "contrary", "not tested"]


@dataclass(frozen=True)
class Outcome:
    """Two runs under a test."""

    means: tuple[float, float]  # over the same topics
    topics: int
    p: float  # corrected; NaN where the pair could not be tested
    family: str  # what it is corrected for, as '276 pairs, Holm'
    p_uncorrected: float  # of this pair alone, as is the interval
    significant: bool
    difference: float  # first less second, in what the test compares; for geometric means first over second
    lower: float | None  # its interval
    upper: float | None
    is_ratio: bool  # whether the difference is such a ratio
    ahead: int  # 1 if the first has the better mean, -1 if the second has, 0 if neither
    favours: int  # the same by the test's own difference

    @property
    def claim(self) -> tuple[Claim, int]:
        """The conclusion, and which of the two runs it favours: 1, -1, or 0 for neither."""
        if math.isnan(self.p):
            return "not tested", 0
        if not self.significant:
            return "not told apart", 0
        return ("better", self.ahead) if self.ahead == self.favours else ("contrary", self.favours)

    def turned(self) -> "Outcome":
        """The outcome with the runs in the other order."""
        lower, upper = (None if end is None else self._turned(end) for end in (self.upper, self.lower))
        means, difference = (self.means[1], self.means[0]), self._turned(self.difference)
        turned = replace(self, means=means, difference=difference, lower=lower, upper=upper)
        return replace(turned, ahead=-self.ahead, favours=-self.favours)

    def _turned(self, number: float) -> float:
        if not self.is_ratio:
            return 0.0 - number
        return 1 / number if number else math.inf


class Outcomes:
    """The outcomes of a comparison, by the names of two runs or by the index of their pair."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.values: Floats = complete(comparison.values) if comparison.test.together else comparison.values
        self.sign = -1 if comparison.measure.low_is_good else 1
        firsts, seconds = comparison.pairs.first.tolist(), comparison.pairs.second.tolist()
        names = comparison.runs
        self.place = {
            (names[one], names[two]): place for place, (one, two) in enumerate(zip(firsts, seconds, strict=True))
        }

    def between(self, first: str, second: str) -> Outcome | None:
        """The outcome for two runs, in this order; None where they were not compared."""
        if (first, second) in self.place:
            return self.at(self.place[first, second])
        return self.at(self.place[second, first]).turned() if (second, first) in self.place else None

    def at(self, place: int) -> Outcome:
        """The outcome for the pair at this index, in the order that it was compared in."""
        result = self.comparison.results
        values = self.of_pair(place)
        means = self.comparison.measure.summarise(values.T).tolist()
        difference = float(result.difference[place])
        shown, *ends = (
            None if of is None else float(self.comparison.shown(of[place]))
            for of in (result.difference, result.lower, result.upper)
        )
        ahead = self.sign * ((means[0] > means[1]) - (means[0] < means[1]))
        return Outcome(
            means=(means[0], means[1]),
            topics=len(values),
            p=float(self.comparison.p[place]),
            family=self.comparison.family,
            p_uncorrected=float(result.p[place]),
            significant=bool(self.comparison.significant[place]),
            difference=math.nan if shown is None else shown,
            lower=ends[0],
            upper=ends[1],
            is_ratio=self.comparison.is_ratio,
            ahead=ahead,
            favours=self.sign * ((difference > 0) - (difference < 0)) or ahead,
        )

    def of_pair(self, place: int) -> Floats:
        """(topic, 2): the values of both on the topics that they share."""
        both = self.values[:, [self.comparison.pairs.first[place], self.comparison.pairs.second[place]]]
        return both[~np.isnan(both).any(axis=1)]

    def counts(self, places: Ints) -> Iterator[tuple[int, int, int, float]]:
        """Wins, losses and ties of each pair's first run, and the sign test's p."""
        pairs = Pairs(self.comparison.pairs.first[places], self.comparison.pairs.second[places])
        tested = Sign().compare(self.values, pairs).p.tolist() if len(self.values) > 1 else [math.nan] * len(places)
        for place, p in zip(places.tolist(), tested, strict=True):
            first, second = self.of_pair(place).T
            above, below = int(np.count_nonzero(first > second)), int(np.count_nonzero(first < second))
            wins, losses = (above, below) if self.sign > 0 else (below, above)
            yield wins, losses, len(first) - wins - losses, p


def against(means: tuple[float, float], least: int = PLACES) -> str:
    """Two means, with as many places as it takes to see which is higher.

    >>> against((0.52, 0.47)), against((0.500001, 0.5))
    ('0.5200 against 0.4700', '0.500001 against 0.500000')
    """
    return " against ".join(_distinct(lambda mean, places: f"{mean:.{places}f}", means, least))


def _distinct(write: Callable[[Number, int], str], pair: tuple[Number, Number], least: int) -> tuple[str, str]:
    """Two numbers as text, with as many decimals as it takes to tell them apart."""
    for places in range(least, MOST_PLACES + 1):
        first, second = (write(one, places) for one in pair)
        if first != second or pair[0] == pair[1]:
            break
    return first, second


# ByOrder: what the order of values alone supports about two runs, their medians and their quantiles.

MOST_PIECES = 4  # that a line lists
Median = tuple[float, float]  # lower and upper


@dataclass(frozen=True)
class ByOrder:
    """Medians, their sign-test intervals and first-order dominance of two runs, over the topics that they share."""

    medians: tuple[Median, Median]
    relation: MedianRelation  # of the first median to the second
    intervals: tuple[MedianInterval, MedianInterval]  # NaN where topics are too few
    dominance: Dominance | None  # None without topics
    difference: HodgesLehmann | None = None  # asks for an interval scale; None for ordinal measures

    @classmethod
    def of(cls, first: Floats, second: Floats, confidence: float, *, is_ordinal: bool) -> "ByOrder":
        """Those of two runs with these values (topic,)."""
        medians = median(first), median(second)
        return cls(
            medians=medians,
            relation=compare_medians(*medians),
            intervals=(sign_interval(first, confidence), sign_interval(second, confidence)),
            dominance=dominance(first, second) if len(first) else None,
            difference=None if is_ordinal else hodges_lehmann(first - second, confidence),
        )

    def texts(self, least: int = PLACES) -> tuple[str, str]:
        """Both medians, with as many places as it takes to see which is higher."""
        return _distinct(_interval, self.medians, least)

    def against(self, least: int = PLACES) -> str:
        """Both medians in words, that of the first run first."""
        return " against ".join(self.texts(least))

    def interval_line(self, runs: tuple[str, str], confidence: float) -> str:
        """Sign-test intervals of both medians, with their coverage."""
        one, other = self.intervals
        if one.coverage != one.coverage:  # NaN
            return f"too few topics for a sign-test interval of a median at {100 * confidence:g}% confidence"
        ends = (f"{end.lower:.4g} to {end.upper:.4g} ({run})" for run, end in zip(runs, (one, other), strict=True))
        return f"sign-test intervals {' and '.join(ends)}, coverage {one.coverage:.4f}"

    def medians_line(self, runs: tuple[str, str]) -> str:
        """How the medians stand to each other."""
        first, second = (f"{run} ({text})" for run, text in zip(runs, self.texts(), strict=True))
        words = {
            "above": f"{first} is above {second}",
            "below": f"{second} is above {first}",
            "same": f"{runs[0]} and {second} are equal",
            "not told apart": f"{first} and {second} are not told apart",
        }
        return f"by the median, {words[self.relation]}"

    def quantiles_line(self, runs: tuple[str, str]) -> str:
        """Who has the higher quantiles, and what crossing means for means."""
        result = self.dominance
        if result is None:
            return "quantiles: not known without topics"
        if result.kind == "equal":
            return "quantiles: the same"
        if result.kind != "cross":
            run = runs[0] if result.kind == "first" else runs[1]
            return f"quantiles: {run} is at least as high at every one (first-order dominance)"
        if len(result.pieces) <= MOST_PIECES:
            who = result.text(*runs)
        else:
            first, second = (f"{100 * share:.0f}%" for share in (result.share("first"), result.share("second")))
            who = f"{runs[0]} higher at {first} of them, {runs[1]} at {second}"
        if self.difference is not None:
            return f"quantiles cross: {who}"
        return f"quantiles cross ({who}): some increasing map of the values reverses the means"

    def difference_line(self, confidence: float) -> str:
        """The Hodges-Lehmann difference with its interval; empty for ordinal measures."""
        one = self.difference
        if one is None or one.estimate != one.estimate:  # NaN
            return ""
        how = "" if one.exact else ", by the normal approximation"
        ends = f"{100 * confidence:g}% interval {one.lower:.4g} to {one.upper:.4g}, coverage {one.coverage:.4f}{how}"
        return f"Hodges-Lehmann difference {one.estimate:.4g}" + (f" ({ends})" if one.coverage == one.coverage else "")


def _interval(one: Median, places: int) -> str:
    """A median: one number, or from the lower to the upper one."""
    lower, upper = one
    return f"{lower:.{places}f}" if lower == upper else f"{lower:.{places}f} to {upper:.{places}f}"
