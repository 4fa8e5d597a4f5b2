"""Gwet's AC1 and AC2: agreement beyond chance that stays high where one grade prevails."""

from collections.abc import Sequence

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.agreement.kappa import ratio
from rankscale.stats.agreement.weights import Closeness, closeness


def gwet_ac(matrix: Floats, levels: Sequence[float], weights: Closeness = "identity") -> Floats:
    """AC2 of matrices (..., level, level) of items, with weights of agreement; AC1 with those of identity.

    Chance agreement is that of items which are hard to grade, and are graded at random: it falls as one grade prevails,
    where that of kappa rises. It counts levels, so those that nobody used change it. NaN with one level, or without
    items. (Gwet, British Journal of Mathematical and Statistical Psychology 61, 2008)

    >>> print(gwet_ac(np.array([[20, 5], [10, 15]]), (0, 1)).round(4))
    0.4059
    """
    count = len(levels)
    items = matrix.sum(axis=(-2, -1))
    if count == 1:
        return np.full(np.shape(items), np.nan)
    weight = closeness(levels, weights)
    agreed = ratio((weight * matrix).sum(axis=(-2, -1)), items)
    share = ratio(matrix.sum(axis=-1) + matrix.sum(axis=-2), np.broadcast_to(2 * items[..., None], matrix.shape[:-1]))
    chance = weight.sum() / (count * (count - 1)) * (share * (1 - share)).sum(axis=-1)
    result: Floats = (agreed - chance) / (1 - chance)
    return result
