"""How near a reproduced run comes to the original by the values of a measure (repro_eval's measures).

Values are (topic,) arrays, x of the original and y of the reproduction. With a baseline b and an advanced run a in
both, the effect of a over b is compared. On another collection topics cannot be paired: then only effects and unpaired
tests are there.
"""

import math

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.records import dataclass
from rankscale.stats.margin import Margin
from rankscale.stats.noninferiority import EQUAL, Differences, differences, equivalence, one_sided_bounds, student


@dataclass(frozen=True)
class Difference:
    """Reproduced less original mean, whether they differ, and within which margin they are alike."""

    mean: float
    p: float  # two-sided, that the means are equal; a large one is no evidence that runs are alike
    freedom: float
    smallest_margin: float  # any larger one is shown to hold: equivalence at alpha
    margin: float  # the one given; NaN without
    p_equivalence: float  # of two one-sided tests (TOST) with that margin


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


def delta_ri(base: Floats, advanced: Floats, base_again: Floats, advanced_again: Floats) -> float:
    """Relative improvement in the original less that in the reproduction; NaN if a baseline has a mean of 0."""
    means = [_mean(values) for values in (base, advanced, base_again, advanced_again)]
    if abs(means[0]) <= EQUAL or abs(means[2]) <= EQUAL:
        return math.nan
    return (means[1] - means[0]) / means[0] - (means[3] - means[2]) / means[2]


def paired(x: Floats, y: Floats, alpha: float = 0.05, margin: Margin | None = None) -> Difference:
    """Student's paired t test of the same topics, and equivalence."""
    of = differences(y, x)
    limit = margin.value(_mean(x)) if margin else math.nan
    low, high = student(of, 0.0)
    ends = one_sided_bounds(of, alpha)
    p = equivalence(of, student, limit, limit) if margin else math.nan
    return Difference(of.mean, _two_sided(of, low, high), of.topics - 1, max(map(abs, ends)), limit, p)


def unpaired(
    x: Floats, y: Floats, alpha: float = 0.05, margin: Margin | None = None, *, welch: bool = False
) -> Difference:
    """Student's t test of different topics, with pooled variance, or Welch's; and equivalence."""
    from scipy.special import stdtr, stdtrit

    mean, limit = _mean(y) - _mean(x), margin.value(_mean(x)) if margin else math.nan
    if min(len(x), len(y)) < 2:
        return Difference(mean, math.nan, math.nan, math.nan, limit, math.nan)
    error, freedom = _error(x, y, welch=welch)
    if error == 0:
        p = 1.0 if abs(mean) <= EQUAL else 0.0
        alike = math.nan if math.isnan(limit) else float(abs(mean) >= limit)
        return Difference(mean, p, freedom, abs(mean), limit, alike)
    reach = float(stdtrit(freedom, 1 - alpha)) * error
    tost = max(float(stdtr(freedom, -(mean + limit) / error)), float(stdtr(freedom, (mean - limit) / error)))
    return Difference(
        mean,
        2 * float(stdtr(freedom, -abs(mean) / error)),
        freedom,
        abs(mean) + reach,
        limit,
        tost if margin else math.nan,
    )


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


def _two_sided(of: Differences, low: float, high: float) -> float:
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
