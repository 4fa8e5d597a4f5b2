"""Rounding of means before runs are put in order: sums of the same terms in another order differ in the last digits."""

import numpy as np

from rankscale.data.arrays import Floats

MEAN_DIGITS = 8  # significant digits of means that are compared
FINE_DIGITS = 14  # of means of ranks, whose steps are far smaller than those of values: only rounding errors go
TINIEST = 1e-290  # numbers below this are kept as they are: powers of ten that would make them whole are no doubles


def significant(numbers: Floats, digits: int = MEAN_DIGITS) -> Floats:
    """Numbers rounded to so many significant digits, however small they are; infinities and NaN stay.

    >>> significant(np.array([0.1 + 0.2, 1.23456789e-30, -99999.9999999])).tolist()
    [0.3, 1.2345679e-30, -100000.0]
    """
    size = np.abs(numbers)
    regular = np.isfinite(size) & (size >= TINIEST)
    exponent = np.floor(np.log10(np.where(regular, size, 1.0)))
    whole = np.round(np.where(regular, numbers, 0.0) * 10.0 ** (digits - 1 - exponent))
    carried = np.abs(whole) == 10.0**digits  # 99999.99999 is a number of one digit more
    rounded = np.where(carried, whole / 10, whole) / 10.0 ** (digits - 1 - np.where(carried, exponent + 1, exponent))
    return np.where(regular, rounded, numbers)
