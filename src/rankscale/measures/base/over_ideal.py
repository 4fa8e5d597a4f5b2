"""OverIdeal: gain over that of the best ranking there could be."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.costing import CostingDocuments
from rankscale.measures.base.gains import Cumulated
from rankscale.measures.base.measure import Numbers, divide

OUTWEIGHED = "negative gains outweigh the positive ones of the ideal ranking"
DEEPEST = 1 << 24  # where the search for the deepest depth that can be used gives up


@dataclass(frozen=True)
class OverIdeal(Cumulated, CostingDocuments):
    """Discounted gain over that of the best ranking there could be; without a depth, over the whole of it.

    Where documents that are not relevant cost something, the ideal ranking goes on with them. Without a depth it then
    ends where the ranking ends, but not before its last document with a positive gain.
    """

    uses_recall_base: ClassVar[bool] = True
    over_ideal: ClassVar[bool] = True

    def check(self) -> None:
        """State when the measure is undefined, where gains are negative."""
        super().check()
        if self.some_cost:
            object.__setattr__(self, "undefined", OUTWEIGHED)

    @property
    def has_interval_version(self) -> bool:
        """Whether there is an interval version: always, for topics whose ideal ranking gains something."""
        return True

    def has_scale(self, judged: Judged) -> Bools:
        """(topic,): whether the ideal ranking gains something down to the depth."""
        there: Bools = self.ideal(judged, None if self.depth is None else np.array([[self.depth]]))[:, 0] > 0
        return there

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the sum with what unjudged documents gain, over that of the ideal ranking."""
        return self._ratio(total, rank, self.ideal(judged, rank))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the values down to the end of each ranking, over the whole ideal."""
        end = judged.length[:, None]
        down_to = np.maximum(end, self.gaining(judged)) if self.filler_gain else None
        return self._ratio(judged.read(total)[:, None], end, self.ideal(judged, down_to))[:, 0]

    def _ratio(self, total: Numbers, rank: Ints, ideal: Floats) -> Floats:
        """(topic, any): undefined where some document costs something and the ideal ranking has gained nothing."""
        if self.unjudged_gain:
            total = total + self.unjudged_gain * self.discounts_down_to(rank)
        if not self.some_cost:
            return divide(total, ideal)
        undefined = np.full(np.broadcast_shapes(total.shape, ideal.shape), np.nan)
        ratio: Floats = np.divide(total, ideal, out=undefined, where=ideal > 0)
        return ratio

    def why_undefined(self, judged: Judged) -> str:
        """That no document has a positive gain, or the deepest depth at which the ideal rankings still gain."""
        if not self.some_cost:
            return ""
        if not (self.gaining(judged) > 0).any():
            return "some gains are negative, and no topic has a document with a positive gain"
        deepest = self._deepest(judged)
        first, last = deepest[deepest > 0].min(), deepest.max()
        every = f" ({first} for a value on every topic with a positive gain)" if first < last else ""
        return f"{OUTWEIGHED}; the deepest usable depth is {last}{every}"

    def cautions(self, values: Floats, levels: Floats, highest: float) -> Iterator[str]:  # values tell
        """That ideal rankings which hardly gain anything make ratios large."""
        low = int(np.count_nonzero(values < -1))
        if self.some_cost and low:
            yield (
                f"values are below -1 for {low} of {values.size} rankings, where costs nearly outweigh the gains of "
                "the ideal ranking; they dominate means, and a smaller depth has fewer of them"
            )

    def _deepest(self, judged: Judged) -> Ints:
        """(topic,): the last rank at which the ideal ranking has gained something; it rises first, then falls."""
        gaining = self.gaining(judged)
        within, beyond = gaining, np.maximum(2 * gaining, 1)
        while (still := self.ideal(judged, beyond) > 0).any() and beyond.max() < DEEPEST:
            within, beyond = np.where(still, beyond, within), np.where(still, 2 * beyond, beyond)
        while (beyond - within > 1).any():
            middle = (within + beyond) // 2
            reached = self.ideal(judged, middle) > 0
            within, beyond = np.where(reached, middle, within), np.where(reached, beyond, middle)
        return np.where(gaining > 0, within, 0)[:, 0]
