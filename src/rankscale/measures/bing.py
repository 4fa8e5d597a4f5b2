"""Normalised gain for binary relevance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import rel_param


@dataclass(frozen=True)
class binG(Measure):
    """Each relevant document counts for less the more documents that are not relevant stand above it.

    One not relevant document stands above the only relevant one:

    >>> from rankscale.data.judged import judged
    >>> binG().value(judged("0 1")).round(4)  # 1 / log2(2 + 1)
    array([0.6309])
    """

    name: ClassVar[str] = "binG"
    formula: ClassVar[str] = "(1/RB) sum over relevant ranks of 1 / log2(2 + documents above that are not relevant)"
    paper: ClassVar[str] = "Buckley, experimental measure of trec_eval, 2008"
    uses_recall_base: ClassVar[bool] = True
    only_relevant: ClassVar[bool] = True

    rel: float = rel_param()

    def total(self, judged: Judged) -> Floats:
        """Discounted relevant documents, summed down the ranking."""
        # A rank less the relevant documents down to it is what else stands there, above the relevant one itself.
        return np.cumsum(
            judged.relevant(self.rel) / np.log2(2.0 + judged.rank - judged.relevant_so_far(self.rel)), axis=-1
        )

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The recall base, whatever the depth."""
        return judged.recall_base(self.rel)[:, None]
