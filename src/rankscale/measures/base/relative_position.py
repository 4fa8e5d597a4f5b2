"""Relative positions: how far each document stands from where the ideal ranking has its grade.

A document that is not relevant, or that nobody judged, stands RB + 1 - j ranks too early at rank j, and from rank
RB + 1 on where it belongs. So all that a ranking cumulates is what a ranking without relevant documents does, a closed
form, and what its relevant documents change of it. Only these are looked at here, as whole numbers, one after the other
for all rankings: sums over the first documents of a ranking are differences of two sums down all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.measures.base.binary import Binary, TiedAtRanks
from rankscale.measures.base.measure import BestFirst, Numbers
from rankscale.measures.base.parameters import CROSSING, param

Crossing = Literal["return", "literal", "positive"]
DEPTH = 1000  # where rankings are cut if no depth is given: a convention of TREC, and of the authors' program
NO_RECALL_BASE = "the topic has no relevant document"
# Why a better ranking can have a lower value:
SIGNED = "0 is the best value: below it documents come too early, above it too late"
MAKES_UP = "documents that come late bring CRP back to 0, and one that is moved up makes up for less"
INCOMPLETE = "cut above rank RB, the ideal ranking does not balance, and others may"
LATE = "only a document that is met can come too late: one that is not costs nothing"


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
    fall: Ints = rank * (rank - (2 * recall_base + 1)) // 2
    return fall


def not_held(*, moved_up: str = "", longer: str = "", ideal: str = "") -> Mapping[str, str]:
    """The laws about better rankings that a measure is not held to, with the reasons."""
    reasons = {
        "moving_a_relevant_document_up_never_costs": moved_up,
        "a_longer_ranking_never_costs": longer,
        "the_ideal_ranking_is_not_beaten": ideal,
    }
    return MappingProxyType({law: reason for law, reason in reasons.items() if reason})


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
class Cut:
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


@dataclass(frozen=True)
class Relative(TiedAtRanks, Binary):
    """A measure of relative positions: it writes `of_cut`, what a ranking cut at a rank is worth.

    One that is `linear`, a multiple of sums of relative positions, has exact means over tied documents.
    """

    linear: ClassVar[bool] = False
    best_first: ClassVar[BestFirst] = (
        "never"  # most are best between both ends, or where documents that come late make up
    )

    uses_recall_base: ClassVar[bool] = True
    feasible_only: ClassVar[bool] = True
    undefined: ClassVar[str] = NO_RECALL_BASE

    @property
    def assumed_depth(self) -> int | None:
        """1000, where no depth is given."""
        return DEPTH if self.depth is None else None

    def length_note(self) -> str:
        """What N is."""
        k = "k" if self.depth is None else str(self.depth)
        given = f", k the depth, {DEPTH} without one" if self.depth is None else ""
        ends = ", ".join((k, *self.least_lengths))
        return f"N = max({ends}){given}: rankings are cut at {k} and padded to N with documents that are not relevant"

    @property
    def least_lengths(self) -> tuple[str, ...]:
        """What N is at least, besides the depth."""
        return ("2 RB",)

    def of_cut(self, cut: Cut) -> Numbers:
        """(topic, any): the value of rankings that are cut at some ranks."""
        raise NotImplementedError(f"{type(self).__name__} must define of_cut()")

    @classmethod
    def tie_order(cls) -> BestFirst:
        """Of linear measures the extreme orders are known, though they may not be best first."""
        return "always" if cls._assigned() else super().tie_order()

    @classmethod
    def _assigned(cls) -> bool:
        """Whether the extreme orders are those of an assignment of documents to places."""
        return cls.linear and cls.best_first == "never"

    @property
    def knows_tied_means(self) -> bool:
        """Whether values are sums of relative positions."""
        return self.linear

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the values of rankings with the mean relative positions."""
        from rankscale.measures.base.mean_position import mean_cut

        cut = mean_cut(table, rank, self.rel)
        return np.where(cut.of.recall_base > 0, self.of_cut(cut), np.nan)

    def tied_value(self, table: Judged) -> Floats:
        """(topic,): at 1000 without a depth."""
        rank = np.full((table.topics, 1), DEPTH if self.depth is None else self.depth)
        return self.tied_at(table, rank)[:, 0]

    def added(self, end: int, position: Ints, own: Ints, rank: Ints, recall_base: int) -> Floats:
        """(document, place): what relevant documents add to the sum that a linear measure is a multiple of.

        Parameters
        ----------
        end
            Where the ranking is cut.
        position, own
            RP of the documents at these places, and of documents that are not relevant.
        rank, recall_base
            The ranks of the places, and RB.
        """
        return np.where(rank <= end, position - own, 0).astype(np.float64)

    def exact_range(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): of linear measures, all; in curves each rank has extreme orders of its own."""
        if self._assigned():
            return np.full(table.topics, not every_rank)
        return super().exact_range(table, every_rank=every_rank)

    def extreme_orders(self, judged: Judged) -> tuple[Judged, Judged]:
        """Of linear measures, the orders with the lowest and with the highest sum."""
        if not self._assigned():
            return super().extreme_orders(judged)
        from rankscale.measures.base.extreme_positions import extreme_positions

        ends = np.minimum(judged.length, DEPTH if self.depth is None else self.depth)
        return extreme_positions(judged, self.rel, self.added, ends)

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """Relevant grades from the lowest to the highest, above all that is not relevant."""
        return np.where(levels >= self.rel, np.arange(1.0, len(levels) + 1), 0.0), 0.0

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """Without a depth, the value at 1000."""
        return self.read_at(total, judged, (DEPTH,))[:, 0]

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The values, undefined without a recall base."""
        relevant = total.astype(np.int64) if total.dtype == np.float64 else total  # what was read at a depth is a float
        cut = Cut(positions(judged, self.rel), relevant, rank)  # type: ignore[arg-type]  # whole numbers, both ways
        return np.where(cut.of.recall_base > 0, self.of_cut(cut), np.nan)


@dataclass(frozen=True)
class Crossed(Relative):
    """A measure that asks where CRP crosses 0."""

    crossing: Crossing = param("return", help=CROSSING)
