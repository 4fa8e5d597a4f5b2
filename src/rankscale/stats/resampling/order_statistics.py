"""Medians and quantiles that are observed values, and their intervals: what an ordinal scale supports.

A statistic may be used on an ordinal scale only if an increasing map of the values maps it the same way. An observed
value does; a number between two observed values does not.

The estimate of Hodges and Lehmann, the median of the averages of any two paired differences, adds differences: it asks
for an interval scale.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, floor, sqrt
from typing import Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ParameterError
from rankscale.measures.base.structure import as_written

Ends = tuple[float, float]  # of an interval
MedianRelation = Literal["above", "below", "same", "not told apart"]
DIRECT = 400  # up to so many topics all sums of two differences are made, beyond they are searched for
HALVINGS = 64  # of a range, at most: what is left is less than the spacing of doubles at its ends
EXACT = 50  # up to so many topics all ways to give signs are counted


def check_confidence(confidence: float) -> None:
    """Raise ParameterError unless 0 < confidence < 1."""
    if not 0 < confidence < 1:
        raise ParameterError(f"the confidence of an interval lies between 0 and 1, got {confidence}; 0.95 is usual")


def check_share(share: float) -> None:
    """Raise ParameterError unless 0 <= share <= 1."""
    if not 0 <= share <= 1:
        raise ParameterError(f"a quantile lies between 0 and 1, got {share}; 0.5 is the lower median")


def tails(confidence: float) -> Ends:
    """Shares of draws below the ends of an interval.

    >>> tails(0.95)
    (0.025, 0.975)
    """
    tail = (1 - as_written(confidence)) / 2
    return float(tail), float(1 - tail)


def place(count: int, share: float) -> int:
    """Place in ascending order, from 1, of the quantile `share` of `count` values: ceil(count * share), at least 1.

    `share` is the decimal number written, not the double nearest to it:

    >>> place(10, 0.7), place(10, 0.25), place(10, 0)
    (7, 3, 1)
    """
    return max(1, ceil(count * as_written(share)))


def quantile(values: Floats, share: float) -> float:
    """Quantile of type 1, the smallest value that at least this share of the values do not exceed; NaN if none.

    >>> quantile(np.array([0.2, 0.9, 0.4, 0.1]), 0.5)
    0.2
    """
    check_share(share)
    return float(np.sort(values)[place(len(values), share) - 1]) if len(values) else np.nan


def interpolated_quantile(values: Floats, share: float) -> float:
    """Quantile of type 7, between two values in proportion: for interval scales only.

    >>> print(interpolated_quantile(np.array([0.2, 0.9, 0.4, 0.1]), 0.5).__round__(12))
    0.3
    """
    check_share(share)
    return float(np.quantile(values, share)) if len(values) else np.nan


def median(values: Floats) -> tuple[float, float]:
    """Lower and upper median: equal for an odd number of values, the two middle values for an even one.

    >>> median(np.array([0.2, 0.9, 0.4, 0.1])), median(np.array([0.2, 0.9, 0.4]))
    ((0.2, 0.4), (0.4, 0.4))
    """
    if not len(values):
        return np.nan, np.nan
    ordered, count = np.sort(values), len(values)
    return float(ordered[(count - 1) // 2]), float(ordered[count // 2])


def best_first(lower: Floats, upper: Floats, *, low_is_good: bool) -> Ints:
    """(run,): places of medians, the best first: by the lower median, then by the upper one."""
    sign = 1 if low_is_good else -1
    return np.lexsort((sign * upper, sign * lower))


def tie_groups(tied: Bools) -> tuple[Ints, Ints]:
    """(..., place) in sorted rows: the first and the last place of the group of ties that each place is in.

    `tied` says of each place but the first whether it is tied with the one before.

    >>> tie_groups(np.array([[False, True, True, False]]))
    (array([[0, 1, 1, 1, 4]]), array([[0, 3, 3, 3, 4]]))
    """
    places = np.arange(tied.shape[-1] + 1)
    edge = np.ones((*tied.shape[:-1], 1), dtype=bool)
    start = np.maximum.accumulate(np.where(np.concatenate([edge, ~tied], axis=-1), places, 0), axis=-1)
    ends = np.where(np.concatenate([~tied, edge], axis=-1), places, len(places))
    return start, np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]


@cache
def sign_test_place(count: int, confidence: float) -> tuple[int, float]:
    """Place c from either end of the sign-test interval of a median of `count` values, and its coverage.

    c is the largest with 2 P(Bin(count, 1/2) <= c - 1) <= 1 - confidence, and (0, NaN) where there is none.

    >>> sign_test_place(10, 0.95), sign_test_place(5, 0.95)
    ((2, 0.978515625), (0, nan))
    """
    allowed = (1 - as_written(confidence)) * 2**count / 2  # of the 2**count ways to lie above or below the median
    ways, tail, before = 1, 0, 0
    for c in range(count // 2 + 1):
        before, tail = tail, tail + ways  # ways to have at most c - 1, and at most c, values below
        if tail > allowed:
            return (c, float(1 - Fraction(2 * before, 2**count))) if c else (0, np.nan)
        ways = ways * (count - c) // (c + 1)
    return 0, np.nan


@dataclass(frozen=True)
class MedianInterval:
    """Sign-test interval of a median, which holds on any ordinal scale; ties only widen its coverage."""

    lower: float
    upper: float
    coverage: float


def sign_interval(values: Floats, confidence: float = 0.95) -> MedianInterval:
    """[x_(c), x_(n + 1 - c)] with its coverage; NaN where there are too few values for this confidence.

    >>> sign_interval(np.array([0.05, 0.1, 0.1, 0.2, 0.3, 0.4, 0.4, 0.6, 0.7, 1.0]))
    MedianInterval(lower=0.1, upper=0.7, coverage=0.978515625)
    """
    check_confidence(confidence)
    c, coverage = sign_test_place(len(values), confidence)
    if not c:
        return MedianInterval(np.nan, np.nan, np.nan)
    ordered = np.sort(values)
    return MedianInterval(float(ordered[c - 1]), float(ordered[-c]), coverage)


def bootstrap_shares(count: int, share: float) -> Floats:
    """(value,), ascending: share of all bootstrap samples whose quantile is at most this value, without drawing any.

    The quantile of a sample is at most x_(i) if at least j = place(count, share) of its values are, and each value is
    with chance i/n: P(Bin(n, i/n) >= j).

    >>> bootstrap_shares(5, 0.5).round(5)
    array([0.05792, 0.31744, 0.68256, 0.94208, 1.     ])
    """
    from scipy.special import bdtrc

    below = np.arange(1, count + 1) / count
    shares: Floats = bdtrc(place(count, share) - 1, count, below)
    shares[-1:] = 1.0
    return shares


def bootstrap_interval(values: Floats, share: float, confidence: float = 0.95) -> Ends:
    """Ends of the exact bootstrap interval of a quantile, which are observed values; NaN if there are none.

    >>> bootstrap_interval(np.array([0.05, 0.1, 0.1, 0.2, 0.3, 0.4, 0.4, 0.6, 0.7, 1.0]), 0.5)
    (0.1, 0.6)
    """
    check_share(share)
    check_confidence(confidence)
    if not len(values):
        return np.nan, np.nan
    ends = np.searchsorted(bootstrap_shares(len(values), share), tails(confidence))
    lower, upper = np.sort(values)[ends].tolist()
    return lower, upper


def compare_medians(first: tuple[float, float], second: tuple[float, float]) -> MedianRelation:
    """How the median of one run stands to that of another; each is its lower and upper median.

    The first is above if its lower median is above the upper median of the second, and below in the reverse case. They
    are the same if both ends are. Else no map-proof statement is possible: which is higher depends on the number chosen
    between the two middle values.

    >>> compare_medians((0.5, 0.6), (0.3, 0.4)), compare_medians((0.3, 0.5), (0.4, 0.4))
    ('above', 'not told apart')
    """
    if first[0] > second[1]:
        return "above"
    if first[1] < second[0]:
        return "below"
    return "same" if first == second else "not told apart"


def walsh_sums(differences: Floats, places: Ints) -> Floats:
    """(pair, place): the sums at these places of their order, from 0; `differences` is (pair, topic).

    >>> walsh_sums(np.array([[1.0, 5.0, 2.0]]), np.array([[0, 2, 5]]))  # 2 3 4 6 7 10
    array([[ 2.,  4., 10.]])
    """
    return (_sums if differences.shape[1] <= DIRECT else _sums_by_search)(differences, places)


def _sums(differences: Floats, places: Ints) -> Floats:
    """(pair, place): the sums of any two differences, or one twice, at these places of their order."""
    one, other = np.triu_indices(differences.shape[1])
    sums = differences[:, one] + differences[:, other]
    sums.partition(np.unique(places), axis=1)
    return np.take_along_axis(sums, places, axis=1)


def _sums_by_search(differences: Floats, places: Ints) -> Floats:
    """The same, for so many topics that their sums would fill the memory."""
    return np.array([_searched(row, place) for row, place in zip(differences, places, strict=True)])


def _searched(differences: Floats, places: Ints) -> Floats:
    """(place,): halve the range in which a sum lies until it is alone there, or nothing else fits."""
    distinct, copies = np.unique(differences, return_counts=True)
    up_to = np.concatenate([[0], np.cumsum(copies)])

    def partners(limit: Floats) -> Ints:  # (place, difference): how many distinct ones may stand beside each
        return np.searchsorted(distinct, limit[:, None] - distinct, side="right")

    def twice_within(limit: Floats) -> Ints:  # (place,): each two in both orders, and each one with itself once more
        twice: Ints = up_to[partners(limit)] @ copies + up_to[np.searchsorted(distinct, limit / 2, side="right")]
        return twice

    low, high = (np.full(len(places), 2 * distinct[end]) for end in (0, -1))
    below, within = np.zeros_like(places), np.full_like(places, 2 * up_to[-1] ** 2)
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        count = twice_within(middle)
        enough = count > 2 * places
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        below, within = np.where(enough, below, count), np.where(enough, count, within)
        if (within - below <= 2).all():
            break
    last = partners(high) - 1
    sums: Floats = np.where(last >= 0, distinct + distinct[last], -np.inf).max(axis=1)
    return sums


@dataclass(frozen=True)
class HodgesLehmann:
    """The estimate and its interval; NaN where there are too few topics."""

    estimate: float
    lower: float
    upper: float
    coverage: float
    exact: bool = True  # whether all ways to give signs were counted; else the normal approximation


def hodges_lehmann(differences: Floats, confidence: float = 0.95) -> HodgesLehmann:
    """Median of the Walsh averages (d_i + d_j) / 2, i <= j, of paired differences, and its interval.

    The interval [W_(c), W_(M + 1 - c)] holds what Wilcoxon's signed rank test does not reject; M = n (n + 1) / 2.
    Differences of 0 are kept. Beyond 50 topics c is that of the normal approximation.

    Parameters
    ----------
    differences : array (topic,)
        First run less second, topic by topic; NaN is left out.
    confidence : float
        Confidence level of the interval; its `coverage` is at least that.

    Returns
    -------
    HodgesLehmann

    Raises
    ------
    ParameterError
        The confidence does not lie between 0 and 1.

    Examples
    --------
    >>> result = hodges_lehmann(np.array([-0.02, 0.02, -0.01, -0.01, -0.02, 0.01, -0.03, 0]))
    >>> round(result.estimate, 12), result.lower, result.upper, result.coverage
    (-0.01, -0.02, 0.01, 0.9609375)
    """
    check_confidence(confidence)
    kept = differences[~np.isnan(differences)]
    count = len(kept)
    if not count or not np.isfinite(kept).all():
        return HodgesLehmann(np.nan, np.nan, np.nan, np.nan)
    averages = count * (count + 1) // 2
    c, coverage = signed_rank_place(count, confidence)
    near = max(c, 1) - 1
    places = np.array([[(averages - 1) // 2, averages // 2, near, averages - 1 - near]])
    low, high, lower, upper = (walsh_sums(kept[None], places)[0] / 2).tolist()
    if not c:
        lower = upper = np.nan
    return HodgesLehmann((low + high) / 2, lower, upper, coverage, count <= EXACT)


@cache
def signed_rank_place(count: int, confidence: float) -> tuple[int, float]:
    """Place c from either end of the ordered Walsh averages, and the coverage of the interval.

    c is the largest with 2 P(V <= c - 1) <= 1 - confidence, V the signed rank statistic without ties; (0, NaN) where
    there is none.

    >>> signed_rank_place(8, 0.95), signed_rank_place(5, 0.95)
    ((4, 0.9609375), (0, nan))
    """
    if count > EXACT:
        return _normal_place(count, confidence)
    ways = np.zeros(count * (count + 1) // 2 + 1, dtype=np.int64)  # by the sum of positive ranks
    ways[0] = 1
    for rank in range(1, count + 1):
        ways[rank:] += ways[:-rank].copy()
    tails = np.cumsum(ways)
    allowed = floor((1 - as_written(confidence)) * 2**count / 2)
    c = int(np.searchsorted(tails, allowed, side="right"))
    return (c, float(1 - tails[c - 1] / 2 ** (count - 1))) if c else (0, np.nan)


def _normal_place(count: int, confidence: float) -> tuple[int, float]:
    from scipy.special import ndtr, ndtri

    middle, deviation = count * (count + 1) / 4, sqrt(count * (count + 1) * (2 * count + 1) / 24)
    most = floor(middle + ndtri((1 - confidence) / 2) * deviation)  # c - 1
    return most + 1, float(1 - 2 * ndtr((most - middle) / deviation))
