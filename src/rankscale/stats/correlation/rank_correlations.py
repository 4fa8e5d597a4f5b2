"""Spearman's, Pearson's and the weighted correlation, as scipy has them, along the last axis."""

import warnings

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.correlation.kendall import undefined


def pearson_with_p(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Pearson's r and its two-sided p-value; NaN where either side is constant or not finite.

    >>> r, p = pearson_with_p(np.array([1.0, 2.0, 3.0, 5.0]), np.array([1.0, 3.0, 2.0, 5.0]))
    >>> print(r.round(4), p.round(4))
    0.8857 0.1143
    """
    from scipy.stats import pearsonr

    x, y = np.broadcast_arrays(x, y)
    bad = undefined(x) | undefined(y) | ~np.isfinite(x).all(axis=-1) | ~np.isfinite(y).all(axis=-1)
    if x.shape[-1] < 2 or bad.all():
        return np.full(bad.shape, np.nan), np.full(bad.shape, np.nan)
    steady = np.arange(float(x.shape[-1]))  # in place of undefined rows, which scipy warns of
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of nearly constant values
        result = pearsonr(np.where(bad[..., None], steady, x), np.where(bad[..., None], steady, y), axis=-1)
    return np.where(bad, np.nan, result.statistic), np.where(bad, np.nan, result.pvalue)


def spearman_with_p(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Spearman's rho, Pearson's r of mean ranks, and its p-value by Student's t; infinite values have ranks too.

    >>> rho, p = spearman_with_p(np.array([1.0, 2.0, 3.0, 5.0]), np.array([1.0, 3.0, 2.0, 5.0]))
    >>> print(rho.round(4), p.round(4))
    0.8 0.2
    """
    from scipy.stats import rankdata

    x, y = np.broadcast_arrays(x, y)
    if x.shape[-1] == 0:
        return np.full(x.shape[:-1], np.nan), np.full(x.shape[:-1], np.nan)
    return pearson_with_p(*(rankdata(side, axis=-1, nan_policy="propagate") for side in (x, y)))


def weighted_tau(x: Floats, y: Floats) -> Floats:
    """Kendall's tau in which a pair weighs 1/rank + 1/rank of its items (Vigna, WWW 2015); NaN as for tau-b.

    Ranks are those by x, then y, and by y, then x: the mean of both.
    """
    from scipy.stats import weightedtau

    x, y = np.broadcast_arrays(x, y)
    result = np.full(x.shape[:-1], np.nan)
    for place in zip(*np.nonzero(~(undefined(x) | undefined(y))), strict=True):
        result[place] = weightedtau(x[place], y[place]).statistic
    return result
