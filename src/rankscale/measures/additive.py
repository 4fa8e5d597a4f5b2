"""Additive: measures whose gains add up."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base import Measure, Numbers, divide


@dataclass(frozen=True)
class Additive(Measure):
    """A sum of weight(rank) * gain(grade), over a norm: this gives its curve, bounds and mean over ties at once."""

    bounded: ClassVar[bool] = True

    def weight(self, rank: Ints) -> Floats:
        """What a gain counts for at each rank."""
        raise NotImplementedError(f"{type(self).__name__} must define weight()")

    def weight_down_to(self, rank: Ints) -> Floats:
        """The weights of all ranks down to these, added up."""
        weights = self.weight(np.arange(1, int(rank.max(initial=0)) + 1))
        return np.append(0.0, np.cumsum(weights))[rank]

    def tail(self, rank: Ints) -> Floats:
        """What the weights of all ranks beyond these come to, where that is finite (see `endless`)."""
        return np.zeros(rank.shape)

    def total(self, judged: Judged) -> Numbers:
        """Weighted gains, summed down the ranking."""
        return np.cumsum(self.weight(judged.rank) * self.gain_met(judged), axis=-1)

    def gain_met(self, judged: Judged) -> Floats:
        """(topic, entry): the gain of each entry."""
        return judged.worth(self.gain(judged.levels, judged.highest), self.unjudged_gain)

    def over_ties(self, judged: Judged) -> Numbers:
        """Each rank gains the mean of its tie group: weights do not depend on what stands where."""
        return np.cumsum(self.weight(judged.rank) * judged.shared(self.gain_met(judged)), axis=-1)

    def bounds(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic,) twice: worst and best value; weights that no judged document has are those of unjudged ones."""
        self.refuse_bounds()
        seen = judged.only_judged() if self.judged_only else judged
        reach = self._reach(seen)
        known = np.where((seen.rank <= reach) & (seen.is_judged() > 0), self.weight(seen.rank), 0.0)
        unjudged = (self.weight_down_to(reach) - known.sum(axis=-1, keepdims=True))[:, 0]
        gains = self.gain(seen.levels, seen.highest)
        worst, best = min(self.unjudged_gain, gains.min(initial=0.0)), self._best(gains)
        rank = self._reach(seen) if self.depth is None else np.full((seen.topics, 1), self.depth, dtype=np.int32)
        norm = np.broadcast_to(self.norm(seen, rank), rank.shape)[:, 0]
        value = self.read(self.total(seen), seen)
        lower = value + divide((worst - self.unjudged_gain) * unjudged, norm)
        return lower, value + divide((best - self.unjudged_gain) * unjudged + best * self.tail(reach)[:, 0], norm)

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """The tail, all of it at the highest gain."""
        return self._best(self.gain(judged.levels, judged.highest)) * self.tail(rank)

    def _best(self, gains: Floats) -> float:
        """The highest gain; 1 where none is positive, since a relevant document could still turn up."""
        best = float(gains.max(initial=0.0))
        return best if best > 0 else 1.0
