"""Recall."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.measures.base.additive import Counting
from rankscale.measures.base.binary import OverRecallBase


@dataclass(frozen=True)
class R(OverRecallBase, Counting):
    """The share of the topic's relevant documents that stand among the first k.

    Two of the three relevant documents are retrieved:

    >>> from rankscale.data.judged import judged
    >>> R(depth=5).value(judged("1 1 0", missed="1")).round(4)
    array([0.6667])

    Formula
    -------
    (relevant in the first k) / RB

    References
    ----------
    van Rijsbergen, Information Retrieval, Butterworths, 1979
    """

    aliases: ClassVar[tuple[str, ...]] = ("Recall",)
    scale: ClassVar = "interval"
    needs_depth: ClassVar[bool] = True
