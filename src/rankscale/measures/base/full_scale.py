"""The full scale: the ranking that recovery and space are measured against."""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.relative_position import Crossing, Positions, fallen


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
        forward: Ints = recall_base * (2 * self.length - recall_base + 1) // 2 - self.of.ends
        return forward

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
