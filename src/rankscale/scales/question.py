"""Question: the measure, the grades and the documents that a scale is for; how values add up, and notes on them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import index
from typing import Literal

import numpy as np

from rankscale.data.arrays import UNJUDGED, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError, ScaleError, Setting
from rankscale.measures.base import structure as kinds
from rankscale.measures.base.measure import Measure
from rankscale.scales.counting.groups import RankGroup, by_powers, by_roots
from rankscale.scales.counting.halves import SumOfCounts
from rankscale.scales.counting.image import Limits, Universe
from rankscale.scales.counting.lexicographic import is_lexicographic, largest_lexicographic
from rankscale.scales.counting.rbp_ties import ties_possible

RankingsLike = Sequence[float] | Sequence[Sequence[float]] | Floats | Ints
UniverseName = Literal["all", "feasible"]
SURROGATE = "surrogate: the recall base makes each topic a scale of its own, and means over topics mix them"
LONG = 30  # rankings longer than this have real ones near the bottom
SIMPLE = 100  # the greatest denominator of a fraction that a long decimal may have been meant for


@dataclass(frozen=True)
class Roots:
    """A sum of gains discounted by a logarithm."""

    groups: tuple[RankGroup, ...]
    base: Fraction
    shift: int


@dataclass(frozen=True)
class Powers:
    """A sum of gains weighted by powers of p."""

    p: Fraction
    gains: tuple[Fraction, ...]
    depth: int

    @cached_property
    def lexicographic(self) -> bool:
        """Whether the first rank at which two rankings differ decides which is better."""
        return is_lexicographic(self.p, self.gains, self.depth)

    @cached_property
    def tied(self) -> bool:
        """Whether two rankings may have the same value."""
        return ties_possible(self.p, self.gains, self.depth)

    @cached_property
    def groups(self) -> tuple[RankGroup, ...]:
        """One group for each rank; valid only where no two rankings tie."""
        return by_powers(self.depth, self.p, self.gains)


CountingStructure = kinds.PlainStructure | Roots | Powers


@dataclass(frozen=True)
class Question:
    """A measure over the rankings of its depth, of documents with these grades."""

    measure: Measure
    levels: tuple[float, ...]  # ascending
    highest: float  # the highest grade of the collection, which some gains are relative to
    counts: tuple[int, ...] | int | None = None  # documents of each level in a topic, or relevant ones in all
    feasible: bool = False  # whether rankings can hold no more documents of a grade than there are
    by_grade: bool = False  # whether rankings differ by grades rather than gains: for measures of unknown structure
    with_unjudged: bool = False  # whether rankings hold unjudged documents even where no level is worth the same

    @cached_property
    def depth(self) -> int:
        """The length of rankings."""
        length = self.measure.ranking_length(lambda: self.recall_base)
        if length is None:
            sets = "it takes none: use P@10, or give lengths and recall_bases for sets of different lengths"
            how = f"give a depth, as in {self.measure}@10" if self.measure.takes_depth else sets
            raise ScaleError(f"{self.measure}: rankings of one length make a scale; {how}")
        return length

    @property
    def recall_base(self) -> int:
        """The number of relevant documents."""
        if self.counts is None:
            raise ScaleError(
                f"{self.measure} needs the number of documents of each grade in a topic; give them as counts"
            )
        if isinstance(self.counts, int):
            return self.counts
        relevant = self.measure.threshold if self.measure.threshold is not None else 0
        above = [n for level, n in zip(self.levels, self.counts, strict=True) if level >= relevant and level > 0]
        return sum(above)

    @cached_property
    def per_level(self) -> tuple[Fraction, ...]:
        """(level,): the gain of each level (its grade with `by_grade`); levels with the same are not distinguished."""
        if self.by_grade:
            ignored = self.measure.ignored(np.array(self.levels))
            return tuple(
                Fraction(0) if nothing else kinds.as_written(level)
                for level, nothing in zip(self.levels, ignored, strict=True)
            )
        return tuple(self.measure.exact_gain(level, self.highest) for level in self.levels)

    @cached_property
    def unjudged(self) -> Fraction:
        """The gain of unjudged documents (-1 or 0 with `by_grade`)."""
        if not self.by_grade:
            return kinds.as_written(self.measure.unjudged_gain)
        return Fraction(-1) if self.counts_judged else Fraction(0)

    @cached_property
    def counts_judged(self) -> bool:
        """Whether documents judged not relevant count, as they do for Bpref, so that unjudged ones differ from them."""
        levels = np.array(self.levels)
        not_relevant = (levels >= 0) & (levels < (self.measure.threshold or 1))
        return not self.measure.ignored(levels)[not_relevant].all()

    @cached_property
    def gains(self) -> tuple[Fraction, ...]:
        """The gains that a rank can have: distinct, ascending."""
        unjudged = {self.unjudged} if self.with_unjudged or (self.by_grade and self.counts_judged) else set()
        return tuple(sorted({*self.per_level, *unjudged}))

    @cached_property
    def universe(self) -> Universe:
        """All rankings, or the feasible ones: those that the documents of a topic allow."""
        return Universe(self.gains, self.depth, self._limits() if self.feasible else None)

    @cached_property
    def structure(self) -> CountingStructure:
        """The structure of the measure's values at this depth: groups of ranks, possible ties, how they add up."""
        match self.measure.structure(self.depth):
            case kinds.Logarithms(base, shift):
                return Roots(by_roots(self.depth, base, self.gains, shift), base, shift)
            case kinds.Geometric(p):
                return Powers(p, self.gains, self.depth)
            case known:
                return known

    def blended(self, beta: Fraction) -> SumOfCounts:
        """How the values of Q add up: each relevant rank i adds (c + beta g) / ((i + beta G) RB).

        c are the relevant documents so far, g their gain with that of all others, G the gain of the ideal ranking.
        """
        gain_of = [self.measure.exact_gain(level, self.highest) for level in self.levels]
        relevant = [level >= (self.measure.threshold or 1) for level in self.levels]
        best = sorted(gain for gain, n in zip(gain_of, self.counts_by_level, strict=True) for _ in range(n))
        ideal, weights = Fraction(0), []
        for rank in range(1, self.depth + 1):
            ideal += max(best.pop(), Fraction(0)) if best else 0
            weights.append(1 / ((rank + beta * ideal) * self.recall_base))
        worth = {
            own: ((Fraction(here) + beta * gain,), (Fraction(here),))
            for own, here, gain in zip(self.per_level, relevant, gain_of, strict=True)
        }
        worth[self.unjudged] = (Fraction(0),), (Fraction(0),)
        counted, parts = zip(*(worth[own] for own in self.gains), strict=True)
        return SumOfCounts(counted, parts, tuple(weights), self.measure.name)

    def _limits(self) -> Limits:
        if self.counts is None:
            raise ScaleError(
                f"{self.measure}: which rankings are feasible depends on the number of documents of each grade; "
                "give them as counts"
            )
        limited = [gain for gain in self.gains if gain != self.unjudged]
        if isinstance(self.counts, int):  # all relevant documents are of one kind
            return Limits(tuple(0 if gain in limited else -1 for gain in self.gains), (min(self.counts, self.depth),))
        by_level = list(zip(self.per_level, self.counts, strict=True))
        most = [min(sum(n for own, n in by_level if own == gain), self.depth) for gain in limited]
        kinds = [limited.index(gain) if gain in limited else -1 for gain in self.gains]
        return Limits(tuple(kinds), tuple(most))

    def places(self, rankings: Floats) -> Ints:
        """(ranking, rank): rankings given by grades, NaN for an unjudged document, as places in `gains`."""
        levels = np.array(self.levels)
        known = np.array([self.gains.index(gain) for gain in self.per_level])
        code = np.clip(np.searchsorted(levels, rankings), 0, len(levels) - 1)
        unjudged = np.isnan(rankings)
        unknown = ~unjudged & (levels[code] != rankings)
        if unknown.any():
            grades = ", ".join(f"{level:g}" for level in self.levels)
            raise ScaleError(
                f"a ranking has the grade {rankings[unknown][0]:g}, which is not one of the levels {grades}"
            )
        if unjudged.any() and self.unjudged not in self.gains:
            raise ScaleError(f"{self.measure}: these levels have no place for an unjudged document")
        of_unjudged = self.gains.index(self.unjudged) if self.unjudged in self.gains else 0
        return np.where(unjudged, of_unjudged, known[code])

    def value_of(self, places: Ints) -> Floats:
        """(ranking,): the measure's own value of rankings given by places in `gains`."""
        levels = np.array(self.levels)
        code_of = np.array(
            [self.per_level.index(gain) if gain in self.per_level else UNJUDGED for gain in self.gains], dtype=np.int16
        )
        ranks = np.broadcast_to(np.arange(1, places.shape[1] + 1, dtype=np.int32), places.shape)
        length = np.full(len(places), places.shape[1])
        counts = np.broadcast_to(np.array(self.counts_by_level), (len(places), len(levels)))
        code = code_of[places]
        table = Judged(ranks, code, np.zeros_like(code), ranks, ranks, length, counts, levels, self.highest)
        return self.measure.value(table)

    def check_defined(self) -> None:
        """Raise ScaleError where the measure has no value on a topic with these documents."""
        nothing = np.zeros((1, self.depth), dtype=np.int64)
        if isinstance(self.counts, tuple) and not self.by_grade and np.isnan(self.value_of(nothing)).any():
            why = f" ({self.measure.undefined})" if self.measure.undefined else ""
            raise ScaleError(f"{self.measure} is undefined on a topic with these documents{why}: it has no scale there")

    @property
    def counts_by_level(self) -> list[int]:
        """Documents of each level; without counts, as many of the highest as ranks, which changes no order."""
        if isinstance(self.counts, tuple):
            return list(self.counts)
        if self.counts is None:
            place, count = len(self.levels) - 1, self.depth
        else:
            place, count = int(np.searchsorted(self.levels, self.measure.threshold or 1)), self.counts
        return [count if level == place else 0 for level in range(len(self.levels))]


