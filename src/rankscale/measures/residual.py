"""How far a value could still rise."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.gains import read_along
from rankscale.measures.base.measure import divide
from rankscale.measures.base.of_measure import OfMeasure


@dataclass(frozen=True)
class Residual(OfMeasure):
    """How much another measure could still rise if all that is unjudged turned out to be of the best grade.

    RBP with p=0.8 could rise from 0.4470 to 0.4889 in the example of Moffat and Zobel 2008, where `?` are unjudged:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.rbp import RBP
    >>> Residual(RBP(p=0.8)).value(judged("1 1 0 0 0 1 0 0 0 0 1 0 - - 0 0 - 0 0 0")).round(4)
    array([0.0419])

    Formula
    -------
    (the measure with all that is unjudged at its best) - (the measure)

    References
    ----------
    Moffat and Zobel, TOIS 27(1), 2008
    """

    exceptions: ClassVar = {
        "without_relevant_documents_there_is_nothing": "what is not known is not nothing",
        "moving_a_relevant_document_up_never_costs": "a known document that moves up leaves less open",
        "a_longer_ranking_never_costs": "documents that are known leave less open",
        "the_ideal_ranking_is_not_beaten": "what is open does not depend on what was retrieved",
    }
    example: ClassVar[str] = "Residual(RBP(p=0.8))"
    best_first: ClassVar = "always"
    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    low_is_good: ClassVar[bool] = True
    drawn_ties: ClassVar[str] = "where the other measure is no sum of gains by rank"
    why_unbounded: ClassVar[str] = "it is made of bounds itself"

    def check(self) -> None:
        """Raise BoundsError for a measure without bounds, ParameterError for one with a depth."""
        if self.of.depth is not None:
            raise ParameterError(f"{self.name}: the depth stands behind it, as in {self.name}({self.of.at(None)})@10")
        self.of.refuse_bounds(curve=self.depth is not None)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): none; what was judged counts, whatever the grade."""
        return np.zeros(len(levels), dtype=bool)

    def at_ranks(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): how far the value at these ranks could rise; at rank 0, by all that comes after."""
        if self.of.unbounded_depth:
            rank = np.minimum(rank, judged.length[:, None])
        table = judged.every_rank(int(rank.max(initial=0)))
        _, upper = self.of.bounds_curve(table)
        rise = np.maximum(upper - self.of.curve(table), 0.0)  # rounding may make it negative
        return np.where(rank > 0, read_along(rise, rank), self.of.beyond(table, np.zeros(rank.shape, dtype=np.int64)))

    @property
    def knows_tied_means(self) -> bool:
        """Where gains add up, what is open does as well."""
        return self.of.as_additive is not None

    def exact_range(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where gains add up, and no grade that is no judgment gains anything."""
        pooled = self.of.gain(table.levels[table.levels < 0], table.highest) != self.of.unjudged_gain
        return np.full(table.topics, self.knows_tied_means and not pooled.any())

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """What is not judged last: on top it leaves most open."""
        return -(levels < 0).astype(np.float64), -1.0

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the weights of all ranks but those that judged documents have on average, at the best gain."""
        of = self.of.as_additive
        if of is None:
            return super().tied_at(table, rank)
        end = np.minimum(np.broadcast_to(rank, (table.topics, rank.shape[-1])), table.length[:, None]).astype(np.int64)
        rank = end if of.unbounded_depth else rank
        (unjudged, pooled), (_, best) = of.open_over_ties(table, rank), of._extreme_gains(table)  # noqa: SLF001
        rise = (best - of.unjudged_gain) * unjudged - pooled + best * of.tail(rank)
        return divide(rise, of.norm(table, rank))
