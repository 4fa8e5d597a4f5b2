"""Interpolated precision: the best precision at a level of recall or beyond, and its mean over levels.

Over the orders of tied documents, every group of ties has the same number of relevant documents above it, so that the
best precisions within the groups are independent of each other. The mean of the highest of them is a sum over the
values it can take, of the steps between them times the chance that some group goes beyond; and the chance that a group
does not is that of a path, one step for each place, that never goes above a line.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import OfRelevance, TiedAtRanks
from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.parameters import needed, param, rel_param
from rankscale.measures.base.ties import at_end, ends_at

MOST = 5000  # documents times relevant ones of a group, up to which all its paths are counted
TREC_EVAL_9, TREC_EVAL_10 = 9, 10


class Interpolated(TiedAtRanks, OfRelevance):
    """A measure of interpolated precision."""

    uses_recall_base: ClassVar[bool] = True
    drawn_ties: ClassVar[str] = "where one group has many documents, and in curves"

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where no group of ties has too many paths; curves draw orders of all groups."""
        if every_rank:
            return ~table.tied_rows
        size, held = table.tie_group_size, table.tie_group_sum(table.relevant(self.rel))
        largest: Floats = np.where(held < size - 0.5, size * held, 0.0).max(axis=-1, initial=0.0)
        return largest <= MOST


@dataclass(frozen=True)
class IPrec(Interpolated):
    """The best precision at any rank where the recall is at least this high; written IPrec@0.1.

    How many relevant documents a recall level asks for is rounded as `version` 9 or 10 of trec_eval does. Recall 1/2
    of three relevant documents asks for two of them; precision is 1/2 at the second, 3/5 at the third:

    >>> from rankscale.data.judged import judged
    >>> IPrec(recall=0.5).value(judged("1 0 0 1 1"))
    array([0.6])

    Formula
    -------
    max of P@i over ranks i that have int(recall * RB + 0.9) relevant documents; in version 10 round(recall * RB)

    References
    ----------
    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005
    """

    takes_depth: ClassVar[bool] = False
    at_parameter: ClassVar[str] = "recall"

    recall: float = field(metadata=needed("the level of recall", ge=0, le=1))
    rel: float = rel_param()
    version: Literal[9, 10] = param(9, help="the version of trec_eval whose recall levels are met, 9 or 10")

    def total(self, judged: Judged) -> Floats:
        """The best precision so far, 0 until enough relevant documents are met."""
        return interpolated(judged, self.recall, self.rel, self.version)

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the mean of the best precision."""
        return interpolated_over_ties(table, rank, wanted(table, self.recall, self.rel, self.version), self.rel)


def interpolated(judged: Judged, recall: float, rel: float, version: int) -> Floats:
    """(topic, entry): interpolated precision at this recall, as if the ranking ended at each entry.

    Precision only rises at relevant documents, so no other rank can hold its highest value.
    """
    met = judged.relevant_so_far(rel)
    precision = judged.memo(("precision", rel), lambda: judged.relevant(rel) * met / judged.rank)
    enough = met >= wanted(judged, recall, rel, version)
    return np.maximum.accumulate(np.where(enough, precision, 0.0), axis=-1)


def wanted(judged: Judged, recall: float, rel: float, version: int) -> Floats:
    """(topic, 1): how many relevant documents a level of recall asks for."""
    share = recall * judged.recall_base(rel)[:, None].astype(np.float64)
    if version == TREC_EVAL_9:
        return np.floor(share + 0.9)
    whole = np.floor(share)
    return whole + (share - whole >= 0.5)  # halves go up, as in C's lround; numpy's go to even


@dataclass(frozen=True)
class AP11(Interpolated):
    """The mean of interpolated precision at recall 0, 0.1, ..., 1, or at other levels.

    With one relevant document out of one at rank 2, precision is 1/2 at every level:

    >>> from rankscale.data.judged import judged
    >>> AP11().value(judged("0 1"))
    array([0.5])

    Formula
    -------
    mean of IPrec over the recall levels

    References
    ----------
    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005
    """

    recalls: tuple[float, ...] = param(
        (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1), help="the levels of recall that are averaged"
    )
    rel: float = rel_param()
    version: Literal[9, 10] = param(9, help="the version of trec_eval whose recall levels are met, 9 or 10")

    def check(self) -> None:
        """Raise ParameterError for levels that are no recall."""
        if not self.recalls or any(not 0 <= recall <= 1 for recall in self.recalls):
            given = ", ".join(map(str, self.recalls)) or "none"
            raise ParameterError(f"{self.name}: recall levels must lie between 0 and 1, got {given}")

    def total(self, judged: Judged) -> Floats:
        """Interpolated precision, summed over the levels."""
        total = np.zeros(judged.rank.shape)
        for recall in reversed(self.recalls):  # trec_eval adds from the highest level down
            total += interpolated(judged, recall, self.rel, self.version)
        return total

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The number of levels."""
        return np.full(1, float(len(self.recalls)))

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the mean over levels of the means of the best precision."""
        total = np.zeros((table.topics, rank.shape[-1]))
        for recall in reversed(self.recalls):
            level = wanted(table, recall, self.rel, self.version)
            total += interpolated_over_ties(table, rank, level, self.rel)
        return total / len(self.recalls)


@dataclass(frozen=True)
class AP3(AP11):
    """The mean of interpolated precision at recall 0.2, 0.5 and 0.8.

    Of two relevant documents, recall 0.2 and 0.5 ask for one and 0.8 for both: (1 + 1 + 2/4) / 3.

    >>> from rankscale.data.judged import judged
    >>> AP3().value(judged("1 0 0 1")).round(4)
    array([0.8333])

    Formula
    -------
    mean of IPrec over the recall levels

    References
    ----------
    Buckley's trec_eval 3, 3-pt_avg; Salton and McGill, Introduction to Modern Information Retrieval, 1983
    """

    recalls: tuple[float, ...] = param((0.2, 0.5, 0.8), help="the levels of recall that are averaged")


class DocumentGroups(NamedTuple):
    """The groups of one ranking that hold a relevant document, above where it ends; one document may be a group."""

    above: Ints  # documents above
    size: Ints
    relevant: Ints
    before: Ints  # relevant documents above
    drawn: Ints  # places down to the end

    def at(self, place: int) -> "DocumentGroups":
        """One of them."""
        return DocumentGroups(*(column[place : place + 1] for column in self))


def interpolated_over_ties(table: Judged, rank: Ints, wanted: Floats, rel: float) -> Floats:
    """(topic, any): the mean of the best precision where `wanted`, (topic, 1), relevant documents are met or more.

    Rankings are read at these ranks; `table` has every rank, also below where they end.
    """
    ends = ends_at(table, rank)
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
            groups = DocumentGroups(above, *there, np.minimum(there[0], end - above))
            means[topic, column] = _mean(groups, float(wanted[topic, 0]))
    return means


def _mean(groups: DocumentGroups, wanted: float) -> float:
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


def _values(group: DocumentGroups, wanted: float) -> Floats:
    """The precisions that relevant documents of a group can have."""
    count, place = np.arange(1, int(group.relevant[0]) + 1)[:, None], np.arange(1, int(group.drawn[0]) + 1)
    possible = (count <= place) & (group.relevant - count <= group.size - place) & (group.before + count >= wanted)
    return ((group.before + count) / (group.above + place))[possible]


def _stays_below(group: DocumentGroups, wanted: float, limits: Floats) -> Floats:
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
