"""Reciprocal rank."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import Binary
from rankscale.measures.base.gains import read_along
from rankscale.measures.base.parameters import param
from rankscale.measures.base.structure import UNKNOWN, FirstRelevant, Structure
from rankscale.measures.base.ties import place_chance


@dataclass(frozen=True)
class RR(Binary):
    """One over the rank of the first relevant document.

    A sceptical user asks for the `n`-th one; for a cautious user `damping` makes the top ranks differ less.

    >>> from rankscale.data.judged import judged
    >>> RR(n=2).value(judged("0 - 1 1", "0 1 0"))
    array([0.25, 0.  ])

    Formula
    -------
    1 / (damping + rank of the n-th relevant document), 0 if there is none in the first k

    User model
    ----------
    reads from the top until n relevant documents are met

    References
    ----------
    Voorhees, The TREC-8 Question Answering Track Report, TREC-8, 1999
    """

    aliases: ClassVar[tuple[str, ...]] = ("MRR",)
    values_follow_gains: ClassVar[bool] = True
    bounded: ClassVar[bool] = True
    unbounded_depth: ClassVar[bool] = True

    n: int = param(1, ge=1, help="which relevant document is looked for: the n-th")
    damping: float = param(0, ge=0, help="added to the rank, so that the top ranks differ less")

    def structure(self, depth: int | None) -> Structure:
        """The rank of the first relevant document."""
        return FirstRelevant() if self.n == 1 else UNKNOWN

    def total(self, judged: Judged) -> Floats:
        """0 above the n-th relevant document, its reciprocal rank from there on."""
        wanted = judged.relevant(self.rel) * (judged.relevant_so_far(self.rel) == self.n)
        return np.cumsum(wanted / (float(self.damping) + judged.rank), axis=-1)

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the value if the relevant documents still needed follow at once."""
        needed = self.n - read_along(judged.relevant_so_far(self.rel), rank)
        return np.where(needed > 0, 1.0 / (float(self.damping) + rank + np.maximum(needed, 1)), 0.0)

    def over_ties(self, judged: Judged) -> Floats:
        """The reciprocal of each rank times the probability that the n-th relevant document stands there.

        Of the orders of a group of m documents, r of them relevant, C(j-1, s-1) C(m-j, r-s) / C(m, r) have the s-th
        relevant one in place j.
        """
        size = judged.last - judged.first + 1
        relevant = np.rint(judged.tie_group_mean(judged.relevant(self.rel)) * size)
        above = self.relevant_above_ties(judged)
        place, wanted = judged.rank - judged.first + 1, self.n - above
        return np.cumsum(place_chance(size, relevant, place, wanted) / (float(self.damping) + judged.rank), axis=-1)
