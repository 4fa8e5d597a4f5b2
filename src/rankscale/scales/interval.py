"""Interval: any measure on an interval scale."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from threading import Lock
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.measure import Measure, Numbers, ScaleType
from rankscale.measures.base.parameters import needed, param
from rankscale.scales.floor import floor_effect
from rankscale.scales.notes import SURROGATE, notes_on
from rankscale.scales.plan import METHODS, make_plan
from rankscale.scales.question import UniverseName, make_question, shared_by_topics
from rankscale.scales.scale import Scale

MOST_SCALES, MOST_MEMORY = 128, 1 << 28  # that are kept
AS_THE_OTHER = ("uses_recall_base", "low_is_good", "direction_note", "bounded")  # ranks follow values


@dataclass(frozen=True)
class Interval(Measure):
    """Another measure mapped to an interval scale: the place of its value among all values it can take.

    The values that the measure takes over all rankings of its length are put in order, and each is replaced by its
    rank, from 1, equal values once; so neighbours are one step apart. Printed is (rank - 1) / (K - 1), K the number of
    values; `form='rank'` gives the rank itself. DCG(base=2) takes 12 values over the 16 rankings of length 4, and this
    one has the sixth:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.dcg import DCG
    >>> Interval(DCG(base=2, depth=4), form="rank").value(judged("1 0 0 1"))
    array([6.])

    `universe='feasible'` keeps the rankings that the topic's documents allow. `form='mid'` gives tied rankings their
    mean rank among all rankings; it is not an interval scale, and only serves to repeat published tables.

    Formula
    -------
    (phi - 1) / (K - 1), phi how many of the K values over all rankings of k documents do not exceed the measure's

    References
    ----------
    Ferrante, Ferro and Fuhr, Towards Meaningful Statements in IR Evaluation: Mapping Evaluation Measures to Interval
    Scales, IEEE Access 9, 2021
    """

    scale: ClassVar = "interval"
    takes_depth: ClassVar[bool] = False
    example: ClassVar[str] = "Interval(DCG(base=2)@10)"
    undefined: ClassVar[str] = "the measure has one value only, as where a topic has nothing relevant"
    prefers_large_batches: ClassVar[bool] = True
    best_first: ClassVar = "always"  # if the measure inside is

    of: Measure = field(metadata=needed("the measure that it is taken of"))
    form: Literal["normalised", "rank", "mid"] = param(
        "normalised",
        help="'normalised' from 0 to 1, 'rank' from 1 to the number of values, 'mid' for the mean rank of ties",
    )
    universe: UniverseName | None = param(
        None,
        choices=(None, "all", "feasible"),
        help="'all' rankings, or those that the topic's documents make 'feasible'",
    )
    method: str = param("auto", choices=METHODS, help="how to count: 'auto', 'exact', 'certified' or 'estimated'")
    deduplicate: str = param(
        "exact",
        choices=("exact", "float"),
        help="'exact', or 'float' to count distinct floating-point sums of AP, as published tables did",
    )

    def check(self) -> None:
        """Raise ParameterError unless the rankings of the measure inside have one length and no scores."""
        if self.of.judged_only:
            object.__setattr__(self, "judged_only", True)
            object.__setattr__(self, "of", replace(self.of, judged_only=False))
        if self.of.interval_of is not None:
            raise ParameterError(f"{self.of} is on an interval scale already")
        if self.of.depth is None:
            other = self.of if self.of.takes_depth else "P"
            raise ParameterError(
                f"{self.name}({self.of}): rankings of different lengths are on different scales, and their values "
                f"cannot be averaged; name one length, as in {self.name}({other}@10)"
            )
        if self.of.needs_scores:
            raise ParameterError(f"{self.name}: {self.of} looks at scores: no set of rankings gives all its values")
        for shared in AS_THE_OTHER:
            object.__setattr__(self, shared, getattr(self.of, shared))

    @property
    def interval_of(self) -> Measure:
        """The measure inside."""
        return self.of

    def scale_type(self, levels: Sequence[float]) -> ScaleType:  # noqa: ARG002  # ranks are equally spaced for any
        """Interval, except for mid-ranks, which are ordinal."""
        return "ordinal" if self.form == "mid" else "interval"

    def respects_order(self, levels: Sequence[float]) -> bool:
        """Whether the measure inside does: ranks follow values."""
        return self.of.respects_order(levels)

    @property
    def topic_scales(self) -> bool:
        """Whether the scale depends on the topic's documents."""
        return self.uses_recall_base or not shared_by_topics(self.of, self.universe)

    @property
    def finely_spaced(self) -> bool:  # type: ignore[override]  # depends on the form
        """Whether values are normalised ranks, whose steps are as small as values are many."""
        return self.form == "normalised"

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
        return self._of_codes(judged.every_rank(self._depth).code, judged, np.arange(judged.topics))

    def bounds(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic,) twice: the lower end of the worst ranking's bracket and the upper end of the best one's."""
        self.refuse_bounds()
        seen = judged.only_judged() if self.judged_only else judged
        table = seen.every_rank(self._depth)
        topics = np.arange(seen.topics)
        worst, best = (table.filled(grade, self._depth) for grade in self._extremes(table))
        return self._of_codes(worst.code, worst, topics, end=0), self._of_codes(best.code, best, topics, end=1)

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value of the ranking as if it ended at each entry."""
        topic, entry = np.nonzero(judged.rank != BEYOND)
        code = judged.every_rank(self._depth).code[topic]
        ended = np.arange(1, self._depth + 1) > judged.rank[topic, entry][:, None]
        values = np.zeros(judged.rank.shape)
        values[topic, entry] = self._of_codes(np.where(ended, -1, code), judged, topic)
        filling = judged.rank == BEYOND
        return np.where(filling, self.whole(values, judged)[:, None], values) if filling.any() else values

    @property
    def _depth(self) -> int:
        return self.of.depth or 0

    def _of_codes(self, codes: Ints, judged: Judged, topic: Ints, end: int | None = None) -> Floats:
        """(ranking,): values of rankings of these codes, each of a topic; or the lower (0) or upper (1) end of each."""
        values = np.full(len(codes), np.nan)
        for members, counts in self._sharing_a_scale(judged, topic):
            scale = SCALES.of(self, tuple(judged.levels.tolist()), float(judged.highest), counts)
            grades = np.append(judged.levels, np.nan)[codes[members]]
            values[members] = self._read(scale, scale.places(grades), end)
        return values

    def _sharing_a_scale(self, judged: Judged, topic: Ints) -> Iterator[tuple[Ints, tuple[int, ...] | None]]:
        """Rankings that share a scale, and the documents of their topic where the scale depends on them.

        Where nothing is relevant, a measure with a recall base has no scale; one over an ideal ranking that gains
        nothing has none either.
        """
        counts, there = judged.counts[topic], self.of.has_scale(judged)[topic]
        if shared_by_topics(self.of, self.universe):
            members = np.flatnonzero(there)
            if len(members):
                yield members, None
            return
        distinct, which = np.unique(counts, axis=0, return_inverse=True)
        for place, row in enumerate(distinct.tolist()):
            if there[which.ravel() == place].any():
                yield np.flatnonzero(which.ravel() == place), tuple(row)

    def _read(self, scale: Scale, places: Ints, end: int | None) -> Floats:
        """(ranking,): values in the requested form, or one end of their brackets."""
        if self.form == "mid":
            return _as_floats(self, scale.mid_ranks_of_places(places))
        if self.form == "rank":
            return _as_floats(self, scale.ranks_of_places(places))
        return scale.normalised_places(places) if end is None else scale.bracket_places(places)[end]

    def why_undefined(self, judged: Judged) -> str:
        """Why the measure inside has no value."""
        return self.of.why_undefined(judged)

    def cautions(self, values: Floats, levels: Floats, highest: float) -> Iterator[str]:
        """That means mix scales where the recall base is used, that one topic decides, that ranks are not exact."""
        if self.uses_recall_base:
            yield SURROGATE
        floor = floor_effect(values) if self.form == "normalised" else None
        if floor and floor.warning:
            yield floor.warning
        if self.form == "mid":
            yield "mean ranks of ties are not equally spaced: this is not an interval scale"
        if shared_by_topics(self.of, self.universe):
            provenance = SCALES.of(self, tuple(levels.tolist()), float(highest), None).provenance
            if provenance.kind in {"certified", "estimated"}:
                yield f"values are {provenance}"

    def remark(self) -> str:
        """Notes on the scale."""
        question = make_question(self.of, (0, 1), 1 if self.uses_recall_base else None, self.universe, None)
        return "; ".join(notes_on(question))


