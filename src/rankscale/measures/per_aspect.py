"""Another measure with the judgments of each sub-topic or of each assessor alone: IA, AP_IA, Groups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import BoundsError, ParameterError
from rankscale.measures.ap import AP
from rankscale.measures.base.gains import read_along
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.base.parameters import needed, rel_param
from rankscale.measures.families.subtopics import OverSubtopics, renormalise_param
from rankscale.measures.of_measure import OfAnother

# Values of rankings as one sub-topic or assessor judges them, given also which of the rankings these are.
ValuesOfSome = Callable[[Judged, Ints | slice], Floats]


class OfAspects(Measure):
    """Values of another measure, `inner`, of the rankings as each sub-topic or assessor judges them, put together."""

    @property
    def inner(self) -> Measure:
        """The other measure, at the depth of this one."""
        raise NotImplementedError(f"{type(self).__name__} must define inner")

    def together(self, judged: Judged, value: ValuesOfSome) -> Floats:
        """(topic, any): values of the rankings as judged by each sub-topic or assessor, put together."""
        raise NotImplementedError(f"{type(self).__name__} must define together()")

    def total(self, judged: Judged) -> Numbers:
        """(topic, 0): nothing; values are read by sub-topic or assessor."""
        return np.zeros((judged.topics, 0))

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths."""
        inner = self.inner
        return self.together(judged, lambda seen, _: inner.read_at(inner.total(seen), seen, depths))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value of the ranking down to its end."""
        inner = self.inner
        return self.together(judged, lambda seen, _: inner.whole(inner.total(seen), seen)[:, None])[:, 0]

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value at each entry."""
        return self.together(judged, lambda seen, _: self.inner.curve(seen))

    def tied_value(self, table: Judged) -> Floats:
        """(topic,): the mean over all orders of tied documents."""
        return self.together(table, lambda seen, _: self.inner.tied_value(seen)[:, None])[:, 0]

    def tied_curve(self, table: Judged) -> Floats:
        """(topic, rank): the same at each rank."""
        return self.together(table, lambda seen, _: self.inner.tied_curve(seen))


class IntentAware(OfAspects, OverSubtopics):
    """The mean over sub-topics, by their probabilities, of another measure with the qrels of each sub-topic alone."""

    def ignored(self, levels: Floats) -> Bools:
        """(level,): what the other measure ignores; as long as this also ends at a grade, highest grades tell."""
        ignored = self.inner.ignored(levels)
        kept = np.logical_or.accumulate(~ignored)  # a grade above one that counts may hide it
        return ~kept

    def together(self, judged: Judged, value: ValuesOfSome) -> Floats:
        """(topic, any): values of the rankings judged by each sub-topic, added up by probability."""
        total: Floats | None = None
        for places, weight, one in self.each(judged):
            values = value(one, places)
            if total is None:
                total = np.zeros((judged.topics, *values.shape[1:]))
            total[places] += np.where(weight > 0, weight, 0.0) * np.where(weight > 0, values, 0.0)
        return np.zeros(value(judged, slice(None)).shape) if total is None else total

    @property
    def knows_tied_means(self) -> bool:
        """Whether the other measure does."""
        return self.inner.knows_tied_means

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where that of the other measure is exact for each sub-topic, and all orders are alike."""
        exact = np.ones(table.topics, dtype=bool)
        for places, weight, one in self.each(table):
            known = self.inner.exact_mean(one, every_rank=every_rank)
            known &= self.inner.all_orders_alike(one, every_rank=every_rank)
            exact[places] &= known | (weight[:, 0] == 0)
        return exact

    def refuse_bounds(self, *, curve: bool = False) -> None:
        """Raise BoundsError where the other measure has none."""
        try:
            self.inner.refuse_bounds(curve=curve)
        except BoundsError as error:
            raise BoundsError(str(self), error.reason) from None

    def extreme_grades(self, judged: Judged) -> tuple[float | None, float | None]:
        """Those of the other measure."""
        return self.inner.extreme_grades(judged)

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): what the other measure could still gain, for each sub-topic."""
        rank = np.broadcast_to(rank, (judged.topics, rank.shape[-1]))
        return self.together(
            judged, lambda one, places: np.broadcast_to(self.inner.beyond(one, rank[places]), rank[places].shape)
        )


