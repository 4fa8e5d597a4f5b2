"""Average precision."""

from typing import ClassVar

from rankscale.data.records import dataclass
from rankscale.measures.base.binary import OverRecallBase
from rankscale.measures.sp import SP


@dataclass(frozen=True)
class AP(OverRecallBase, SP):
    """Precision at each relevant document, averaged over all relevant documents of the topic.

    Five relevant documents of seven are retrieved (Moffat and Zobel 2008, with RB = 7):

    >>> from rankscale.data.judged import judged
    >>> AP().value(judged("1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0", missed="1 1")).round(4)
    array([0.4511])

    Formula
    -------
    (1/RB) sum over relevant ranks i <= k of (relevant in the first i) / i

    User model
    ----------
    stops at a relevant document, any of them alike, and asks for the precision down to it

    References
    ----------
    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005
    """

    aliases: ClassVar[tuple[str, ...]] = ("MAP",)
    limits: ClassVar[tuple[float, float]] = (0, 1)
