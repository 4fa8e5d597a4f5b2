"""Wilcoxon's signed rank test."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.stats.effect_sizes import rank_biserial
from rankscale.stats.hodges_lehmann import signed_rank_place, walsh_sums
from rankscale.stats.resampling.order_statistics import tie_groups
from rankscale.stats.tests.base.test import PairResults, PairTest, ScaleType

EXACT = 15  # up to so many topics that differ, all ways to give them signs are counted
SUMS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class SignedRank(PairTest):
    """Whether the differences between two runs lie more to one side of 0 than to the other.

    Differences are ranked by size; the statistic is the sum of the ranks of those in favour of the first run. A
    difference no larger than the spacing of doubles at both its values is none and its topic is left out; differences
    whose sizes are no further apart than their spacings are tied. Up to 15 topics that are left, p is exact: of all
    ways to give signs to the ranks, ties and all, the share that is as one-sided. Beyond, it is that of the normal
    distribution, with a correction for ties and none for continuity.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[0.5, 0.1], [0.4, 0.2], [0.9, 0.8], [0.3, 0.3], [0.7, 0.2], [0.5, 0.8]])
    >>> result = SignedRank().compare(values, all_pairs(2), confidence=0.9)
    >>> print(result.statistic, result.p)
    [12.] [0.3125]

    The difference is the pseudomedian of Hodges and Lehmann: the median of the averages of any two differences (or one
    twice) of the topics that are left. The interval holds those of the averages that the test would not refuse (up to
    15 topics: as if there were no ties); it is without end where there are too few topics to refuse anything.

    >>> print(result.difference.round(4), result.lower, result.upper)
    [0.2] [-0.3] [0.5]
    """

    name: ClassVar[str] = "signed rank"
    aliases: ClassVar[tuple[str, ...]] = ("wilcoxon",)
    label: ClassVar[str] = "Wilcoxon's signed rank test"
    help: ClassVar[str] = "differences, by the ranks of their sizes"
    asks: ClassVar[ScaleType] = "interval"
    compares: ClassVar[str] = "pseudomedian"
    paper: ClassVar[str] = "Wilcoxon, Biometrics Bulletin 1(6), 1945"

    def compare_rows(self, first: Floats, second: Floats, topics: Ints, confidence: float) -> PairResults:
        """The sum of positive ranks against what signs by chance would give."""
        from scipy.special import ndtr, ndtri

        ranked = _ranked(first, second)
        left, positive = ranked.left, ranked.positive
        total = left * (left + 1.0) / 2
        deviation = np.sqrt((left * (left + 1.0) * (2 * left + 1) - ranked.ties / 2) / 24)
        least = np.minimum(positive, total - positive)
        p = 2 * ndtr((least - total / 2) / np.maximum(deviation, np.finfo(np.float64).tiny))
        few = left <= EXACT
        p[few] = _exact_p(ranked.ranks[few, :EXACT], least[few])
        # How many averages may lie on the other side of 0 in a difference that the test finds.
        beyond = np.floor(total / 2 + ndtri((1 - confidence) / 2) * deviation).astype(np.int64)
        beyond[few] = _quantiles(confidence)[left[few]]
        difference, lower, upper = _estimates(ranked, beyond)
        difference[topics == 0] = np.nan
        return PairResults(
            difference=difference,
            p=np.minimum(p, 1.0),
            topics=topics,
            statistic=positive,
            lower=lower,
            upper=upper,
            effects={"rank_biserial": rank_biserial(positive, left)},
        )


@dataclass(frozen=True)
class _Ranked:
    """Differences by their size, those that are left out at the end."""

    differences: Floats  # (pair, topic)
    ranks: Floats  # (pair, topic); 0 where left out
    left: Ints  # (pair,): topics that are left
    positive: Floats  # (pair,): the sum of ranks of positive differences
    ties: Floats  # (pair,): the sum of t^3 - t over groups of t ties


def _ranked(first: Floats, second: Floats) -> _Ranked:
    """The ranks of the sizes of differences, the mean rank for those that are tied.

    A size and its spacing span an interval; those that touch are tied, and what is tied with the same is tied. So it
    does not matter in which order topics come.
    """
    with np.errstate(invalid="ignore"):
        differences = np.where(first == second, 0.0, first - second)
    size, spacing = np.abs(differences), _spacing(first) + _spacing(second)
    kept = size > spacing
    low = np.where(kept, size - spacing, np.nan)  # NaN comes last
    order = np.argsort(low, axis=1)
    low, high, differences = (np.take_along_axis(side, order, axis=1) for side in (low, size + spacing, differences))
    left = np.count_nonzero(kept, axis=1)
    kept = np.arange(low.shape[1]) < left[:, None]
    reach = np.maximum.accumulate(np.where(kept, high, -np.inf), axis=1)
    start, end = tie_groups(low[:, 1:] <= reach[:, :-1])
    ranks = np.where(kept, (start + end) / 2 + 1, 0.0)
    positive = np.where(differences > 0, ranks, 0.0).sum(axis=1)
    ties = np.where(kept, np.square(end - start + 1.0) - 1, 0.0).sum(axis=1)
    return _Ranked(differences, ranks, left, positive, ties)


def _spacing(values: Floats) -> Floats:
    """Distance to the next larger double; 0 for infinite values."""
    with np.errstate(invalid="ignore"):
        spacing: Floats = np.spacing(np.abs(values))
    return np.where(np.isinf(values), 0.0, spacing)


def _exact_p(ranks: Floats, least: Floats) -> Floats:
    """(pair,): twice the share of the ways to give signs whose positive ranks have at most this sum."""
    doubled = np.rint(2 * ranks).astype(np.int64)  # mean ranks are whole or half
    sums = np.arange(EXACT * (EXACT + 1) // 2 + 1)  # least is at most half of all ranks
    counts = np.zeros((len(ranks), len(sums)))
    counts[:, 0] = 1
    for rank in doubled.T[:, :, None]:  # one more rank: with a negative sign, or with a positive one
        shifted = np.take_along_axis(counts, np.maximum(sums - rank, 0), axis=1)
        counts += np.where(sums >= rank, shifted, 0.0)  # a rank of 0, of a topic left out, doubles all counts
    as_small = np.where(sums <= 2 * least[:, None], counts, 0.0).sum(axis=1)
    p: Floats = 2 * as_small / 2.0 ** doubled.shape[1]
    return p


@cache
def _quantiles(confidence: float) -> Ints:
    """(topics,) up to EXACT: the largest significant sum of positive ranks, without ties; -1 where there is none."""
    return np.array([signed_rank_place(topics, confidence)[0] - 1 for topics in range(EXACT + 1)])


def _estimates(ranked: _Ranked, beyond: Ints) -> tuple[Floats, Floats, Floats]:
    """(pair,) each: the pseudomedian, and the averages that have `beyond` others farther out."""
    difference, lower, upper = np.zeros((3, len(beyond)))
    for left, some in _by_topics_left(ranked.left):
        last = left * (left + 1) // 2 - 1
        near = np.clip(beyond[some], 0, last)
        middle = np.full_like(near, last // 2)
        places = np.stack([middle, last - middle, near, last - near], axis=1)
        sums = walsh_sums(ranked.differences[some, :left], places)
        none = beyond[some] < 0
        difference[some] = (sums[:, 0] + sums[:, 1]) / 4
        lower[some] = np.where(none, -np.inf, sums[:, 2] / 2)
        upper[some] = np.where(none, np.inf, sums[:, 3] / 2)
    return difference, lower, upper


def _by_topics_left(left: Ints) -> Iterator[tuple[int, Ints]]:
    """Pairs that have the same number of topics left, as many at once as fit; those with none are left out."""
    for topics in np.unique(left[left > 0]).tolist():
        pairs, size = np.flatnonzero(left == topics), max(1, SUMS_AT_ONCE // (topics * topics))
        for start in range(0, len(pairs), size):
            yield topics, pairs[start : start + size]
