"""The total orders of rankings of Ferrante, Ferro and Losiouk, at any length: by the set of documents, or rank by rank.

Both put all rankings of a length in one order by the places of their gains, and their values are ranks from the start.
Ranks are whole numbers of any size, in closed form.
"""

import math
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.image import Image, Progress, Provenance, Universe
from rankscale.scales.counting.lexicographic import numbers


class TotalOrderImage(Image):
    """The image of a measure whose values are ranks, from 0 for the first to 1 for the last."""

    adds_gains: ClassVar[bool] = False

    def __init__(self, universe: Universe, size: int, words: str) -> None:
        if universe.limits is not None:
            raise ScaleError("a total order is one of all rankings: leave universe='feasible' out")
        self.universe, self.size, self.provenance = universe, size, Provenance("exact", words)

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The first and the last `count` values: ranks from 0, over the last one."""
        last = max(self.size - 1, 1)
        if count >= self.size:
            values: Floats = np.arange(self.size) / last
            return values, values
        first = np.array([rank / last for rank in range(count)], dtype=np.float64)
        return first, np.array([rank / last for rank in range(self.size - count, self.size)], dtype=np.float64)


class RankBasedImage(TotalOrderImage):
    """Rankings as numbers whose digits are places of gains: no two are equal.

    >>> from fractions import Fraction
    >>> image = RankBasedImage(Universe((Fraction(0), Fraction(1)), depth=3))
    >>> image.size, image.ranks(np.array([[1, 0, 1]]))
    (8, [6])
    """

    def __init__(self, universe: Universe) -> None:
        words = "closed form: rankings come in the order of their first difference"
        super().__init__(universe, len(universe.gains) ** universe.depth, words)

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002
        """1 + the number that each ranking is."""
        return [1 + number for number in numbers(rankings, len(self.universe.gains))]

    def among_rankings(self, rankings: Ints, progress: Progress | None = None) -> list[tuple[int, int]]:
        """No two rankings tie."""
        return [(rank - 1, 1) for rank in self.ranks(rankings, progress)]


class SetBasedImage(TotalOrderImage):
    """Mixes of gains, compared by how many documents have the highest gain, then the next, and so on.

    Let c_j be the number of documents with the gain at place j, and left_j the number of documents whose place is j or
    lower. Mixes that agree in the gains above j and have fewer documents there leave more to the j lower places:

        sum over c < c_j of (left_j - c + j - 1 over j - 1) = (left_j + j over j) - (left_j - c_j + j over j)

    >>> from fractions import Fraction
    >>> image = SetBasedImage(Universe(tuple(map(Fraction, (0, 1, 2))), depth=3))
    >>> image.size, image.ranks(np.array([[0, 2, 0], [2, 2, 2]]))
    (10, [5, 10])
    """

    def __init__(self, universe: Universe) -> None:
        size = math.comb(universe.depth + len(universe.gains) - 1, len(universe.gains) - 1)
        super().__init__(universe, size, "closed form: mixes of gains in order")

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002
        """1 + the number of lower mixes."""
        return [1 + self._lower_mixes(mix) for mix in self._mixes(rankings)]

    def among_rankings(self, rankings: Ints, progress: Progress | None = None) -> list[tuple[int, int]]:  # noqa: ARG002
        """Rankings of lower mixes, and those of the same mix in any order."""
        return [self._rankings(mix) for mix in self._mixes(rankings)]

    def _mixes(self, rankings: Ints) -> list[list[int]]:
        """For each ranking, how many documents have each gain, the lowest first."""
        counts = [np.count_nonzero(rankings == place, axis=1) for place in range(len(self.universe.gains))]
        mixes: list[list[int]] = np.stack(counts, axis=1).tolist()
        return mixes

    def _lower_mixes(self, mix: list[int]) -> int:
        lower, left = 0, self.universe.depth
        for place in range(len(mix) - 1, 0, -1):
            lower += math.comb(left + place, place) - math.comb(left - mix[place] + place, place)
            left -= mix[place]
        return lower

    def _rankings(self, mix: list[int]) -> tuple[int, int]:
        """How many rankings have a lower mix, and how many this one.

        `ways` are those to place the documents of the higher gains; fewer of this gain leave ranks to the lower ones.
        """
        lower, left, ways = 0, self.universe.depth, 1
        for place in range(len(mix) - 1, 0, -1):
            lower += ways * sum(math.comb(left, fewer) * place ** (left - fewer) for fewer in range(mix[place]))
            ways *= math.comb(left, mix[place])
            left -= mix[place]
        return lower, ways
