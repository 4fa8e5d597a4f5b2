"""Average precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.base.parameters import rel_param
from rankscale.measures.base.structure import Precisions, Structure


@dataclass(frozen=True)
class AP(Measure):
    """Precision at each relevant document, averaged over all relevant documents of the topic.

    The five documents found of seven (Moffat and Zobel 2008, with RB = 7):

    >>> from rankscale.data.judged import judged
    >>> AP().value(judged("1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0", missed="1 1")).round(4)
    array([0.4511])
    """

    name: ClassVar[str] = "AP"
    aliases: ClassVar[tuple[str, ...]] = ("MAP",)
    formula: ClassVar[str] = "(1/RB) sum over relevant ranks i <= k of (relevant in the first i) / i"
    paper: ClassVar[str] = "Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005"
    user_model: ClassVar[str] = "stops at a relevant document, any of them alike, and asks for the precision down to it"
    uses_recall_base: ClassVar[bool] = True
    only_relevant: ClassVar[bool] = True
    values_follow_gains: ClassVar[bool] = True

    rel: float = rel_param()

    def structure(self, depth: int | None) -> Structure:
        """The sum of precisions at relevant documents."""
        return Precisions()

    def total(self, judged: Judged) -> Floats:
        """Precision at the relevant entries, summed down the ranking."""
        return judged.memo(
            ("sum of precisions", self.rel),
            lambda: np.cumsum(judged.relevant(self.rel) * judged.relevant_so_far(self.rel) / judged.rank, axis=-1),
        )

    def over_ties(self, judged: Judged) -> Floats:
        """Precision at a relevant document, on average over the places it can have among its n tied ones.

        Of the r relevant ones among them, (j - 1) (r - 1) / (n - 1) stand above it on average where it is the j-th.
        """
        relevant = judged.relevant(self.rel)
        size = judged.last - judged.first + 1
        share = judged.tie_group_mean(relevant)
        above = np.take_along_axis(
            np.pad(judged.relevant_so_far(self.rel), ((0, 0), (1, 0))), judged.first - 1, axis=-1
        )
        tied_above = divide((judged.rank - judged.first) * (share * size - 1), size - 1)
        return np.cumsum(share * (above + 1 + tied_above) / judged.rank, axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The recall base, whatever the depth."""
        return judged.recall_base(self.rel)[:, None]
