"""Wilcoxon's rank sum test."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.stats.effect_sizes import cliffs_delta, common_language
from rankscale.stats.resampling.order_statistics import tie_groups
from rankscale.stats.tests.base.test import PairResults, Pairs, PairTest, ScaleType


@dataclass(frozen=True)
class RankSum(PairTest):
    """Whether the values of one run are above those of the other, all topics against all topics.

    It is unpaired: it takes the values of both runs for two samples that have nothing to do with each other, though
    they are of the same topics. Topics that are hard for both drown what differs: a paired test has more power.
    By normal approximation, with corrections for ties and for continuity.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[0.5, 0.1], [0.4, 0.2], [0.9, 0.8], [0.3, 0.3], [0.7, 0.2]])
    >>> result = RankSum().compare(values, all_pairs(2))
    >>> print(result.statistic, result.p.round(4), result.difference)
    [20.5] [0.115] [0.64]

    The statistic is that of Mann and Whitney: of the 25 pairs of topics the first run has 20 and a tie. The difference
    is Cliff's delta, with the interval of Feng and Cliff 2004.
    """

    name: ClassVar[str] = "rank sum"
    aliases: ClassVar[tuple[str, ...]] = ("mann-whitney",)
    label: ClassVar[str] = "Wilcoxon's unpaired rank sum test"
    help: ClassVar[str] = "values, as if topics were different for each run"
    asks: ClassVar[ScaleType] = "ordinal"
    compares: ClassVar[str] = "share of pairs of topics won, less share lost"
    in_values: ClassVar[bool] = False
    paper: ClassVar[str] = "Wilcoxon, Biometrics Bulletin 1(6), 1945; Mann and Whitney, AMS 18(1), 1947"

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The outcome for each pair; only the order of values matters."""
        _, place = np.unique(values, return_inverse=True)
        places = np.where(np.isnan(values), np.nan, place.reshape(values.shape))
        return super().compare(places, pairs, confidence)

    def compare_rows(self, first: Floats, second: Floats, topics: Ints, confidence: float) -> PairResults:
        """The statistic is how many pairs of values the first run wins, ties counted half."""
        from scipy.special import ndtr

        mixed = _mixed(first, second, topics)
        comparisons = np.where(topics > 0, topics * 1.0 * topics, np.nan)
        above, below = mixed.above.sum(axis=1), mixed.below.sum(axis=1)
        lead = above - below  # twice as far as the statistic is from its expectation
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = comparisons / 12 * (2 * topics + 1 - mixed.ties / (2 * topics * (2 * topics - 1)))
            z = np.where(lead == 0, 0.0, np.maximum(np.abs(lead) - 1, 0) / 2 / np.sqrt(variance))
        delta = cliffs_delta(above, below, comparisons)
        lower, upper = _interval(delta, _variance_of_delta(mixed, delta, topics), topics, confidence)
        return PairResults(
            difference=delta,
            p=np.minimum(2 * ndtr(-z), 1.0),
            topics=topics,
            statistic=(comparisons + lead) / 2,
            lower=lower,
            upper=upper,
            effects={"cliffs_delta": delta, "common_language": common_language(above, below, comparisons)},
        )


@dataclass(frozen=True)
class _Mixed:
    """The values of both runs of each pair in one order, and what that tells: (pair, value) each."""

    of_first: Bools  # whose value it is; neither where it is missing
    of_second: Bools
    above: Floats  # a value of the first: how many of the second it is above
    below: Floats  # and below
    lead_of_second: Floats  # a value of the second: how many of the first are above it, less how many below
    ties: Floats  # (pair,): the sum of t^3 - t over groups of t equal values


def _mixed(first: Floats, second: Floats, topics: Ints) -> _Mixed:
    """Values are places among all values, so that whole numbers can be sorted whose last bit says whose they are."""
    filled = [np.where(np.isnan(side), np.iinfo(np.int32).max // 2, side).astype(np.int32) for side in (first, second)]
    keys = np.sort(np.hstack([2 * filled[0], 2 * filled[1] + 1]), axis=1)
    valid = np.arange(keys.shape[1]) < 2 * topics[:, None]
    of_second = valid & (keys & 1 == 1)
    of_first = valid & ~of_second
    start, end = tie_groups(np.diff(keys >> 1, axis=1) == 0)
    first_before, second_before = (_before(whose) for whose in (of_first, of_second))
    count = topics[:, None]
    lead = count - _at(first_before, start) - _at(first_before, end + 1)
    return _Mixed(
        of_first,
        of_second,
        above=np.where(of_first, _at(second_before, start), 0.0),
        below=np.where(of_first, count - _at(second_before, end + 1), 0.0),
        lead_of_second=np.where(of_second, lead, 0.0),
        ties=np.where(valid, np.square(end - start + 1.0) - 1, 0.0).sum(axis=1),
    )


def _before(whose: Bools) -> Ints:
    """(row, place): how many of them stand before each place, and the end."""
    count = np.cumsum(whose, axis=1)
    return np.hstack([np.zeros_like(count[:, :1]), count])


def _at(counts: Ints, places: Ints) -> Ints:
    """The entry of each row at these places of it."""
    return np.take_along_axis(counts, places, axis=1)


def _variance_of_delta(mixed: _Mixed, delta: Floats, topics: Ints) -> Floats:
    """Cliff 1993, the estimate without bias, where it is not less than a delta allows."""
    n = np.where(topics > 1, topics * 1.0, np.nan)
    by_first = np.where(mixed.of_first, mixed.above - mixed.below - (n * delta)[:, None], 0.0)
    by_second = np.where(mixed.of_second, mixed.lead_of_second - (n * delta)[:, None], 0.0)
    squares = np.square(by_first).sum(axis=1) + np.square(by_second).sum(axis=1)  # n^2 times those of the means
    decided = mixed.above.sum(axis=1) + mixed.below.sum(axis=1)
    variance: Floats = (squares - (decided - np.square(n * delta))) / np.square(n * (n - 1))
    least: Floats = (1 - np.square(delta)) / (np.square(n) - 1)
    return np.maximum(variance, least)


def _interval(delta: Floats, variance: Floats, topics: Ints, confidence: float) -> tuple[Floats, Floats]:
    """Feng and Cliff 2004: not symmetric, and within -1 and 1."""
    from scipy.special import ndtri

    z = ndtri((1 + confidence) / 2)
    reach = z * np.sqrt(variance * (np.square(1 - np.square(delta)) + z * z * variance))
    with np.errstate(invalid="ignore"):
        middle, width = delta - delta**3, 1 - np.square(delta) + z * z * variance
        lower, upper = (middle - reach) / width, (middle + reach) / width
    farthest = (topics - z * z) / (topics + z * z)  # where all values of one run are above all of the other
    lower = np.where(np.abs(delta) == 1, np.where(delta > 0, farthest, -1.0), lower)
    upper = np.where(np.abs(delta) == 1, np.where(delta > 0, 1.0, -farthest), upper)
    return np.clip(lower, -1, 1), np.clip(upper, -1, 1)
