"""Normalised cumulated gain."""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.gains import unjudged_param
from rankscale.measures.base.over_ideal import OverIdeal
from rankscale.measures.base.structure import Structure, Sums


@dataclass(frozen=True)
class nCG(OverIdeal):
    """Gain met down the ranking, over that of the best ranking there could be.

    With more than two gains it is on an interval scale only if gains are on a ratio scale. The ranking of Järvelin and
    Kekäläinen 2002 and the gains of their ideal:

    >>> from rankscale.data.judged import judged
    >>> ranking = judged("3 2 3 0 0 1 2 2 3 0", missed="1 1 1")
    >>> nCG(depth=5).value(ranking).round(4)  # 8 / 13
    array([0.6154])

    Where documents that are not relevant cost something, they cost the ideal ranking as well, which no ranking beats:

    >>> nCG(gains=[-1, 1, 2, 3], depth=4).value(judged("3 2 0 -", "3 0 2 0"))  # (3 + 2 - 1 - 1) / the same
    array([1., 1.])

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

    unjudged: float | None = unjudged_param()

    def divisor(self, rank: Ints) -> Floats:
        """1 at every rank: gains are not discounted."""
        return np.ones(rank.shape)

    def structure(self, depth: int | None) -> Structure:
        """A sum of gains."""
        return Sums()

    @property
    def discounting(self) -> object:
        """Key under which sums of undiscounted gains are cached."""
        return (None, "none")
