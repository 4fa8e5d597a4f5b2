"""Recall."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.additive import Counting
from rankscale.measures.base.measure import Numbers


@dataclass(frozen=True)
class R(Counting):
    """The share of the topic's relevant documents that stand among the first k.

    Two of the three relevant documents are found:

    >>> from rankscale.data.judged import judged
    >>> R(depth=5).value(judged("1 1 0", missed="1")).round(4)
    array([0.6667])
    """

    name: ClassVar[str] = "R"
    aliases: ClassVar[tuple[str, ...]] = ("Recall",)
    formula: ClassVar[str] = "(relevant in the first k) / RB"
    paper: ClassVar[str] = "van Rijsbergen, Information Retrieval, Butterworths, 1979"
    uses_recall_base: ClassVar[bool] = True
    scale: ClassVar = "interval"
    needs_depth: ClassVar[bool] = True

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The recall base, whatever the depth."""
        return judged.recall_base(self.rel)[:, None]
