"""D-nDCG: nDCG of gains over sub-topics."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.aspects import Aspects
from rankscale.data.judged import BEYOND, Judged
from rankscale.measures.base.gains import Gains, GivenGains, gain_table, gains_param, gains_within, read_along
from rankscale.measures.base.measure import BestFirst, Numbers, divide
from rankscale.measures.base.parameters import rel_param
from rankscale.measures.base.subtopic_gains import OverGains
from rankscale.measures.base.subtopics import probabilities_of, renormalise_param


@dataclass(frozen=True)
class D_nDCG(GivenGains, OverGains):
    """nDCG where a document gains what its grades gain for all sub-topics, each times its probability.

    The ideal ranking has all documents in the order of these gains, and so is the best. Where the topic is one
    sub-topic, nDCG:

    >>> from rankscale.data.judged import judged
    >>> D_nDCG(depth=3).value(judged("2 0 1")).round(4)
    array([0.9502])

    Formula
    -------
    sum over ranks r <= k of GG / log2(r+1), over that of all documents by GG; GG adds up p gain over the
    sub-topics that the document is relevant to, p the probability of the sub-topic and gain that of the grade

    User model
    ----------
    has one of several interests, and gains less from a document the more had to be read before it

    References
    ----------
    Sakai and Song, Evaluating Diversified Search Results Using Per-Intent Graded Relevance, SIGIR 2011
    """

    best_first: ClassVar[BestFirst | None] = "always"
    needs_depth: ClassVar[bool] = True
    uses_recall_base: ClassVar[bool] = True
    over_ideal: ClassVar[bool] = True
    graded: ClassVar[bool] = True

    gains: Gains = gains_param()
    rel: float = rel_param()
    renormalise: bool = renormalise_param()

    def grade_gain(self, judged: Judged) -> Floats:
        """(level,): the gain of relevant grades, 0 of others."""
        return self._worth(judged.levels, judged.highest)

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): what a document of this grade for every sub-topic gains."""
        return self._worth(levels, highest)

    def _worth(self, levels: Floats, highest: float) -> Floats:
        gains = np.where(levels >= self.rel, gain_table(self.gains, levels, highest), 0.0)
        return gains_within(self.name, gains, levels)

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): discounted gain, summed down the ranking."""
        return np.cumsum(self.gain_met(judged) / np.log2(judged.common_rank + 1.0), axis=-1)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): the same, each rank gaining the mean of its tie group."""
        return np.cumsum(judged.tie_group_mean(self.gain_met(judged)) / np.log2(judged.common_rank + 1.0), axis=-1)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the sum over that of the ideal ranking, cut where this one is."""
        return divide(total, self.ideal_at(judged, np.where(rank == BEYOND, 0, rank)))

    def has_scale(self, judged: Judged) -> Bools:
        """(topic,): whether the ideal ranking gains something."""
        there: Bools = self.ideal_at(judged, np.array([[1]]))[:, 0] > 0
        return there

    def ideal_at(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): what ideal rankings have cumulated at these ranks."""
        if judged.aspects is None or judged.row is None:
            key = ("ideal sub-topic gain", self.at(None))
            return read_along(judged.memo(key, lambda: _cumulated(judged.ideal_gains(self.grade_gain(judged)))), rank)
        aspects, highest = judged.aspects, judged.highest
        curve = aspects.memo(("ideal", self.at(None), highest), lambda: self._ideal(aspects, highest))
        return read_along(curve[judged.row], rank)

    def _ideal(self, aspects: Aspects, highest: float) -> Floats:
        """(topic, rank): what the ideal rankings of all topics cumulate."""
        weight = probabilities_of(aspects, self.rel, renormalise=self.renormalise)
        topic = aspects.topic_of[aspects.aspect_of]
        gain = weight[aspects.aspect_of] * self._worth(aspects.levels, highest)[aspects.code]
        sizes = np.diff(aspects.judgments)
        by_document = np.bincount(aspects.judgments[topic] + aspects.document, gain, minlength=int(sizes.sum()))
        table = np.zeros((len(sizes), int(sizes.max(initial=0))))
        table[np.arange(table.shape[-1]) < sizes[:, None]] = by_document
        return _cumulated(np.sort(table, axis=-1)[:, ::-1])


def _cumulated(gains: Floats) -> Floats:
    """(topic, rank): discounted gains, summed."""
    return np.cumsum(gains / np.log2(np.arange(gains.shape[-1]) + 2.0), axis=-1)
