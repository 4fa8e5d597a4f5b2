"""Geometric mean average precision."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.measures.ap import AP


@dataclass(frozen=True)
class GMAP(AP):
    """Average precision whose mean over topics is geometric: gains on the worst topics show.

    A topic of value 0 counts as 0.00001. AP is 1/2 and 1/8 here, so their geometric mean is 1/4:

    >>> from rankscale.data.judged import judged
    >>> topics = judged("0 1", "0 0 0 0 0 0 0 1")
    >>> round(float(GMAP().summarise(GMAP().value(topics))), 4)
    0.25

    Formula
    -------
    AP; over topics exp(mean of log(max(AP, 0.00001)))

    References
    ----------
    Robertson, On GMAP: and other transformations, CIKM 2006
    """

    summary: ClassVar = "geometric"
