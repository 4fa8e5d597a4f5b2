"""Coverage of nuggets."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Numbers, ScaleType
from rankscale.measures.strecall import StRecall


@dataclass(frozen=True)
class Coverage(StRecall):
    """The share of all sub-topics listed that are met in the first k, also of those that no document supports.

    StRecall leaves out sub-topics without a relevant document; here they count, as nuggets of an answer do that the
    collection cannot support. Where the topic is one sub-topic, whether any relevant document is met:

    >>> from rankscale.data.judged import judged
    >>> Coverage(depth=2).value(judged("0 1 0", "0 0 1"))
    array([1., 0.])

    Formula
    -------
    (sub-topics with a relevant document in the first k) / (sub-topics listed)

    User model
    ----------
    wants each nugget once

    References
    ----------
    Thakur, Lin, Havens, Carbin, Khattab and Drozdov, FreshStack, 2025
    """

    needs_depth: ClassVar[bool] = True

    scale: ClassVar[ScaleType] = "ordinal"

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """(topic, 1): the sub-topics that the qrels or the probabilities name."""
        return judged.aspect_counts[:, None].astype(float)
