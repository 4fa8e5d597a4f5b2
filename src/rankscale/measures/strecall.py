"""Sub-topic recall."""

from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.data.records import dataclass
from rankscale.measures.base.measure import Numbers, ScaleType
from rankscale.measures.base.parameters import rel_param
from rankscale.measures.base.subtopics import OverSubtopics
from rankscale.measures.success import Success


@dataclass(frozen=True)
class StRecall(OverSubtopics):
    """The share of the sub-topics with relevant documents that are met in the first k; the whole ranking without k.

    Where the topic is one sub-topic, whether any relevant document is met:

    >>> from rankscale.data.judged import judged
    >>> StRecall(depth=2).value(judged("0 1 0", "0 0 1"))
    array([1., 0.])

    Formula
    -------
    (sub-topics with a relevant document in the first k) / (sub-topics with a relevant document)

    User model
    ----------
    wants each sub-topic once

    References
    ----------
    Zhai, Cohen and Lafferty, Beyond Independent Relevance, SIGIR 2003
    """

    aliases: ClassVar[tuple[str, ...]] = ("I_rec", "strec", "S_recall")
    scale: ClassVar[ScaleType] = "interval"  # for a fixed number of sub-topics
    bounded: ClassVar[bool] = True

    rel: float = rel_param()

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): how many sub-topics have been met."""
        return self._summed(judged, over_ties=False)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): how many on average; each is met or not, whatever becomes of the others."""
        return self._summed(judged, over_ties=True)

    def _summed(self, judged: Judged, *, over_ties: bool) -> Floats:
        met, success = np.zeros(judged.rank.shape), Success(rel=self.rel)
        for number, counts in enumerate(self.counting(judged).T):
            if counts.any():
                one = judged.aspect(number)
                met += counts[:, None] * (success.over_ties(one) if over_ties else success.total(one))
        return met

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """(topic, 1): the sub-topics that count."""
        number: Floats = self.counting(judged).sum(axis=-1, keepdims=True)
        return number
