"""Normalised recall."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.base.parameters import needed, rel_param


@dataclass(frozen=True)
class NR(Measure):
    """How near the ranks of all relevant documents are to the best ones, 1 to RB, in a collection of this size.

    `collection` is how many documents there are to retrieve. Relevant documents that are not retrieved take the last
    ranks. Of ten documents two are relevant, one at rank 2 and one missed, which takes rank 10: 1 - (12 - 3)/(2 * 8).

    >>> from rankscale.data.judged import judged
    >>> NR(collection=10).value(judged("0 1 -", missed="1"))
    array([0.4375])

    Formula
    -------
    1 - (sum of the ranks of the relevant documents - sum of 1..RB) / (RB (collection - RB))

    References
    ----------
    Rocchio, Document Retrieval Systems: Optimization and Evaluation, doctoral thesis, Harvard, 1966
    """

    example: ClassVar[str] = "NR(collection=1000)"
    uses_recall_base: ClassVar[bool] = True
    only_relevant: ClassVar[bool] = True

    collection: int = field(metadata=needed("how many documents the collection has", ge=1))
    rel: float = rel_param()

    def total(self, judged: Judged) -> Numbers:
        """Ranks spared by the relevant documents met: each would else stand at the first of the last ranks.

        With c of them in all, and it among them, that is rank collection - RB + c. Down from the worst ranks, whose sum
        is RB (collection - RB) above the best, this is the same as the formula.
        """
        met = judged.relevant_so_far(self.rel).astype(np.int64)
        others = self.collection - judged.recall_base(self.rel)[:, None]
        self._refuse_small(judged, met)
        return np.cumsum(np.where(judged.relevant(self.rel) > 0, others + met - judged.rank, 0), axis=-1)

    def over_ties(self, judged: Judged) -> Floats:
        """Ranks spared at each place of a group, by its share of the r relevant ones of n.

        Of these (j - 1) (r - 1) / (n - 1) stand above the one in place j on average.
        """
        self._refuse_small(judged, judged.relevant_so_far(self.rel).astype(np.int64))
        share, size = judged.tie_group_mean(judged.relevant(self.rel)), judged.tie_group_size
        above = judged.above_tie_group(judged.relevant_so_far(self.rel))
        met = above + 1 + divide((judged.rank - judged.first) * (share * size - 1), size - 1)
        others = self.collection - judged.recall_base(self.rel)[:, None]
        return np.cumsum(share * (others + met - judged.rank), axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """Ranks there are to spare."""
        relevant = judged.recall_base(self.rel)[:, None]
        spare: Ints = relevant * (self.collection - relevant)
        return spare

    def _refuse_small(self, judged: Judged, met: Ints) -> None:
        """A collection holds what was retrieved and what was missed, and something that is not relevant."""
        relevant = judged.recall_base(self.rel)
        missed = relevant - met.max(axis=-1, initial=0)
        least = int(np.maximum(judged.length + missed, relevant + 1).max(initial=0))
        if self.collection < least:
            raise ParameterError(f"{self} needs the size of the collection, which has {least} documents at least")
