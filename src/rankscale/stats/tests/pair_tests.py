"""Tests of each pair of runs by itself: Student's paired t test, the sign test, and Wilcoxon's two tests.

The first two rest on sums over topics. Wilcoxon's are the rank sum test of values that are not paired, and the signed
rank test of paired differences.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.exact_sums import DifferenceSums, PairSums, nearest
from rankscale.stats.resampling.order_statistics import check_confidence, signed_rank_place, tie_groups, walsh_sums
from rankscale.stats.tests.base.test import (
    NeededScale,
    PairResults,
    Pairs,
    PairTest,
    SumsTest,
    cliffs_delta,
    common_language,
    paired_d,
    paired_effects,
    rank_biserial,
    untested,
)

EXACT = 15  # up to so many topics that differ, all ways to give them signs are counted
SUMS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class PairedT(SumsTest):
    """Whether two runs differ in their mean over the same topics.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[0.4, 0.3], [0.6, 0.6], [0.5, 0.2], [0.9, 0.7]])
    >>> result = PairedT().compare(values, all_pairs(2))
    >>> print(result.difference, result.lower.round(4), result.upper.round(4), result.p.round(4))
    [0.15] [-0.0554] [0.3554] [0.1027]

    Where all differences are the same, t is 0 if they are 0, and infinite if not.
    """

    name: ClassVar[str] = "student"
    aliases: ClassVar[tuple[str, ...]] = ("t", "t-test", "paired t")
    label: ClassVar[str] = "Student's paired t test"
    help: ClassVar[str] = "the mean difference (the default)"
    asks: ClassVar[NeededScale] = "interval"
    paper: ClassVar[str] = "Student, Biometrika 6(1), 1908"

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """Means of differences over their standard errors."""
        check_confidence(confidence)
        self.check(values)
        by_run = np.ascontiguousarray(values.T, dtype=np.float64)
        return self._of(DifferenceSums.of_pairs(by_run, pairs.first, pairs.second), confidence)

    def compare_sums(self, sums: PairSums, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The same from sums that were made block by block: no digit depends on how topics are ordered or split."""
        check_confidence(confidence)
        self.check_sums(sums)
        return self._of(sums.of_pairs(pairs.first, pairs.second), confidence)

    def _of(self, differences: DifferenceSums, confidence: float) -> PairResults:
        return untested(_t_outcome(differences, confidence), differences.topics < self.least_topics)


def _t_outcome(differences: DifferenceSums, confidence: float) -> PairResults:
    from scipy.special import stdtr, stdtrit

    topics = differences.topics
    mean, deviation = _mean_and_deviation(differences)
    freedom = np.maximum(topics - 1, 1)
    error = deviation / np.sqrt(np.maximum(topics, 1))
    t = paired_d(mean, error)
    reach = stdtrit(freedom, (1 + confidence) / 2) * error
    return PairResults(
        difference=mean,
        p=2 * stdtr(freedom, -np.abs(t)),
        topics=topics,
        statistic=t,
        lower=mean - reach,
        upper=mean + reach,
        effects=paired_effects(mean, deviation, topics),
    )


def _mean_and_deviation(differences: DifferenceSums) -> tuple[Floats, Floats]:
    """(pair,) each: mean and variance are exact and rounded once.

    A mean is NaN without topics, a deviation with fewer than two; infinite differences have no deviation.
    """
    counts, unit = differences.topics.tolist(), min(differences.total.unit, differences.squares.unit // 2)
    totals: list[int] = differences.total.in_unit(unit).tolist()
    squares: list[int] = differences.squares.in_unit(2 * unit).tolist()
    mean = [nearest(total, n, unit) if n else np.nan for total, n in zip(totals, counts, strict=True)]
    variance = [
        nearest(n * square - total * total, n * (n - 1), 2 * unit) if n > 1 else np.nan
        for total, square, n in zip(totals, squares, counts, strict=True)
    ]
    infinite = differences.total.infinite
    deviation = np.where(infinite == 0, np.sqrt(np.array(variance, dtype=np.float64)), np.nan)
    return np.array(mean, dtype=np.float64) + infinite, deviation


@dataclass(frozen=True)
class Sign(PairTest, SumsTest):
    """Whether one run is better on more topics than the other, by how much does not matter.

    Exact and two-sided; topics on which both have the same value are left out.

    Better on five topics and worse on none: two of the 32 ways in which that may fall are as one-sided.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[0.5, 0.1], [0.4, 0.2], [0.9, 0.8], [0.3, 0.3], [0.7, 0.2], [1.0, 0.5]])
    >>> result = Sign().compare(values, all_pairs(2))
    >>> print(result.p, result.difference.round(4))
    [0.0625] [0.8333]

    The interval is that of Clopper and Pearson for the share of wins among the topics that differ, at their number:

    >>> print(result.lower.round(4), result.upper.round(4))
    [-0.0364] [0.8333]
    """

    name: ClassVar[str] = "sign"
    label: ClassVar[str] = "the sign test"
    help: ClassVar[str] = "on how many topics one is better"
    asks: ClassVar[NeededScale] = "ordinal"
    across_topics: ClassVar[bool] = False
    compares: ClassVar[str] = "share of topics won, less share lost"
    in_values: ClassVar[bool] = False
    paper: ClassVar[str] = "Dixon and Mood, JASA 41(236), 1946"

    def compare_rows(self, first: Floats, second: Floats, topics: Ints, confidence: float) -> PairResults:
        """Wins and losses of the first run; the statistic is its wins."""
        wins, losses = (np.count_nonzero(better, axis=1) for better in (first > second, first < second))
        return _sign_outcome(wins, losses, topics, confidence)

    def compare_sums(self, sums: PairSums, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The same from wins that were counted block by block."""
        check_confidence(confidence)
        self.check_sums(sums)
        topics = sums.of_pairs(pairs.first, pairs.second).topics
        outcome = _sign_outcome(*sums.wins_of(pairs.first, pairs.second), topics, confidence)
        return untested(outcome, topics < self.least_topics)


def _sign_outcome(wins: Ints, losses: Ints, topics: Ints, confidence: float) -> PairResults:
    """(pair,) each: the exact two-sided test of so many wins and losses."""
    from scipy.special import bdtr

    differing = wins + losses
    p = np.minimum(2 * bdtr(np.minimum(wins, losses), differing, 0.5), 1.0)
    all_topics = np.where(topics > 0, topics, np.nan)
    lower, upper = (differing / all_topics * (2 * share - 1) for share in _shares_of_wins(wins, losses, confidence))
    return PairResults(
        difference=(wins - losses) / all_topics,
        p=p,
        topics=topics,
        statistic=wins.astype(np.float64),
        lower=lower,
        upper=upper,
        effects={"chance_of_a_win": common_language(wins.astype(np.float64), losses.astype(np.float64), all_topics)},
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
    asks: ClassVar[NeededScale] = "ordinal"
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
    asks: ClassVar[NeededScale] = "interval"
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
