"""A curve averaged over its ranks."""

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.graded import read_along
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import needed


@dataclass(frozen=True)
class AvgPos(Measure):
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

    example: ClassVar[str] = "AvgPos(nDCG(base=2))"
    uses_recall_base: ClassVar[bool] = True  # most measures that it is asked of do
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)  # those of the other measure

    of: Measure = field(metadata=needed("the measure that it is taken of"))

    def check(self) -> None:
        """Refuse a measure that is itself read at one depth; what it asks for is asked for here."""
        if self.of.judged_only:
            object.__setattr__(self, "judged_only", True)
            object.__setattr__(self, "of", replace(self.of, judged_only=False))
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

    def ignored(self, levels: Floats) -> Bools:
        """(level,): what the other measure ignores."""
        return self.of.ignored(levels)

    def total(self, judged: Judged) -> Numbers:
        """What the other measure cumulates."""
        return self.of.total(judged)

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the mean down to each depth; the curve goes on where the ranking ends."""
        return self._means(judged, max(depths))[:, np.array(depths) - 1]

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the mean down to the end of each ranking."""
        return read_along(self._means(judged, int(judged.length.max(initial=0))), judged.length[:, None])[:, 0]

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the mean down to each entry."""
        rank = np.where(judged.rank == BEYOND, 0, judged.rank)
        return read_along(self._means(judged, int(rank.max(initial=0))), rank)

    def _means(self, judged: Judged, depth: int) -> Floats:
        """(topic, rank): the mean of the curve down to each rank."""
        curve = self.of.curve(judged.every_rank(depth))
        return np.cumsum(curve, axis=-1) / np.arange(1, depth + 1)
