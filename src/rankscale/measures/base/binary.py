"""Binary: measures to which a document is either relevant or not."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import rel_param


@dataclass(frozen=True)
class Binary(Measure):
    """A measure of binary relevance: documents of grade `rel` or higher are relevant, all others are not."""

    only_relevant: ClassVar[bool] = True

    rel: float = rel_param()

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): number of relevant documents down to each entry."""
        return judged.relevant_so_far(self.rel)

    def relevant_above_ties(self, judged: Judged) -> Ints:
        """(topic, rank): number of relevant documents above the tie group of each rank."""
        return judged.above_tie_group(judged.relevant_so_far(self.rel))


@dataclass(frozen=True)
class OverRecallBase(Binary):
    """A measure of binary relevance whose totals are divided by the recall base."""

    uses_recall_base: ClassVar[bool] = True

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """(topic, 1): the recall base, whatever the depth."""
        return judged.recall_base(self.rel)[:, None]
