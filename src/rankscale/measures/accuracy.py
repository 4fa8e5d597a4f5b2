"""How often a relevant document stands above one that is not."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import PartedGroup, TiedByCount
from rankscale.measures.base.measure import Numbers, divide


@dataclass(frozen=True)
class Accuracy(TiedByCount):
    """Of all pairs of a relevant and another retrieved document, the share with the relevant one above.

    An unjudged document counts as not relevant. Here one of the four pairs is in the wrong order:

    >>> from rankscale.data.judged import judged
    >>> Accuracy().value(judged("1 - 1 0", "0 0"))
    array([0.75,  nan])

    Formula
    -------
    (pairs of a relevant above another document in the first k) / (pairs of both there)

    References
    ----------
    MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, ECIR 2022
    """

    exceptions: ClassVar = {
        "moving_a_relevant_document_up_never_costs": "within the depth it makes pairs with the documents above it",
        "a_longer_ranking_never_costs": "only retrieved documents make pairs, so one retrieved late counts against it",
    }
    best_first: ClassVar = "uncut"
    undefined: ClassVar[str] = "the first k documents are all relevant, or none of them is: there is no pair"

    def total(self, judged: Judged) -> Numbers:
        """For each relevant document the others above it, summed down the ranking."""
        relevant = judged.relevant_so_far(self.rel)
        above = np.where(judged.relevant(self.rel) > 0, judged.rank - relevant, 0)
        return np.cumsum(above, axis=-1, dtype=np.float64)

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the share of pairs in the right order."""
        relevant = judged.read_at(judged.relevant_so_far(self.rel), depths)
        return self._share(judged.read_at(total, depths), relevant, judged, np.array([depths]))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the share of pairs in the right order."""
        relevant = judged.read(judged.relevant_so_far(self.rel))[:, None]
        return self._share(judged.read(total)[:, None], relevant, judged, judged.length[:, None])[:, 0]

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value of the ranking as if it ended at each entry."""
        return self._share(self.total(judged), judged.relevant_so_far(self.rel), judged, judged.rank)

    @staticmethod
    def _share(wrong: Numbers, relevant: Numbers, judged: Judged, rank: Ints) -> Floats:
        pairs = relevant * (np.minimum(rank, judged.length[:, None]) - relevant).astype(np.float64)
        share: Floats = np.divide(wrong, pairs, out=np.full(pairs.shape, math.nan), where=pairs > 0)
        return 1.0 - share

    def given_count(self, group: PartedGroup, met: int) -> Floats:
        """The share, with the pairs in the wrong order on average: half of those within the group."""
        table = group.table
        others, size = table.first - 1 - self.relevant_above_ties(table), table.tie_group_size
        share = table.tie_group_mean(table.relevant(self.rel))
        tied_above = divide((table.rank - table.first) * (1.0 - share) * size, size - 1)
        wrong = group.at(np.cumsum(share * (others + tied_above), axis=-1))
        wrong += met * (group.above - group.before) + met * (group.drawn - met) / 2
        return self._share(wrong, group.before + met, table, group.rank)
