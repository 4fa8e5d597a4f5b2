"""alpha-nDCG: discounted gain of what is new, over that of an ideal ranking."""

from dataclasses import dataclass

from rankscale.measures.alpha_dcg import alpha_DCG
from rankscale.measures.base.novelty import OverNovelIdeal


@dataclass(frozen=True)
class alpha_nDCG(OverNovelIdeal, alpha_DCG):
    """alpha_DCG over that of an ideal ranking of the topic's documents.

    The ideal ranking is the greedy one, as in ndeval: at each rank the document that gains most there, the last by
    name of those that gain alike. The best ranking is hard to find: a ranking that is better than the greedy one has a
    value above 1, and a notice says so. `ideal='exact'` finds the best one for topics that are not too large. Here the
    topic is one sub-topic with three relevant documents:

    >>> from rankscale.data.judged import judged
    >>> alpha_nDCG(depth=3).value(judged("1 0 1", missed="1")).round(4)
    array([0.8678])

    Formula
    -------
    alpha_DCG@k / (alpha_DCG@k of the ideal ranking)

    User model
    ----------
    has one of several interests, gains less from what repeats what was read, and compares with what was possible

    References
    ----------
    Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR 2008
    """
