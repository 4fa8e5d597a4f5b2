"""Geometric mean binary preference."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.measures.bpref import Bpref


@dataclass(frozen=True)
class GMBpref(Bpref):
    """Binary preference whose mean over topics is geometric; a topic of value 0 counts as 0.00001.

    >>> from rankscale.data.judged import judged
    >>> topics = judged("1 0", "0 1")
    >>> GMBpref().value(topics), round(float(GMBpref().summarise(GMBpref().value(topics))), 6)
    (array([1., 0.]), 0.003162)

    Formula
    -------
    Bpref; over topics exp(mean of log(max(Bpref, 0.00001)))
    """

    aliases: ClassVar[tuple[str, ...]] = ("GMBPref",)
    summary: ClassVar = "geometric"
