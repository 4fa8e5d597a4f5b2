"""alpha-DCG: discounted gain of what is new."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.novelty import OverAllNew


@dataclass(frozen=True)
class alpha_DCG(OverAllNew):
    """Gain of documents that are relevant to sub-topics not yet covered, discounted by the rank.

    A document gains for each sub-topic that it is relevant to, and (1-alpha) times as much for each document of that
    sub-topic above it. The sum is divided by that of documents which are relevant to everything. Here the topic is one
    sub-topic, 1 + (1/2) / log2(4) over 1 + (1/2) / log2(3) + (1/4) / log2(4):

    >>> from rankscale.data.judged import judged
    >>> alpha_DCG(depth=3).value(judged("1 0 1")).round(4)
    array([0.8678])

    At depth 1 this is the share of sub-topics that the first document is relevant to; ndeval prints their number there.

    Formula
    -------
    sum over ranks r <= k of g / log2(r+1), over the same sum with g = (1-alpha)^(r-1);
    g is the sum, over the sub-topics that the document is relevant to, of p (1-alpha)^n,
    p the probability of the sub-topic and n the number of documents above that are relevant to it

    User model
    ----------
    has one of several interests, reads from the top and gains less from what repeats what was read

    References
    ----------
    Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR 2008;
    Clarke, Craswell, Soboroff and Ashkan, WSDM 2011
    """

    needs_depth: ClassVar[bool] = True

    def weight(self, rank: Ints) -> Floats:
        """The discount at each rank."""
        weight: Floats = 1.0 / np.log2(rank + 1.0)
        return weight
