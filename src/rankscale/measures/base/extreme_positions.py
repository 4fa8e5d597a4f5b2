"""The orders of tied documents that make a sum of relative positions lowest and highest.

What a document adds depends on its grade and rank alone, so that the best places for the relevant documents of a group
are an assignment of documents to places, each group by itself; all others add nothing, and take the places left.
"""

from collections.abc import Callable, Iterator

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.orders import with_ranks
from rankscale.measures.base.relative_position import minimum_and_maximum_rank

# (document, place): what is added, given where the ranking ends, relative positions, those of documents that are not
# relevant, ranks and RB.
Added = Callable[[int, Ints, Ints, Ints, int], Floats]


def extreme_positions(judged: Judged, rel: float, added: Added, ends: Ints) -> tuple[Judged, Judged]:
    """The rankings in the orders whose sums are lowest, and in those whose sums are highest.

    Parameters
    ----------
    judged
        Rankings with ties.
    rel
        The lowest grade that is relevant.
    added
        What relevant documents add at the places of their group.
    ends
        (topic,): where each ranking ends.
    """
    from scipy.optimize import linear_sum_assignment

    first, last = minimum_and_maximum_rank(judged.counts, judged.levels, rel)
    recall_base = judged.recall_base(rel).tolist()
    ranks = np.stack([judged.rank, judged.rank])
    relevant = judged.relevant(rel) > 0
    for topic in np.flatnonzero(judged.tied_rows).tolist():
        for members, start, size in _groups(judged, topic):
            counts, others = members[relevant[topic, members]], members[~relevant[topic, members]]
            if len(counts) == 0:
                continue
            places, code = np.arange(start, start + size), judged.code[topic, counts]
            ideal = np.clip(places, first[topic, code][:, None], last[topic, code][:, None])
            own = np.minimum(places - recall_base[topic] - 1, 0)
            sums = added(int(ends[topic]), places - ideal, own, places, recall_base[topic])
            for row, sign in zip(ranks, (1, -1), strict=True):
                rows, chosen = linear_sum_assignment(sign * sums)
                row[topic, counts[rows]] = places[chosen]
                row[topic, others] = np.delete(places, chosen)[: len(others)]
    every = np.arange(judged.topics)
    return with_ranks(judged, every, ranks[0]), with_ranks(judged, every, ranks[1])


def _groups(judged: Judged, topic: int) -> Iterator[tuple[Ints, int, int]]:
    """The entries of each group of ties of a ranking, its first rank and its size."""
    first, last = judged.first[topic], judged.last[topic]
    tied = np.flatnonzero((first < last) & (judged.rank[topic] < BEYOND))
    for start in np.unique(first[tied]).tolist():
        members = tied[first[tied] == start]
        yield members, start, int(last[members[0]]) - start + 1
