"""OfMeasure: measures of another measure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.measures.base.binary import TiedAtRanks
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import needed


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
