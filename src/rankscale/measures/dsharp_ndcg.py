"""D#-nDCG: D-nDCG and sub-topic recall together."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import BestFirst, Numbers
from rankscale.measures.base.parameters import param
from rankscale.measures.d_ndcg import D_nDCG
from rankscale.measures.strecall import StRecall


@dataclass(frozen=True)
class Dsharp_nDCG(D_nDCG):
    """The share of sub-topics met and D_nDCG, weighed by gamma and 1 - gamma; also written D#-nDCG.

    One of one sub-topic is met, and D_nDCG is 0.9502:

    >>> from rankscale.data.judged import judged
    >>> Dsharp_nDCG(depth=3).value(judged("2 0 1")).round(4)
    array([0.9751])

    Formula
    -------
    gamma StRecall@k + (1 - gamma) D_nDCG@k

    User model
    ----------
    wants each sub-topic once, has one of several interests and gains less further down

    References
    ----------
    Sakai and Song, Evaluating Diversified Search Results Using Per-Intent Graded Relevance, SIGIR 2011
    """

    best_first: ClassVar[BestFirst | None] = "never"

    gamma: float = param(0.5, ge=0, le=1, help="the weight of the share of sub-topics met")

    @property
    def recall(self) -> StRecall:
        """The share of sub-topics met, at the same depth."""
        return StRecall(rel=self.rel, depth=self.depth)

    def _mixed(self, recall: Floats, gain: Floats) -> Floats:
        return self.gamma * recall + (1.0 - self.gamma) * gain

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths."""
        recall = self.recall
        return self._mixed(recall.read_at(recall.total(judged), judged, depths), super().read_at(total, judged, depths))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value of the ranking down to its end."""
        recall = self.recall
        return self._mixed(recall.whole(recall.total(judged), judged), super().whole(total, judged))

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value at each entry."""
        return self._mixed(self.recall.curve(judged), super().curve(judged))

    def tied_value(self, table: Judged) -> Floats:
        """(topic,): the mean over all orders of tied documents."""
        plain = D_nDCG(self.gains, self.rel, self.renormalise, depth=self.depth)
        return self._mixed(self.recall.tied_value(table), plain.tied_value(table))

    def tied_curve(self, table: Judged) -> Floats:
        """(topic, rank): the same at each rank."""
        return self._mixed(self.recall.tied_curve(table), super().tied_curve(table))
