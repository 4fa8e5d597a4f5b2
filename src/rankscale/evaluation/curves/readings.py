"""Readings of a curve: the rank at which it reaches a value, the area above it, the weight of a difference.

The readings of Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4), 2002. A curve is
one vector, its first entry at rank 1: `curves.by_topic("bm25")["301"]`, or `curves.mean().by_topic("bm25")["all"]`.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import divide

MARGINAL, ESSENTIAL = 0.05, 0.10  # the limits of Spärck Jones, Journal of Documentation 30(4), 1974

ROUNDING = 1e-12  # relative to the value, or to 1

Curve = Floats | Sequence[float]


def first_rank_reaching(curve: Curve, value: float) -> int | None:
    """The first rank at which a curve is at least this high, None where it never is.

    The ideal of the paper's example has gained 11 by rank 4; the ranking itself takes until rank 7:

    >>> first_rank_reaching([3, 5, 8, 8, 8, 9, 11, 13, 16, 16], 11)
    7
    """
    reached = int(first_ranks(np.asarray(curve, dtype=np.float64), np.array(value))[()])
    return reached or None


def first_ranks(curves: Floats, values: Floats) -> Ints:
    """(any,): the first rank at which each curve, (any, rank), is as high as its value, (any,); 0 where it never is.

    A digit lost in sums does not count.
    """
    there = curves >= (values - ROUNDING * np.maximum(1.0, np.abs(values)))[..., None]
    return np.where(there.any(axis=-1), there.argmax(axis=-1) + 1, 0)


def over_ideal(curves: Floats, ideal: Floats) -> Floats:
    """Curves over that of the ideal, rank by rank; 0 where the ideal is 0.

    Where the ideal goes below 0, since documents cost something, a ratio is undefined from 0 on.

    >>> over_ideal(np.array([1.0, 2.0, 1.0]), np.array([2.0, 1.0, -0.5])).tolist()
    [0.5, 2.0, nan]
    """
    return np.where((ideal <= 0) & (ideal < 0).any(), np.nan, divide(curves, ideal))


def area_above(curve: Curve, depth: int | None = None) -> float:
    """The area between a normalised curve and the ideal, 1 at every rank: 1 less the mean of the curve (avg-pos).

    >>> area_above([1, 0.5, 0.75, 0.75])
    0.25
    """
    vector = np.asarray(curve, dtype=np.float64)
    if depth is not None and not 1 <= depth <= len(vector):
        raise ParameterError(f"the depth must lie between 1 and {len(vector)}, where the curve ends, got {depth}")
    return 1.0 - float(vector[:depth].mean()) if len(vector) else math.nan


def relative_difference(value: float, other: float) -> float:
    """How much higher a value is than another, as a share of the other.

    >>> relative_difference(0.33, 0.3)
    0.1
    """
    if other == 0:
        return 0.0 if value == 0 else math.copysign(math.inf, value)
    # Ten digits: what rounding leaves behind must not lift a difference of 10% over the limit.
    return round(float((value - other) / abs(other)), 10)


def weight_of(relative: float) -> Literal["marginal", "noticeable", "essential"]:
    """What a relative difference amounts to: under 5% marginal, over 10% essential.

    >>> [weight_of(relative) for relative in (0.049, -0.05, 0.1, 0.11)]
    ['marginal', 'noticeable', 'noticeable', 'essential']
    """
    if math.isnan(relative):
        raise ParameterError("an undefined difference is neither small nor large")
    size = abs(relative)
    return "marginal" if size < MARGINAL else "essential" if size > ESSENTIAL else "noticeable"
