"""Relative positions: how far each document stands from where the ideal ranking has its grade.

A document that is not relevant, or that nobody judged, stands RB + 1 - j ranks too early at rank j, and from rank
RB + 1 on where it belongs. So all that a ranking cumulates is what a ranking without relevant documents does, a closed
form, and what its relevant documents change of it. Only these are looked at here, as whole numbers, one after the other
for all rankings: sums over the first documents of a ranking are differences of two sums down all of them.

`PaddedRankings` reads them where rankings are cut, `FullScale` is the worst ranking that retrieves all there is, and
`archetype` tells the kinds of rankings apart.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, NDArray
from rankscale.data.judged import BEYOND, Judged

Crossing = Literal["return", "literal", "positive"]
DEPTH = 1000  # where rankings are cut if no depth is given: a convention of TREC, and of the authors' program
ARCHETYPES = (  # the first that fits is the ranking's
    "worst",
    "ideal",
    "full scale",
    "typical B",
    "typical A",
    "ups and downs",
    "excellent A",
    "excellent B",
)


def minimum_and_maximum_rank(counts: Ints, levels: Floats, rel: float = 1) -> tuple[Ints, Ints]:
    """(topic, level) twice: the first and the last rank of each grade in the ideal ranking.

    What is not relevant fills the ranks from RB + 1 on, without end (rank `BEYOND`). A grade that a topic does not have
    ends before it begins.

    >>> first, last = minimum_and_maximum_rank(np.array([[9, 3, 2, 2]]), np.array([0., 1., 2., 3.]))
    >>> first.tolist(), last[:, 1:].tolist()
    ([[8, 5, 3, 1]], [[7, 4, 2]])
    """
    relevant = np.where(levels >= rel, counts, 0).astype(np.int64)
    last = np.cumsum(relevant[:, ::-1], axis=-1)[:, ::-1]
    return np.where(levels >= rel, last - relevant, last) + 1, np.where(levels >= rel, last, BEYOND)


def fallen(rank: Ints, recall_base: Ints) -> Ints:
    """CRP at these ranks of a ranking without relevant documents: -RB, -RB-(RB-1), ..., the same from rank RB on."""
    rank = np.minimum(rank, recall_base)
    return rank * (rank - (2 * recall_base + 1)) // 2


@dataclass(frozen=True, eq=False)
class Positions:
    """The relevant documents of all rankings, one after the other, and what their relative positions cumulate to.

    Columns with one row more than there are documents hold sums over the first 0, 1, 2, ... of them.
    """

    recall_base: Ints  # (topic, 1)
    ends: Ints  # (topic, 1), the last ideal rank of each relevant document of the qrels, summed
    last: Ints  # (topic, relevant level), the last ideal rank of each grade, lowest grade first
    counts: Ints  # (topic, relevant level), documents of each grade
    starts: Ints  # (topic, 1), where the documents of a ranking begin
    topic: Ints  # (document,)
    rank: Ints  # (document,)
    position: Ints  # (document,), RP
    forward: Ints  # (document + 1,), positive RP, summed
    gained: Ints  # (document + 1,), RP less that of a document that is not relevant, summed

    def of_topic(self, per_topic: Ints) -> Ints:
        """(document,): a column of topics, repeated for each document."""
        return np.take(per_topic, self.topic)

    @cached_property
    def before(self) -> Ints:
        """(document,): CRP at the rank above each document."""
        above = np.take(self.gained, np.arange(len(self.rank))) - self.of_topic(np.take(self.gained, self.starts))
        return above + fallen(self.rank - 1, self.of_topic(self.recall_base))

    @cached_property
    def after(self) -> Ints:
        """(document,): CRP at the rank of each document."""
        return self.before + self.position

    @cached_property
    def lowest(self) -> tuple[Ints, Ints]:
        """(document,) twice: the lowest CRP so far and the first rank that has it, 0 for the CRP of 0 at the start.

        CRP falls at each rank down to RB that holds no relevant document, so it is lowest at a relevant document, just
        above one, or at RB. For ranks below RB, what is called `before` was there at RB.
        """
        low = np.minimum(np.minimum(self.before, self.after), 0)
        above = np.minimum(self.rank - 1, self.of_topic(self.recall_base))
        rank = np.where(low < np.minimum(self.before, 0), self.rank, above)
        # Every ranking is moved below all that come before it, so that its minimum starts anew.
        apart = self.topic * (1 - int(fallen(self.recall_base, self.recall_base).min(initial=0)))
        so_far = np.minimum.accumulate(low - apart)
        is_new = np.ones(len(low), dtype=bool)
        is_new[1:] = so_far[1:] < so_far[:-1]
        since = np.maximum.accumulate(np.where(is_new, np.arange(len(low)), 0))
        return so_far + apart, np.take(rank, since)

    @cached_property
    def down_to_recall_base(self) -> Ints:
        """(document + 1,): `gained`, of the documents down to rank RB only."""
        return summed(np.where(self.rank <= self.of_topic(self.recall_base), np.diff(self.gained), 0))

    @cached_property
    def returns(self) -> Ints:
        """(topic, 1): the first document at which CRP comes from below 0 to 0 or above it."""
        return self._first((self.before < 0) & (self.after >= 0))

    @cached_property
    def rises(self) -> Ints:
        """(topic, 1): the first document at which CRP comes from 0 or below it to above 0."""
        return self._first((self.before <= 0) & (self.after > 0))

    def _first(self, which: Bools) -> Ints:
        """(topic, 1): the first of these documents from the start of each ranking on; a later ranking's if none."""
        places = np.append(np.flatnonzero(which), len(which))
        return np.take(places, np.searchsorted(places, self.starts))


