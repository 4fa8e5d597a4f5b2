"""The estimate of Hodges and Lehmann: the median of the averages of any two paired differences, with an interval.

It adds differences, so it asks for an interval scale.
"""

from dataclasses import dataclass
from functools import cache
from math import floor, sqrt

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.measures.base.structure import as_written
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.walsh import walsh_sums

EXACT = 50  # up to so many topics all ways to give signs are counted


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
