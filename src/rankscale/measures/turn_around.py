"""Where CRP is lowest: the turn-around point, and what was lost there."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.relative_position import INCOMPLETE, Cut, Relative, fallen, not_held

A_RANK = "a place in the curve: being early or late makes it neither good nor bad"
MOVES = "the turn-around point moves, and with it the rank at which the full scale is looked at"


@dataclass(frozen=True)
class TurnAround(Relative):
    """The first rank at which CRP is lowest: from there on, nothing more is lost than was made up before.

    It is never beyond RB, and 1 where CRP is 0 throughout. Ranking B of Ferro et al. 2016 comes down to -14 at rank 7:

    >>> from rankscale.data.judged import judged
    >>> TurnAround(depth=15).value(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"))
    array([7.])

    Formula
    -------
    the first rank m where CRP[m] is lowest

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    name: ClassVar[str] = "turn_around"
    direction_note: ClassVar[str] = "it is a place in the curve"
    limits: ClassVar[tuple[float, float]] = (1, np.inf)
    exceptions: ClassVar = not_held(moved_up=A_RANK, longer=A_RANK, ideal=A_RANK)

    def of_cut(self, cut: Cut) -> Numbers:
        """The turn-around point."""
        _, rank = cut.lowest
        return rank


@dataclass(frozen=True)
class CRPMin(Relative):
    """How much less CRP has fallen at its turn-around point than the full scale's had there.

    Ranking B of Ferro et al. 2016 is at -14 at rank 7, the full scale at -28:

    >>> from rankscale.data.judged import judged
    >>> CRPMin(depth=15).value(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"))
    array([0.5])

    Formula
    -------
    1 - CRP[m] / CRP[m] of the full scale, m the turn-around point

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: A Metric for
    Ranking Evaluation, CLEF 2012
    """

    name: ClassVar[str] = "CRP_min"
    exceptions: ClassVar = not_held(moved_up=MOVES, longer=MOVES, ideal=INCOMPLETE)

    def of_cut(self, cut: Cut) -> Numbers:
        """The ratio at the turn-around point; down to RB the full scale holds nothing relevant."""
        value, rank = cut.lowest
        return 1.0 - divide(value, fallen(rank, cut.of.recall_base))
