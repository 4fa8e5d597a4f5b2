"""RankPower."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.asl import ASL
from rankscale.measures.base.binary import PartedGroup
from rankscale.measures.base.measure import divide


@dataclass(frozen=True)
class RankPower(ASL):
    """The mean rank of the relevant documents retrieved, over their number; low is good.

    It comes down to 1/2 as all of more and more documents retrieved are relevant: (n + 1)/(2n) for n of them. The
    relevant documents stand at ranks 1, 2 and 6 here, so that the value is 3/3:

    >>> from rankscale.data.judged import judged
    >>> RankPower().value(judged("1 1 0 - 0 1", missed="1"))
    array([1.])

    Formula
    -------
    (sum of the ranks <= k of relevant documents) / (relevant in the first k)^2

    References
    ----------
    Meng and Chen, On User-Oriented Measurements of Effectiveness of Web Information Retrieval Systems, International
    Conference on Internet Computing, 2004
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "one more relevant document far down adds more to ranks than to numbers",
        "moving_a_relevant_document_up_never_costs": "one that moves up to the depth raises the mean rank there",
    }
    limits: ClassVar[tuple[float, float]] = (0.5, math.inf)

    def total(self, judged: Judged) -> Floats:
        """The value down to each entry, 0 until a relevant document is met."""
        relevant = judged.relevant_so_far(self.rel).astype(np.float64)
        return divide(np.cumsum(judged.relevant(self.rel) * judged.rank, axis=-1), relevant**2)

    def given_count(self, group: PartedGroup, met: int) -> Floats:
        """The mean rank over the number of relevant documents."""
        return super().given_count(group, met) / np.maximum(group.before + met, 1)
