"""Normalised cumulated gain."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.graded import Graded
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.structure import Structure, Sums


@dataclass(frozen=True)
class nCG(Graded):
    """Gain met down the ranking, over that of the best ranking there could be.

    The ranking of Järvelin and Kekäläinen 2002 and the gains of their ideal:

    >>> from rankscale.data.judged import judged
    >>> ranking = judged("3 2 3 0 0 1 2 2 3 0", missed="1 1 1")
    >>> nCG(depth=5).value(ranking).round(4)  # 8 / 13
    array([0.6154])

    Formula
    -------
    (sum over ranks i <= k of gain) / (the same sum over the ideal ranking)

    User model
    ----------
    reads the first k documents and compares what is gained with what could have been

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002
    """

    uses_recall_base: ClassVar[bool] = True
    values_follow_gains: ClassVar[bool] = True

    def divisor(self, rank: Ints) -> Floats:
        """Nothing is discounted."""
        return np.ones(rank.shape)

    def structure(self, depth: int | None) -> Structure:
        """A sum of gains."""
        return Sums()

    @property
    def discounting(self) -> object:
        """What tells this from discounted gains."""
        return (None, "none")

    def total(self, judged: Judged) -> Numbers:
        """Gains, summed down the ranking."""
        return self.cumulated(judged)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The ideal's gains down to these ranks."""
        return self.ideal(judged, rank)

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """Without a depth, over the whole ideal."""
        return divide(judged.read(total), self.ideal(judged)[:, 0])

    def over_ties(self, judged: Judged) -> Numbers:
        """Each rank gains the mean of its tie group."""
        return np.cumsum(judged.tie_group_mean(self.gain_met(judged)), axis=-1)
