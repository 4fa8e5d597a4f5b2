"""nNRBP: NRBP over that of an ideal ranking."""

from dataclasses import dataclass

from rankscale.measures.base.novelty import OverNovelIdeal
from rankscale.measures.nrbp import NRBP


@dataclass(frozen=True)
class nNRBP(OverNovelIdeal, NRBP):
    """NRBP over that of an ideal ranking of the topic's documents, as in alpha_nDCG; without a depth, of all of it.

    Here the topic is one sub-topic with three relevant documents, 1 + (1/2) (1/4) over 1 + 1/4 + 1/16:

    >>> from rankscale.data.judged import judged
    >>> nNRBP().value(judged("1 0 1", missed="1")).round(4)
    array([0.8571])

    Formula
    -------
    NRBP / (NRBP of the ideal ranking)

    User model
    ----------
    has one of several interests, reads on with probability beta, and compares with what was possible

    References
    ----------
    Clarke, Craswell, Soboroff and Ashkan, WSDM 2011
    """