def _as_floats(measure: Interval, ranks: Sequence[int | Fraction]) -> Floats:
    try:
        return np.array([float(rank) for rank in ranks])
    except OverflowError:
        raise ScaleError(f"{measure}: ranks of so many values are no floats; leave form={measure.form!r} out") from None


class Scales:
    """A cache of the scales used last; with feasible rankings there is one for each topic."""

    def __init__(self) -> None:
        self.kept: dict[object, Scale] = {}
        self._lock = Lock()

    def of(self, measure: Interval, levels: tuple[float, ...], highest: float, counts: tuple[int, ...] | None) -> Scale:
        """The scale of a measure for a collection's levels and, where it matters, a topic's documents."""
        key = measure, levels, highest, counts
        with self._lock:
            scale = self.kept.pop(key, None)
        if scale is None:
            question = make_question(measure.of, levels, counts, measure.universe, highest, with_unjudged=True)
            scale = Scale(question, make_plan(question, measure.method, measure.deduplicate))
        with self._lock:
            self.kept[key] = scale  # now the most recent
            memory = sum(kept.cost.memory for kept in self.kept.values())
            while len(self.kept) > 1 and (memory > MOST_MEMORY or len(self.kept) > MOST_SCALES):
                memory -= self.kept.pop(next(iter(self.kept))).cost.memory
        return scale


SCALES = Scales()