class OfEach(OfAnother):
    """A measure of another one, `of`, with the judgments of each sub-topic or assessor; a subclass declares it."""

    limits_note: ClassVar[str] = "those of the other measure"
    taken_over: ClassVar[tuple[str, ...]]  # what the other measure declares of itself, and this one too

    def check(self) -> None:
        """Raise ParameterError for measures that look at more than one grade; take over what the other declares."""
        if self.of.looks_at or self.of.summary != "mean" or self.of.interval_of is not None:
            raise ParameterError(
                f"{self.name} takes a measure whose topics are averaged and that looks at one grade of each document, "
                f"as in {self.example}, got {self.of}"
            )
        for name in self.taken_over:
            object.__setattr__(self, name, getattr(self.of, name))
        if self.of.depth is not None:
            if self.depth not in {None, self.of.depth}:
                raise ParameterError(f"{self.name}: the depth is given twice, got {self.of} and @{self.depth}")
            object.__setattr__(self, "depth", self.of.depth)
            object.__setattr__(self, "of", self.of.at(None))
        if self.depth is not None and not self.of.takes_depth:
            raise ParameterError(f"{self.name}: {self.of} takes no depth, got @{self.depth}")

    def check_measurable(self) -> None:
        """Raise ParameterError where the other measure needs a depth and has none."""
        if self.depth is None and self.needs_depth:
            raise ParameterError(f"{self.name}: a depth is needed, as in {self}@10")

    @property
    def inner(self) -> Measure:
        """The other measure, at the depth of this one."""
        return self.of if self.depth is None else self.of.at(self.depth)

    @property
    def assumed_depth(self) -> int | None:
        """That of the other measure."""
        return self.inner.assumed_depth

    def length_note(self) -> str:
        """That of the other measure."""
        return self.inner.length_note()

    def why_undefined(self, judged: Judged) -> str:
        """Why the other measure has no value."""
        return self.inner.why_undefined(judged)


@dataclass(frozen=True)
class IA(OfEach, IntentAware):
    """Another measure for each sub-topic by itself, weighed by the probabilities of the sub-topics.

    `IA(P)@10` is P_IA@10 and `IA(AP)` is AP_IA. Where the topic is one sub-topic, the other measure:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.dcg import nDCG
    >>> IA(nDCG(), depth=3).value(judged("2 0 1")).round(4)
    array([0.9502])

    A sub-topic counts if some document has a grade for it that is relevant to the other measure (1 or more, where that
    measure has no `rel`).

    Formula
    -------
    sum over sub-topics of p M, p the probability of the sub-topic, M the other measure with the grades for it alone

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong, Diversifying Search Results, WSDM 2009
    """

    taken_over: ClassVar = (
        *("takes_depth", "needs_depth", "low_is_good", "undefined", "looks_ahead", "unbounded_depth", "bounded"),
        *("uses_recall_base", "over_ideal", "direction_note"),
    )
    example: ClassVar[str] = "IA(nDCG)"

    of: Measure = field(metadata=needed("the measure that is taken for each sub-topic"))
    renormalise: bool = renormalise_param()

    def check(self) -> None:
        """Raise ParameterError for measures that look at more than one grade; take over what the other declares."""
        super().check()
        if self.of.judged_only:
            object.__setattr__(self, "judged_only", True)
            object.__setattr__(self, "of", replace(self.of, judged_only=False))

    @property
    def lowest(self) -> float:
        """The lowest grade that makes a sub-topic count."""
        return 1.0 if self.of.threshold is None else self.of.threshold