def make_question(
    measure: Measure,
    levels: Sequence[float],
    counts: Sequence[int] | int | None,
    universe: UniverseName | None,
    highest: float | None,
    *,
    with_unjudged: bool = False,
) -> Question:
    """Make a question, with defaults filled in and all arguments checked."""
    if measure.looks_at:
        raise ScaleError(
            f"{measure} looks at {measure.looks_at}, and a scale is computed from rankings of grades alone"
        )
    grades = tuple(sorted({float(level) for level in levels}))
    if not grades or not np.isfinite(grades).all():
        raise ParameterError(f"levels must be one or more numbers, got {levels!r}")
    if universe not in {None, "all", "feasible"}:
        raise ParameterError(f"universe must be 'all' or 'feasible', got {universe!r}")
    return Question(
        measure,
        grades,
        max(grades) if highest is None else highest,
        _documents(counts, levels, grades),
        feasible(measure, universe),
        by_grade=not measure.values_follow_gains,
        with_unjudged=with_unjudged,
    )


def _documents(
    counts: Sequence[int] | int | None, levels: Sequence[float], grades: tuple[float, ...]
) -> tuple[int, ...] | int | None:
    """The number of documents of each grade, in the order of `grades`; or of all relevant documents."""
    if counts is None:
        return None
    try:
        each = [index(count) for count in counts] if isinstance(counts, Sequence | np.ndarray) else [index(counts)]
    except TypeError:
        raise ParameterError(f"counts must be whole numbers of documents, got {counts!r}") from None
    if min(each, default=0) < 0:
        raise ParameterError(f"counts must be 0 or more, got {counts!r}")
    if not isinstance(counts, Sequence | np.ndarray):
        return each[0]
    if not len(each) == len(levels) == len(grades):
        raise ParameterError(f"counts must have a number for each of the levels {grades}, got {tuple(each)}")
    by_level = dict(zip(map(float, levels), each, strict=True))
    return tuple(by_level[grade] for grade in grades)


