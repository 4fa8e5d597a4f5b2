"""How many documents of a kind stand above a place among tied ones: hypergeometric chances and means over them."""

from collections.abc import Callable

import numpy as np

from rankscale.data.arrays import Floats, Ints

Counts = Ints | Floats  # whole numbers either way


def log_choices(of: Counts, chosen: Counts) -> Floats:
    """Logarithm of the number of ways to choose so many of so many; -inf where there is none."""
    factorial = _log_factorials(int(of.max(initial=0)))
    possible = (chosen >= 0) & (chosen <= of)
    n, k = np.where(possible, of, 0).astype(np.int64), np.where(possible, chosen, 0).astype(np.int64)
    return np.where(possible, factorial[n] - factorial[k] - factorial[n - k], -np.inf)


def _log_factorials(most: int) -> Floats:
    """(most + 1,): logarithms of the factorials of 0, 1, 2, ..."""
    return np.append(0.0, np.cumsum(np.log(np.arange(1.0, max(most, 1) + 1))))


def chance(of: Counts, kind: Counts, drawn: Counts, met: Counts | int) -> Floats:
    """The chance that `met` of the documents of a kind are among those drawn from so many.

    >>> chance(np.array([4]), np.array([2]), np.array([2]), 1).round(4)  # 4 of the 6 pairs
    array([0.6667])
    """
    met = np.broadcast_to(np.asarray(met), np.shape(drawn))
    ways = log_choices(kind, met) + log_choices(of - kind, drawn - met) - log_choices(of, drawn)
    share: Floats = np.exp(ways)
    return share


def place_chance(of: Counts, kind: Counts, place: Counts, which: Counts) -> Floats:
    """The chance that the document in this place, from 1, is the first, second, ... of its kind among so many.

    >>> place_chance(np.array([3]), np.array([1]), np.array([2]), np.array([1])).round(4)
    array([0.3333])
    """
    ways = log_choices(place - 1, which - 1) + log_choices(of - place, kind - which) - log_choices(of, kind)
    share: Floats = np.exp(ways)
    return share


def mean_over_count(of: Counts, kind: Counts, drawn: Counts, value: Callable[[Ints, int], Floats]) -> Floats:
    """Means over the number of documents of a kind among those drawn; all arrays are of one shape.

    Parameters
    ----------
    of, kind, drawn
        How many documents there are, how many of the kind, and how many are drawn.
    value
        Called with places in the flat arrays and a number of documents of the kind that were drawn, gives the values
        there.

    Returns
    -------
    Floats
        The means, in the shape of the arrays.

    Examples
    --------
    >>> four, two = np.array([4]), np.array([2])
    >>> mean_over_count(four, two, two, lambda where, met: np.full(len(where), float(met))).round(12)
    array([1.])
    """
    size, count, places = (np.asarray(column, dtype=np.int64).ravel() for column in (of, kind, drawn))
    others = size - count - places  # of another kind, less those drawn if none of the kind is
    factorial = _log_factorials(int(size.max(initial=0)))
    ways = factorial[count] + factorial[size - count] - factorial[size] + factorial[places] + factorial[size - places]
    total, chances = np.zeros(size.shape), np.zeros(size.shape)
    where, met = np.arange(len(size)), 0
    while len(where):
        here = where[others[where] + met >= 0]
        left = factorial[count[here] - met] + factorial[places[here] - met] + factorial[others[here] + met]
        share = np.exp(ways[here] - factorial[met] - left)
        total[here] += share * value(here, met)
        chances[here] += share
        met += 1
        where = where[np.minimum(count[where], places[where]) >= met]
    mean: Floats = total / chances  # the chances add up to 1, but for rounding
    return mean.reshape(np.shape(drawn))
