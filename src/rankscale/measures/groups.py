"""Any measure, by the judgments of each assessor alone."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import BoundsError
from rankscale.measures.base.gains import read_along
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.of_each import OfEach
from rankscale.measures.base.parameters import needed


@dataclass(frozen=True)
class Groups(OfEach):
    """Another measure with the judgments of each assessor (judgment group) by itself, and the mean of these.

    `Groups(AP)` is map_avgjg of trec_eval, `Groups(P)@10` P_avgjg_10. An assessor to whom nothing is relevant counts
    with the value that the other measure has then, 0 for most. With one grade for each document there is one assessor:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.ap import AP
    >>> Groups(AP()).value(judged("1 0 1")).round(4)
    array([0.8333])

    `judged_only` of the other measure takes out what that assessor did not judge, that of this one what nobody did.

    Formula
    -------
    mean over assessors of M, M the other measure with the grades of that assessor alone

    References
    ----------
    Buckley's trec_eval
    """

    by_assessor: ClassVar[bool] = True
    taken_over: ClassVar = ("takes_depth", "needs_depth", "low_is_good", "undefined", "looks_ahead")
    example: ClassVar[str] = "Groups(AP)"
    uses_recall_base: ClassVar[bool] = True  # as most measures do
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)  # those of the other measure
    best_first: ClassVar = "never"  # what one assessor wants first another one may want last

    of: Measure = field(metadata=needed("the measure that is taken for each assessor"))

    @property
    def unjudged_gain(self) -> float:
        """Gain of an unjudged document in the other measure."""
        return self.of.unjudged_gain

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade in the other measure."""
        return self.of.gain(levels, highest)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): grades that the other measure ignores, with all below them: a document has its highest grade."""
        if self.of.judged_only:
            return np.zeros(len(levels), dtype=bool)
        return ~np.logical_or.accumulate(~self.of.ignored(levels))

    def respects_order(self, levels: Sequence[float]) -> bool:
        """Whether it does: the order is that of one grade for each document, and assessors have several."""
        return False

    def mean(self, judged: Judged, value: Callable[[Judged], Floats]) -> Floats:
        """(topic, any): the mean of values of the rankings as each assessor judges them, undefined ones left out."""
        return self._mean(judged, lambda seen, _: value(seen))

    def _mean(self, judged: Judged, value: Callable[[Judged, Ints | slice], Floats]) -> Floats:
        """The same of values that depend on which of the rankings these are, too."""
        total: Floats | None = None
        for _, places, seen in judged.each_aspect():
            values = value(seen.memo("only_judged", seen.only_judged) if self.of.judged_only else seen, places)
            if total is None:
                total, number = np.zeros((2, judged.topics, *values.shape[1:]))
            counts = ~np.isnan(values)
            total[places] += np.where(counts, values, 0.0)
            number[places] += counts
        if total is None:
            return np.full(value(judged, slice(None)).shape, np.nan)
        mean: Floats = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
        return mean

    def total(self, judged: Judged) -> Numbers:
        """(topic, 0): nothing; values are read by assessor."""
        return np.zeros((judged.topics, 0))

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths."""
        return self.mean(judged, lambda seen: self.inner.read_at(self.inner.total(seen), seen, depths))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value of the ranking down to its end."""
        return self.mean(judged, lambda seen: self.inner.whole(self.inner.total(seen), seen)[:, None])[:, 0]

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value at each entry."""
        if not self.of.judged_only:
            return self.mean(judged, self.inner.curve)
        rank = np.where(judged.rank == BEYOND, 0, judged.rank)
        deepest = int(rank.max(initial=0))
        return self._mean(
            judged, lambda seen, places: read_along(self.inner.curve(seen.every_rank(deepest)), rank[places])
        )

    @property
    def knows_tied_means(self) -> bool:
        """Whether the other measure does, and looks at all documents."""
        return self.of.knows_tied_means and not self.of.judged_only

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where that of the other measure is exact for each assessor, and all orders are alike."""
        exact = np.ones(table.topics, dtype=bool)
        for _, places, seen in table.each_aspect():
            known = self.inner.exact_mean(seen, every_rank=every_rank)
            exact[places] &= known & self.inner.all_orders_alike(seen, every_rank=every_rank)
        return exact

    def tied_value(self, table: Judged) -> Floats:
        """(topic,): the mean over all orders of tied documents."""
        return self.mean(table, lambda seen: self.inner.tied_value(seen)[:, None])[:, 0]

    def tied_curve(self, table: Judged) -> Floats:
        """(topic, rank): the same at each rank."""
        return self.mean(table, self.inner.tied_curve)

    def refuse_bounds(self, *, curve: bool = False) -> None:
        """Raise BoundsError: bounds are those of one judgment for each document."""
        raise BoundsError(str(self), "each assessor left other documents unjudged; take bounds with the other measure")
