"""Sub-topic recall."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Numbers, ScaleType
from rankscale.measures.base.parameters import rel_param
from rankscale.measures.base.subtopics import OverSubtopics, add_in_order, met_before, relevant_pairs
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
        new, width, counts = np.zeros(judged.rank.size), judged.rank.shape[-1], self.counting(judged)
        for cell, subtopic in relevant_pairs(judged, self.rel):
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
