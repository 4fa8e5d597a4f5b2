"""Medians and quantiles that are observed values, and their intervals: what an ordinal scale supports.

A statistic may be used on an ordinal scale only if an increasing map of the values maps it the same way. An observed
value does; a number between two observed values does not.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil
from typing import Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ParameterError
from rankscale.measures.base.structure import as_written

MEDIAN = 0.5
Ends = tuple[float, float]  # of an interval
Relation = Literal["above", "below", "same", "not told apart"]


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


def bootstrap_interval(values: Floats, share: float, confidence: float = 0.95) -> tuple[float, float]:
    """Ends of the exact bootstrap interval of a quantile, which are observed values; NaN if there are none.

    >>> bootstrap_interval(np.array([0.05, 0.1, 0.1, 0.2, 0.3, 0.4, 0.4, 0.6, 0.7, 1.0]), 0.5)
    (0.1, 0.6)
    """
    check_share(share)
    check_confidence(confidence)
    if not len(values):
        return np.nan, np.nan
    tail = (1 - as_written(confidence)) / 2
    ends = np.searchsorted(bootstrap_shares(len(values), share), [float(tail), float(1 - tail)])
    lower, upper = np.sort(values)[ends].tolist()
    return lower, upper


def compare_medians(first: tuple[float, float], second: tuple[float, float]) -> Relation:
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
