"""The largest of several differences from one baseline, by chance: the distribution of Dunnett's test."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.tests.base.studentised_range import spreads

STEP = 1 / 64  # between tabulated widths
WIDEST = 40.0  # a wider difference of normal values is less likely than 1e-170
NORMAL_STEP = 1 / 16  # between points of the integral over the mean of the baseline
FURTHEST = 45.0  # where that integral ends
CHUNK = 2_000_000  # entries that are held at once


@dataclass(frozen=True)
class ManyToOne:
    """The largest |t| of `comparisons` means with one more, whose error was estimated with `df` degrees of freedom.

    All means are over as many values, so that two differences from the baseline have a correlation of 1/2. The critical
    value of three comparisons and twelve degrees of freedom:

    >>> round(ManyToOne(3, 12).critical(0.05), 2)
    2.68
    """

    comparisons: int
    df: float

    def __post_init__(self) -> None:
        if self.comparisons < 1 or not self.df > 0:
            raise ParameterError(
                "comparisons with a baseline need one run more and degrees of freedom above 0, "
                f"got {self.comparisons} and {self.df}"
            )

    def p(self, t: Floats) -> Floats:
        """Probability that the largest |t| exceeds each of these; NaN where it is NaN."""
        width = math.sqrt(2) * np.abs(np.asarray(t, dtype=np.float64))
        if math.isinf(self.df):
            known: Floats = np.minimum(_wider(self.comparisons, width), 1.0)
            return known
        spread, weight = spreads(self.df)
        size = max(1, CHUNK // len(spread))
        flat = width.ravel()
        parts = [
            _wider(self.comparisons, flat[start : start + size, None] * spread) @ weight
            for start in range(0, len(flat), size)
        ]
        estimated: Floats = np.minimum(np.concatenate([*parts, np.empty(0)]).reshape(width.shape), 1.0)
        return estimated

    def critical(self, alpha: float) -> float:
        """The |t| that the largest exceeds with probability alpha."""
        return _critical(self, alpha)


def _wider(comparisons: int, width: Floats) -> Floats:
    """Probability that one of several normal values is further from one more than a width; 0 beyond the table."""
    p: Floats = np.exp(_table(comparisons)(np.clip(width, 0.0, WIDEST)))
    return np.where(width > WIDEST, 0.0, p)


@lru_cache(maxsize=32)
def _table(comparisons: int) -> Callable[[Floats], Floats]:
    """The logarithm of `_wider`, as a smooth curve.

    Given the baseline at z, a value is further away than w with probability F(z - w) + F(-z - w). What is left to 1 is
    summed, not what is taken from it: small probabilities keep their digits.
    """
    from scipy.interpolate import CubicSpline
    from scipy.special import ndtr

    widths = STEP * np.arange(round(WIDEST / STEP) + 1)
    z = np.arange(-FURTHEST, FURTHEST + NORMAL_STEP / 2, NORMAL_STEP)
    weight = np.exp(-(z**2) / 2)
    wider = np.empty(len(widths))
    for place, width in enumerate(widths.tolist()):
        beyond = np.minimum(ndtr(z - width) + ndtr(-z - width), 1.0)
        with np.errstate(divide="ignore"):
            wider[place] = -np.expm1(comparisons * np.log1p(-beyond)) @ weight / weight.sum()
    table: Callable[[Floats], Floats] = CubicSpline(widths, np.log(wider))
    return table


@lru_cache(maxsize=256)
def _critical(distribution: ManyToOne, alpha: float) -> float:
    from scipy.optimize import brentq

    def excess(t: float) -> float:
        return float(distribution.p(np.array([t]))[0]) - alpha

    high = 4.0
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-13))
