"""Linear utility."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import param, rel_param


@dataclass(frozen=True)
class Utility(Measure):
    """What the retrieved set is worth when each document, by whether it is relevant and retrieved, has a price.

    Two relevant and two not relevant documents retrieved, one relevant missed: 2*3 - 2 - 1/2.

    >>> from rankscale.data.judged import judged
    >>> Utility(a=3, c=-0.5).value(judged("1 0 - 1", missed="1"))
    array([3.5])

    Formula
    -------
    a * relevant retrieved + b * not relevant retrieved + c * relevant missed + d * not relevant not retrieved

    References
    ----------
    Robertson and Hull, The TREC-9 Filtering Track Final Report, 2000
    """

    exceptions: ClassVar = {
        "without_relevant_documents_there_is_nothing": "documents that are not relevant have their price",
        "a_longer_ranking_never_costs": "documents that are not relevant have their price",
    }
    uses_recall_base: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    scale: ClassVar = "interval"
    takes_depth: ClassVar[bool] = False
    only_relevant: ClassVar[bool] = True

    a: float = param(1, help="what a relevant document retrieved is worth")
    b: float = param(-1, help="what another document retrieved is worth")
    c: float = param(0, help="what a relevant document missed is worth")
    d: float = param(0, help="what another document not retrieved is worth")
    collection: int | None = param(None, ge=0, help="how many documents the collection has")
    rel: float = rel_param()

    def check(self) -> None:
        """Raise ParameterError for d without the size of the collection."""
        if self.d != 0 and self.collection is None:
            raise ParameterError(
                f"{self.name}: with d the size of the collection is needed, as in Utility(d=1,collection=528155)"
            )

    def total(self, judged: Judged) -> Numbers:
        """Relevant documents met."""
        return judged.relevant_so_far(self.rel)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The four counts, each at its price."""
        recall_base = judged.recall_base(self.rel)[:, None]
        relevant, retrieved = total.astype(np.float64), rank.astype(np.float64)
        others, missed = retrieved - relevant, recall_base - relevant
        elsewhere = (self.collection or 0) + relevant - retrieved - recall_base
        return self.a * relevant + self.b * others + self.c * missed + self.d * elsewhere

    def over_ties(self, judged: Judged) -> Numbers:
        """Relevant documents met: each rank has its group's share of them."""
        return np.cumsum(judged.tie_group_mean(judged.relevant(self.rel)), axis=-1)
