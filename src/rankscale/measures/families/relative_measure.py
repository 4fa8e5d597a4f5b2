"""Measures of relative positions, and their means and ranges over the orders of tied documents.

A relative position depends on the document and its rank alone, so each rank has the mean of those that its tied
documents would have there, and sums of them are means of sums. The best places for the relevant documents of a group
are an assignment of documents to places, each group by itself; all others add nothing, and take the places left.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.orders import with_ranks
from rankscale.measures.base.binary import Binary, TiedAtRanks
from rankscale.measures.base.measure import BestFirst, Numbers
from rankscale.measures.base.parameters import param
from rankscale.measures.base.ties import at_end, ends_at
from rankscale.measures.families.relative_position import (
    DEPTH,
    Crossing,
    PaddedRankings,
    fallen,
    minimum_and_maximum_rank,
    positions,
)

NO_RECALL_BASE = "the topic has no relevant document"
# Why a better ranking can have a lower value:
SIGNED = "0 is the best value: below it documents come too early, above it too late"
MAKES_UP = "documents that come late bring CRP back to 0, and one that is moved up makes up for less"
INCOMPLETE = "cut above rank RB, the ideal ranking does not balance, and others may"
LATE = "only a document that is met can come too late: one that is not costs nothing"
# (document, place): what is added, given where the ranking ends, relative positions, those of documents that are not
# relevant, ranks and RB.
Added = Callable[[int, Ints, Ints, Ints, int], Floats]


def not_held(*, moved_up: str = "", longer: str = "", ideal: str = "") -> Mapping[str, str]:
    """The laws about better rankings that a measure is not held to, with the reasons."""
    reasons = {
        "moving_a_relevant_document_up_never_costs": moved_up,
        "a_longer_ranking_never_costs": longer,
        "the_ideal_ranking_is_not_beaten": ideal,
    }
    return MappingProxyType({law: reason for law, reason in reasons.items() if reason})


@dataclass(frozen=True)
class Relative(TiedAtRanks, Binary):
    """A measure of relative positions: it writes `of_cut`, what a ranking cut at a rank is worth.

    One that is `linear`, a multiple of sums of relative positions, has exact means over tied documents.
    """

    linear: ClassVar[bool] = False
    # Most are best between both ends, or where documents that come late make up.
    best_first: ClassVar[BestFirst] = "never"

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

    def of_cut(self, cut: PaddedRankings) -> Numbers:
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
        cut = PaddedRankings(positions(judged, self.rel), relevant, rank)  # type: ignore[arg-type]  # whole numbers, both ways
        return np.where(cut.of.recall_base > 0, self.of_cut(cut), np.nan)


@dataclass(frozen=True)
class Crossed(Relative):
    """A measure that asks where CRP crosses 0."""

    crossing: Crossing = param(
        "return",
        help="when CRP crosses zero: at its first return ('return'), at the first change of sign, also downwards "
        "('literal'), or when it first becomes positive ('positive')",
    )


@dataclass(frozen=True, eq=False)
class MeanCut(PaddedRankings):
    """Rankings cut at some ranks, with relative positions on average over their orders."""

    gained: Floats  # (topic, any): RP less that of a document that is not relevant, summed down to the cut
    late: Floats  # (topic, any): positive RP, summed down to the cut
    lost: Floats  # (topic, any): `gained`, of the ranks down to RB only
    here: Floats  # (topic, any): `gained` by the rank of the cut alone

    def crp(self, rank: Ints) -> Floats:  # type: ignore[override]  # means are no whole numbers
        """CRP at ranks from the cut on."""
        return self.gained + fallen(rank, self.of.recall_base)

    @property
    def loss(self) -> Floats:  # type: ignore[override]
        """CRP at rank RB."""
        return self.lost + fallen(self.of.recall_base, self.of.recall_base)

    @property
    def forward(self) -> Floats:  # type: ignore[override]
        """Positive RP, summed."""
        return self.late

    @property
    def backward(self) -> Floats:  # type: ignore[override]
        """Negative RP, summed."""
        return self.crp(self.of.recall_base) - self.late

    @property
    def position(self) -> Floats:  # type: ignore[override]
        """RP at the rank of the cut."""
        position: Floats = self.here + np.minimum(self.depth - self.of.recall_base - 1, 0)
        return position


def mean_cut(table: Judged, rank: Ints, rel: float) -> MeanCut:
    """Rankings, `table` of every rank, cut at these ranks."""
    of = positions(table, rel)
    first, last = minimum_and_maximum_rank(table.counts, table.levels, rel)
    own = np.minimum(table.rank - of.recall_base - 1, 0)  # RP of a document that is not relevant
    gained, late = np.zeros(table.rank.shape), np.zeros(table.rank.shape)
    for code in np.flatnonzero(table.levels >= rel).tolist():
        share = table.tie_group_mean(table.code == code)
        position = table.rank - np.clip(table.rank, first[:, [code]], last[:, [code]])
        gained += share * (position - own)
        late += share * np.maximum(position, 0)
    end = ends_at(table, rank)
    summed = np.cumsum(gained, axis=-1)
    there = at_end(summed, end)
    return MeanCut(
        of=of,
        relevant=np.zeros(end.shape, dtype=np.int64),
        depth=np.broadcast_to(rank, end.shape),
        gained=there,
        late=at_end(np.cumsum(late, axis=-1), end),
        lost=at_end(summed, np.minimum(end, of.recall_base)),
        here=np.where(end == rank, there - at_end(summed, np.maximum(end - 1, 0)), 0.0),
    )


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
