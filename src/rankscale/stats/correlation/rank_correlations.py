"""How far two measurements agree on the order of runs: Kendall's tau-b, AP correlation, and those that scipy has."""

import warnings
from functools import cache
from math import lgamma
from typing import Literal, NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, NDArray
from rankscale.stats.resampling.order_statistics import tie_groups

Signs = NDArray[np.int8]
CorrelationVerdict = Literal["equivalent", "similar", "different", "undefined"]

EQUIVALENT, SIMILAR = 0.9, 0.8  # thresholds of Voorhees (SIGIR 2001)
AT_ONCE = 1 << 18  # pairs of items that are compared at once
EXACT = 33  # items, without ties, up to which p-values count orders one by one, as scipy does
TauTies = Literal["a", "b"]


def tau_b(x: Floats, y: Floats) -> Floats:
    """Tau-b along the last axis, for each place of the other axes; NaN where x or y is constant or holds a NaN.

    Pairs in the same order less pairs in opposite order, over the geometric mean of the numbers of pairs
    that are not tied in x and in y.
    Of the three pairs here two agree, and the third is tied in x:

    >>> print(tau_b(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])).round(4))
    0.8165
    """
    return _tau(x, y, _agreement(x, y))


def tau_b_with_p(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Tau-b and its two-sided p-value against no association, NaN where tau is.

    Exact where nothing is tied and there are at most 33 items, or all pairs but one have one order; else the normal
    approximation with correction for ties. Of the 24 orders of four items four have at most one pair out of order,
    and four the opposite of that:

    >>> tau, p = tau_b_with_p(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.0, 3.0]))
    >>> print(tau.round(4), p.round(4))
    0.6667 0.3333
    """
    pairs = _agreement(x, y)
    tau, items = _tau(x, y, pairs), x.shape[-1]
    every = items * (items - 1) // 2
    fewer = (every - np.abs(pairs.agreement)) // 2  # pairs in the rarer order, where nothing is tied
    untied = (pairs.untied_x == every) & (pairs.untied_y == every)
    exact = untied & ((items <= EXACT) | (fewer <= 1))
    p = np.where(exact, _exact_p(items, np.where(exact, fewer, 0)), _normal_p(x, y, pairs))
    return tau, np.where(np.isnan(tau), np.nan, p)


def tau_b_of_all(columns: Floats) -> Floats:
    """Tau-b of each column with each, (..., column, item) to (..., column, column): a cosine of the signs of pairs.

    Columns hold no NaN: a NaN compares as equal to all.
    """
    count, items = columns.shape[-2:]
    result = np.empty((*columns.shape[:-2], count, count))
    for place in np.ndindex(columns.shape[:-2]):
        here = columns[place]
        signs = _order(here[:, :, None], here[:, None, :]).reshape(count, items * items).astype(np.float64)
        agreement = signs @ signs.T
        lengths = np.sqrt(np.diagonal(agreement))
        with np.errstate(invalid="ignore"):
            result[place] = agreement / np.outer(lengths, lengths)
    return np.clip(result, -1.0, 1.0)


def reading(tau: float) -> CorrelationVerdict:
    """The customary reading of a tau between two orders of runs (Voorhees, SIGIR 2001).

    >>> [reading(tau) for tau in (0.93, 0.9, 0.8, 0.79)]
    ['equivalent', 'similar', 'similar', 'different']
    """
    if np.isnan(tau):
        return "undefined"
    if tau > EQUIVALENT:
        return "equivalent"
    return "similar" if tau >= SIMILAR else "different"


def undefined(side: Floats) -> Bools:
    """Whether values are constant or hold a NaN along the last axis, so that they have no correlation."""
    result: Bools = np.isnan(side).any(axis=-1) | (side == side[..., :1]).all(axis=-1)
    return result


class _Pairs(NamedTuple):
    """Counts of pairs of items, for each place of the leading axes."""

    agreement: Ints  # in the same order less in opposite order
    untied_x: Ints  # not tied in x
    untied_y: Ints


def _agreement(x: Floats, y: Floats) -> _Pairs:
    shape = np.broadcast_shapes(x.shape, y.shape)
    if np.prod(shape) * shape[-1] <= AT_ONCE:
        signs_x, signs_y = (_order(side[..., :, None], side[..., None, :]) for side in (x, y))
        counted = (signs_x * signs_y, np.abs(signs_x), np.abs(signs_y))
        return _Pairs(*(one.sum(axis=(-2, -1), dtype=np.int64) // 2 for one in counted))  # each pair is there twice
    agreement, untied_x, untied_y = (np.zeros(shape[:-1], dtype=np.int64) for _ in range(3))
    for shift in range(1, x.shape[-1]):  # pairs at each distance: memory stays that of the values
        of_x, of_y = (_order(side[..., shift:], side[..., :-shift]) for side in (x, y))
        agreement += (of_x * of_y).sum(axis=-1, dtype=np.int64)
        untied_x += np.abs(of_x).sum(axis=-1, dtype=np.int64)
        untied_y += np.abs(of_y).sum(axis=-1, dtype=np.int64)
    return _Pairs(agreement, untied_x, untied_y)


def _tau(x: Floats, y: Floats, pairs: _Pairs) -> Floats:
    with np.errstate(invalid="ignore"):
        tau: Floats = pairs.agreement / np.sqrt(pairs.untied_x * pairs.untied_y.astype(np.float64))
    return np.where(np.isnan(x).any(axis=-1) | np.isnan(y).any(axis=-1), np.nan, tau)


def _order(later: Floats, earlier: Floats) -> Signs:
    """1, 0 or -1; not by a difference, which two infinite values do not have."""
    return (later > earlier).astype(np.int8) - (later < earlier).astype(np.int8)


def _exact_p(items: int, fewer: Ints) -> Floats:
    """Twice the share of all orders with at most so many pairs out of order."""
    if items > EXACT:  # then at most one pair is: one order has none, items - 1 have one
        return np.exp(np.log(np.where(fewer == 0, 2.0, 2.0 * items)) - lgamma(items + 1))
    return np.minimum(1.0, 2.0 * _share_of_orders(items)[fewer])


@cache
def _share_of_orders(items: int) -> Floats:
    """(pair,): the share of orders with at most so many pairs out of order; each item added goes to any place."""
    shares = np.ones(1)
    for places in range(2, items + 1):
        shares = np.convolve(shares, np.full(places, 1.0 / places))
    return np.cumsum(shares)


def _normal_p(x: Floats, y: Floats, pairs: _Pairs) -> Floats:
    """The normal approximation, its variance that of all orders of both sides with their ties (Kendall 1970)."""
    from scipy.special import ndtr

    items = float(x.shape[-1])
    every = items * (items - 1)
    (threes_x, fives_x), (threes_y, fives_y) = (_ties(side) for side in (x, y))
    tied_x, tied_y = every / 2 - pairs.untied_x, every / 2 - pairs.untied_y
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (
            (every * (2 * items + 5) - fives_x - fives_y) / 18
            + 2 * tied_x * tied_y / np.float64(every)
            + threes_x * threes_y / np.float64(9 * every * (items - 2))
        )
        p: Floats = 2 * ndtr(-np.abs(pairs.agreement) / np.sqrt(variance))
    return p


def _ties(side: Floats) -> tuple[Floats, Floats]:
    """Sums over groups of t tied items of t(t-1)(t-2) and t(t-1)(2t+5); each of the t gives its share."""
    if not side.shape[-1]:
        return np.zeros(side.shape[:-1]), np.zeros(side.shape[:-1])
    ordered = np.sort(side, axis=-1)
    first, last = tie_groups(ordered[..., 1:] == ordered[..., :-1])
    size = (last - first + 1).astype(np.float64)
    return ((size - 1) * (size - 2)).sum(axis=-1), ((size - 1) * (2 * size + 5)).sum(axis=-1)


def tau_ap(truth: Floats, estimate: Floats, ties: TauTies = "a") -> Floats:
    """AP correlation of an estimated order with the true one, along the last axis; greater values come first.

    Down the estimated order, each item but the first: the share of items above it that belong above it by the truth.
    The mean share, carried from [0, 1] to [-1, 1]. Not symmetric: swap the sides for the other direction. Here the
    shares of the second, third and fourth are 1, 1 and 2/3:

    >>> truth, estimate = np.array([4.0, 3.0, 2.0, 1.0]), np.array([4.0, 3.0, 1.0, 2.0])
    >>> print(tau_ap(truth, estimate).round(4))
    0.7778

    Ties (Urbano and Marrero 2017): 'a' is the exact mean over all orders of tied items, for a truth against an
    estimate of it (the paper has ties in the estimate alone; here ties of the truth are averaged too). 'b'
    does without the pairs that are tied, for two orders neither of which is the truth: see `tau_ap_mean`.
    NaN where either side is constant or holds a NaN. (Yilmaz, Aslam and Robertson, SIGIR 2008)
    """
    truth, estimate = np.broadcast_arrays(truth, estimate)
    total, counted = (np.zeros(truth.shape[:-1]) for _ in range(2))
    share_of = _mean_over_orders if ties == "a" else _untied
    for pivot in range(truth.shape[-1]):
        share, counts = share_of(truth, estimate, pivot)
        total += share
        counted += counts
    with np.errstate(invalid="ignore"):
        tau = 2 * total / counted - 1
    return np.where(undefined(truth) | undefined(estimate), np.nan, tau)


def tau_ap_mean(x: Floats, y: Floats) -> Floats:
    """The mean of both directions without tied pairs (tau_AP,b), for two orders neither of which is the truth.

    With ties it is not the mean of `tau_ap(x, y)` and `tau_ap(y, x)`, which average over the orders of tied items.

    >>> print(tau_ap_mean(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])).round(4))
    0.5
    """
    return (tau_ap(x, y, "b") + tau_ap(y, x, "b")) / 2


def _mean_over_orders(truth: Floats, estimate: Floats, pivot: int) -> tuple[Floats, Floats]:
    """The expected share of one item, over all places it may have among those it is tied with.

    With p - 1 items above its group of t, it is at p, ..., p + t - 1 equally often. Those above the group are above it
    always; of the k others of the group that are above it at p + k, half belong there by the truth, in the mean.
    """
    of_truth, of_estimate = truth[..., pivot, None], estimate[..., pivot, None]
    belongs = (truth > of_truth) + 0.5 * (truth == of_truth)
    above = estimate > of_estimate
    right, before = (belongs * above).sum(axis=-1), above.sum(axis=-1)
    group = (estimate == of_estimate).sum(axis=-1)
    items = truth.shape[-1]
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, items + 1))])
    last = np.maximum(before + group - 1, 0)  # items above it when it is the last of its group
    spread = harmonic[last] - harmonic[np.maximum(before - 1, 0)]
    places = np.where(before > 0, np.where(group == 1, 1 / np.maximum(before, 1), spread), 0.0)
    within = (group - 1 - before * (harmonic[last] - harmonic[before])) / 2
    share = (right * places + within) / np.maximum(group, 1)
    return share, 1 - (before == 0) / np.maximum(group, 1)  # how often it is not the first of all


def _untied(truth: Floats, estimate: Floats, pivot: int) -> tuple[Floats, Floats]:
    """The share among the items above the group of one; nothing for the first group."""
    above = estimate > estimate[..., pivot, None]
    right, before = ((truth > truth[..., pivot, None]) & above).sum(axis=-1), above.sum(axis=-1)
    return right / np.maximum(before, 1), (before > 0).astype(np.float64)


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
    bad = undefined(x) | undefined(y)
    for place in np.ndindex(bad.shape):
        if not bad[place]:
            result[place] = weightedtau(x[place], y[place]).statistic
    return result