def feasible(measure: Measure, universe: UniverseName | None) -> bool:
    """Whether the universe holds only rankings that a topic's documents allow."""
    if universe == "all" and measure.only_feasible:
        raise ScaleError(
            f"{measure} makes no sense for rankings with more relevant documents than there are; use ",
            Setting("universe", "feasible"),
        )
    return measure.only_feasible or universe == "feasible"


def shared_by_topics(measure: Measure, universe: UniverseName | None) -> bool:
    """Whether all topics have the same scale: over all rankings, the recall base only divides values."""
    return not feasible(measure, universe)


def notes_on(question: Question) -> Iterator[str]:
    """Yield the notes, sentences without a full stop."""
    measure, known = question.measure, question.structure
    if measure.uses_recall_base:
        yield SURROGATE
        if question.counts is None:
            yield f"values are shown for {question.depth} relevant documents; ranks do not depend on it"
    if isinstance(known, kinds.GainSums) and len(question.gains) == 2:
        yield "P, R, F and undiscounted gain share this scale: it counts relevant documents"
    elif isinstance(known, Roots):
        yield "DCG and nDCG with this discount share this scale"
    if isinstance(known, Powers) and known.lexicographic:
        limit = largest_lexicographic(known.gains)
        yield f"RBP with any p up to {limit} has this scale: the first rank at which two rankings differ decides"
    yield from measure.scale_notes()
    yield from _decimals(({known.p} if isinstance(known, Powers) else set()) | set(question.gains))
    dense = Roots | kinds.RankWeights | kinds.Precisions | kinds.GradedPrecisions | kinds.Blended
    crowded = not known.lexicographic if isinstance(known, Powers) else isinstance(known, dense)
    if question.depth > LONG and crowded:
        yield (
            f"in nearly all possible rankings of {question.depth} documents about half are relevant; real runs have "
            "far fewer, so that their values are near 0 and one good topic decides the mean"
        )


def _decimals(numbers: Collection[Fraction]) -> Iterator[str]:
    """Of decimals that are the nearest double to a simple fraction, and are taken as they are written."""
    for number in sorted(numbers):
        simple = Fraction(float(number)).limit_denominator(SIMPLE)
        if simple != number and float(simple) == float(number):
            fraction = f"for {simple} write {simple}, or Fraction('{simple}') in Python"
            yield f"{float(number)} is taken as this decimal; {fraction}"
