"""Cohen's kappa: agreement beyond that of two assessors who grade independently, each with the shares that it has."""

from collections.abc import Sequence

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.agreement.weights import Spacing, Weights, disagreement


def observed_agreement(matrix: Floats) -> Floats:
    """The share of items with the same grade, of matrices (..., level, level); NaN without items.

    >>> print(observed_agreement(np.array([[3, 1], [1, 5]])))
    0.8
    """
    with np.errstate(invalid="ignore"):
        share: Floats = np.trace(matrix, axis1=-2, axis2=-1) / matrix.sum(axis=(-2, -1))
    return share


def cohen_kappa(
    matrix: Floats, levels: Sequence[float], weights: Weights = "none", spacing: Spacing = "value"
) -> Floats:
    """Kappa of matrices (..., level, level) of items, the first assessor's grades in rows.

    One less the disagreement over that expected of independent assessors; NaN where the latter is 0, so that there is
    nothing to agree on: both always give one grade. (Cohen 1960, 1968)

    >>> print(cohen_kappa(np.array([[20, 5], [10, 15]]), (0, 1)).round(4))
    0.4
    """
    weight = disagreement(levels, weights, spacing)
    items = matrix.sum(axis=(-2, -1))
    first, second = matrix.sum(axis=-1), matrix.sum(axis=-2)
    observed = (weight * matrix).sum(axis=(-2, -1)) * items
    expected = np.einsum("gh,...g,...h->...", weight, first, second)
    return 1 - ratio(observed, expected)


def ratio(part: Floats, whole: Floats) -> Floats:
    """Part over whole, NaN where the whole is 0."""
    result: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=np.asarray(whole) != 0)
    return result
