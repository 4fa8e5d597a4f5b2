"""Interpolated precision averaged over recall levels."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.best_precision import LARGE, few_enough, interpolated_over_ties
from rankscale.measures.base.binary import TiedAtRanks
from rankscale.measures.base.measure import Numbers
from rankscale.measures.base.parameters import param, rel_param
from rankscale.measures.iprec import interpolated, wanted


@dataclass(frozen=True)
class AP11(TiedAtRanks):
    """The mean of interpolated precision at recall 0, 0.1, ..., 1, or at other levels.

    With one relevant document out of one at rank 2, precision is 1/2 at every level:

    >>> from rankscale.data.judged import judged
    >>> AP11().value(judged("0 1"))
    array([0.5])

    Formula
    -------
    mean of IPrec over the recall levels

    References
    ----------
    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005
    """

    uses_recall_base: ClassVar[bool] = True
    only_relevant: ClassVar[bool] = True
    drawn_ties: ClassVar[str] = LARGE

    recalls: tuple[float, ...] = param(
        (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1), help="the levels of recall that are averaged"
    )
    rel: float = rel_param()
    version: Literal[9, 10] = param(9, help="the version of trec_eval whose recall levels are met, 9 or 10")

    def check(self) -> None:
        """Raise ParameterError for levels that are no recall."""
        if not self.recalls or any(not 0 <= recall <= 1 for recall in self.recalls):
            given = ", ".join(map(str, self.recalls)) or "none"
            raise ParameterError(f"{self.name}: recall levels must lie between 0 and 1, got {given}")

    def total(self, judged: Judged) -> Floats:
        """Interpolated precision, summed over the levels."""
        total = np.zeros(judged.rank.shape)
        for recall in reversed(self.recalls):  # trec_eval adds from the highest level down
            total += interpolated(judged, recall, self.rel, self.version)
        return total

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The number of levels."""
        return np.full(1, float(len(self.recalls)))

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where no group of ties is too large; curves draw orders of all groups."""
        return few_enough(table, self.rel, every_rank=every_rank)

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the mean over levels of the means of the best precision."""
        total = np.zeros((table.topics, rank.shape[-1]))
        for recall in reversed(self.recalls):
            level = wanted(table, recall, self.rel, self.version)
            total += interpolated_over_ties(table, rank, level, self.rel)
        return total / len(self.recalls)
