"""Krippendorff's alpha: agreement of any number of assessors beyond that of grades dealt out at random."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.agreement.kappa import ratio
from rankscale.stats.agreement.weights import scaled

Difference = Literal["nominal", "ordinal", "interval"]


def coincidences(grades: Floats, levels: Sequence[float]) -> Floats:
    """(level, level): the coincidence matrix of grades (item, assessor), NaN where an assessor gave none.

    Each item with m grades, m >= 2, adds 1 / (m - 1) for every ordered pair of them; items with one are left out. Of
    two assessors it is the matrix of their grades plus its transpose.

    >>> coincidences(np.array([[0, 1, 1], [1, 1, np.nan], [0, np.nan, np.nan]]), (0, 1)).tolist()
    [[0.0, 1.0], [1.0, 3.0]]
    """
    counts = (grades[:, :, None] == np.asarray(levels, dtype=np.float64)).sum(axis=1).astype(np.float64)
    given = counts.sum(axis=1)
    several = given > 1
    counts, weight = counts[several], 1 / (given[several] - 1)
    pairs: Floats = (counts * weight[:, None]).T @ counts
    return pairs - np.diag(weight @ counts)


def krippendorff_alpha(together: Floats, levels: Sequence[float], difference: Difference = "ordinal") -> Floats:
    """Alpha of coincidence matrices (..., level, level).

    One less the observed over the expected difference; NaN where there is one level only. The difference of two grades
    is 1 if they are not the same (nominal), or the square of their distance: in values (interval), or in how many
    grades were given from one to the other, half of both ends (ordinal). (Krippendorff, Content Analysis, 2004)

    >>> matrix = np.array([[20, 5], [10, 15]])
    >>> print(krippendorff_alpha(matrix + matrix.T, (0, 1), "nominal").round(4))
    0.4
    """
    given = together.sum(axis=-1)
    squares = _squares(given, levels, difference)
    observed = (together * squares).sum(axis=(-2, -1))
    expected = (given[..., :, None] * given[..., None, :] * squares).sum(axis=(-2, -1))
    return 1 - ratio((given.sum(axis=-1) - 1) * observed, expected)


def _squares(given: Floats, levels: Sequence[float], difference: Difference) -> Floats:
    """(..., level, level): squared differences between grades that were given so often."""
    if difference not in get_args(Difference):
        raise ParameterError(f"alpha is 'nominal', 'ordinal' or 'interval', got {difference!r}")
    if difference == "nominal":
        return 1 - np.eye(len(levels))
    at = scaled(levels)
    if difference == "ordinal":
        at = np.cumsum(given, axis=-1) - given / 2  # so that two lie apart by what is between them, and half of both
    squares: Floats = (at[..., :, None] - at[..., None, :]) ** 2
    return squares
