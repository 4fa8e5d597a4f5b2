"""The best precision at any rank, on average over the orders of tied documents.

Every group of ties has the same number of relevant documents above it in all orders, so that the best precisions within
the groups are independent of each other. The mean of the highest of them is a sum over the values it can take, of the
steps between them times the chance that some group goes beyond; and the chance that a group does not is that of a path,
one step for each place, that never goes above a line.
"""

from typing import NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.ties import at_end

MOST = 5000  # documents times relevant ones of a group, up to which all its paths are counted
LARGE = "where one group has many documents, and in curves"


def few_enough(table: Judged, rel: float, *, every_rank: bool) -> Bools:
    """(topic,): whether no group of ties has too many paths."""
    if every_rank:
        return ~table.tied_rows
    size, held = table.tie_group_size, table.tie_group_sum(table.relevant(rel))
    largest: Floats = np.where(held < size - 0.5, size * held, 0.0).max(axis=-1, initial=0.0)
    return largest <= MOST


class Groups(NamedTuple):
    """The groups of one ranking that hold a relevant document, above where it ends; one document may be a group."""

    above: Ints  # documents above
    size: Ints
    relevant: Ints
    before: Ints  # relevant documents above
    drawn: Ints  # places down to the end

    def at(self, place: int) -> "Groups":
        """One of them."""
        return Groups(*(column[place : place + 1] for column in self))


def interpolated_over_ties(table: Judged, rank: Ints, wanted: Floats, rel: float) -> Floats:
    """(topic, any): the mean of the best precision where `wanted`, (topic, 1), relevant documents are met or more.

    Rankings are read at these ranks; `table` has every rank, also below where they end.
    """
    ends = np.minimum(np.broadcast_to(rank, (table.topics, rank.shape[-1])), table.length[:, None]).astype(np.int64)
    met = table.relevant_so_far(rel)
    precision = np.where(met >= wanted, table.relevant(rel) * met / table.rank, 0.0)
    means = at_end(np.maximum.accumulate(precision, axis=-1), ends)  # where no order matters
    size, held = table.tie_group_size, np.rint(table.tie_group_sum(table.relevant(rel))).astype(np.int64)
    before, opens = table.above_tie_group(met), (table.rank == table.first) & (held > 0)
    matters = np.count_nonzero((held > 0) & (held < size), axis=-1) > 0
    for topic in np.flatnonzero(matters).tolist():
        first = np.flatnonzero(opens[topic])
        for column, end in enumerate(ends[topic].tolist()):
            above = first[first < end]
            there = size[topic, above], held[topic, above], before[topic, above]
            groups = Groups(above, *there, np.minimum(there[0], end - above))
            means[topic, column] = _mean(groups, float(wanted[topic, 0]))
    return means


def _mean(groups: Groups, wanted: float) -> float:
    """The mean of the best precision of one ranking."""
    most = np.minimum(groups.relevant, groups.drawn)
    # Precision rises with each relevant document, so it is highest where all of them come first, and some rank at the
    # end of a group has at least what the whole group has there.
    highest = np.where(groups.before + most >= wanted, (groups.before + most) / (groups.above + most), 0.0)
    whole = (groups.drawn == groups.size) | (groups.relevant == groups.size)
    ends = (groups.before + most) / (groups.above + np.where(groups.relevant == groups.size, most, groups.size))
    surely = float(np.where(whole & (groups.before + most >= wanted), ends, 0.0).max(initial=0.0))
    open_groups = [groups.at(place) for place in np.flatnonzero(highest > surely).tolist()]
    if not open_groups:
        return surely
    limits = np.unique(np.concatenate([[surely], *(_values(group, wanted) for group in open_groups)]))
    limits = limits[limits >= surely]
    below = np.ones(len(limits))
    for group in open_groups:
        below *= _stays_below(group, wanted, limits)
    return surely + float(np.sum(np.diff(limits) * (1.0 - below[:-1])))


def _values(group: Groups, wanted: float) -> Floats:
    """The precisions that relevant documents of a group can have."""
    count, place = np.arange(1, int(group.relevant[0]) + 1)[:, None], np.arange(1, int(group.drawn[0]) + 1)
    possible = (count <= place) & (group.relevant - count <= group.size - place) & (group.before + count >= wanted)
    values: Floats = ((group.before + count) / (group.above + place))[possible]
    return values


def _stays_below(group: Groups, wanted: float, limits: Floats) -> Floats:
    """(limit,): the chance that no relevant document of a group has a precision above each limit.

    Place by place, for each number of relevant documents met: the chance to be there and never to have been above.
    """
    count = np.arange(int(min(group.relevant[0], group.drawn[0])) + 1)
    chance = np.zeros((len(count), len(limits)))
    chance[0] = 1.0
    met = (group.before + count + 1)[:, None]
    for place in range(int(group.drawn[0])):
        next_one = np.clip((group.relevant - count) / (group.size - place), 0.0, 1.0)[:, None]
        stays = (met / (group.above + place + 1) <= limits) | (met < wanted)
        higher = chance * next_one * stays
        chance *= 1.0 - next_one
        chance[1:] += higher[:-1]
    below: Floats = chance.sum(axis=0)
    return below
