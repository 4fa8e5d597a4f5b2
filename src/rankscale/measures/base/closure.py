"""The transitive closure of a relation, and the cycles that it shows."""

import numpy as np

from rankscale.data.arrays import Bools


def closure(related: Bools) -> Bools:
    """(n, n): whether a chain of relations leads from the first to the second.

    >>> closure(np.array([[False, True, False], [False, False, True], [False, False, False]])).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    packed = np.packbits(related, axis=-1)
    for middle in range(len(related)):  # Warshall: what leads to it leads to all that it leads to
        reaches = (packed[:, middle >> 3] >> (7 - (middle & 7)) & 1).astype(bool)
        if reaches.any():
            packed[reaches] |= packed[middle]
    closed: Bools = np.unpackbits(packed, axis=-1, count=related.shape[-1]).astype(bool)
    return closed
