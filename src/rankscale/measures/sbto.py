"""The set-based total order."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.structure import MixOfGains, Structure
from rankscale.measures.base.total_order import TotalOrder, mixes


@dataclass(frozen=True)
class SBTO(TotalOrder):
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

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths."""
        counts = [judged.read_at(count, depths) for count in self._counted(judged)]
        return self._place(counts, judged, np.array([depths], dtype=np.float64))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value of the ranking down to its end."""
        counts = [judged.read(count)[:, None] for count in self._counted(judged)]
        return self._place(counts, judged, judged.length[:, None].astype(np.float64))[:, 0]

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value of the ranking as if it ended at each entry."""
        counts = [count.astype(np.float64) for count in self._counted(judged)]
        values = self._place(counts, judged, judged.common_rank.astype(np.float64))
        return np.broadcast_to(values, judged.rank.shape)

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
