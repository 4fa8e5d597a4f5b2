"""Sliding ratio."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.gains import Graded, gains_within, read_along
from rankscale.measures.base.measure import Numbers


@dataclass(frozen=True)
class SR(Graded):
    """Gain of the first k documents, over that of the first k if all documents retrieved came in their best order.

    What was not retrieved does not count, so that rankings of different documents are hardly comparable; at the end of
    every ranking the ratio is 1. The first two gain 1 here, and 3 + 1 in the best order:

    >>> from rankscale.data.judged import judged
    >>> SR(depth=2).value(judged("1 0 3", missed="3"))
    array([0.25])

    Formula
    -------
    CG[k] / (CG[k] of the documents retrieved, in their best order)

    References
    ----------
    Pollack, Measures for the Comparison of Information Retrieval Systems, American Documentation 19(4), 1968
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "what is retrieved further down makes the best order better at every depth",
        "a_ranking_above_another_is_never_worse": "a better document below the depth makes the best order better",
    }
    needs_depth: ClassVar[bool] = True
    drawn_ties: ClassVar[str] = "where rankings are cut first"
    looks_ahead: ClassVar[bool] = True

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade, 0 or more."""
        return gains_within(self.name, super().gain(levels, highest), levels)

    def total(self, judged: Judged) -> Floats:
        """Gains met, summed down the ranking."""
        return np.cumsum(self._gain(judged), axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The same gains, best first, down to these ranks."""
        return read_along(np.cumsum(-np.sort(-self._gain(judged), axis=-1), axis=-1), rank)

    def _gain(self, judged: Judged) -> Floats:
        return judged.worth(self.gain(judged.levels, judged.highest))

    def over_ties(self, judged: Judged) -> Floats:
        """Each rank gains the mean of its tie group."""
        return np.cumsum(judged.tie_group_mean(self._gain(judged)), axis=-1)

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where rankings are not cut, and so all orders retrieve the same."""
        beyond = (table.code >= 0) & (table.rank > table.length[:, None])
        none: Bools = np.count_nonzero(beyond, axis=-1) == 0
        return none

    def exact_range(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where all orders retrieve the same."""
        return self.exact_mean(table)
