"""Measures of diversity: sub-topics that are met, and gains over all sub-topics of a topic."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.aspects import Aspects
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import OfSeveralColumns, SumOfGains
from rankscale.measures.base.gains import Gains, GivenGains, gain_table, gains_param, gains_within, read_along
from rankscale.measures.base.measure import BestFirst, Numbers, ScaleType
from rankscale.measures.base.parameters import param, rel_param
from rankscale.measures.families.subtopics import (
    OverSubtopicIdeal,
    OverSubtopics,
    add_in_order,
    met_before,
    renormalise_param,
)
from rankscale.measures.precision import Success


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
        new, width, counts = np.zeros(judged.rank.size), judged.rank.shape[-1], self.counting(judged)
        for cell, subtopic in self.relevant_pairs(judged):
            is_first = met_before(cell // width, subtopic) == 0
            add_in_order(new, cell[is_first], counts[subtopic[is_first]])
        return np.cumsum(new.reshape(judged.rank.shape), axis=-1)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): how many on average; each is met or not, whatever becomes of the others."""
        met, success, counts = np.zeros(judged.rank.shape), Success(rel=self.rel), self.counting(judged)
        for number, places, one in judged.each_aspect():
            of_rankings = counts[self.first_subtopic(judged)[places] + number]
            if of_rankings.any():
                met[places] += of_rankings[:, None] * success.over_ties(one)
        return met

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """(topic, 1): the sub-topics that count."""
        if judged.aspects is None or judged.row is None:
            return self.counting(judged)[:, None]
        aspects = judged.aspects
        number = np.bincount(aspects.topic_of, self.counting(judged), len(aspects.counts))
        return number[judged.row, None]


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


class OverGains(OverSubtopics):
    """A measure of documents that gain p times what their grade for it is worth, for each sub-topic."""

    def gain_met(self, judged: Judged) -> Floats:
        """(topic, entry): the gain of each entry."""
        return judged.memo(("sub-topic gain", self.at(None)), lambda: self._gain_met(judged))

    def _gain_met(self, judged: Judged) -> Floats:
        gain, table = np.zeros(judged.rank.size), judged.with_fill_level()
        per_level = self.gain(table.levels, table.highest)
        weight = self.probabilities(judged)
        for cell, subtopic, code in judged.aspect_pairs():
            add_in_order(gain, cell, weight[subtopic] * per_level[code])
        return gain.reshape(judged.rank.shape)

    def extreme_orders(self, judged: Judged) -> tuple[Judged, Judged]:
        """The rankings with tied documents from the lowest to the highest gain, and from the highest on."""
        gain = self.gain_met(judged)
        return judged.reordered_by(gain, 0.0, best=False), judged.reordered_by(gain, 0.0, best=True)


@dataclass(frozen=True)
class D_nDCG(GivenGains, OverSubtopicIdeal, OverGains):
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
    graded: ClassVar[bool] = True

    gains: Gains = gains_param()
    rel: float = rel_param()
    renormalise: bool = renormalise_param()

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): the gain of relevant grades, 0 of others."""
        gains = np.where(levels >= self.rel, gain_table(self.gains, levels, highest), 0.0)
        return gains_within(self.name, gains, levels)

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): discounted gain, summed down the ranking."""
        return np.cumsum(self.gain_met(judged) / np.log2(judged.common_rank + 1.0), axis=-1)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): the same, each rank gaining the mean of its tie group."""
        return np.cumsum(judged.tie_group_mean(self.gain_met(judged)) / np.log2(judged.common_rank + 1.0), axis=-1)

    def ideal_at(self, judged: Judged, rank: Ints | None) -> Floats:
        """(topic, any): what ideal rankings have cumulated at these ranks, or in all."""
        if judged.aspects is None or judged.row is None:
            key = ("ideal sub-topic gain", self.at(None))
            gains = self.gain(judged.levels, judged.highest)
            return read_along(judged.memo(key, lambda: _cumulated(judged.ideal_gains(gains))), rank)
        aspects, highest = judged.aspects, judged.highest
        curve = aspects.memo(("ideal", self.at(None), highest), lambda: self._ideal(aspects, highest))
        return read_along(curve[judged.row], rank)

    def _ideal(self, aspects: Aspects, highest: float) -> Floats:
        """(topic, rank): what the ideal rankings of all topics cumulate."""
        weight = self.probabilities_in(aspects)
        topic = aspects.topic_of[aspects.aspect_of]
        gain = weight[aspects.aspect_of] * self.gain(aspects.levels, highest)[aspects.code]
        sizes = np.diff(aspects.judgments)
        by_document = np.bincount(aspects.judgments[topic] + aspects.document, gain, minlength=int(sizes.sum()))
        table = np.zeros((len(sizes), int(sizes.max(initial=0))))
        table[np.arange(table.shape[-1]) < sizes[:, None]] = by_document
        return _cumulated(np.sort(table, axis=-1)[:, ::-1])


def _cumulated(gains: Floats) -> Floats:
    """(topic, rank): discounted gains, summed."""
    return np.cumsum(gains / np.log2(np.arange(gains.shape[-1]) + 2.0), axis=-1)


@dataclass(frozen=True)
class Dsharp_nDCG(OfSeveralColumns, D_nDCG):
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

    def at_ranks(self, total: Numbers, judged: Judged, rank: Ints, read: Callable[[Numbers], Floats]) -> Floats:
        """(topic, any): both shares at these ranks, mixed."""
        recall = self.recall.finish(read(self.recall.total(judged)), judged, rank)
        return self._mixed(recall, self.finish(read(total), judged, rank))

    def tied_value(self, table: Judged) -> Floats:
        """(topic,): the mean over all orders of tied documents."""
        plain = D_nDCG(self.gains, self.rel, self.renormalise, depth=self.depth)
        return self._mixed(self.recall.tied_value(table), plain.tied_value(table))

    def tied_curve(self, table: Judged) -> Floats:
        """(topic, rank): the same at each rank."""
        return self._mixed(self.recall.tied_curve(table), super().tied_curve(table))


@dataclass(frozen=True)
class P_IA(OverGains, SumOfGains):
    """Precision for each sub-topic by itself, weighed by the probabilities of the sub-topics.

    Where the topic is one sub-topic, precision:

    >>> from rankscale.data.judged import judged
    >>> P_IA(depth=5).value(judged("1 1 0"))
    array([0.4])

    Formula
    -------
    sum over sub-topics of p (documents in the first k that are relevant to it) / k, p its probability

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong, Diversifying Search Results, WSDM 2009
    """

    best_first: ClassVar[BestFirst | None] = "always"
    scale: ClassVar = "interval"  # for a fixed number of sub-topics
    divided_by_length: ClassVar[bool] = True
    needs_depth: ClassVar[bool] = True
    bounded: ClassVar[bool] = True

    rel: float = rel_param()
    renormalise: bool = renormalise_param()

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The number of documents read."""
        return rank
