"""Rankings of a length in one order, by rank or as sets: the value of a ranking is its place among all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import FINE_DIGITS, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import OfSeveralColumns
from rankscale.measures.base.gains import Graded
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.structure import FirstDifference, MixOfGains, Structure


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
        return of_level[judged.code]  # UNJUDGED is -1: the last one

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


@dataclass(frozen=True)
class RBTO(TotalOrder):
    """The place of a ranking where the first rank at which two rankings differ decides by the higher grade there.

    Rankings are read as numbers whose digits are grades, the first rank first, and equally spaced from 0 to 1. With two
    grades this is a linear map of RBP(p=0.5). The ranking 101 is the number 5 of those from 0 to 7:

    >>> from rankscale.data.judged import judged
    >>> RBTO(depth=3).value(judged("1 0 1")).round(4)
    array([0.7143])

    `rs.scale("RBTO@1000").rank(...)` gives the rank itself as a whole number, exact for any length.

    Formula
    -------
    (sum over ranks i <= k of c_i L^(k-i)) / (L^k - 1), c_i from 0 to L - 1 the class of the grade at rank i

    References
    ----------
    Ferrante, Ferro and Losiouk, How do interval scales help us with better understanding IR evaluation results?,
    Information Retrieval Journal 23(3), 2020
    """

    same_with_two_grades: ClassVar[str] = "RBP with any p up to 1/2"

    def structure(self, depth: int | None) -> Structure:
        """The first difference decides."""
        return FirstDifference()

    def total(self, judged: Judged) -> Numbers:
        """Classes over powers of their number, summed down the ranking; above that of unjudged documents."""
        unjudged = self.classes(judged)[0][-1]
        return np.cumsum(self._weights(judged) * (self.class_met(judged) - unjudged), axis=-1)

    def _weights(self, judged: Judged) -> Floats:
        _, number = self.classes(judged)
        return np.power(float(number), -np.minimum(judged.common_rank, 1 << 20).astype(np.float64))

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The number that the ranking is, over that of the best one."""
        of_level, number = self.classes(judged)
        if number == 1:
            return np.zeros(np.broadcast_shapes(total.shape, rank.shape))
        every = 1.0 - np.power(float(number), -np.minimum(rank, 1 << 20).astype(np.float64))  # of class number - 1
        unjudged = of_level[-1] / (number - 1)
        place: Floats = np.clip(unjudged + divide(total, every), 0.0, 1.0)
        return place

    def over_ties(self, judged: Judged) -> Numbers:
        """Each rank has the mean class of its tie group."""
        unjudged = self.classes(judged)[0][-1]
        classes = (self.class_met(judged) - unjudged).astype(np.float64)
        return np.cumsum(self._weights(judged) * judged.tie_group_mean(classes), axis=-1)


@dataclass(frozen=True)
class SBTO(OfSeveralColumns, TotalOrder):
    """The place of a ranking where its set of documents decides: more of the highest grade first, then of the next.

    All mixes of grades are put in this order, and equally spaced from 0 to 1. With two grades this is P. Three
    documents with grades up to 2 have ten mixes, and one document of grade 2 with two of grade 0 is the fifth:

    >>> from rankscale.data.judged import judged
    >>> SBTO(depth=3).value(judged("0 2 0", missed="1")).round(4)
    array([0.4444])

    `rs.scale("SBTO@1000", levels=(0, 1, 2)).rank(...)` gives the rank itself, exact for any length.

    Formula
    -------
    (phi - 1) / (K - 1), phi the rank of the numbers of documents of each grade among all K mixes of k documents

    References
    ----------
    Ferrante, Ferro and Losiouk, How do interval scales help us with better understanding IR evaluation results?,
    Information Retrieval Journal 23(3), 2020
    """

    same_with_two_grades: ClassVar[str] = "P, R and F"

    def structure(self, depth: int | None) -> Structure:
        """How many documents of each gain there are decides."""
        return MixOfGains()

    def total(self, judged: Judged) -> Numbers:
        """Zeros: the value is read off one running count for each class."""
        return np.zeros(judged.rank.shape)

    def at_ranks(self, total: Numbers, judged: Judged, rank: Ints, read: Callable[[Numbers], Floats]) -> Floats:
        """(topic, any): the values at these ranks."""
        return self._place([read(count) for count in self._counted(judged)], judged, rank.astype(np.float64))

    def _counted(self, judged: Judged) -> list[Ints]:
        """For each class but that of unjudged documents, (topic, entry): how many stand at or above each entry."""
        of_level, number = self.classes(judged)
        met = self.class_met(judged)
        others = [place for place in range(number) if place != of_level[-1]]
        return [np.cumsum(met == place, axis=-1, dtype=np.int32) for place in others]

    def _place(self, counts: list[Floats], judged: Judged, rank: Floats) -> Floats:
        """(topic, any): the place of rankings of these lengths with so many documents of each class but unjudged ones.

        Lower are the rankings that have as many documents of the highest classes and fewer of the next. Of the next
        class, `fewer` of `left` documents leave as many ways as the documents that are left have in the lower classes.
        """
        of_level, number = self.classes(judged)
        every = mixes(rank, number)
        if np.isinf(every[rank < BEYOND]).any():
            raise ParameterError(
                f"{self}: {number} grades can be mixed in more ways than floats can count; join some with gains, or "
                "take a smaller depth"
            )
        unjudged: Floats = np.broadcast_to(rank, (judged.topics, rank.shape[-1])) - sum(counts)
        by_class = [*counts[: of_level[-1]], unjudged, *counts[of_level[-1] :]]
        lower, left = np.zeros(np.shape(unjudged)), rank
        with np.errstate(invalid="ignore"):  # of entries that only fill a row
            for place in range(number - 1, 0, -1):
                fewer = left - by_class[place]
                lower = lower + mixes(left, place + 1) - mixes(fewer, place + 1)
                left = fewer
            return divide(lower, every - 1.0)
