"""nERR-IA: ERR-IA over that of an ideal ranking."""

from dataclasses import dataclass

from rankscale.measures.base.novelty import OverNovelIdeal
from rankscale.measures.err_ia import ERR_IA


@dataclass(frozen=True)
class nERR_IA(OverNovelIdeal, ERR_IA):
    """ERR_IA over that of an ideal ranking of the topic's documents, as in alpha_nDCG.

    Here the topic is one sub-topic with three relevant documents:

    >>> from rankscale.data.judged import judged
    >>> nERR_IA(depth=3).value(judged("1 0 1", missed="1")).round(4)
    array([0.875])

    Formula
    -------
    ERR_IA@k / (ERR_IA@k of the ideal ranking)

    User model
    ----------
    has one of several interests,
    stops at a document that serves it with probability alpha, and compares with what was possible

    References
    ----------
    Clarke, Craswell, Soboroff and Ashkan, WSDM 2011
    """
