"""How near a reproduced run comes to the original by the values of a measure (repro_eval's measures).

Values are (topic,) arrays, x of the original and y of the reproduction. With a baseline b and an advanced run a in
both, the effect of a over b is compared. On another collection topics cannot be paired: then only effects and unpaired
tests are there.
"""

import math
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.margin import Margin
from rankscale.stats.noninferiority import (
    EQUAL,
    CandidateDifferences,
    differences,
    equivalence,
    one_sided_bounds,
    student,
)


@dataclass(frozen=True)
class ReproducedDifference:
    """Reproduced less original mean, whether they differ, and within which margin they are alike."""

    mean: float
    p: float  # two-sided, that the means are equal; a large one is no evidence that runs are alike
    freedom: float
    bounds: tuple[float, float]  # lower and upper bound of the difference, each with confidence 1 - alpha
    margin: float  # the one given; NaN without
    p_equivalence: float  # of two one-sided tests (TOST) with that margin

    @property
    def smallest_margin(self) -> float:
        """Any larger one is shown to hold: equivalence at alpha."""
        return max(map(abs, self.bounds))


def rmse(x: Floats, y: Floats) -> float:
    """Root of the mean squared difference.

    >>> print(round(rmse(np.array([0.4, 0.3]), np.array([0.4, 0.5])), 6))
    0.141421
    """
    return _root_of_mean(np.square(x - y))


def nrmse(x: Floats, y: Floats) -> float:
    """RMSE over the largest that it could be, for measures from 0 to 1."""
    return rmse(x, y) / _root_of_mean(np.square(np.maximum(x, 1 - x)))


def effect_ratio(base: Floats, advanced: Floats, base_again: Floats, advanced_again: Floats) -> float:
    """Mean improvement in the reproduction over that in the original; NaN if the original has none."""
    original = _mean(advanced - base)
    return _mean(advanced_again - base_again) / original if abs(original) > EQUAL else math.nan


def delta_ri(base: float, advanced: float, base_again: float, advanced_again: float) -> float:
    """Relative improvement of means in the original less that in the reproduction; NaN if a baseline's mean is 0."""
    if abs(base) <= EQUAL or abs(base_again) <= EQUAL:
        return math.nan
    return (advanced - base) / base - (advanced_again - base_again) / base_again


def paired(
    x: Floats, y: Floats, alpha: float = 0.05, margin: Margin | None = None, upper: Margin | None = None
) -> ReproducedDifference:
    """Student's paired t test of the same topics, and equivalence; `upper` is the margin above 0 if it is another."""
    of = differences(y, x)
    limit = margin.value(_mean(x)) if margin else math.nan
    low, high = student(of, 0.0)
    p = equivalence(of, x, student, margin, upper or margin) if margin else math.nan
    return ReproducedDifference(
        of.mean, _two_sided(of, low, high), of.topics - 1, one_sided_bounds(of, alpha), limit, p
    )


def unpaired(
    x: Floats,
    y: Floats,
    alpha: float = 0.05,
    margin: Margin | None = None,
    upper: Margin | None = None,
    *,
    welch: bool = False,
) -> ReproducedDifference:
    """Student's t test of different topics, with pooled variance, or Welch's; and equivalence.

    A relative margin m is not taken as known: y is tested against (1 - m) x and against (1 + m) x.
    """
    from scipy.special import stdtr, stdtrit

    mean, limit = _mean(y) - _mean(x), margin.value(_mean(x)) if margin else math.nan
    if min(len(x), len(y)) < 2:
        return ReproducedDifference(mean, math.nan, math.nan, (math.nan, math.nan), limit, math.nan)
    error, freedom = _error(x, y, welch=welch)
    p = 2 * float(stdtr(freedom, -abs(mean) / error)) if error else float(abs(mean) <= EQUAL)
    reach = float(stdtrit(freedom, 1 - alpha)) * error if error else 0.0
    alike = math.nan
    if margin is not None:
        alike = max(_within(x, y, margin, -1, welch=welch), _within(x, y, upper or margin, 1, welch=welch))
    return ReproducedDifference(mean, p, freedom, (mean - reach, mean + reach), limit, alike)


def _within(x: Floats, y: Floats, margin: Margin, side: int, *, welch: bool) -> float:
    """The p-value that the mean of y lies above that of x less the margin (side -1), or below x plus it (side 1)."""
    limits = [] if margin.absolute is None else [x + side * margin.absolute]
    limits += [] if margin.relative is None else [(1 + side * margin.relative) * x]
    return min(1.0, len(limits) * min(_beyond(limit, y, -side, welch=welch) for limit in limits))


def _beyond(limit: Floats, y: Floats, side: int, *, welch: bool) -> float:
    """The p-value that the mean of y lies above that of the limit (side 1), or below it (side -1)."""
    from scipy.special import stdtr

    gap, (error, freedom) = side * (_mean(y) - _mean(limit)), _error(limit, y, welch=welch)
    return float(stdtr(freedom, -gap / error)) if error else float(gap <= 0)


def _error(x: Floats, y: Floats, *, welch: bool) -> tuple[float, float]:
    """Standard error of the difference of two means, and its degrees of freedom."""
    first, second = (float(np.var(values, ddof=1)) for values in (x, y))
    if welch:
        parts = first / len(x), second / len(y)
        total = sum(parts)
        below = parts[0] ** 2 / (len(x) - 1) + parts[1] ** 2 / (len(y) - 1)
        return math.sqrt(total), total**2 / below if below else math.nan
    freedom = len(x) + len(y) - 2
    pooled = ((len(x) - 1) * first + (len(y) - 1) * second) / freedom
    return math.sqrt(pooled * (1 / len(x) + 1 / len(y))), freedom


def _two_sided(of: CandidateDifferences, low: float, high: float) -> float:
    """The p-value of both sides; 1 where all differences are 0, NaN where there is no test."""
    if math.isnan(low) and not of.testable:
        return math.nan
    if of.deviation == 0 and abs(of.mean) <= of.rounding:
        return 1.0
    return min(1.0, 2 * min(low, high))


def _mean(values: Floats) -> float:
    return math.fsum(values.tolist()) / len(values) if len(values) else math.nan


def _root_of_mean(squares: Floats) -> float:
    return math.sqrt(_mean(squares)) if len(squares) else math.nan
