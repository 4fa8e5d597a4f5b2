"""What is computed of many pairs of rankings at once, of one pair: plain, slow, and checked by loops.

Rankings are (rank,) arrays of numbers that stand for documents, the best first, each document once.
"""

import numpy as np
from scipy.stats import kendalltau

from rankscale.data.arrays import Floats, Ints

BLOCK = 512  # documents that are compared with all above them at once


def overlap(first: Ints, second: Ints) -> float:
    """Shared documents over the length of the longer ranking; NaN if both are empty."""
    longer = max(len(first), len(second))
    return len(np.intersect1d(first, second, assume_unique=True)) / longer if longer else np.nan


def jaccard(first: Ints, second: Ints) -> float:
    """Shared documents over all documents of either; NaN if both are empty."""
    shared = len(np.intersect1d(first, second, assume_unique=True))
    every = len(first) + len(second) - shared
    return shared / every if every else np.nan


def tau(first: Ints, second: Ints) -> float:
    """Kendall's tau over the documents of both; NaN for fewer than two."""
    truth, estimate = common_ranks(first, second)
    return _tau_b(truth, estimate)


def tau_ap(first: Ints, second: Ints) -> float:
    """AP correlation over the documents of both, `first` being the truth; NaN for fewer than two."""
    truth, estimate = common_ranks(first, second)
    if len(truth) < 2:
        return np.nan
    down = truth[np.argsort(estimate)]  # ranks by the truth, down the estimated order
    right = np.empty(len(down))
    for start in range(0, len(down), BLOCK):
        own = down[start : start + BLOCK, None]
        above = np.arange(len(down)) < np.arange(start, start + len(own))[:, None]
        right[start : start + BLOCK] = ((down < own) & above).sum(axis=1)
    shares = right[1:] / np.arange(1, len(down))
    return float(2 * shares.mean() - 1)


def tau_union(first: Ints, second: Ints) -> float:
    """Kendall's tau-b over the documents of either; one that a ranking lacks is tied with all others below its end."""
    every = np.union1d(first, second)
    return _tau_b(*(_ranks(ranking, every, len(ranking) + 1) for ranking in (first, second)))


def ktu(first: Ints, second: Ints) -> float:
    """Kendall's tau of two lists paired by rank, each document being its place in the union of both.

    The union has the documents of `first` in order, then what `second` adds, and both lists are cut to the shorter;
    where both hold the same documents it is tau. NaN for fewer than two documents.
    """
    listed = np.concatenate([first, second[~np.isin(second, first)]])
    shorter = min(len(first), len(second))
    by_document = np.argsort(listed)
    places = by_document[np.searchsorted(listed[by_document], second[:shorter])]
    return _tau_b(np.arange(shorter), places)


def common_ranks(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Ranks of the shared documents in either ranking."""
    _, in_first, in_second = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return in_first, in_second


def _ranks(ranking: Ints, every: Ints, lacking: int) -> Ints:
    """(document,): ranks of `every` document, `lacking` where the ranking lacks it."""
    ranks = np.full(len(every), lacking, dtype=np.int64)
    ranks[np.searchsorted(every, ranking)] = np.arange(1, len(ranking) + 1)
    return ranks


def _tau_b(x: Ints | Floats, y: Ints | Floats) -> float:
    """Tau-b in n log n steps; NaN for fewer than two items, or where all are tied."""
    return float(kendalltau(x, y).statistic) if len(x) > 1 else np.nan


def rbo_to_depth(first: Ints, second: Ints, p: float = 0.9, depth: int = 1000) -> float:
    """Overlap summed down to a depth over the sum of the weights there, as repro_eval does; nothing is extrapolated."""
    _, in_first, in_second = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    met = np.maximum(in_first, in_second)  # depth, from 0, from which on both hold a document
    shared = np.cumsum(np.bincount(met[met < depth], minlength=depth))
    ranks = np.arange(1, depth + 1)
    weight = p ** (ranks - 1.0)
    return float((weight * shared / ranks).sum() / weight.sum())
