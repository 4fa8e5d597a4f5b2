"""IntentAware: any measure, taken for each sub-topic by itself and averaged by their probabilities."""

from collections.abc import Callable

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import BoundsError
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.subtopics import OverSubtopics


class IntentAware(OverSubtopics):
    """The mean over sub-topics, by their probabilities, of another measure with the qrels of each sub-topic alone."""

    @property
    def inner(self) -> Measure:
        """The other measure, at the depth of this one."""
        raise NotImplementedError(f"{type(self).__name__} must define inner")

    def ignored(self, levels: Floats) -> Bools:
        """(level,): what the other measure ignores; as long as this also ends at a grade, highest grades tell."""
        ignored = self.inner.ignored(levels)
        kept = np.logical_or.accumulate(~ignored)  # a grade above one that counts may hide it
        return ~kept

    def summed(self, judged: Judged, value: Callable[[Judged], Floats]) -> Floats:
        """(topic, any): values of the rankings judged by each sub-topic, added up by probability."""
        return self._summed(judged, lambda one, _: value(one))

    def _summed(self, judged: Judged, value: "Callable[[Judged, Ints | slice], Floats]") -> Floats:
        """The same of values that depend on which of the rankings these are, too."""
        total: Floats | None = None
        for places, weight, one in self.each(judged):
            values = value(one, places)
            if total is None:
                total = np.zeros((judged.topics, *values.shape[1:]))
            total[places] += np.where(weight > 0, weight, 0.0) * np.where(weight > 0, values, 0.0)
        return np.zeros(value(judged, slice(None)).shape) if total is None else total

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): what the other measure cumulates; values are read by sub-topic."""
        return np.zeros((judged.topics, 0))

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths."""
        inner = self.inner
        return self.summed(judged, lambda one: inner.read_at(inner.total(one), one, depths))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value of the ranking down to its end."""
        inner = self.inner
        return self.summed(judged, lambda one: inner.whole(inner.total(one), one)[:, None])[:, 0]

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value at each entry."""
        return self.summed(judged, self.inner.curve)

    @property
    def knows_tied_means(self) -> bool:
        """Whether the other measure does."""
        return self.inner.knows_tied_means

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where that of the other measure is exact for each sub-topic, and all orders are alike."""
        exact = np.ones(table.topics, dtype=bool)
        for places, weight, one in self.each(table):
            known = self.inner.exact_mean(one, every_rank=every_rank)
            known &= self.inner.all_orders_alike(one, every_rank=every_rank)
            exact[places] &= known | (weight[:, 0] == 0)
        return exact

    def tied_value(self, table: Judged) -> Floats:
        """(topic,): the mean over all orders of tied documents."""
        return self.summed(table, lambda one: self.inner.tied_value(one)[:, None])[:, 0]

    def tied_curve(self, table: Judged) -> Floats:
        """(topic, rank): the same at each rank."""
        return self.summed(table, self.inner.tied_curve)

    def refuse_bounds(self, *, curve: bool = False) -> None:
        """Raise BoundsError where the other measure has none."""
        try:
            self.inner.refuse_bounds(curve=curve)
        except BoundsError as error:
            raise BoundsError(str(self), error.reason) from None

    def bounds(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic,) twice: with what no sub-topic judges at its worst for all of them, and at its best."""
        self.refuse_bounds()
        seen = judged.only_judged() if self.judged_only else judged
        reach = self._reach(seen)
        table = seen.every_rank(int(reach.max(initial=0)))
        lowest, highest = (table.filled_aspects(grade, reach) for grade in self.inner.extreme_grades(table))
        upper = self.read(self.total(highest), highest) + self.beyond(highest, reach)[:, 0]
        return self.read(self.total(lowest), lowest), upper

    def bounds_curve(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic, rank) twice: the bounds of the ranking as if it ended at each rank of a table of every rank."""
        self.refuse_bounds(curve=True)
        lowest, highest = (judged.filled_aspects(grade, judged.rank) for grade in self.inner.extreme_grades(judged))
        return self.curve(lowest), self.curve(highest) + self.beyond(highest, highest.rank)

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): what the other measure could still gain, for each sub-topic."""
        rank = np.broadcast_to(rank, (judged.topics, rank.shape[-1]))
        return self._summed(
            judged, lambda one, places: np.broadcast_to(self.inner.beyond(one, rank[places]), rank[places].shape)
        )
