"""Precision."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.additive import Counting
from rankscale.measures.base.measure import Numbers


@dataclass(frozen=True)
class P(Counting):
    """The share of the first k documents that are relevant; a shorter ranking is filled with not relevant ones.

    >>> from rankscale.data.judged import judged
    >>> P(depth=5).value(judged("1 1 0"))
    array([0.4])

    Formula
    -------
    (relevant in the first k) / k

    References
    ----------
    van Rijsbergen, Information Retrieval, Butterworths, 1979
    """

    aliases: ClassVar[tuple[str, ...]] = ("Precision",)
    scale: ClassVar = "interval"
    divided_by_length: ClassVar[bool] = True
    needs_depth: ClassVar[bool] = True

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The number of documents read."""
        return rank
