"""Effect sizes: how large a difference is, whatever the number of topics.

Arrays have one entry for each pair of runs.
"""

import numpy as np

from rankscale.data.arrays import Floats, Ints


def paired_d(mean: Floats, deviation: Floats) -> Floats:
    """The mean difference over the standard deviation of the differences: Cohen's d of paired values, d_z.

    Where all differences are the same it is 0 if they are 0, and infinite if not.

    >>> paired_d(np.array([0.15, 0.0, 0.1]), np.array([0.1, 0.0, 0.0]))
    array([1.5, 0. , inf])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        d: Floats = np.where((mean == 0) & (deviation == 0), 0.0, mean / deviation)
    return d


def hedges_g(d: Floats, topics: Ints) -> Floats:
    """Paired d without its bias in small samples; NaN below three topics, where d has no expectation.

    Of the variants for paired values this is that of d_z with n - 1 degrees of freedom (Gibbons, Hedeker and Davis
    1993), with the factor of Hedges 1981 in full rather than 1 - 3/(4 df - 1). The other one, d_av over the mean of
    both runs' deviations, compares with studies that are not paired (Lakens 2013); its factor is approximate. Topics
    are always paired here, and for d_z the factor is exact.

    >>> print(hedges_g(np.array([1.5]), np.array([4])).round(4))
    [1.0854]
    """
    from scipy.special import gammaln

    freedom = np.maximum(topics - 1.0, 2.0)
    factor = np.exp(gammaln(freedom / 2) - gammaln((freedom - 1) / 2)) / np.sqrt(freedom / 2)
    return np.where(topics < 3, np.nan, d * factor)


def paired_effects(mean: Floats, deviation: Floats, topics: Ints) -> dict[str, Floats]:
    """Effect sizes of tests of mean differences, by name."""
    d = paired_d(mean, deviation)
    return {"paired_d": d, "hedges_g": hedges_g(d, topics)}


def cliffs_delta(above: Floats, below: Floats, comparisons: Floats | float) -> Floats:
    """Share of pairs of values where the first run is above the second, less the share where it is below.

    Over all pairs of values: which topics they belong to does not matter.

    >>> cliffs_delta(np.array([6.0]), np.array([2.0]), np.array([9.0])).round(4)
    array([0.4444])
    """
    with np.errstate(invalid="ignore"):
        delta: Floats = (above - below) / comparisons
    return delta


def common_language(above: Floats, below: Floats, comparisons: Floats | float) -> Floats:
    """The chance that a value of the first run is above one of the second, ties counted half (Vargha and Delaney's A).

    >>> common_language(np.array([6.0]), np.array([2.0]), np.array([9.0])).round(4)
    array([0.7222])
    """
    return 0.5 + cliffs_delta(above, below, comparisons) / 2


def rank_biserial(positive: Floats, topics: Ints) -> Floats:
    """Share of the sum of signed ranks that is positive, less the share that is negative.

    Kerby 2014, matched pairs; 0 where no topic is left.

    >>> rank_biserial(np.array([9.0]), np.array([4]))
    array([0.8])
    """
    total = topics * (topics + 1.0) / 2
    return np.where(total > 0, 2 * positive / np.maximum(total, 1.0) - 1, 0.0)


def eta_squared(between: float, total: float) -> float:
    """The share of the sum of squares that lies between the runs; NaN where all values are the same.

    >>> eta_squared(2.0, 8.0)
    0.25
    """
    return between / total if total > 0 else float("nan")


def partial_eta_squared(between: float, error: float) -> float:
    """The share of runs and error together that lies between the runs; what lies between topics is left out.

    >>> partial_eta_squared(2.0, 2.0)
    0.5
    """
    return between / (between + error) if between + error > 0 else float("nan")


def omega_squared(between: float, df_between: float, mean_square_error: float, total: float) -> float:
    """Eta squared without its bias, as it would be among all runs of this kind; it may be a little below 0.

    >>> omega_squared(2.0, 2, 0.5, 8.0)
    0.11764705882352941
    """
    whole = total + mean_square_error
    return (between - df_between * mean_square_error) / whole if whole > 0 else float("nan")
