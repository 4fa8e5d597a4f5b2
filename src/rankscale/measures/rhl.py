"""Ranked half-life."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.gains import Graded, gains_within
from rankscale.measures.base.measure import Numbers, divide


@dataclass(frozen=True)
class RHL(Graded):
    """How far down half of the gain that was retrieved is met, as the median of grouped data; low is good.

    A rank is taken to give its gain evenly from where the one above ends. Half of the gain of 4 is met at rank 3, which
    is to give 1 of its 3 until then: 2 + 1/3.

    >>> from rankscale.data.judged import judged
    >>> RHL().value(judged("1 0 3 -", missed="3")).round(4)
    array([2.3333])

    Formula
    -------
    (m-1) + (T/2 - CG[m-1]) / G[m], T = CG[k], m the first rank with CG[m] >= T/2

    References
    ----------
    Borlund and Ingwersen, Measures of Relative Relevance and Ranked Half-Life, SIGIR 1998
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "with more gain further down, half of it is met later",
        "moving_a_relevant_document_up_never_costs": "with more gain down to the depth, half of it is met later",
        "the_ideal_ranking_is_not_beaten": "down to a depth, half of more gain is met later",
    }
    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    low_is_good: ClassVar[bool] = True
    best_first: ClassVar = "uncut"
    undefined: ClassVar[str] = "nothing that gains is retrieved"

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade, 0 or more, so that half of the gain is met somewhere."""
        return gains_within(self.name, super().gain(levels, highest), levels)

    def total(self, judged: Judged) -> Floats:
        """The half-life of the ranking down to each entry, 0 until something is gained."""
        gain = judged.worth(self.gain(judged.levels, judged.highest))
        met = np.cumsum(gain, axis=-1)
        above = np.pad(met, ((0, 0), (1, 0)))[:, :-1]
        middle = _first_reaching(met, met / 2)
        left = met / 2 - np.take_along_axis(above, middle, axis=-1)
        within = divide(left, np.take_along_axis(gain, middle, axis=-1))
        return np.where(met > 0, np.take_along_axis(judged.rank, middle, axis=-1) - 1 + within, 0.0)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """Undefined where nothing was gained."""
        return np.where(total > 0, total, np.nan)


def _first_reaching(met: Floats, wanted: Floats) -> Ints:
    """(topic, entry): the first entry at which `met` is as high as wanted; neither ever falls along a row."""
    width = met.shape[-1]
    # Sorted together, equal ones with the wanted first: what stands before a wanted number, but for other wanted ones,
    # are the entries that have not reached it.
    order = np.argsort(np.concatenate([wanted, met], axis=-1), axis=-1, kind="stable")
    place = np.argsort(order, axis=-1, kind="stable")[:, :width]
    return place - np.arange(width)
