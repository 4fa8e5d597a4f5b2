"""Generalised precision."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.additive import EqualWeights
from rankscale.measures.base.gains import Gains, GivenGains, gain_table, gains_param, gains_within
from rankscale.measures.base.measure import Numbers


@dataclass(frozen=True)
class gP(GivenGains, EqualWeights):
    """Precision with graded relevance: the mean gain of the first k documents, gains lying between 0 and 1.

    A document gains its grade over the highest one, unless `gains` says otherwise. A shorter ranking is filled with
    documents that gain nothing; without a depth the mean is over the documents retrieved. It is on an interval scale
    only if gains are on a ratio scale. The gains are 1, 0, 1/2 and 0 here:

    >>> from rankscale.data.judged import judged
    >>> gP(depth=4).value(judged("2 0 1"))
    array([0.375])

    Formula
    -------
    (sum of the gains of the first k) / k

    References
    ----------
    Kekäläinen and Järvelin, Using Graded Relevance Assessments in IR Evaluation, JASIST 53(13), 2002
    """

    divided_by_length: ClassVar[bool] = True

    gains: Gains = gains_param("linear")

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade, from 0 to 1."""
        return gains_within(self.name, gain_table(self.gains, levels, highest), levels, 1)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that gain nothing, whatever the highest grade."""
        gains_nothing: Bools = gain_table(self.gains, levels, 1.0) == 0
        return gains_nothing

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The number of documents read."""
        return rank
