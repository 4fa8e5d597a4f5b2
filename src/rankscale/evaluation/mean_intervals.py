"""Intervals of one mean over topics: percentiles of draws, BCa, and Student's t."""

import math
from typing import NamedTuple

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.evaluation.options import Method
from rankscale.evaluation.order_statistics import check_confidence
from rankscale.measures.base.structure import as_written

METHODS: tuple[Method, ...] = ("percentile", "bca", "student")
EQUAL = 1e-12  # numbers that differ by no more are equal
Ends = tuple[float, float]
UNDEFINED: Ends = (math.nan, math.nan)


class MeanIntervals(NamedTuple):
    """The three intervals of a mean; NaN where they are undefined."""

    percentile: Ends
    bca: Ends
    student: Ends
    bca_is_percentile: bool = False  # where the correction for bias or skewness has no value


def mean_intervals(values: Floats, drawn: Floats, confidence: float = 0.95) -> MeanIntervals:
    """Intervals of the mean of values (topic,), given its means over draws (draw,); undefined for fewer than two.

    >>> from rankscale.evaluation.draws import means_of_draws
    >>> x = np.array([0.12, 0.25, 0.31, 0.48, 0.90])
    >>> of = mean_intervals(x, means_of_draws(x[:, None], "all")[:, 0])
    >>> [[round(end, 6) for end in ends] for ends in of[:2]]
    [[0.21, 0.664], [0.23, 0.732]]
    """
    check_confidence(confidence)
    if len(values) < 2 or not np.isfinite(values).all():
        return MeanIntervals(UNDEFINED, UNDEFINED, UNDEFINED)
    mean = math.fsum(values.tolist()) / len(values)
    if float(values.max() - values.min()) <= EQUAL:
        return MeanIntervals((mean, mean), (mean, mean), (mean, mean))
    shares = tails(confidence)
    adjusted = bca_shares(values, drawn, mean, shares)
    percentile = ends_at(drawn, shares)
    bca = percentile if adjusted is None else ends_at(drawn, adjusted)
    return MeanIntervals(percentile, bca, student_interval(values, mean, confidence), adjusted is None)


def tails(confidence: float) -> Ends:
    """Shares of draws below the ends of an interval.

    >>> tails(0.95)
    (0.025, 0.975)
    """
    tail = (1 - as_written(confidence)) / 2
    return float(tail), float(1 - tail)


def ends_at(drawn: Floats, shares: Ends) -> Ends:
    """Quantiles of type 7."""
    low, high = np.quantile(drawn, shares).tolist()
    return low, high


def bca_shares(values: Floats, drawn: Floats, mean: float, shares: Ends) -> Ends | None:
    """Shares of draws in place of those of percentiles, corrected for bias and skewness (Efron 1987).

    None where no share of draws, or all, lie below the mean, or where values are so skewed that the correction has no
    value.
    """
    from scipy.special import ndtr, ndtri

    same = np.abs(drawn - mean) <= EQUAL
    below = np.count_nonzero((drawn < mean) & ~same) + np.count_nonzero(same) / 2
    z0 = float(ndtri(below / len(drawn)))
    if math.isinf(z0):
        return None
    apart = values - mean
    skewness = math.fsum((apart**3).tolist()) / (6 * math.fsum((apart**2).tolist()) ** 1.5)
    z = z0 + ndtri(np.array(shares))
    slope = 1 - skewness * z
    if (slope <= 0).any():
        return None
    low, high = ndtr(z0 + z / slope).tolist()
    return low, high


def student_interval(values: Floats, mean: float, confidence: float) -> Ends:
    """By Student's t."""
    from scipy.special import stdtrit

    topics = len(values)
    variance = math.fsum(((values - mean) ** 2).tolist()) / (topics - 1)
    reach = float(stdtrit(topics - 1, (1 + confidence) / 2)) * math.sqrt(variance / topics)
    return mean - reach, mean + reach