def summed(column: Ints | Bools) -> Ints:
    """Sums over the first 0, 1, 2, ... of a column."""
    sums = np.zeros(len(column) + 1, dtype=np.int64)
    np.cumsum(column, out=sums[1:])
    return sums


def positions(judged: Judged, rel: float) -> Positions:
    """The relative positions of the relevant documents, made once for all measures."""
    return judged.memo(("relative positions", rel), lambda: _positions(judged, rel))


def _positions(judged: Judged, rel: float) -> Positions:
    topic, entry = judged.relevant_entries(rel)
    place = topic * judged.rank.shape[-1] + entry
    rank = np.take(judged.rank, place).astype(np.int64)
    first, last = minimum_and_maximum_rank(judged.counts, judged.levels, rel)
    level = topic * len(judged.levels) + np.take(judged.code, place)
    recall_base = judged.recall_base(rel)[:, None].astype(np.int64)
    position = rank - np.clip(rank, np.take(first, level), np.take(last, level))
    own = np.minimum(rank - np.take(recall_base, topic) - 1, 0)  # RP of a document that is not relevant
    relevant = judged.levels >= rel
    counts, last = judged.counts[:, relevant].astype(np.int64), last[:, relevant]
    return Positions(
        recall_base=recall_base,
        ends=(counts * last).sum(axis=-1, keepdims=True),
        last=last,
        counts=counts,
        starts=np.searchsorted(topic, np.arange(judged.topics))[:, None],
        topic=topic,
        rank=rank,
        position=position,
        forward=summed(np.maximum(position, 0)),
        gained=summed(position - own),
    )


