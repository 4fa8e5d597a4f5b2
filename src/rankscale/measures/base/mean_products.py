"""Products down a ranking, on average over the orders of tied documents: elementary symmetric sums."""

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged


def mean_products(judged: Judged, factor: Floats) -> Floats:
    """(topic, rank): the product of the factors of all documents down to each rank, on average over all orders.

    After j of n tied documents it is the mean over all sets of j of them, the elementary symmetric sum of degree j of
    their factors over C(n, j). One more document, of factor f, makes ((n + 1 - j) m_j + j f m_(j-1)) / (n + 1) of the
    means m; documents of factor 1 come first, and their means are 1.

    Parameters
    ----------
    judged
        A table of every rank.
    factor
        (topic, rank): the factor of each document, 1 for most.

    Examples
    --------
    >>> from rankscale.data.judged import judged
    >>> mean_products(judged("1=0=1").every_rank(3), np.array([[0.5, 1.0, 0.5]]))
    array([[0.66666667, 0.41666667, 0.25      ]])
    """
    changes = factor != 1
    held = np.rint(judged.tie_group_sum(changes)).astype(np.int64)
    # Whole groups, one after the other: what stands before a place other than the first is the place above.
    cells = np.flatnonzero(held > 0)
    place, documents = np.take(judged.rank - judged.first + 1, cells), np.take(judged.tie_group_size - held, cells)
    to_come = np.take(held, cells)
    factors = factor[changes]  # topic by topic, from the top: those of a group stand together
    earlier = np.cumsum(changes).reshape(changes.shape) - np.cumsum(changes, axis=-1)  # in the topics before
    first = np.take(earlier + judged.above_tie_group(np.cumsum(changes, axis=-1, dtype=np.int64)), cells)
    mean, kept, added = np.ones(len(cells)), np.arange(len(cells)), 0
    while len(kept):
        above = np.where(place[kept] > 1, np.append(1.0, mean[kept])[:-1], 1.0)
        degree, number = place[kept], documents[kept] + added + 1
        grown = ((number - degree) * mean[kept] + degree * factors[first[kept] + added] * above) / number
        mean[kept] = np.where(degree <= number, grown, 0.0)
        added += 1
        kept = kept[to_come[kept] > added]
    within = np.ones(factor.size)
    within[cells] = mean
    so_far = np.pad(np.cumprod(factor, axis=-1), ((0, 0), (1, 0)), constant_values=1.0)
    products: Floats = np.take_along_axis(so_far, judged.first - 1, axis=-1) * within.reshape(factor.shape)
    return products
