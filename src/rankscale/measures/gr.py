"""Generalised recall."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Numbers, added
from rankscale.measures.gp import gP


@dataclass(frozen=True)
class gR(gP):
    """Recall with graded relevance: the gain of the first k documents, over that of all judged documents of the topic.

    A document gains its grade over the highest one, unless `gains` says otherwise. It is on an interval scale only
    if gains are on a ratio scale. Met are 1 and 1/2 of the 1 + 1/2 + 1 that there are:

    >>> from rankscale.data.judged import judged
    >>> gR(depth=4).value(judged("2 0 1", missed="2"))
    array([0.6])

    Formula
    -------
    (sum of the gains of the first k) / (sum of the gains of all judged documents)
    """

    uses_recall_base: ClassVar[bool] = True
    bounded: ClassVar[bool] = False
    divided_by_length: ClassVar[bool] = False

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """All gain there is."""
        return added(judged.counts * self.gain(judged.levels, judged.highest))[:, None]

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The share, at most 1: sums in another order may round up."""
        return np.minimum(super().finish(total, judged, rank), 1.0)
