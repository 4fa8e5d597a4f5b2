"""NRBP: novelty- and rank-biased precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.novelty import Novelty
from rankscale.measures.base.parameters import param
from rankscale.measures.base.scaled import at_rank


@dataclass(frozen=True)
class NRBP(Novelty):
    """What a user gains who reads on with probability beta and gains less from what repeats what was read.

    As RBP, with the gain of alpha_DCG. Here the topic is one sub-topic, (1 - 1/4) (1 + (1/2) (1/4)):

    >>> from rankscale.data.judged import judged
    >>> NRBP().value(judged("1 0 1"))
    array([0.84375])

    Formula
    -------
    (1 - (1-alpha) beta) sum over ranks r <= k of beta^(r-1) g;
    g is the sum, over the sub-topics that the document is relevant to, of p (1-alpha)^n,
    p the probability of the sub-topic and n the number of documents above that are relevant to it

    User model
    ----------
    has one of several interests, and after each document reads on with probability beta

    References
    ----------
    Clarke, Kolla and Vechtomova, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR 2009
    """

    unbounded_depth: ClassVar[bool] = True

    beta: float = param(0.5, ge=0, le=1, help="the probability of reading on after a document")

    def check(self) -> None:
        """Raise ParameterError where sums have no end."""
        if (1 - self.alpha) * self.beta >= 1:
            raise ParameterError(f"{self.name}: beta must be below 1 where alpha is 0, got beta={self.beta:g}")

    def weight(self, rank: Ints) -> Floats:
        """The share of users who look at each rank."""
        return np.power(float(self.beta), np.asarray(rank, dtype=np.float64) - 1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """What documents that are relevant to everything have, without end."""
        return np.array([[1.0 / (1.0 - (1.0 - self.alpha) * self.beta)]])

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): what all ranks below these would add if each were relevant to everything."""
        left = self.decay(judged.rank.shape[-1])
        rest = np.zeros(np.broadcast_shapes((judged.topics, 1), rank.shape))
        for places, weight, one in self.each(judged):
            reached = rank if rank.shape[0] == 1 else rank[places]
            rest[places] += weight * at_rank(left[one.relevant_so_far(self.rel)], reached, 1.0)
        return rest * self.weight(rank + 1)
