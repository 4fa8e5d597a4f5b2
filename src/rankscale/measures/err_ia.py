"""ERR-IA: intent-aware expected reciprocal rank."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.novelty import OverAllNew


@dataclass(frozen=True)
class ERR_IA(OverAllNew):
    """Gain of documents that are relevant to sub-topics not yet covered, over the rank.

    As alpha_DCG, with the rank in place of the logarithm. Here the topic is one sub-topic, 1 + (1/2) / 3 over
    1 + (1/2) / 2 + (1/4) / 3:

    >>> from rankscale.data.judged import judged
    >>> ERR_IA(depth=3).value(judged("1 0 1")).round(4)
    array([0.875])

    Formula
    -------
    sum over ranks r <= k of g / r, over the same sum with g = (1-alpha)^(r-1);
    g is the sum, over the sub-topics that the document is relevant to, of p (1-alpha)^n,
    p the probability of the sub-topic and n the number of documents above that are relevant to it

    User model
    ----------
    has one of several interests, and stops at a document that serves it with probability alpha

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, CIKM 2009;
    Clarke, Craswell, Soboroff and Ashkan, WSDM 2011
    """

    needs_depth: ClassVar[bool] = True

    def weight(self, rank: Ints) -> Floats:
        """The reciprocal of the rank."""
        weight: Floats = 1.0 / np.asarray(rank, dtype=np.float64)
        return weight
