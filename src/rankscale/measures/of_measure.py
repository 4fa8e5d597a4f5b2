"""Measures of another measure at every rank: the mean of its curve, and how far its value could still rise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import TiedAtRanks
from rankscale.measures.base.gains import read_along
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.base.parameters import needed
from rankscale.measures.base.ties import ends_at


class OfAnother(Measure):
    """A measure that sees relevance and scores as another one does, `of`, which a subclass declares."""

    uses_recall_base: ClassVar[bool] = True  # as most measures do
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)  # those of the other measure

    of: Measure

    @property
    def threshold(self) -> float | None:
        """The lowest grade that is relevant to the other measure."""
        return self.of.threshold

    @property
    def needs_scores(self) -> bool:  # type: ignore[override]  # as the other measure does
        """Whether the other measure looks at scores."""
        return self.of.needs_scores


@dataclass(frozen=True)
class OfMeasure(TiedAtRanks):
    """A measure of another measure, `of`: it defines `at_ranks`, its value at any rank."""

    of: Measure = field(metadata=needed("the measure that it is taken of"))

    @property
    def by_assessor(self) -> bool:  # type: ignore[override]  # as the other measure does
        """Whether the other measure looks at the judgments of each assessor."""
        return self.of.by_assessor

    @property
    def by_subtopic(self) -> bool:  # type: ignore[override]  # as the other measure does
        """Whether the other measure looks at the grades of each sub-topic."""
        return self.of.by_subtopic

    def respects_order(self, levels: Sequence[float]) -> bool:
        """Whether this measure and the other one do."""
        return super().respects_order(levels) and self.of.respects_order(levels)

    def at_ranks(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the values at these ranks; rank 0 is above the first document."""
        raise NotImplementedError(f"{type(self).__name__} must define at_ranks()")

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): what the other measure cumulates."""
        return self.of.total(judged)

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths."""
        return self.at_ranks(judged, np.broadcast_to(np.array(depths), (judged.topics, len(depths))))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value at the end of each ranking."""
        return self.at_ranks(judged, judged.length[:, None])[:, 0]

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value at each entry."""
        return self.at_ranks(judged, np.where(judged.rank == BEYOND, 0, judged.rank))


@dataclass(frozen=True)
class AvgPos(OfAnother, OfMeasure):
    """The mean of another measure over the ranks down to k: where its curve lies on the whole.

    nCG is 1, 5/6 and 8/9 at the first three ranks of the example of Järvelin and Kekäläinen 2002:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.cg import nCG
    >>> AvgPos(nCG(), depth=3).value(judged("3 2 3 0 0 1 2 2 3 0", missed="1 1 1")).round(4)
    array([0.9074])

    Formula
    -------
    (1/k) sum over ranks i <= k of the measure at rank i

    User model
    ----------
    may stop at any of the first k ranks, each of them alike

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002
    """

    best_first: ClassVar = "always"
    example: ClassVar[str] = "AvgPos(nDCG(base=2))"

    def check(self) -> None:
        """Raise ParameterError for a measure that has a depth or takes none; take over what it declares."""
        if self.of.judged_only:
            object.__setattr__(self, "judged_only", True)
            object.__setattr__(self, "of", replace(self.of, judged_only=False))
        object.__setattr__(self, "undefined", self.of.undefined)
        if self.of.depth is not None or not self.of.takes_depth:
            bare = self.of.at(None) if self.of.depth is not None else "nDCG(base=2)"
            raise ParameterError(
                f"{self.name} averages a measure over all ranks, got {self.of}; write {self.name}({bare})@10"
            )

    @property
    def unjudged_gain(self) -> float:
        """Gain of an unjudged document in the other measure."""
        return self.of.unjudged_gain

    @property
    def of_ideal(self) -> Self:
        """The mean of the other measure as it measures the ideal ranking."""
        return replace(self, of=self.of.of_ideal)

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade in the other measure."""
        return self.of.gain(levels, highest)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): what the other measure ignores."""
        return self.of.ignored(levels)

    def why_undefined(self, judged: Judged) -> str:
        """Why the other measure has no value."""
        return self.of.at(self.depth).why_undefined(judged)

    def at_ranks(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the means down to these ranks; the curve goes on where the ranking ends."""
        curve = self.of.curve(judged.every_rank(int(rank.max(initial=0))))
        return read_along(np.cumsum(curve, axis=-1) / np.arange(1, curve.shape[-1] + 1), rank)

    @property
    def knows_tied_means(self) -> bool:
        """Whether the other measure does."""
        return self.of.knows_tied_means

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where that of the other measure is exact at all ranks, and all orders are alike."""
        return self.of.exact_mean(table, every_rank=True) & self.of.all_orders_alike(table, every_rank=True)

    def exact_range(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where that of the other measure is exact at all ranks."""
        return self.of.exact_range(table, every_rank=True)

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """As the other measure has them."""
        return self.of.tie_keys(levels, highest)

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the means of the mean curve down to these ranks."""
        curve = self.of.tied_curve(table.every_rank(int(max(rank.max(initial=0), table.rank.shape[-1]))))
        return read_along(np.cumsum(curve, axis=-1) / np.arange(1, curve.shape[-1] + 1), rank)


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
        end = ends_at(table, rank)
        rank = end if of.unbounded_depth else rank
        (unjudged, pooled), (_, best) = of.open_over_ties(table, rank), of._extreme_gains(table)  # noqa: SLF001
        rise = (best - of.unjudged_gain) * unjudged - pooled + best * of.tail(rank)
        return divide(rise, of.norm(table, rank))
