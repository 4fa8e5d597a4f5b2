"""Fall-out."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import Binary
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import needed


@dataclass(frozen=True)
class Fallout(Binary):
    """The share of the collection's documents that are not relevant which stand among the first k. Low is good.

    The collection has 10 documents, 2 of them relevant, and two of the other 8 are retrieved:

    >>> from rankscale.data.judged import judged
    >>> Fallout(collection=10).value(judged("1 0 -", missed="1"))
    array([0.25])

    Formula
    -------
    (not relevant in the first k) / (N - RB), N being the number of documents of the collection

    References
    ----------
    van Rijsbergen, Information Retrieval, Butterworths, 1979
    """

    uses_recall_base: ClassVar[bool] = True
    scale: ClassVar = "interval"
    low_is_good: ClassVar[bool] = True
    example: ClassVar[str] = "Fallout(collection=528155)"
    exceptions: ClassVar = {
        "without_relevant_documents_there_is_nothing": "documents that are not relevant are counted",
        "a_longer_ranking_never_costs": "documents that are not relevant are counted",
    }

    collection: int = field(metadata=needed("how many documents the collection has", ge=1), kw_only=True)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The documents down to these ranks that are not relevant, over all that are not."""
        others = np.minimum(rank, judged.length[:, None]) - total
        there = self.collection - judged.recall_base(self.rel)[:, None]
        if (others > there).any():
            raise ParameterError(
                f"{self}: rankings have up to {int(judged.length.max())} documents, more than a collection of "
                f"{self.collection} has; give the size of the collection"
            )
        return divide(others, there)

    def over_ties(self, judged: Judged) -> Numbers:
        """Relevant documents met: each rank has its group's share of them."""
        return np.cumsum(judged.tie_group_mean(judged.relevant(self.rel)), axis=-1)