@dataclass(frozen=True)
class AP_IA(IntentAware):
    """Average precision for each sub-topic by itself, weighed by the probabilities of the sub-topics.

    Each is divided by the number of documents that are relevant to its sub-topic. Where the topic is one sub-topic,
    average precision:

    >>> from rankscale.data.judged import judged
    >>> AP_IA().value(judged("1 0 1", missed="1")).round(4)
    array([0.5556])

    Formula
    -------
    sum over sub-topics of p AP, p the probability of the sub-topic, AP with the documents relevant to it alone

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong, Diversifying Search Results, WSDM 2009
    """

    aliases: ClassVar[tuple[str, ...]] = ("MAP_IA",)
    uses_recall_base: ClassVar[bool] = True

    rel: float = rel_param()
    renormalise: bool = renormalise_param()

    @property
    def inner(self) -> AP:
        """Average precision, at the depth of this measure."""
        return AP(rel=self.rel, depth=self.depth)


@dataclass(frozen=True)
class Groups(OfEach, OfAspects):
    """Another measure with the judgments of each assessor (judgment group) by itself, and the mean of these.

    `Groups(AP)` is map_avgjg of trec_eval, `Groups(P)@10` P_avgjg_10. An assessor to whom nothing is relevant counts
    with the value that the other measure has then, 0 for most. With one grade for each document there is one assessor:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.ap import AP
    >>> Groups(AP()).value(judged("1 0 1")).round(4)
    array([0.8333])

    `judged_only` of the other measure takes out what that assessor did not judge, that of this one what nobody did.

    Formula
    -------
    mean over assessors of M, M the other measure with the grades of that assessor alone

    References
    ----------
    Buckley's trec_eval
    """

    by_assessor: ClassVar[bool] = True
    taken_over: ClassVar = ("takes_depth", "needs_depth", "low_is_good", "undefined", "looks_ahead")
    example: ClassVar[str] = "Groups(AP)"
    best_first: ClassVar = "never"  # what one assessor wants first another one may want last

    of: Measure = field(metadata=needed("the measure that is taken for each assessor"))

    @property
    def unjudged_gain(self) -> float:
        """Gain of an unjudged document in the other measure."""
        return self.of.unjudged_gain

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade in the other measure."""
        return self.of.gain(levels, highest)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): grades that the other measure ignores, with all below them: a document has its highest grade."""
        if self.of.judged_only:
            return np.zeros(len(levels), dtype=bool)
        return ~np.logical_or.accumulate(~self.of.ignored(levels))

    def respects_order(self, levels: Sequence[float]) -> bool:
        """Whether it does: the order is that of one grade for each document, and assessors have several."""
        return False

    def together(self, judged: Judged, value: ValuesOfSome) -> Floats:
        """(topic, any): the mean of values of the rankings as each assessor judges them, undefined ones left out."""
        total: Floats | None = None
        for _, places, seen in judged.each_aspect():
            values = value(seen.memo("only_judged", seen.only_judged) if self.of.judged_only else seen, places)
            if total is None:
                total, number = np.zeros((2, judged.topics, *values.shape[1:]))
            counts = ~np.isnan(values)
            total[places] += np.where(counts, values, 0.0)
            number[places] += counts
        if total is None:
            return np.full(value(judged, slice(None)).shape, np.nan)
        return divide(total, number, np.nan)

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value at each entry."""
        if not self.of.judged_only:
            return super().curve(judged)
        rank = np.where(judged.rank == BEYOND, 0, judged.rank)
        deepest = int(rank.max(initial=0))
        return self.together(
            judged, lambda seen, places: read_along(self.inner.curve(seen.every_rank(deepest)), rank[places])
        )

    @property
    def knows_tied_means(self) -> bool:
        """Whether the other measure does, and looks at all documents."""
        return self.of.knows_tied_means and not self.of.judged_only

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where that of the other measure is exact for each assessor, and all orders are alike."""
        exact = np.ones(table.topics, dtype=bool)
        for _, places, seen in table.each_aspect():
            known = self.inner.exact_mean(seen, every_rank=every_rank)
            exact[places] &= known & self.inner.all_orders_alike(seen, every_rank=every_rank)
        return exact

    def refuse_bounds(self, *, curve: bool = False) -> None:
        """Raise BoundsError: bounds are those of one judgment for each document."""
        raise BoundsError(str(self), "each assessor left other documents unjudged; take bounds with the other measure")
