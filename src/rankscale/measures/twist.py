"""Twist."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.relative_position import INCOMPLETE, LATE, MAKES_UP, Crossed, Cut, not_held
from rankscale.measures.base.structure import Structure, Twisted
from rankscale.measures.recovery import recovery
from rankscale.measures.sigma import space_ratio


@dataclass(frozen=True)
class Twist(Crossed):
    """How little avoidable effort a ranking costs: the mean of recovery (rho) and space ratio (sigma).

    1 for the ideal ranking, 0 where nothing relevant is retrieved. Rankings are cut at the depth, at 1000 if none is
    given, and padded to N = max(k, 2 RB). For `crossing` see `balance`. Rankings A and B of the paper, with N = 15:

    >>> from rankscale.data.judged import judged
    >>> a, b = "3 3 2 0 1 2 0 0 0 1 0 0 0 0 0", "3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"
    >>> [Twist(depth=15).value(judged(a, missed="1")).round(6), Twist(depth=15).value(judged(b)).round(6)]
    [array([0.818795]), array([0.525375])]

    Formula
    -------
    (rho + sigma) / 2

    User model
    ----------
    takes a good ranking for granted, and feels what stands too early or too late as work that could be avoided

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola and Järvelin, The Twist Measure for IR Evaluation: Taking User's Effort Into
    Account, JASIST 67(3), 2016
    """

    measures_effort: ClassVar[bool] = True
    exceptions: ClassVar = not_held(moved_up=MAKES_UP, longer=LATE, ideal=INCOMPLETE)

    def structure(self, depth: int | None) -> Structure:
        """A function of balance point and spaces, for this rule of crossing."""
        return Twisted(self.crossing)

    def of_cut(self, cut: Cut) -> Numbers:
        """Twist of the ranking."""
        return (recovery(cut, self.crossing) + space_ratio(cut)) / 2
