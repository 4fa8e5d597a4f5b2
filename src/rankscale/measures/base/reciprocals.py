"""Sums of reciprocals, in closed form: what the weights of many ranks come to."""

import numpy as np

from rankscale.data.arrays import Floats

SHIFT = 12  # from here on the series below have all digits of a double
EULER = 0.5772156649015329


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
