"""AP correlation: Kendall's tau with most weight on the top of the order, where systems are chosen."""

from typing import Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.correlation.kendall import undefined

Ties = Literal["a", "b"]


def tau_ap(truth: Floats, estimate: Floats, ties: Ties = "a") -> Floats:
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
    if ties not in ("a", "b"):
        raise ParameterError(
            f"tau_ap: ties must be 'a' (mean over their orders) or 'b' (tied pairs do not count): {ties!r}"
        )
    truth, estimate = np.broadcast_arrays(truth, estimate)
    total, counted = (np.zeros(truth.shape[:-1]) for _ in range(2))
    for pivot in range(truth.shape[-1]):
        share, counts = _SHARES[ties](truth, estimate, pivot)
        total += share
        counted += counts
    with np.errstate(invalid="ignore"):
        tau = 2 * total / counted - 1
    return np.where(undefined(truth) | undefined(estimate), np.nan, tau)


def tau_ap_mean(x: Floats, y: Floats, ties: Ties = "b") -> Floats:
    """The mean of both directions without tied pairs (tau_AP,b), for two orders neither of which is the truth.

    With ties it is not the mean of `tau_ap(x, y)` and `tau_ap(y, x)`, which average over the orders of tied items;
    ties='a' gives that.

    >>> print(tau_ap_mean(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])).round(4))
    0.5
    """
    mean: Floats = (tau_ap(x, y, ties) + tau_ap(y, x, ties)) / 2
    return mean


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


_SHARES = {"a": _mean_over_orders, "b": _untied}
