"""Fleiss' kappa: agreement of any number of assessors, as many on each item."""

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.agreement.kappa import ratio


def fleiss_kappa(together: Floats) -> Floats:
    """Kappa of coincidence matrices (..., level, level) of items that all have the same number of grades.

    One less the observed disagreement of two grades of an item over that of two grades drawn from all, with
    replacement; NaN where there is one level only. The assessors need not be the same for all items. (Fleiss,
    Psychological Bulletin, 1971)

    >>> from rankscale.stats.agreement.alpha import coincidences
    >>> grades = np.array([[0, 0, 1], [1, 1, 1], [0, 0, 0], [0, 1, 1]])
    >>> print(fleiss_kappa(coincidences(grades, (0, 1))).round(4))
    0.3333
    """
    given = together.sum(axis=-1)
    number = given.sum(axis=-1)
    observed = number - np.trace(together, axis1=-2, axis2=-1)
    expected = number**2 - (given**2).sum(axis=-1)
    return 1 - ratio(observed * number, expected)