@dataclass(frozen=True, eq=False)
class PaddedRankings:
    """Rankings cut at some ranks, (topic, any), and padded with documents that are not relevant to length N."""

    of: Positions
    relevant: Ints  # (topic, any), number of relevant documents down to the cut
    depth: Ints  # (topic, any), the rank of the cut

    @cached_property
    def length(self) -> Ints:
        """N: the evaluation length, at least 2 RB."""
        return np.maximum(self.depth, 2 * self.of.recall_base)

    def sum(self, column: Ints) -> Ints:
        """A column that sums over documents, read at the cut."""
        return np.take(column, self.of.starts + self.relevant) - np.take(column, self.of.starts)

    def crp(self, rank: Ints) -> Ints:
        """CRP at ranks from the cut on."""
        return self.sum(self.of.gained) + fallen(rank, self.of.recall_base)

    @property
    def loss(self) -> Ints:
        """CRP at rank RB."""
        return self.sum(self.of.down_to_recall_base) + fallen(self.of.recall_base, self.of.recall_base)

    @property
    def position(self) -> Ints:
        """RP at the rank of the cut: that of the relevant document there, or else of one that is not relevant."""
        place = np.maximum(self.of.starts + self.relevant - 1, 0)
        rank, position = (np.take(np.append(column, 0), place) for column in (self.of.rank, self.of.position))
        is_relevant: Bools = (self.relevant > 0) & (rank == self.depth)
        relative: Ints = np.where(is_relevant, position, np.minimum(self.depth - self.of.recall_base - 1, 0))
        return relative

    @cached_property
    def forward(self) -> Ints:
        """s+: positive RP, summed."""
        return self.sum(self.of.forward)

    @cached_property
    def backward(self) -> Ints:
        """s-: negative RP, summed; below the cut, documents that are not relevant go down to RB at least."""
        return self.crp(self.of.recall_base) - self.forward

    @property
    def lowest(self) -> tuple[Ints, Ints]:
        """The lowest CRP, and the first rank that has it."""
        place = np.maximum(self.of.starts + self.relevant - 1, 0)
        met = self.relevant > 0
        value, rank = (np.where(met, np.take(np.append(column, 0), place), 0) for column in self.of.lowest)
        end = self.crp(self.of.recall_base)  # at RB, if no relevant document was met there yet; else it is not lower
        return np.minimum(value, end), np.where(end < value, self.of.recall_base, np.maximum(rank, 1))

    def balance(self, crossing: Crossing) -> Floats:
        """The balance point: RB, or the crossing if that comes later; infinite where CRP never crosses."""
        place = self.of.rises if crossing == "positive" else self.of.returns
        reached = place < self.of.starts + self.relevant
        rank = np.take(np.append(self.of.rank, 0), place) - 1
        crossing_rank = np.where(reached, np.maximum(rank, self.of.recall_base), np.inf)
        # The first CRP that is not 0 is negative, so without backward space it is 0 throughout. Where only the first
        # ranks have 0, the literal rule takes that for a crossing.
        at_once = self.backward == 0
        if crossing == "literal":
            at_once |= self._first_in_place()
        return np.where(at_once, self.of.recall_base, crossing_rank)

    def _first_in_place(self) -> Bools:
        """Whether the document at rank 1 has RP 0."""
        rank, position = (np.take(np.append(column, 0), self.of.starts) for column in (self.of.rank, self.of.position))
        in_place: Bools = (self.relevant > 0) & (rank == 1) & (position == 0)
        return in_place


@dataclass(frozen=True, eq=False)
class FullScale:
    """The ideal ranking reversed, at the end of N ranks (topic, any): the worst that retrieves all there is."""

    of: Positions
    length: Ints  # (topic, any), at least 2 RB

    @property
    def backward(self) -> Ints:
        """s-: all of the first RB documents are not relevant. The lowest CRP too."""
        return fallen(self.of.recall_base, self.of.recall_base)

    @property
    def forward(self) -> Ints:
        """s+: the last RB ranks, less the last ideal rank of the document there."""
        recall_base = self.of.recall_base
        return recall_base * (2 * self.length - recall_base + 1) // 2 - self.of.ends

    @property
    def end(self) -> Ints:
        """CRP at rank N, its highest."""
        return self.backward + self.forward

    def crp_after(self, relevant: Ints) -> Ints:
        """CRP where so many relevant documents have come, from 0 to RB of them."""
        recall_base = self.of.recall_base
        ends = np.zeros(relevant.shape, dtype=np.int64)
        for last, count in zip(self.of.last.T[:, :, None], self.of.counts.T[:, :, None], strict=True):
            ends += last * np.clip(relevant - (recall_base - last), 0, count)
        crp: Ints = self.backward + relevant * (2 * (self.length - recall_base) + relevant + 1) // 2 - ends
        return crp

    def balance(self, crossing: Crossing) -> Floats:
        """Its balance point; CRP rises with every relevant document, so that bisection finds it."""
        wanted = 1 if crossing == "positive" else 0
        recall_base = self.of.recall_base
        low, high = np.zeros(self.length.shape, dtype=np.int64), np.broadcast_to(recall_base, self.length.shape)
        for _ in range(int(recall_base.max(initial=0)).bit_length()):
            middle = (low + high) // 2
            enough = self.crp_after(middle) >= wanted
            low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
        return np.where(self.end >= wanted, self.length - recall_base + high - 1, np.inf)


