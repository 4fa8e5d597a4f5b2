"""All runs tested together, by means with one standard error: Tukey's test of all pairs, Dunnett's of one baseline.

A pair differs where its means are further apart than the largest difference that chance gives. The distribution of that
difference is tabulated once for each number of runs, and read off for all pairs at once: scipy.stats.studentized_range
integrates anew for each value, about 30 ms, 9 s for the pairs of 24 runs. It also takes small p-values from 1, which
loses digits (a relative error of 2e-8 at p = 5e-6); here what is left to 1 is summed, so that they keep their digits.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import Omnibus, PairResults, Pairs, check_alpha

RANGE_STEP = 1 / 128  # between tabulated ranges
NORMAL_STEP = 8  # between points of the integral over the normal distribution, in steps of the table
LOWEST = -9  # where the integral over the largest value begins: what lies below weighs less than 1e-18
STEP_OF_ONE = 1 / 64  # between tabulated differences from a baseline
BASELINE_STEP = 1 / 16  # between points of the integral over the mean of the baseline
FURTHEST = 45.0  # where that integral ends
SPREAD_STEP = 1 / 32  # between points of the integral over the logarithm of the standard deviation, at most
NEGLIGIBLE = 70.0  # logarithm of the weight, below the greatest one, where that integral ends
CHUNK = 2_000_000  # entries that are held at once


@dataclass(frozen=True)
class RunMeans:
    """Means of runs, and their standard error."""

    means: Floats  # (run,)
    variance: float  # the squared standard error of one mean
    df: float  # with which it was estimated
    topics: int
    rounding: float = 0.0  # by how much equal means may differ


@dataclass(frozen=True)
class LargestDifference(ABC):
    """The largest of several differences over their standard error, which was estimated with `df` degrees of freedom.

    With math.inf degrees of freedom the error is known.
    """

    number: int  # of means, two or more, or of comparisons
    df: float  # above 0

    widest: ClassVar[float]  # a wider one of normal values is less likely than can matter
    variances: ClassVar[int]  # squared standard errors of a mean in that of the statistic
    signed: ClassVar[bool]  # whether the statistic has the sign of the difference

    @abstractmethod
    def table(self) -> Callable[[Floats], Floats]:
        """The logarithm of the probability that normal values are further apart than a width, as a smooth curve."""

    def beyond(self, width: Floats) -> Floats:
        """Probability that the largest difference exceeds a width; NaN where that is NaN."""
        if math.isinf(self.df):
            return self._wider(width)
        spread, weight = spreads(self.df)
        size, flat = max(1, CHUNK // len(spread)), width.ravel()
        parts = [self._wider(flat[start : start + size, None] * spread) @ weight for start in range(0, len(flat), size)]
        return np.concatenate([*parts, np.empty(0)]).reshape(width.shape)

    def _wider(self, width: Floats) -> Floats:
        """The same where the error is known; 0 beyond the table."""
        p: Floats = np.exp(self.table()(np.clip(width, 0.0, self.widest)))
        return np.where(width > self.widest, 0.0, p)

    @abstractmethod
    def p(self, statistic: Floats) -> Floats:
        """Probability that the largest statistic exceeds each of these; NaN where it is NaN."""

    def critical(self, alpha: float) -> float:
        """What the largest statistic exceeds with probability alpha."""
        check_alpha(alpha)
        return _critical(self, alpha)


class StudentisedRange(LargestDifference):
    """Of so many means: how far apart the largest and the smallest fall by chance, in standard errors of a mean.

    The critical value of three groups and ten degrees of freedom, 3.88 in printed tables:

    >>> round(StudentisedRange(3, 10).critical(0.05), 2)
    3.88
    """

    variances: ClassVar[int] = 1
    signed: ClassVar[bool] = False
    widest: ClassVar[float] = 30  # a wider range of 10,000 normal values is less likely than 1e-90

    def table(self) -> Callable[[Floats], Floats]:
        """Of the range of normal values."""
        return _ranges(self.number)

    def p(self, statistic: Floats) -> Floats:
        """Probability that a range exceeds each of these; NaN where it is NaN."""
        q = np.asarray(statistic, dtype=np.float64)
        return np.where(q <= 0, 1.0, np.minimum(self.beyond(q), 1.0))


class ManyToOne(LargestDifference):
    """The largest |t| of so many means with one more.

    All means are over as many values, so that two differences from the baseline have a correlation of 1/2. The critical
    value of three comparisons and twelve degrees of freedom:

    >>> round(ManyToOne(3, 12).critical(0.05), 2)
    2.68
    """

    variances: ClassVar[int] = 2
    signed: ClassVar[bool] = True
    widest: ClassVar[float] = 40.0  # a wider difference of normal values is less likely than 1e-170

    def table(self) -> Callable[[Floats], Floats]:
        """Of the largest distance of normal values from one more."""
        return _distances(self.number)

    def p(self, statistic: Floats) -> Floats:
        """Probability that the largest |t| exceeds each of these; NaN where it is NaN."""
        return np.minimum(self.beyond(math.sqrt(2) * np.abs(np.asarray(statistic, dtype=np.float64))), 1.0)


@lru_cache(maxsize=32)
def _ranges(groups: int) -> Callable[[Floats], Floats]:
    """Given the largest value z, all others lie within w of it with probability (1 - F(z - w) / F(z))^(groups - 1)."""
    from scipy.interpolate import CubicSpline
    from scipy.special import ndtr

    widths = np.arange(round(StudentisedRange.widest / RANGE_STEP) + 1)
    start, stop = round(LOWEST / RANGE_STEP), round((StudentisedRange.widest / 2 - LOWEST) / RANGE_STEP)
    largest = np.arange(start, stop, NORMAL_STEP)
    lowest = largest[0] - widths[-1]
    below = ndtr(RANGE_STEP * np.arange(lowest, largest[-1] + 1))
    z = RANGE_STEP * largest
    with np.errstate(divide="ignore"):
        density = -(z**2) / 2 + (groups - 1) * np.log(below[largest - lowest])
        inside = np.log1p(-below[largest - widths[:, None] - lowest] / below[largest - lowest])
    weight = np.exp(density)
    wider = -np.expm1((groups - 1) * inside) @ (weight / weight.sum())
    table: Callable[[Floats], Floats] = CubicSpline(RANGE_STEP * widths, np.log(wider))
    return table


@lru_cache(maxsize=32)
def _distances(comparisons: int) -> Callable[[Floats], Floats]:
    """Given the baseline at z, a value is further away than w with probability F(z - w) + F(-z - w)."""
    from scipy.interpolate import CubicSpline
    from scipy.special import ndtr

    widths = STEP_OF_ONE * np.arange(round(ManyToOne.widest / STEP_OF_ONE) + 1)
    z = np.arange(-FURTHEST, FURTHEST + BASELINE_STEP / 2, BASELINE_STEP)
    weight = np.exp(-(z**2) / 2)
    wider = np.empty(len(widths))
    for place, width in enumerate(widths.tolist()):
        beyond = np.minimum(ndtr(z - width) + ndtr(-z - width), 1.0)
        with np.errstate(divide="ignore"):
            wider[place] = -np.expm1(comparisons * np.log1p(-beyond)) @ weight / weight.sum()
    table: Callable[[Floats], Floats] = CubicSpline(widths, np.log(wider))
    return table


@lru_cache(maxsize=32)
def spreads(df: float) -> tuple[Floats, Floats]:
    """Standard deviations as they may be estimated where 1 is true, and how likely each is.

    In the logarithm x of the deviation the density goes with exp(df (x - exp(2x)/2)): smooth, and negligible at both
    ends, so that equal steps are as good as any rule.
    """
    step = min(SPREAD_STEP, 0.25 / math.sqrt(2 * df))
    x = step * np.arange(math.floor(_end(df, -1) / step), math.ceil(_end(df, 1) / step) + 1, dtype=np.float64)
    weight = np.exp(df * _height(x))
    return np.exp(x), weight / weight.sum()


def _end(df: float, side: int) -> float:
    """Where the density has fallen by NEGLIGIBLE on one side of its peak."""
    far: Floats = np.ones(())
    while df * _height(side * far) > -NEGLIGIBLE:
        far = far * 1.1
    while df * _height(side * far) < -NEGLIGIBLE:
        far = far / 1.1
    return float(side * far * 1.1)


def _height(x: Floats) -> Floats:
    """The logarithm of the density over df, 0 at its peak."""
    return x - np.expm1(2 * x) / 2


@lru_cache(maxsize=512)
def _critical(distribution: LargestDifference, alpha: float) -> float:
    from scipy.optimize import brentq

    def excess(statistic: float) -> float:
        return float(distribution.p(np.array(statistic))) - alpha

    high = 4.0
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-13))


def tukey(means: RunMeans, pairs: Pairs, confidence: float, omnibus: Omnibus) -> PairResults:
    """A pair differs where its means are further apart than all of them would be by chance."""
    return _compared(means, pairs, StudentisedRange(len(means.means), means.df), confidence, omnibus)


def with_baseline(means: RunMeans, pairs: Pairs, confidence: float, omnibus: Omnibus | None = None) -> PairResults:
    """Differences from the baseline against the largest that chance gives."""
    return _compared(means, pairs, ManyToOne(len(pairs), means.df), confidence, omnibus)


def _compared(
    means: RunMeans, pairs: Pairs, distribution: LargestDifference, confidence: float, omnibus: Omnibus | None
) -> PairResults:
    """P-values of differences over their error; where the error is 0, runs differ if their means do."""
    check_confidence(confidence)
    difference = means.means[pairs.first] - means.means[pairs.second]
    difference = np.where(np.abs(difference) <= means.rounding, 0.0, difference)
    error = math.sqrt(distribution.variances * means.variance)
    statistic = quotient(difference if distribution.signed else np.abs(difference), error)
    reach = distribution.critical(1 - confidence) * error
    return PairResults(
        difference=difference,
        p=distribution.p(statistic),
        topics=np.full(len(difference), means.topics),
        statistic=statistic,
        lower=difference - reach,
        upper=difference + reach,
        omnibus=omnibus,
        corrected=True,
    )


def quotient(numerator: Floats, denominator: float) -> Floats:
    """A statistic: 0 where there is nothing to divide, infinite where only the denominator is 0."""
    if denominator > 0:
        return numerator / denominator
    return np.where(numerator == 0, 0.0, np.copysign(np.inf, numerator))
