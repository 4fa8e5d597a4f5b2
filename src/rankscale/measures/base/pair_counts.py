"""Pairs in order: how many documents that stand above another one are better than it."""

import numpy as np

from rankscale.data.arrays import Ints


def better_above(place: Ints, row: Ints | None = None) -> Ints:
    """(entry,): how many entries before each one, of the same row, have a lower number: a better class.

    Entries stand in the order of the ranking; classes are numbered from 0, the best. Numbers are compared bit by bit
    from the lowest: two of them differ first, from above, at one bit, where they have the bits above it in common. So
    each bit is one stable sort by the bits above, and one running count, whatever the number of classes.

    >>> better_above(np.array([1, 0, 2, 1])).tolist()
    [0, 0, 2, 1]
    >>> better_above(np.array([1, 0, 2, 1]), np.array([0, 0, 1, 1])).tolist()
    [0, 0, 0, 0]
    """
    better = np.zeros(len(place), dtype=np.int64)
    if len(place) == 0:
        return better
    bits = int(place.max()).bit_length()
    key = place.astype(np.int64) if row is None else (row.astype(np.int64) << bits) + place
    for bit in range(bits):
        above = key >> (bit + 1)
        order = np.argsort(above, kind="stable")
        is_low = (key[order] >> bit & 1) == 0
        low = np.cumsum(is_low)  # down to each entry; what stood above its own block is taken off
        opens = np.flatnonzero(np.diff(above[order], prepend=-1))
        before = np.repeat(low[opens] - is_low[opens], np.diff(np.append(opens, len(key))))
        better[order] += np.where(is_low, 0, low - before)
    return better
