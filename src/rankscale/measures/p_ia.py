"""P-IA: intent-aware precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import BestFirst, Numbers
from rankscale.measures.base.parameters import rel_param
from rankscale.measures.base.subtopic_gains import OverGains
from rankscale.measures.base.subtopics import renormalise_param


@dataclass(frozen=True)
class P_IA(OverGains):
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

    def grade_gain(self, judged: Judged) -> Floats:
        """(level,): 1 where relevant."""
        return (judged.levels >= self.rel).astype(np.float64)

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): gains, summed down the ranking."""
        return np.cumsum(self.gain_met(judged), axis=-1)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): the same, each rank gaining the mean of its tie group."""
        return np.cumsum(judged.tie_group_mean(self.gain_met(judged)), axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The number of documents read."""
        return rank
