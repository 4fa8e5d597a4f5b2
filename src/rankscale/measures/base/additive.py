"""Additive: measures whose gains add up."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, SHALLOWER, Judged
from rankscale.data.resources import need
from rankscale.measures.base.measure import BestFirst, Measure, Numbers, added, divide
from rankscale.measures.base.structure import UNKNOWN, GainSums, Structure, of_weights
from rankscale.measures.base.ties import at_end, ends_at

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
    def as_additive(self) -> "Additive | None":
        """The measure itself; None where its parameters make weights depend on what stands above."""
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

    def weight_between(self, above: Ints, rank: Ints) -> Floats:
        """The weights of the ranks from `above` + 1 to `rank`, added up; 0 where there are none."""
        if self.unbounded_depth:  # tails keep their digits where little is left
            return self.tail(above) - self.tail(rank)
        return self.weight_down_to(rank) - self.weight_down_to(above)

    def unjudged_weight(self, judged: Judged, rank: Ints, owner: Ints) -> Floats:
        """(topic,): the weights of ranks that hold no judged document, added up gap by gap: 0 where there is no gap.

        Parameters
        ----------
        judged
            Rankings, of which only lengths are looked at.
        rank, owner
            (entry,) each: ranks of their judged documents, those of one topic together and top down, and the topics.
        """
        reach = self._reach(judged)
        kept = rank <= reach[owner, 0]
        rank, owner = rank[kept], owner[kept]
        above = np.zeros(rank.shape, dtype=rank.dtype)
        above[1:] = np.where(owner[1:] == owner[:-1], rank[:-1], 0)
        gap = np.flatnonzero(above < rank - 1)
        weight = self.weight_between(above[gap], rank[gap] - 1)
        gaps = np.bincount(owner[gap], weight, len(reach)).astype(np.float64, copy=False)
        last = np.zeros(reach.shape, dtype=np.int64)
        last[owner, 0] = rank  # of several, the last one written stays
        return gaps + np.where(last < reach, self.weight_between(last, reach), 0.0)[:, 0]

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
        if self.as_additive is None:
            return super().bounds(judged)
        self.refuse_bounds()
        seen = judged.only_judged() if self.judged_only else judged
        reach, is_judged = self._reach(seen), seen.is_judged() > 0
        # What pooled documents without a judgment gain is taken back: they could be anything.
        pooled = added(self._pooled(seen, (seen.rank <= reach) & ~is_judged))
        owner, entry = np.nonzero(is_judged)
        unjudged = self.unjudged_weight(seen, seen.rank[owner, entry], owner)
        return self.bounds_around(seen, self.read(self.total(seen), seen), unjudged, pooled)

    def bounds_around(
        self, judged: Judged, value: Floats, unjudged: Floats, pooled: Floats | float = 0.0
    ) -> tuple[Floats, Floats]:
        """(topic,) twice: the bounds, where values and what `unjudged_weight` gives are known.

        Of `judged` only lengths, counts and levels are looked at; all other arrays are (topic,).
        """
        reach = self._reach(judged)
        norm, (worst, best) = self._norm_at(judged, reach), self._extreme_gains(judged)
        fall, rise = ((extreme - self.unjudged_gain) * unjudged - pooled for extreme in (worst, best))
        return value + divide(fall, norm), value + divide(rise + best * self.tail(reach)[:, 0], norm)

    def open_to_judging(self, judged: Judged, unjudged: Floats) -> Floats:
        """(topic,): by how much judging every document that was retrieved would bring the bounds closer.

        What remains is of ranks that hold no document: no judgment can settle it. Arguments as in `bounds_around`.
        """
        reach, (worst, best) = self._reach(judged), self._extreme_gains(judged)
        filled = np.minimum(reach, judged.length[:, None])
        empty = np.where(filled < reach, self.weight_between(filled, reach), 0.0)[:, 0]
        return divide((best - worst) * np.maximum(unjudged - empty, 0.0), self._norm_at(judged, reach))

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
        if self.as_additive is None:
            return super().bounds_curve(judged)
        self.refuse_bounds(curve=True)
        is_judged, weights = judged.is_judged() > 0, self.weights(judged)
        unjudged = np.cumsum(weights * ~is_judged, axis=-1)
        pooled = np.cumsum(self._pooled(judged, ~is_judged), axis=-1)
        return self._curves_around(judged, self.curve(judged), unjudged, pooled)

    def _curves_around(self, judged: Judged, value: Floats, unjudged: Floats, pooled: Floats) -> tuple[Floats, Floats]:
        """(topic, rank) twice: the bounds around values; other arrays are (topic, rank) too, summed down."""
        rank = judged.common_rank
        norm, (worst, best) = self.norm(judged, rank), self._extreme_gains(judged)
        fall, rise = ((extreme - self.unjudged_gain) * unjudged - pooled for extreme in (worst, best))
        return value + divide(fall, norm), value + divide(rise + best * self.tail(rank), norm)

    def tied_bounds(self, table: Judged) -> tuple[Floats, Floats]:
        """(topic,) twice: the bounds of the mean over all orders of tied documents; `table` has every rank.

        Whatever the unjudged documents are, each has the mean weight of its tie group.
        """
        unjudged, pooled = self.open_over_ties(table, self._reach(table))
        return self.bounds_around(table, self.tied_value(table), unjudged[:, 0], pooled[:, 0])

    def tied_bounds_curve(self, table: Judged) -> tuple[Floats, Floats]:
        """(topic, rank) twice: the same at each rank."""
        return self._curves_around(table, self.tied_curve(table), *self.open_over_ties(table, table.common_rank))

    def open_over_ties(self, table: Judged, rank: Ints) -> tuple[Floats, Floats]:
        """(topic, any) twice, on average over all orders of tied documents, down to these ranks.

        The weights of unjudged documents, added up, and what those of them gain that were pooled; `table` has every
        rank. Ranks below the end of a ranking are unjudged.
        """
        rank = np.broadcast_to(rank, (table.topics, rank.shape[-1])).astype(np.int64)
        end = ends_at(table, rank)
        weights, is_judged = self.weights(table), table.is_judged()
        pooled = self.gain_met(table) * (is_judged == 0)
        open_, gained = (
            at_end(np.cumsum(weights * one, axis=-1), end)
            for one in (1.0 - table.tie_group_mean(is_judged), table.tie_group_mean(pooled))
        )
        return open_ + np.where(end < rank, self.weight_between(end, rank), 0.0), gained

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
        return GainSums()

    def weight_down_to(self, rank: Ints) -> Floats:
        """As many as there are ranks."""
        return rank.astype(np.float64)


def weights_of(judged: Judged, weight: Callable[[Ints], Floats]) -> Floats:
    """(topic, entry), or (1, entry) if alike: the weight of each entry's rank, 0 for what only fills a row."""
    rank = judged.common_rank
    deepest = int(np.where(rank == BEYOND, 0, rank).max(initial=0))
    table = np.append(weight(np.arange(1, deepest + 1)), 0.0)
    return np.take(table, rank - 1, mode="clip")
