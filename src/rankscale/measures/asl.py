"""Average search length."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import PartedGroup, TiedByCount
from rankscale.measures.base.measure import Numbers, divide


@dataclass(frozen=True)
class ASL(TiedByCount):
    """The mean rank of the relevant documents retrieved; low is good.

    They stand at ranks 1, 2 and 6:

    >>> from rankscale.data.judged import judged
    >>> ASL().value(judged("1 1 0 - 0 1", missed="1"))
    array([3.])

    Formula
    -------
    (sum of the ranks <= k of relevant documents) / (relevant in the first k)

    References
    ----------
    Losee, Text Retrieval and Filtering: Analytic Models of Performance, Kluwer, 1998
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "one more relevant document below the others raises their mean rank",
        "moving_a_relevant_document_up_never_costs": "one that moves up to the depth raises the mean rank there",
        "the_ideal_ranking_is_not_beaten": "down to a depth, the mean rank of more documents is higher",
    }
    limits: ClassVar[tuple[float, float]] = (1, math.inf)
    low_is_good: ClassVar[bool] = True
    best_first: ClassVar = "uncut"
    undefined: ClassVar[str] = "no relevant document is retrieved"

    def total(self, judged: Judged) -> Floats:
        """The mean rank down to each entry, 0 until a relevant document is met."""
        return divide(np.cumsum(judged.relevant(self.rel) * judged.rank, axis=-1), judged.relevant_so_far(self.rel))

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """Undefined where no relevant document is retrieved."""
        return np.where(total > 0, total, np.nan)

    def given_count(self, group: PartedGroup, met: int) -> Floats:
        """The mean rank: on average a relevant document of the group stands in the middle of its places."""
        return np.where(group.before + met > 0, divide(self._ranks(group, met), group.before + met), np.nan)

    def _ranks(self, group: PartedGroup, met: int) -> Floats:
        """(topic, any): the ranks of the relevant documents, added up."""
        table = group.table
        above = group.at(np.cumsum(table.tie_group_mean(table.relevant(self.rel)) * table.rank, axis=-1))
        return above + met * (group.above + (group.drawn + 1) / 2)
