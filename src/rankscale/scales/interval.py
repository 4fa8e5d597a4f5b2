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
from rankscale.scales.brackets.points import SMALLEST
from rankscale.scales.floor import floor_effect
from rankscale.scales.notes import SURROGATE, notes_on
from rankscale.scales.plan import METHODS, make_plan
from rankscale.scales.question import UniverseName, make_question, shared_by_topics
from rankscale.scales.scale import Scale

MOST_SCALES, MOST_MEMORY = 128, 1 << 28  # that are kept
NEAR_ONE = 1e-13  # how near to 1 doubles are too far apart for many ranks
NOT_INTERVAL = {
    "mid": "mean ranks of ties among all rankings are not equally spaced: this is not an interval scale",
    "min": "lowest ranks of ties among all rankings are not equally spaced: this is not an interval scale",
    "max": "highest ranks of ties among all rankings are not equally spaced: this is not an interval scale",
    "log10": "logarithms of ranks are for looking at long rankings: this is not an interval scale",
}
FORMS = ("normalised", "rank", *NOT_INTERVAL)
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

    `universe='feasible'` keeps the rankings that the topic's documents allow. Three forms are not interval scales, and
    are labelled so: `form='mid'`, 'min' and 'max' give tied rankings the mean, the lowest or the highest of their ranks
    among all rankings, as published tables do; `form='log10'` is the logarithm of the rank, to look at long rankings
    with, whose normalised ranks are all near 0.

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

    of: Measure = field(metadata=needed("the measure that it is taken of"))
    form: Literal["normalised", "rank", "log10", "mid", "min", "max"] = param(
        "normalised",
        help="'normalised' from 0 to 1, 'rank' from 1 to the number of values; no interval scales: 'log10' of the "
        "rank, and 'mid', 'min', 'max' for the mean, lowest or highest rank of ties among all rankings",
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
        if self.of.ranking_length(lambda: 1) is None:
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
        """Interval, except for forms that are not equally spaced, which are ordinal."""
        return "ordinal" if self.form in NOT_INTERVAL else "interval"

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
        worst, best = (table.filled(grade, length) for grade in self._extremes(table))
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
            scale = SCALES.of(self, tuple(judged.levels.tolist()), float(judged.highest), counts)
            grades = np.append(judged.levels, np.nan)[codes[members, : scale.depth]]
            values[members] = self._read(scale, scale.places(grades), end)
        return values

    def _sharing_a_scale(self, judged: Judged, topic: Ints) -> Iterator[tuple[Ints, tuple[int, ...] | None]]:
        """Rankings that share a scale, and the documents of their topic where the scale depends on them.

        Where nothing is relevant, a measure with a recall base has no scale.
        """
        counts = judged.counts[topic]
        relevant = counts[:, self.of.gain(judged.levels, judged.highest) > self.unjudged_gain].sum(axis=-1)
        if shared_by_topics(self.of, self.universe):
            members = np.flatnonzero(relevant > 0) if self.uses_recall_base else np.arange(len(topic))
            if len(members):
                yield members, None
            return
        distinct, which = np.unique(counts, axis=0, return_inverse=True)
        for place, row in enumerate(distinct.tolist()):
            if relevant[which.ravel() == place].any() or not self.uses_recall_base:
                yield np.flatnonzero(which.ravel() == place), tuple(row)

    def _read(self, scale: Scale, places: Ints, end: int | None) -> Floats:
        """(ranking,): values in the requested form, or one end of their brackets."""
        if self.form == "rank":
            return _as_floats(self, scale.ranks_of_places(places))
        if self.form == "log10":
            return scale.log10_ranks_of_places(places)
        if self.form != "normalised":
            return _as_floats(self, scale.tie_ranks_of_places(places, self.form))
        return scale.normalised_places(places) if end is None else scale.bracket_places(places)[end]

    def cautions(self, values: Floats, levels: Floats, highest: float) -> Iterator[str]:
        """That means mix scales where the recall base is used, that one topic decides, that ranks are not exact."""
        if self.uses_recall_base:
            yield SURROGATE
        floor = floor_effect(values) if self.form == "normalised" else None
        if floor and floor.warning:
            yield floor.warning
        if self.form in NOT_INTERVAL:
            yield NOT_INTERVAL[self.form]
        if shared_by_topics(self.of, self.universe):
            provenance = SCALES.of(self, tuple(levels.tolist()), float(highest), None).provenance
            if provenance.kind == "certified" and self.form == "log10":
                yield "values are approximations, right to some percent of the rank; scale() has certified bounds"
            elif provenance.kind in {"certified", "estimated"}:
                yield f"values are {provenance}"
                yield from _lost(values)

    def remark(self) -> str:
        """Notes on the scale."""
        question = make_question(self.of, (0, 1), 1 if self.uses_recall_base else None, self.universe, None)
        return "; ".join(notes_on(question))


def _lost(values: Floats) -> Iterator[str]:
    """What doubles cannot tell about normalised ranks."""
    tiny = np.count_nonzero((values > 0) & (values < SMALLEST))
    if tiny:
        yield (
            f"{tiny:,} of the values are below {SMALLEST:g}, where doubles end: they show the order of rankings and "
            "not how far these are apart; form='log10' does"
        )
    near_one = np.count_nonzero(values > 1 - NEAR_ONE)
    if near_one > 1:
        yield f"{near_one:,} of the values are within {NEAR_ONE:g} of 1, where distinct ranks can fall into one double"


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
