"""Additive: measures whose gains add up."""

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, SHALLOWER, Judged
from rankscale.data.memory import need
from rankscale.data.records import dataclass
from rankscale.measures.base.binary import Binary
from rankscale.measures.base.measure import BestFirst, Measure, Numbers, added, divide
from rankscale.measures.base.structure import UNKNOWN, Structure, Sums, of_weights

BYTES = 40  # that the weights of one rank take while they are made and added up


@dataclass(frozen=True)
class Additive(Measure):
    """A sum of weight(rank) * gain(grade), over a norm: this gives its curve, bounds and mean over ties at once."""

    bounded: ClassVar[bool] = True
    best_first: ClassVar[BestFirst | None] = "always"
    values_follow_gains: ClassVar[bool] = True

    def weight(self, rank: Ints) -> Floats:
        """Weight of the gain at each rank."""
        raise NotImplementedError(f"{type(self).__name__} must define weight()")

    def exact_weights(self, depth: int) -> tuple[Fraction, ...] | None:
        """The weights of ranks 1 to `depth` as fractions, up to a common factor; None where they are not rational."""
        return None

    def structure(self, depth: int | None) -> Structure:
        """A sum with the exact weights, where there are any."""
        return UNKNOWN if depth is None else of_weights(self.exact_weights(depth))

    @property
    def as_additive(self) -> "Additive":
        """The measure itself."""
        return self

    def weight_down_to(self, rank: Ints) -> Floats:
        """The weights of all ranks down to these, added up."""
        deepest = int(rank.max(initial=0))
        need(deepest * BYTES, f"{self} with a weight for each of {deepest} ranks", SHALLOWER)
        weights = self.weight(np.arange(1, deepest + 1))
        return np.append(0.0, np.cumsum(weights))[rank]

    def tail(self, rank: Ints) -> Floats:
        """Sum of the weights of all ranks beyond these, where it is finite (see `unbounded_depth`)."""
        return np.zeros(rank.shape)

    def total(self, judged: Judged) -> Numbers:
        """Weighted gains, summed down the ranking."""
        return judged.memo(
            ("total", self.at(None)),
            lambda: np.cumsum(self.weights(judged) * self.gain_met(judged), axis=-1),
        )

    def weights(self, judged: Judged) -> Floats:
        """(topic, entry), or (1, entry) if alike: the weight of each entry's rank, 0 for what only fills a row.

        Looked up: there are far fewer ranks than entries, and powers and logarithms take their time.
        """
        return weights_of(judged, self.weight)

    def gain_met(self, judged: Judged) -> Floats:
        """(topic, entry): the gain of each entry, above that of an unjudged document."""
        return judged.worth(self.gain(judged.levels, judged.highest) - self.unjudged_gain)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The sum with what unjudged documents gain, over the norm."""
        if self.unjudged_gain:
            total = total + self.unjudged_gain * self.weight_down_to(np.where(rank == BEYOND, 0, rank))
        return super().finish(total, judged, rank)

    def over_ties(self, judged: Judged) -> Numbers:
        """Each rank gains the mean of its tie group: weights do not depend on what stands where."""
        return np.cumsum(self.weights(judged) * judged.tie_group_mean(self.gain_met(judged)), axis=-1)

    def bounds(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic,) twice: worst and best value; weights that no judged document has are those of unjudged ones."""
        self.refuse_bounds()
        seen = judged.only_judged() if self.judged_only else judged
        reach, weights = self._reach(seen), self.weights(seen)
        is_judged = (seen.rank <= reach) & (seen.is_judged() > 0)
        # What pooled documents without a judgment gain is taken back: they could be anything.
        pooled = added(self._pooled(seen, (seen.rank <= reach) & ~is_judged))
        return self.bounds_around(seen, self.read(self.total(seen), seen), added(weights * is_judged), pooled)

    def bounds_around(
        self, judged: Judged, value: Floats, judged_weight: Floats, pooled: Floats | float = 0.0
    ) -> tuple[Floats, Floats]:
        """(topic,) twice: the bounds, where values and the weights of judged documents, added up, are known.

        Of `judged` only lengths, counts and levels are looked at; all other arrays are (topic,).
        """
        reach = self._reach(judged)
        unjudged = self.weight_down_to(reach)[:, 0] - judged_weight
        norm, (worst, best) = self._norm_at(judged, reach), self._extreme_gains(judged)
        fall, rise = ((extreme - self.unjudged_gain) * unjudged - pooled for extreme in (worst, best))
        return value + divide(fall, norm), value + divide(rise + best * self.tail(reach)[:, 0], norm)

    def open_to_judging(self, judged: Judged, judged_weight: Floats) -> Floats:
        """(topic,): by how much judging every document that was retrieved would bring the bounds closer.

        What remains is of ranks that hold no document: no judgment can settle it. Arguments as in `bounds_around`.
        """
        reach, (worst, best) = self._reach(judged), self._extreme_gains(judged)
        filled = np.minimum(reach, judged.length[:, None])
        weight = self.weight_down_to(filled)[:, 0] - judged_weight
        return divide((best - worst) * weight, self._norm_at(judged, reach))

    def left_open(self, judged: Judged, ranks: int) -> Floats:
        """(topic, rank): how much closer judging the document at each rank from 1 to `ranks` brings the bounds.

        >>> from rankscale.data.judged import judged
        >>> from rankscale.measures.rbp import RBP
        >>> RBP(p=0.5).left_open(judged("1 - 0"), 3)
        array([[0.5  , 0.25 , 0.125]])
        """
        self.refuse_bounds()
        reach, rank, (worst, best) = self._reach(judged), np.arange(1, ranks + 1), self._extreme_gains(judged)
        weights = np.where(rank <= reach, (best - worst) * self.weight(rank), 0.0)
        return divide(weights, self._norm_at(judged, reach)[:, None])

    def _norm_at(self, judged: Judged, reach: Ints) -> Floats:
        """(topic,): the norm of values whose unjudged documents are counted down to these ranks, (topic, 1)."""
        rank = reach if self.depth is None else np.full((judged.topics, 1), self.depth)
        return np.broadcast_to(self.norm(judged, rank), rank.shape)[:, 0].astype(np.float64)

    def bounds_curve(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic, rank) twice: the bounds of the ranking as if it ended at each rank of a table of every rank."""
        self.refuse_bounds(curve=True)
        is_judged, weights, rank = judged.is_judged() > 0, self.weights(judged), judged.common_rank
        unjudged = np.cumsum(weights * ~is_judged, axis=-1)
        pooled = np.cumsum(self._pooled(judged, ~is_judged), axis=-1)
        value, norm, (worst, best) = self.curve(judged), self.norm(judged, rank), self._extreme_gains(judged)
        fall, rise = ((extreme - self.unjudged_gain) * unjudged - pooled for extreme in (worst, best))
        return value + divide(fall, norm), value + divide(rise + best * self.tail(rank), norm)

    def _pooled(self, judged: Judged, unjudged: Bools) -> Floats:
        """(topic, entry): what pooled documents without a judgment, those of negative grade, gain as it is."""
        if not (judged.levels < 0).any():
            return np.zeros(1)
        return np.where(unjudged, self.weights(judged) * self.gain_met(judged), 0.0)

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """The tail, all of it at the highest gain."""
        _, best = self._extreme_gains(judged)
        return best * self.tail(rank)

    def _extreme_gains(self, judged: Judged) -> tuple[float, float]:
        """The gains of an unjudged document at its worst and at its best."""
        worst, best = (
            self.unjudged_gain if grade is None else float(self.gain(np.array([grade]), judged.highest)[0])
            for grade in self.extreme_grades(judged)
        )
        return worst, best


@dataclass(frozen=True)
class EqualWeights(Additive):
    """Gains added up, each rank counting as much as any other."""

    def weight(self, rank: Ints) -> Floats:
        """Every rank counts the same."""
        return np.ones(rank.shape)

    def exact_weights(self, depth: int) -> tuple[Fraction, ...]:
        """Every rank counts the same."""
        return (Fraction(1),) * depth

    def structure(self, depth: int | None) -> Structure:
        """A sum of gains, at any depth."""
        return Sums()

    def weight_down_to(self, rank: Ints) -> Floats:
        """As many as there are ranks."""
        return rank.astype(np.float64)


@dataclass(frozen=True)
class Counting(Binary, EqualWeights):
    """Relevant documents counted, each as much as any other."""


def weights_of(judged: Judged, weight: Callable[[Ints], Floats]) -> Floats:
    """(topic, entry), or (1, entry) if alike: the weight of each entry's rank, 0 for what only fills a row."""
    rank = judged.common_rank
    deepest = int(np.where(rank == BEYOND, 0, rank).max(initial=0))
    table = np.append(weight(np.arange(1, deepest + 1)), 0.0)
    return np.take(table, rank - 1, mode="clip")
