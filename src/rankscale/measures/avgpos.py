"""A curve averaged over its ranks."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.gains import read_along
from rankscale.measures.base.of_measure import OfMeasure


@dataclass(frozen=True)
class AvgPos(OfMeasure):
    """The mean of another measure over the ranks down to k: where its curve lies on the whole.

    nCG is 1, 5/6 and 8/9 at the first three ranks of the example of Järvelin and Kekäläinen 2002:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.ncg import nCG
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
    uses_recall_base: ClassVar[bool] = True  # as most measures do
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)  # those of the other measure

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
    def threshold(self) -> float | None:
        """The lowest grade that is relevant to the other measure."""
        return self.of.threshold

    @property
    def needs_scores(self) -> bool:  # type: ignore[override]  # as the other measure does
        """Whether the other measure looks at scores."""
        return self.of.needs_scores

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
