"""The share of documents that were judged."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Measure, Numbers


@dataclass(frozen=True)
class JudgedRate(Measure):
    """The share of the first k documents that have a judgment, of those there are where the ranking is shorter.

    Printed as `Judged`; the class has another name because the table of judged rankings is called that. A negative
    grade, pooled but unjudged, is no judgment.

    >>> from rankscale.data.judged import judged
    >>> JudgedRate(depth=10).value(judged("1 - 0 -1"))
    array([0.5])

    Formula
    -------
    (judged in the first k) / min(k, retrieved)

    References
    ----------
    MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, ECIR 2022
    """

    name: ClassVar[str] = "Judged"
    doubtful_below: ClassVar[float] = 0.5
    exceptions: ClassVar = {
        "without_relevant_documents_there_is_nothing": "judged documents count, relevant or not",
        "a_longer_ranking_never_costs": "documents that nobody judged lower the share",
    }
    scale: ClassVar = "interval"
    best_first: ClassVar = "always"
    divided_by_length: ClassVar[bool] = True
    why_unbounded: ClassVar[str] = "the value tells how much is judged, whatever assessors would say"

    def total(self, judged: Judged) -> Numbers:
        """Judged documents met."""
        return judged.judged_so_far()

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The documents there are down to these ranks."""
        return np.minimum(rank, judged.length[:, None])

    def over_ties(self, judged: Judged) -> Numbers:
        """Each rank has its group's share of judged documents."""
        return np.cumsum(judged.tie_group_mean(judged.is_judged()), axis=-1)

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """What is judged first."""
        return (levels >= 0).astype(np.float64), 0.0
