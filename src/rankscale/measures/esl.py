"""Expected search length."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import TiedAtRanks, parted_group
from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.parameters import param, rel_param
from rankscale.measures.base.ties import end_of


@dataclass(frozen=True)
class ESL(TiedAtRanks):
    """Documents that are not relevant and stand above the n-th relevant one, on average over ties; low is good.

    Documents with equal scores may come in any order. Where the group that brings the n-th relevant document holds
    r relevant and i other ones, and must give s relevant ones, a user meets i*s/(r + 1) of the others on average.

    One stands above the tied documents. Of these two of three are not relevant, and one relevant is wanted: 1 + 2/2.

    >>> from rankscale.data.judged import judged
    >>> ESL().value(judged("0 1=0=0 1"))
    array([2.])

    A ranking that ends inside a group of ties is taken with the documents that it has.

    Formula
    -------
    j + i*s/(r+1), with j not relevant in earlier tie groups, and r relevant, i not relevant and s wanted in the group
    of the n-th

    User model
    ----------
    reads from the top until n relevant documents are met

    References
    ----------
    Cooper, Expected Search Length, American Documentation 19(1), 1968
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    takes_depth: ClassVar[bool] = False
    only_relevant: ClassVar[bool] = True
    low_is_good: ClassVar[bool] = True
    undefined: ClassVar[str] = "fewer than n relevant documents are retrieved"

    n: int = param(1, ge=1, help="which relevant document is looked for: the n-th")
    rel: float = rel_param()

    def total(self, judged: Judged) -> Numbers:
        """Relevant documents met."""
        return judged.relevant_so_far(self.rel)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): search length of rankings that end at these ranks."""
        wanted = (judged.relevant(self.rel) > 0) & (judged.relevant_so_far(self.rel) == self.n)
        first, last = (
            np.where(wanted, edge, 0).max(axis=-1, initial=0, keepdims=True).astype(np.int64)
            for edge in (judged.first, judged.last)
        )
        earlier, down_to_group = (self._relevant_above(judged, edge) for edge in (first, last + 1))
        relevant = np.maximum(np.minimum(total, down_to_group) - earlier, 0)  # less where the n-th is not met
        others = np.minimum(rank, last) - first + 1 - relevant
        searched = first - 1 - earlier + others * (self.n - earlier) / (relevant + 1.0)
        return np.where(total >= self.n, searched, np.nan)

    def _relevant_above(self, judged: Judged, rank: Ints) -> Ints:
        """(topic, 1): relevant documents above this rank."""
        count: Ints = np.count_nonzero((judged.relevant(self.rel) > 0) & (judged.rank < rank), axis=-1, keepdims=True)
        return count

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where all orders, or none, bring the n-th relevant document down to the rank."""
        surely, perhaps = self._brought(table, table.rank.astype(np.int64) if every_rank else end_of(self, table))
        return np.logical_not(((surely < self.n) & (perhaps >= self.n)).any(axis=-1))

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the value as it is; undefined where no order brings the n-th document down to the rank."""
        width = table.rank.shape[-1]
        searched = self.finish(self.total(table)[:, -1:], table, np.full((table.topics, 1), width)) if width else np.nan
        return np.where(self._brought(table, rank)[0] >= self.n, searched, np.nan)

    def _brought(self, table: Judged, rank: Ints) -> tuple[Floats, Floats]:
        """(topic, any) twice: relevant documents down to these ranks in all orders of tied documents, and in some."""
        group = parted_group(table, rank, self.rel)
        surely = group.before + np.maximum(group.relevant - (group.size - group.drawn), 0)
        return surely, group.before + np.minimum(group.relevant, group.drawn)
