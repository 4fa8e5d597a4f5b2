"""Relative positions on average over the orders of tied documents.

A relative position depends on the document and its rank alone, so each rank has the mean of those that its tied
documents would have there, and sums of them are means of sums.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.relative_position import Cut, fallen, minimum_and_maximum_rank, positions
from rankscale.measures.base.ties import at_end

if TYPE_CHECKING:
    from rankscale.measures.base.relative_position import Positions


@dataclass(frozen=True, eq=False)
class MeanCut(Cut):
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
    of: Positions = positions(table, rel)
    first, last = minimum_and_maximum_rank(table.counts, table.levels, rel)
    own = np.minimum(table.rank - of.recall_base - 1, 0)  # RP of a document that is not relevant
    gained, late = np.zeros(table.rank.shape), np.zeros(table.rank.shape)
    for code in np.flatnonzero(table.levels >= rel).tolist():
        share = table.tie_group_mean(table.code == code)
        position = table.rank - np.clip(table.rank, first[:, [code]], last[:, [code]])
        gained += share * (position - own)
        late += share * np.maximum(position, 0)
    end = np.minimum(np.broadcast_to(rank, (table.topics, rank.shape[-1])), table.length[:, None]).astype(np.int64)
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
