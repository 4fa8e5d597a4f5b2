"""Kendall's tau-b: how far two measurements agree on the order of runs."""

import numpy as np
from numpy.typing import NDArray

from rankscale.data.arrays import Floats

Signs = NDArray[np.int8]

MEAN_DIGITS = 8  # to which means are rounded before they are compared: sums in another order differ beyond


def tau_b(x: Floats, y: Floats) -> Floats:
    """Tau-b along the last axis, for each place of the others; NaN where either side is constant or holds one.

    Pairs in the same order less pairs in opposite order, over the geometric mean of the pairs that x and y tell apart.
    Of the three pairs here two agree, and x does not tell the third apart:

    >>> print(tau_b(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])).round(4))
    0.8165
    """
    agreement, told_x, told_y = (np.zeros(np.broadcast_shapes(x.shape, y.shape)[:-1], dtype=np.int64) for _ in range(3))
    for shift in range(1, x.shape[-1]):  # pairs at each distance: memory stays that of the values
        of_x, of_y = (_order(side[..., shift:], side[..., :-shift]) for side in (x, y))
        agreement += (of_x * of_y).sum(axis=-1, dtype=np.int64)
        told_x += np.abs(of_x).sum(axis=-1, dtype=np.int64)
        told_y += np.abs(of_y).sum(axis=-1, dtype=np.int64)
    with np.errstate(invalid="ignore"):
        tau: Floats = agreement / np.sqrt(told_x * told_y.astype(np.float64))
    return np.where(np.isnan(x).any(axis=-1) | np.isnan(y).any(axis=-1), np.nan, tau)


def _order(later: Floats, earlier: Floats) -> Signs:
    """1, 0 or -1; not by a difference, which two infinite values do not have."""
    order: Signs = (later > earlier).astype(np.int8) - (later < earlier).astype(np.int8)
    return order
