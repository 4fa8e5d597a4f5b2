"""Graded: what measures of graded gain share."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.measures.base.gains import Gains, gain_fraction, gain_table, normal_form
from rankscale.measures.base.measure import BestFirst, Measure, Numbers
from rankscale.measures.base.parameters import gains_param


class GivenGains(Measure):
    """A measure with a parameter `gains`, which a subclass declares in its place among the other parameters."""

    gains: Gains

    def check(self) -> None:
        """Bring the gains into the form that compares and hashes."""
        object.__setattr__(self, "gains", normal_form(self.gains))

    def _gain_fraction(self, level: float, highest: float, double: float) -> Fraction:
        return gain_fraction(self, self.gains, level, highest) or super()._gain_fraction(level, highest, double)


@dataclass(frozen=True)
class Graded(GivenGains):
    """A measure whose documents are worth their gain: the grade, unless `gains` says otherwise."""

    graded: ClassVar[bool] = True
    best_first: ClassVar[BestFirst | None] = "always"

    gains: Gains = gains_param()

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade."""
        gains = gain_table(self.gains, levels, highest)
        if self.unjudged_gain == 0:
            return gains
        named = [float(pair[0]) for pair in self.gains or () if isinstance(pair, tuple)]
        return np.where((levels < 0) & ~np.isin(levels, named), self.unjudged_gain, gains)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that gain what an unjudged document gains."""
        ignored: Bools = self.gain(levels, 1.0) == self.unjudged_gain
        return ignored

    def gain_met(self, judged: Judged) -> Floats:
        """(topic, entry): the gain of each entry, above that of an unjudged document."""
        unjudged = self.unjudged_gain
        return judged.memo(
            ("gain", self.gains, unjudged),
            lambda: judged.worth(self.gain(judged.levels, judged.highest) - unjudged),
        )

    @property
    def filler_gain(self) -> float:
        """Gain of each document of the ideal ranking below those that are worth more: 0 unless overridden."""
        return 0.0

    def ideal_gain(self, judged: Judged) -> Floats:
        """(topic, rank): the gains of the best ranking there could be, above those of the documents that fill it up."""
        filler = self.filler_gain
        return judged.memo(
            ("ideal gain", self.gains, self.unjudged_gain, filler),
            lambda: judged.ideal_gains(self.gain(judged.levels, judged.highest) - filler),
        )

    def gaining(self, judged: Judged) -> Ints:
        """(topic, 1): how many documents of the qrels have a positive gain."""
        return judged.documents_of(self.gain(judged.levels, judged.highest) > 0)[:, None]

    def divisor(self, rank: Ints) -> Floats:
        """Divisor of the gain at each rank: log2(rank + 1), as in trec_eval and most papers since 2005."""
        discount: Floats = np.log2(rank + 1.0)
        return discount

    @property
    def discounting(self) -> object:
        """Key of the discount, under which sums are cached."""
        return "log2(rank + 1)"

    def cumulated(self, judged: Judged) -> Floats:
        """(topic, entry): discounted gain, summed down the ranking.

        Divided, not multiplied by a weight: this keeps the last digit that trec_eval has.
        """
        return judged.memo(
            ("dcg", self.gains, self.unjudged_gain, self.discounting),
            lambda: np.cumsum(self.gain_met(judged) / self.divisor(judged.common_rank), axis=-1),
        )

    def ideal(self, judged: Judged, rank: Ints | None = None) -> Floats:
        """(topic, any): the discounted gain of the best ranking at these ranks, or where all its gain is met."""
        filler = self.filler_gain
        once, place = judged.each_topic_once()
        above = once.memo(
            ("ideal dcg", self.gains, self.unjudged_gain, filler, self.discounting), lambda: self._ideal(once)
        )
        if place is not None and not filler and (rank is None or len(rank) == 1):
            return read_along(above, rank)[place]
        above = above if place is None else above[place]
        if not filler:
            return read_along(above, rank)
        down_to = self.gaining(judged) if rank is None else rank
        return read_along(above, down_to) + filler * self.discounts_down_to(down_to)

    def _ideal(self, judged: Judged) -> Floats:
        ideal = self.ideal_gain(judged)
        return np.cumsum(ideal / self.divisor(np.arange(1, ideal.shape[-1] + 1)), axis=-1)

    def discounts_down_to(self, rank: Ints) -> Floats:
        """The discounts of all ranks down to these, added up: what gains of 1 would cumulate to."""
        reached = np.where(rank == BEYOND, 0, rank)
        discounts = 1.0 / self.divisor(np.arange(1, int(reached.max(initial=0)) + 1))
        return np.append(0.0, np.cumsum(discounts))[reached]


@dataclass(frozen=True)
class Cumulated(Graded):
    """Discounted gain, added up down the ranking; each rank of a tie group gains the group's mean."""

    values_follow_gains: ClassVar[bool] = True

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): discounted gain, summed down the ranking."""
        return self.cumulated(judged)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): the same with each rank gaining the mean of its tie group."""
        return np.cumsum(judged.tie_group_mean(self.gain_met(judged)) / self.divisor(judged.common_rank), axis=-1)


def read_along(column: Floats | Ints, rank: Ints | None = None) -> Floats:
    """A column with one entry for each rank, read at these ranks (topic, any); past its end, and for None, the last.

    Before the first rank there is nothing: 0.
    """
    width = column.shape[-1]
    if width == 0:
        return np.zeros((len(column), 1 if rank is None else rank.shape[-1]))
    if rank is None:
        return column[:, -1:].astype(np.float64)
    place = np.clip(rank, 1, width) - 1
    real = column.astype(np.float64, copy=False)
    read: Floats = np.take(real, place[0], axis=-1) if len(rank) == 1 else np.take_along_axis(real, place, axis=-1)
    return read if (rank > 0).all() else np.where(rank > 0, read, 0.0)
