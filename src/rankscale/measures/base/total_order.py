"""TotalOrder: rankings of a length in one order, the value of a ranking being its place in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import FINE_DIGITS, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.gains import Graded


@dataclass(frozen=True)
class TotalOrder(Graded):
    """A measure whose value is the place of a ranking among all rankings of its length, from 0 to 1.

    Neighbours are one step apart by definition, so this is an interval scale. Documents are told apart by their gains,
    of which only the order counts; grades with the same gain are one class.
    """

    scale: ClassVar = "interval"
    needs_all_levels: ClassVar[bool] = True
    needs_depth: ClassVar[bool] = True
    bounded: ClassVar[bool] = True
    values_follow_gains: ClassVar[bool] = True
    mean_digits: ClassVar[int] = FINE_DIGITS

    same_with_two_grades: ClassVar[str]  # measures that have this scale where documents are relevant or not

    def classes(self, judged: Judged) -> tuple[Ints, int]:
        """(level,) and one more: the class of each level and of unjudged documents, from 0; and how many there are."""
        gains = np.append(self.gain(judged.levels, judged.highest), self.unjudged_gain)
        distinct, place = np.unique(gains, return_inverse=True)
        return place.ravel(), len(distinct)

    def class_met(self, judged: Judged) -> Ints:
        """(topic, entry): the class of each entry; filling has that of unjudged documents."""
        of_level, _ = self.classes(judged)
        met: Ints = of_level[judged.code]  # UNJUDGED is -1: the last one
        return met

    def scale_notes(self) -> Iterator[str]:
        """Which measures share the scale."""
        yield f"with two grades this is the scale of {self.same_with_two_grades}"


def mixes(documents: Floats, classes: int) -> Floats:
    """In how many ways so many documents can be of so many classes: (documents + classes - 1) over (classes - 1).

    Infinite where floats do not reach so far.

    >>> mixes(np.array([2.0, 3.0]), 3)
    array([ 6., 10.])
    """
    ways = np.ones(np.shape(documents))
    with np.errstate(over="ignore"):
        for place in range(1, classes):
            ways = ways * (documents + place) / place
    return ways
