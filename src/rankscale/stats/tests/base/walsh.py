"""Sums of any two differences, or of one twice, at given places of their order: twice the averages of Walsh."""

import numpy as np

from rankscale.data.arrays import Floats, Ints

DIRECT = 400  # up to so many topics all sums of two differences are made, beyond they are searched for
HALVINGS = 64  # of a range, at most: what is left is less than the spacing of doubles at its ends


def walsh_sums(differences: Floats, places: Ints) -> Floats:
    """(pair, place): the sums at these places of their order, from 0; `differences` is (pair, topic).

    >>> walsh_sums(np.array([[1.0, 5.0, 2.0]]), np.array([[0, 2, 5]]))  # 2 3 4 6 7 10
    array([[ 2.,  4., 10.]])
    """
    return (_sums if differences.shape[1] <= DIRECT else _sums_by_search)(differences, places)


def _sums(differences: Floats, places: Ints) -> Floats:
    """(pair, place): the sums of any two differences, or one twice, at these places of their order."""
    one, other = np.triu_indices(differences.shape[1])
    sums = differences[:, one] + differences[:, other]
    sums.partition(np.unique(places), axis=1)
    return np.take_along_axis(sums, places, axis=1)


def _sums_by_search(differences: Floats, places: Ints) -> Floats:
    """The same, for so many topics that their sums would fill the memory."""
    return np.array([_searched(row, place) for row, place in zip(differences, places, strict=True)])


def _searched(differences: Floats, places: Ints) -> Floats:
    """(place,): halve the range in which a sum lies until it is alone there, or nothing else fits."""
    distinct, copies = np.unique(differences, return_counts=True)
    up_to = np.concatenate([[0], np.cumsum(copies)])

    def partners(limit: Floats) -> Ints:  # (place, difference): how many distinct ones may stand beside each
        return np.searchsorted(distinct, limit[:, None] - distinct, side="right")

    def twice_within(limit: Floats) -> Ints:  # (place,): each two in both orders, and each one with itself once more
        twice: Ints = up_to[partners(limit)] @ copies + up_to[np.searchsorted(distinct, limit / 2, side="right")]
        return twice

    low, high = (np.full(len(places), 2 * distinct[end]) for end in (0, -1))
    below, within = np.zeros_like(places), np.full_like(places, 2 * up_to[-1] ** 2)
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        count = twice_within(middle)
        enough = count > 2 * places
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        below, within = np.where(enough, below, count), np.where(enough, count, within)
        if (within - below <= 2).all():
            break
    last = partners(high) - 1
    sums: Floats = np.where(last >= 0, distinct + distinct[last], -np.inf).max(axis=1)
    return sums
