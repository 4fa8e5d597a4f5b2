"""What measures share whose gains lie between 0 and 1, and whose weights are sums of reciprocals."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parameters import param
from rankscale.measures.base.structure import as_written

SHIFT = 12  # from here on the series below have all digits of a double
EULER = 0.5772156649015329


@dataclass(frozen=True)
class ScaledGains(Measure):
    """A measure whose gains grow evenly from 0 at the grade `min_rel` to 1 at `max_rel`, the highest grade by default.

    Grades out of these limits count as the nearer of the two. The names are those of ir_measures.
    """

    min_rel: float = param(0, ge=0, help="the highest grade that gains nothing")
    max_rel: float | None = param(
        None, help="the grade that gains 1, above min_rel; the highest of the qrels unless given"
    )

    def check(self) -> None:
        """Raise ParameterError unless max_rel is above min_rel."""
        if self.max_rel is not None and self.max_rel <= self.min_rel:
            raise ParameterError(f"{self.name}: max_rel must be above min_rel, got {self.max_rel} and {self.min_rel}")

    def gain(self, levels: Floats, highest: float) -> Floats:
        """The share of the scale that each grade covers."""
        top = self.top(highest)
        scale: Floats = (np.clip(levels, self.min_rel, top) - self.min_rel) / (top - self.min_rel)
        return scale

    def _gain_fraction(self, level: float, highest: float, double: float) -> Fraction:
        if level < 0 or double == int(double):
            return super()._gain_fraction(level, highest, double)
        lowest = as_written(self.min_rel)
        return (as_written(level) - lowest) / (as_written(self.top(highest)) - lowest)

    def top(self, highest: float) -> float:
        """The grade that gains 1; where no document gains anything, a grade that would."""
        if self.max_rel is not None:
            return self.max_rel
        return highest if highest > self.min_rel else self.min_rel + 1

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that gain nothing."""
        return levels <= self.min_rel


def before(column: Floats, start: float) -> Floats:
    """(topic, entry): what stood in a running column before each entry; `start` before the first."""
    earlier = np.full(column.shape, start)
    earlier[:, 1:] = column[:, :-1]
    return earlier


def harmonic(number: Floats) -> Floats:
    """1/1 + 1/2 + ... + 1/number, for each of these numbers.

    >>> harmonic(np.array([1.0, 4.0])).round(12).tolist()
    [1.0, 2.083333333333]
    """
    # digamma(n + 1) + Euler's constant, by the asymptotic series far out (Abramowitz and Stegun 6.3.18).
    far = number + (SHIFT + 1)
    square = 1.0 / (far * far)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (1 / 132)))))
    total: Floats = np.log(far) + EULER - 0.5 / far - series
    for step in range(SHIFT, 0, -1):
        total = total - 1.0 / (number + step)
    return total


def trigamma(start: Floats) -> Floats:
    """1/start^2 + 1/(start + 1)^2 + 1/(start + 2)^2 + ..., without end, for each of these numbers above 0.

    >>> trigamma(np.array([1.0, 2.0])).round(12).tolist()  # pi^2 / 6, and 1 less
    [1.644934066848, 0.644934066848]
    """
    # Abramowitz and Stegun 6.4.12, far out; the first terms are added one by one.
    far = start + SHIFT
    step = 1.0 / far
    square = step * step
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * (5 / 66 - square * 691 / 2730))))
    total: Floats = step + square * (0.5 + step * series)
    for term in range(SHIFT - 1, -1, -1):
        near = start + term
        total = total + 1.0 / (near * near)
    return total
