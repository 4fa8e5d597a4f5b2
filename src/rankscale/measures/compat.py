"""Compatibility with an ideal ranking."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import RBP_P, param
from rankscale.measures.base.ties import mean_over_count


@dataclass(frozen=True)
class Compat(Measure):
    """The rank-biased overlap of a ranking with the ideal ranking that is most like it.

    The ideal holds the documents with a grade above 0, best grade first and in the order of the ranking where grades
    are equal. Overlap counts without end; ir_measures stops where the longer of both does, which differs for short
    rankings. `normalize` divides by the overlap of the ideal with itself, which is below 1 since the ideal ends. A
    document at rank a, and b in the ideal, counts at all ranks from max(a, b) on. With p=0 only the first rank counts:

    >>> from rankscale.data.judged import judged
    >>> Compat(p=0).value(judged("2 1", "1 2"))
    array([1., 0.])

    Formula
    -------
    (1 - p) sum over ranks i of p^(i-1) (documents in the first i of both) / i, over that of the ideal with itself

    User model
    ----------
    compares a ranking with the ideal one from the top, and reads on with probability p

    References
    ----------
    Clarke, Vtyurina and Smucker, Assessing Top-k Preferences, TOIS 39(3), 2021
    """

    best_first: ClassVar = "always"
    uses_recall_base: ClassVar[bool] = True

    p: float = param(0.95, ge=0, lt=1, help=RBP_P)
    normalize: bool = param(True, help="whether to divide by the value of the ideal ranking")

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that are not in the ideal ranking."""
        return levels <= 0

    def total(self, judged: Judged) -> Floats:
        """(topic, entry): overlap that each document of the ideal adds from where both rankings hold it, summed."""
        in_ideal = judged.code >= np.searchsorted(judged.levels, 0.0, side="right")
        shared = np.where(in_ideal, np.maximum(judged.rank, self._ideal_rank(judged)), 1)
        return np.cumsum(np.where(in_ideal, self._from_rank(int(shared.max(initial=1)))[shared], 0.0), axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The overlap of the ideal with itself."""
        if not self.normalize:
            return np.ones(1)
        size = judged.counts[:, judged.levels > 0].sum(axis=-1, keepdims=True)
        counted = self._from_rank(int(size.max(initial=1)))[1:]  # position 0 belongs to no rank
        whole: Floats = np.append(0.0, np.cumsum(counted))[size]
        return whole

    def _ideal_rank(self, judged: Judged) -> Ints:
        """(topic, entry): the rank of each entry in the ideal, after all better ones and those as good above it."""
        order = np.argsort(judged.code, axis=-1, kind="stable")
        code = np.take_along_axis(judged.code, order, axis=-1)
        width = code.shape[-1]
        opens = np.ones(code.shape, dtype=bool)
        opens[:, 1:] = code[:, 1:] != code[:, :-1]
        above = np.arange(width) - np.maximum.accumulate(np.where(opens, np.arange(width), 0), axis=-1)
        as_good = np.empty(code.shape, dtype=np.int64)
        np.put_along_axis(as_good, order, above, axis=-1)
        better = judged.counts.sum(axis=-1, keepdims=True) - np.cumsum(judged.counts, axis=-1)
        return np.take_along_axis(np.pad(better, ((0, 0), (0, 1))), judged.code.astype(np.int64), axis=-1) + as_good + 1

    def _from_rank(self, deepest: int) -> Floats:
        """(deepest + 1,): the sum of (1 - p) p^(i-1) / i over the ranks i from each rank on."""
        # From the top, as the sum of all less what comes before: each number is then the same however deep one goes.
        p = float(self.p)
        rank = np.arange(1.0, deepest)
        every = -(1.0 - p) * math.log1p(-p) / p if p > 0 else 1.0
        earlier = np.cumsum((1.0 - p) * np.power(p, rank - 1.0) / rank)
        return np.maximum(every - np.concatenate([[0.0, 0.0], earlier]), 0.0)

    def over_ties(self, judged: Judged) -> Floats:
        """The mean over how many of its grade stand above each document of the ideal among those it is tied with."""
        size, place, total = judged.tie_group_size, judged.rank - judged.first, np.zeros(judged.rank.shape)
        better = judged.counts.sum(axis=-1, keepdims=True) - np.cumsum(judged.counts, axis=-1)
        deepest = int(max(judged.rank.shape[-1], judged.counts.sum(axis=-1).max(initial=0))) + 1
        counted, rank = self._from_rank(deepest), judged.rank.ravel()
        for code in np.flatnonzero(judged.levels > 0).tolist():
            alike = judged.code == code
            share = judged.tie_group_mean(alike)
            tied = np.maximum(np.rint(share * size) - 1, 0)
            above = judged.above_tie_group(np.cumsum(alike, axis=-1)) + better[:, [code]]
            ideal = np.where(share > 0, above, 0).ravel().astype(np.int64)

            def overlap(where: Ints, met: int, ideal: Ints = ideal) -> Floats:
                return counted[np.maximum(rank[where], ideal[where] + met + 1)]

            total += share * mean_over_count(size - 1, tied, place, overlap)
        return np.cumsum(total, axis=-1)

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """The ideal has higher grades first."""
        return np.maximum(levels, 0.0), 0.0
