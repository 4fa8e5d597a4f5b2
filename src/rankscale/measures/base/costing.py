"""CostingDocuments: measures of gain in which documents may cost something."""

from dataclasses import replace
from typing import Self

import numpy as np

from rankscale.measures.base.gains import Graded, gain_table, some_negative


class CostingDocuments(Graded):
    """A measure with a parameter `unjudged`, which a subclass declares: documents may cost something.

    An unjudged document counts as not relevant, and so costs what grade 0 costs unless `unjudged` says otherwise. Where
    grade 0 gains something, an unjudged document still gains nothing.

    Below the documents that are worth something, the ideal ranking goes on with those that cost least: no ranking beats
    it, and a perfect ranking followed by documents that are not relevant equals it at every rank.
    """

    unjudged: float | None

    def check(self) -> None:
        """Leave out a gain that unjudged documents have anyway, so that a measure has one name."""
        super().check()
        if self.unjudged is not None and self.unjudged == self._cost_of_not_relevant:
            object.__setattr__(self, "unjudged", None)

    @property
    def unjudged_gain(self) -> float:
        """Gain of an unjudged document."""
        return self._cost_of_not_relevant if self.unjudged is None else float(self.unjudged)

    @property
    def some_cost(self) -> bool:
        """Whether some document costs something."""
        return some_negative(self.gains) or self.unjudged_gain < 0

    @property
    def filler_gain(self) -> float:
        """Gain of each document that fills up the ideal ranking: not relevant or unjudged, whichever is worth more."""
        return max(self._cost_of_not_relevant, self.unjudged_gain)

    @property
    def of_ideal(self) -> Self:
        """The measure as it measures the ideal ranking, where unjudged documents are those that fill it up."""
        return replace(self, unjudged=self.filler_gain)  # type: ignore[call-arg]  # a subclass declares it

    @property
    def _cost_of_not_relevant(self) -> float:
        """Gain of grade 0 where that is negative, else 0."""
        return min(0.0, float(gain_table(self.gains, np.zeros(1), 1.0)[0]))
