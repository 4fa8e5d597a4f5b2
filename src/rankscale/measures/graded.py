"""Graded: what measures of graded gain share."""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base import Measure
from rankscale.measures.gains import Gains, gain_table, normal_form


@dataclass(frozen=True)
class Graded(Measure):
    """A measure whose documents are worth their gain: the grade, unless `gains` says otherwise."""

    gains: Gains = None

    def check(self) -> None:
        """Bring the gains into the form that compares and hashes."""
        object.__setattr__(self, "gains", normal_form(self.gains))

    def gain(self, levels: Floats, highest: float) -> Floats:
        """What each grade is worth."""
        return gain_table(self.gains, levels, highest)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that gain nothing."""
        gains_nothing: Bools = self.gain(levels, 1.0) == 0
        return gains_nothing

    def gain_met(self, judged: Judged) -> Floats:
        """(topic, entry): the gain of each entry."""
        return judged.keep(("gain", self.gains), lambda: judged.worth(self.gain(judged.levels, judged.highest)))

    def ideal_gain(self, judged: Judged) -> Floats:
        """(topic, rank): the gains of the best ranking there could be."""
        return judged.keep(("ideal gain", self.gains), lambda: judged.ideal_gains(self.gain(judged.levels, judged.highest)))

    def gaining(self, judged: Judged) -> Ints:
        """(topic, 1): how many documents of the qrels have a positive gain."""
        count: Ints = judged.counts[:, self.gain(judged.levels, judged.highest) > 0].sum(axis=-1, keepdims=True)
        return count

    def cumulated(self, judged: Judged) -> Floats:
        """(topic, entry): gain discounted by log2(rank + 1), summed down the ranking.

        Divided, not multiplied by a weight: this keeps the last digit that trec_eval has.
        """
        return judged.keep(
            ("dcg", self.gains), lambda: np.cumsum(self.gain_met(judged) / np.log2(judged.rank + 1.0), axis=-1)
        )

    def ideal(self, judged: Judged, rank: Ints | None = None) -> Floats:
        """(topic, any): the dcg of the best ranking at these ranks, or where all its gain is met."""
        return read_along(judged.keep(("ideal dcg", self.gains), lambda: self._ideal(judged)), rank)

    def _ideal(self, judged: Judged) -> Floats:
        ideal = self.ideal_gain(judged)
        return np.cumsum(ideal / np.log2(np.arange(2.0, ideal.shape[-1] + 2)), axis=-1)


def read_along(column: Floats, rank: Ints | None = None) -> Floats:
    """A column with one entry for each rank, read at these ranks (topic, any); past its end, and for None, the last."""
    width = column.shape[-1]
    if width == 0:
        return np.zeros((len(column), 1))
    if rank is None:
        return column[:, -1:]
    return np.take_along_axis(column, np.clip(rank, 1, width) - 1, axis=-1)