def archetype(judged: Judged, depth: int | None = None, rel: float = 1) -> NDArray[np.str_]:
    """(topic,): the archetype of each ranking, cut at `depth` (1000 if none is given); empty without a recall base.

    Worst: nothing relevant retrieved. Ideal: CRP is 0 throughout. Full scale: the ideal reversed, at the end of N
    ranks. Typical B: CRP falls below 0 and never comes back. Typical A: it comes back to 0 or above at a rank greater
    than RB. Ups and downs: it comes back by rank RB, and is below 0 again later. Excellent A and B: it comes back by
    rank RB and stays; A has all relevant documents in the first RB ranks, B does not. So rho is 1 for excellent
    rankings and ups and downs, and 0 for typical B. With binary relevance only the first five can occur.

    >>> from rankscale.data.judged import judged
    >>> archetype(judged("1 1", "1 0 1", "0 0 1 1", "0 0"), depth=4).tolist()
    ['ideal', 'typical A', 'full scale', '']
    >>> archetype(judged("1 3 3", "3 1 3", "2 3 3")).tolist()  # all relevant documents first, in a wrong order
    ['typical B', 'excellent A', 'typical B']
    """
    relevant = judged.read_at(judged.relevant_so_far(rel), (depth or DEPTH,)).astype(np.int64)
    cut = PaddedRankings(positions(judged, rel), relevant, np.array([[depth or DEPTH]]))
    recall_base = cut.of.recall_base
    fits = (
        relevant == 0,
        cut.backward == 0,
        _is_full_scale(cut),
        np.isinf(cut.balance("return")),
        _return(cut, cut.of.rank) > recall_base,
        _is_below_again(cut),
        cut.sum(summed(cut.of.rank <= cut.of.of_topic(recall_base))) == recall_base,
    )
    kind = np.select(fits, range(len(fits)), default=len(fits))
    return np.array(("", *ARCHETYPES))[np.where(recall_base > 0, kind + 1, 0)[:, 0]]


def _is_full_scale(cut: PaddedRankings) -> Bools:
    """Whether all relevant documents stand in the last RB ranks, in ascending order of grades."""
    ideal_end = cut.of.rank - cut.of.position  # so far down, every document stands too late, by `position` ranks
    out_of_order = np.zeros(len(ideal_end), dtype=bool)
    out_of_order[1:] = (ideal_end[1:] > ideal_end[:-1]) & (cut.of.topic[1:] == cut.of.topic[:-1])
    too_early = cut.of.rank <= cut.of.of_topic(cut.length - cut.of.recall_base)
    is_full_scale: Bools = (cut.relevant == cut.of.recall_base) & (cut.sum(summed(out_of_order | too_early)) == 0)
    return is_full_scale


def _return(cut: PaddedRankings, column: Ints) -> Ints:
    """A column of documents, read at the one that brings CRP back to 0, where there is one."""
    return np.take(np.append(column, 0), cut.of.returns)


def _is_below_again(cut: PaddedRankings) -> Bools:
    """Whether CRP, once back at 0, is negative later: at or just above a relevant document, or from rank RB on."""
    below = summed((cut.of.before < 0) | (cut.of.after < 0))
    later = np.take(below, cut.of.starts + cut.relevant) - _return(cut, below[1:])
    return (later > 0) | (cut.crp(cut.of.recall_base) < 0)
