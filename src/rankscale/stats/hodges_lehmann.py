"""The estimate of Hodges and Lehmann: the median of the averages of any two paired differences, with an interval.

It adds differences, so it asks for an interval scale.
"""

from dataclasses import dataclass
from functools import cache
from math import floor, sqrt

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.structure import as_written
from rankscale.stats.resampling.order_statistics import check_confidence

DIRECT = 400  # up to so many topics all sums of two differences are made, beyond they are searched for
HALVINGS = 64  # of a range, at most: what is left is less than the spacing of doubles at its ends
EXACT = 50  # up to so many topics all ways to give signs are counted


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
