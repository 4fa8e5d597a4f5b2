"""OnScale: measures that place a ranking among all rankings of its length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import needed
from rankscale.scales.plan import make_plan
from rankscale.scales.question import UniverseName, make_question, shared_by_topics
from rankscale.scales.scale import Scale

MOST_SCALES, MOST_MEMORY = 128, 1 << 28  # that are kept
AS_THE_OTHER = ("uses_recall_base", "low_is_good", "direction_note", "bounded")  # ranks follow values


@dataclass(frozen=True)
class OnScale(Measure):
    """A measure of another, `of`: it defines `_read`, the values of rankings on that measure's scale."""

    needs_all_levels: ClassVar[bool] = True
    takes_depth: ClassVar[bool] = False
    prefers_large_batches: ClassVar[bool] = True
    best_first: ClassVar = "always"  # if the measure inside is

    of: Measure = field(metadata=needed("the measure that it is taken of"))

    @property
    def counting(self) -> tuple[UniverseName | None, str, str]:
        """The rankings that the scale is over, how values are counted, and how they are told apart."""
        return None, "auto", "exact"

    def _read(self, scale: Scale, places: Ints, end: int | None) -> Floats:
        """(ranking,): values of rankings, or the lower (0) or upper (1) end of each."""
        raise NotImplementedError(f"{type(self).__name__} must define _read()")

    def scale_for(self, levels: Floats, highest: float, counts: tuple[int, ...] | None = None) -> Scale:
        """The scale for a collection's levels and, where it matters, a topic's documents."""
        return SCALES.of(self, tuple(levels.tolist()), float(highest), counts)

    @property
    def shared(self) -> bool:
        """Whether all topics have the same scale."""
        return shared_by_topics(self.of, self.counting[0])

    def check(self) -> None:
        """Raise ParameterError unless the rankings of the measure inside have one length and no scores."""
        if self.of.judged_only:
            object.__setattr__(self, "judged_only", True)
            object.__setattr__(self, "of", replace(self.of, judged_only=False))
        if self.of.interval_of is not None:
            raise ParameterError(f"{self.of} is on an interval scale already")
        if self.of.needs_scores:
            raise ParameterError(f"{self.name}: {self.of} looks at scores: no set of rankings gives all its values")
        if self.of.looks_at:
            raise ParameterError(
                f"{self.name}: {self.of} looks at {self.of.looks_at}, "
                "and a scale is computed from rankings of grades alone"
            )
        if self.of.ranking_length(lambda: 1) is None:
            other = self.of if self.of.takes_depth else "P"
            raise ParameterError(
                f"{self.name}({self.of}): rankings of different lengths are on different scales, and their values "
                f"cannot be averaged; name one length, as in {self.name}({other}@10)"
            )
        for shared in AS_THE_OTHER:
            object.__setattr__(self, shared, getattr(self.of, shared))

    @property
    def threshold(self) -> float | None:
        """The lowest relevant grade of the measure inside."""
        return self.of.threshold

    @property
    def unjudged_gain(self) -> float:
        """The gain of unjudged documents, as in the measure inside."""
        return self.of.unjudged_gain

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gains, as in the measure inside."""
        return self.of.gain(levels, highest)

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """What orders tied documents from the worst to the best, as in the measure inside."""
        return self.of.tie_keys(levels, highest)

    def exact_range(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where that of the measure inside is exact: the scale keeps its order."""
        return self.of.exact_range(table, every_rank=every_rank)

    def respects_order(self, levels: Sequence[float]) -> bool:
        """Whether the measure inside does: ranks follow values."""
        return self.of.respects_order(levels)

    def why_undefined(self, judged: Judged) -> str:
        """Why the measure inside has no value."""
        return self.of.why_undefined(judged)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): which levels the measure inside ignores."""
        return self.of.ignored(levels)

    def total(self, judged: Judged) -> Numbers:
        """Zeros: nothing accumulates rank by rank."""
        return np.zeros(judged.rank.shape)

    def value(self, judged: Judged) -> Floats:
        """(topic,): the ranks of the rankings among all."""
        return self.whole(np.zeros((judged.topics, 0)), judged.only_judged() if self.judged_only else judged)

    def whole(self, total: Numbers, judged: Judged) -> Floats:  # noqa: ARG002
        """(topic,): the rank of each ranking."""
        return self._of_codes(judged.every_rank(self._length(judged)).code, judged, np.arange(judged.topics))

    def bounds(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic,) twice: the lower end of the worst ranking's bracket and the upper end of the best one's."""
        self.refuse_bounds()
        seen = judged.only_judged() if self.judged_only else judged
        length = self._length(seen)
        table = seen.every_rank(length)
        topics = np.arange(seen.topics)
        worst, best = (table.filled(grade, length) for grade in self.extreme_grades(table))
        return self._of_codes(worst.code, worst, topics, end=0), self._of_codes(best.code, best, topics, end=1)

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value of the ranking as if it ended at each entry."""
        topic, entry = np.nonzero(judged.rank != BEYOND)
        length = self._length(judged)
        code = judged.every_rank(length).code[topic]
        ended = np.arange(1, length + 1) > judged.rank[topic, entry][:, None]
        values = np.zeros(judged.rank.shape)
        values[topic, entry] = self._of_codes(np.where(ended, -1, code), judged, topic)
        filling = judged.rank == BEYOND
        return np.where(filling, self.whole(values, judged)[:, None], values) if filling.any() else values

    def _length(self, judged: Judged) -> int:
        """The length of the longest rankings: of all where the measure has a depth, else by the recall bases."""
        bases = {0, *judged.recall_base(self.threshold or 1).tolist()} if self.of.depth is None else {0}
        return max(self.of.ranking_length(lambda base=base: base) or 0 for base in bases)  # type: ignore[misc]

    def _of_codes(self, codes: Ints, judged: Judged, topic: Ints, end: int | None = None) -> Floats:
        """(ranking,): values of rankings of these codes, each of a topic; or the lower (0) or upper (1) end of each."""
        values = np.full(len(codes), np.nan)
        for members, counts in self._sharing_a_scale(judged, topic):
            scale = self.scale_for(judged.levels, judged.highest, counts)
            grades = np.append(judged.levels, np.nan)[codes[members, : scale.depth]]
            values[members] = self._read(scale, scale.places(grades), end)
        return values

    def _sharing_a_scale(self, judged: Judged, topic: Ints) -> Iterator[tuple[Ints, tuple[int, ...] | None]]:
        """Rankings that share a scale, and the documents of their topic where the scale depends on them.

        Where nothing is relevant, a measure with a recall base has no scale; one over an ideal ranking that gains
        nothing has none either.
        """
        counts, there = judged.counts[topic], self.of.has_scale(judged)[topic]
        if self.shared:
            members = np.flatnonzero(there)
            if len(members):
                yield members, None
            return
        distinct, which = np.unique(counts, axis=0, return_inverse=True)
        for place, row in enumerate(distinct.tolist()):
            if there[which.ravel() == place].any():
                yield np.flatnonzero(which.ravel() == place), tuple(row)


class Scales:
    """A cache of the scales used last; with feasible rankings there is one for each topic."""

    def __init__(self) -> None:
        self.kept: dict[object, Scale] = {}
        self._lock = Lock()

    def of(self, measure: OnScale, levels: tuple[float, ...], highest: float, counts: tuple[int, ...] | None) -> Scale:
        """The scale of a measure for a collection's levels and, where it matters, a topic's documents."""
        key = measure, levels, highest, counts
        with self._lock:
            scale = self.kept.pop(key, None)
        if scale is None:
            universe, method, deduplicate = measure.counting
            question = make_question(measure.of, levels, counts, universe, highest, with_unjudged=True)
            scale = Scale(question, make_plan(question, method, deduplicate))
        with self._lock:
            self.kept[key] = scale  # now the most recent
            memory = sum(kept.cost.memory for kept in self.kept.values())
            while len(self.kept) > 1 and (memory > MOST_MEMORY or len(self.kept) > MOST_SCALES):
                memory -= self.kept.pop(next(iter(self.kept))).cost.memory
        return scale


SCALES = Scales()
