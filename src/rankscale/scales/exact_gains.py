"""Gains as exact fractions: a number is what it is written as, 0.1 a tenth and not the nearest double."""

from fractions import Fraction

import numpy as np

from rankscale.errors import ScaleError
from rankscale.measures.base.gains import Gains
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.scaled import Scaled
from rankscale.measures.err import ERR

ROUNDING = 1e-12  # a gain as a fraction and as a double differ by no more, relative to it


def as_written(number: float) -> Fraction:
    """The fraction that a number's decimal digits name.

    >>> as_written(0.8), as_written(np.float64(3.0))
    (Fraction(4, 5), Fraction(3, 1))
    """
    return Fraction(repr(float(number)))


def exact_gain(measure: Measure, level: float, highest: float) -> Fraction:
    """What a grade is worth to a measure: the fraction that `measure.gain` has as a double."""
    double = float(measure.gain(np.array([level]), highest)[0])
    exact = _exact(measure, level, highest, double)
    if abs(float(exact) - double) > ROUNDING * max(1.0, abs(double)):
        raise ScaleError(f"{measure}: the gain {double} of grade {level:g} is not known as a fraction")
    return exact


def _exact(measure: Measure, level: float, highest: float, double: float) -> Fraction:
    gains: Gains = getattr(measure, "gains", None)
    if level != int(level) and (gains == "exp" or isinstance(measure, ERR)):
        raise ScaleError(
            f"{measure}: the gain of grade {level:g} is an irrational number, and ranks are counted exactly"
        )
    if level < 0 or double == int(double):
        return Fraction(int(double)) if double == int(double) else as_written(double)
    if gains == "linear":
        return as_written(level) / as_written(highest)
    if isinstance(measure, Scaled):
        lowest, top = as_written(measure.min_rel), as_written(measure.top(highest))
        return (as_written(level) - lowest) / (top - lowest)
    if isinstance(measure, ERR) and level == int(level) and measure.top(highest) == int(measure.top(highest)):
        top_grade = int(measure.top(highest))
        return Fraction(2 ** min(int(level), top_grade) - 1, 2**top_grade)
    return as_written(double)
