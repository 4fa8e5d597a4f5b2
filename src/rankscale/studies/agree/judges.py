"""How far assessors agree on the items that they judge: two of them, all together and every pair.

Coefficients are pooled over topics, topic by topic, and over draws of topics.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, compress

import numpy as np

from rankscale.data.arguments import DrawCount
from rankscale.data.arrays import UNJUDGED, Bools, Floats, Ints
from rankscale.data.names import listed
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError, ParameterError
from rankscale.stats.agreement import (
    COEFFICIENTS,
    OF_AS_MANY,
    OF_SEVERAL,
    AgreementCoefficient,
    Bias,
    GradeSpacing,
    Specific,
    TwoByTwo,
    bias,
    coincidences,
    specific_agreement,
    two_by_two,
)
from rankscale.stats.resampling.draws import FEWEST_TOPICS, counts_of, drawn_topics, interval
from rankscale.studies.agree.judgments import JudgmentOverlap, check_grades

AT_ONCE = 1 << 21  # cells of matrices that are held at once


@dataclass(frozen=True)
class CoefficientResult:
    """One coefficient."""

    name: str
    pooled: float  # over all items; NaN where it is undefined
    lower: float  # its interval over draws of topics
    upper: float
    mean: float  # over the topics where it is defined
    by_topic: Floats  # (topic,): NaN where it is undefined, or the topic has no item
    undefined_draws: int

    @property
    def topics(self) -> int:
        """Number of topics where it is defined."""
        return int(np.count_nonzero(~np.isnan(self.by_topic)))

    def words(self, confidence: float) -> str:
        """The pooled value and its interval, as far as they are defined."""
        if np.isnan(self.pooled):
            return "undefined"
        interval = f" ({100 * confidence:g}% interval {self.lower:.4f} to {self.upper:.4f})"
        return f"{self.pooled:.4f}{'' if np.isnan(self.lower) else interval}"


@dataclass(frozen=True)
class CoefficientOptions:
    """What coefficients depend on besides grades."""

    rel: float = 1  # lowest relevant grade
    levels: Sequence[float] = ()  # grades besides those given
    spacing: GradeSpacing = "value"
    confidence: float = 0.95
    draws: DrawCount = 1000  # of topics
    seed: int = 0

    def __post_init__(self) -> None:
        if not all(math.isfinite(level) and level >= 0 for level in self.levels):
            given = ", ".join(f"{one:g}" for one in self.levels)
            raise ParameterError(f"levels must be finite grades from 0 on, got {given}")


@dataclass(frozen=True, eq=False)
class TopicMatrices:
    """A matrix (level, level) of each topic, as the cells that occur in any."""

    counts: Floats  # (topic, cell)
    at: Ints  # (cell,): place in the flat matrix
    levels: Floats  # (level,): the grades

    def summed(self, weights: Floats) -> Floats:
        """(row, level, level): sums of topics' matrices, each topic so often, (row, topic)."""
        size = len(self.levels)
        flat = np.zeros((len(weights), size**2))
        flat[:, self.at] = weights @ self.counts
        return flat.reshape(len(weights), size, size)

    def values(
        self, weights: Floats, coefficients: Mapping[str, AgreementCoefficient], spacing: GradeSpacing
    ) -> Floats:
        """(coefficient, row): all coefficients of such sums, as many rows at a time as fit."""
        step = max(1, AT_ONCE // len(self.levels) ** 2)
        grades = tuple(self.levels.tolist())
        parts = []
        for start in range(0, len(weights), step):
            sums = self.summed(weights[start : start + step])
            empty: Bools = sums.sum(axis=(1, 2)) == 0
            values = np.stack([one.compute(sums, grades, spacing) for one in coefficients.values()])
            parts.append(np.where(empty, np.nan, values))
        return np.concatenate(parts, axis=1)


def pooled_coefficients(
    matrices: TopicMatrices, drawn: Ints, coefficients: Mapping[str, AgreementCoefficient], options: CoefficientOptions
) -> tuple[CoefficientResult, ...]:
    """Each coefficient, in their order; `drawn` (draw, topic) are the topics of each draw, as places."""
    topics = len(matrices.counts)
    pooled = matrices.values(np.ones((1, topics)), coefficients, options.spacing)[:, 0]
    by_topic = matrices.values(np.eye(topics), coefficients, options.spacing)
    over_draws = np.full((len(coefficients), 0), np.nan)
    if topics >= FEWEST_TOPICS:  # draws of the same topics are computed once
        distinct, place = np.unique(counts_of(drawn), axis=0, return_inverse=True)
        over_draws = matrices.values(distinct, coefficients, options.spacing)[:, place.ravel()]
    return tuple(
        _result(name, float(pooled[place]), by_topic[place], over_draws[place], options.confidence)
        for place, name in enumerate(coefficients)
    )


def _result(name: str, pooled: float, by_topic: Floats, over_draws: Floats, confidence: float) -> CoefficientResult:
    defined = by_topic[~np.isnan(by_topic)].tolist()
    mean = math.fsum(defined) / len(defined) if defined else math.nan
    lower, upper = interval(over_draws, confidence)
    undefined = int(np.count_nonzero(np.isnan(over_draws)))
    return CoefficientResult(name, pooled, lower, upper, mean, by_topic, undefined)


@dataclass(frozen=True, eq=False)
class Judges:
    """Agreement of two assessors.

    Attributes
    ----------
    levels : array (level,)
        Grades that either gave to an item, and those added.
    matrix : array (level, level)
        Items by grade; the first assessor's in rows.
    items : array (topic,)
        Items of each topic.
    rel : float
        Lowest relevant grade.
    coefficients : tuple of CoefficientResult
        Every coefficient, the share of equal grades first.
    """

    levels: Floats
    matrix: Floats
    items: Ints
    rel: float
    coefficients: tuple[CoefficientResult, ...]

    def __getitem__(self, name: str) -> CoefficientResult:
        """The coefficient of this name."""
        return next(one for one in self.coefficients if one.name == name)

    @cached_property
    def by_grade(self) -> Specific:
        """Agreement on each grade."""
        return specific_agreement(self.matrix)

    @cached_property
    def relevance(self) -> TwoByTwo:
        """Items by whether each assessor holds them relevant."""
        return two_by_two(self.matrix, self.levels >= self.rel)

    @cached_property
    def bias(self) -> Bias:
        """Whether the second assessor gives higher or lower grades."""
        return bias(self.matrix, self.levels)


def judges(grades: Floats, topic_of: Ints, drawn: Ints, options: CoefficientOptions) -> Judges:
    """Agreement of two assessors, given their grades (assessor, item) and the topic of each item.

    `drawn` (draw, topic) are the topics of each draw, as places.
    """
    every, codes = np.unique(
        np.concatenate([grades.ravel(), np.asarray(options.levels, dtype=np.float64)]), return_inverse=True
    )
    first, second = codes[: grades.size].reshape(grades.shape)
    topics = drawn.shape[1]
    at, cell = np.unique(first * len(every) + second, return_inverse=True)
    counts = np.bincount(topic_of * len(at) + cell, minlength=topics * len(at)).reshape(topics, len(at))
    cells = TopicMatrices(counts.astype(np.float64), at, every)
    made = pooled_coefficients(cells, drawn, COEFFICIENTS, options)
    items = counts.sum(axis=1)
    return Judges(every, cells.summed(np.ones((1, topics)))[0], items, options.rel, made)


MOST = 100  # assessors, whose pairs are 4,950
TWO_FILES = "give the second judgments too: rankscale agree QRELS QRELS, or rs.agree(qrels, other) in Python"


@dataclass(frozen=True, eq=False)
class Assessors:
    """The grades of each assessor, over the documents of one set of judgments."""

    qrels: Qrels
    names: tuple[str, ...]  # in byte order
    grades: Floats  # (assessor, judgment): from 0 on; NaN where the assessor has none
    has_topic: Bools  # (assessor, topic): whether the assessor has a line on it

    @property
    def judged(self) -> Bools:
        """(assessor, judgment): whether the assessor judges the document."""
        return np.logical_not(np.isnan(self.grades))

    def qrels_of(self, number: int) -> Qrels:
        """The judgments of one assessor, over all topics and documents, so that runs need not be read again."""
        qrels, given = self.qrels, self.grades[number]
        there = ~np.isnan(given)
        codes = np.full(len(given), UNJUDGED, dtype=np.int16)
        codes[there] = np.searchsorted(qrels.levels, given[there])
        return replace(qrels, codes=codes, as_read=qrels.highest, aspects=None, source=self.names[number])


@dataclass(frozen=True, eq=False)
class AssessorPair:
    """Two assessors, the documents that both judge, and how far they agree on them."""

    first: str
    second: str
    overlap: JudgmentOverlap
    judges: Judges | None  # None where no document is judged by both


@dataclass(frozen=True, eq=False)
class Together:
    """All assessors at once."""

    coefficients: tuple[CoefficientResult, ...]
    items: Ints  # (topic,): documents with two grades or more
    grades: int  # that items have, in the Fleiss' kappa
    as_many: int  # items that have so many
    levels: Floats  # (level,): grades that items have


def assessors_of(qrels: Qrels) -> Assessors:
    """Assessors, whom the second column of qrels names; InputError where there are fewer than two."""
    aspects = qrels.aspects
    if aspects is None:
        raise InputError(
            f"{qrels.source}: expected several assessors, whom the second column names, found one; {TWO_FILES}"
        )
    check_grades(qrels)
    names = sorted(set(aspects.names), key=lambda name: name.encode("utf-8", "surrogateescape"))
    if len(names) > MOST:
        raise InputError(
            f"{qrels.source}: the second column names {len(names):,} assessors ({listed(names)}), and every two of "
            f"them are compared for up to {MOST}; are these sub-topics?"
        )
    number = {name: place for place, name in enumerate(names)}
    assessor = np.array([number[name] for name in aspects.names], dtype=np.int64)
    grades = np.full((len(names), len(qrels.codes)), np.nan)
    grades[assessor[aspects.aspect_of], aspects.place] = aspects.levels[aspects.code]
    grades[grades < 0] = np.nan
    has_topic = np.zeros((len(names), len(qrels.topics)), dtype=bool)
    has_topic[assessor, aspects.topic_of] = True
    made = Assessors(qrels, tuple(names), grades, has_topic)
    if not (made.judged.sum(axis=0) > 1).any():
        raise InputError(
            f"{qrels.source}: no document is judged by two of {len(names)} assessors ({listed(names)}); agreement "
            "needs documents that several of them judge, with grades from 0 on"
        )
    return made


def together(assessors: Assessors, options: CoefficientOptions) -> Together:
    """Agreement of all: of every two grades of an item, an item being a document with two grades or more."""
    counts = assessors.judged.sum(axis=0)
    several = counts > 1
    given = np.unique(assessors.grades[:, several])
    given = given[~np.isnan(given)]
    every = np.union1d(given, options.levels)
    number, items = np.unique(counts[several], return_counts=True)
    most = int(number[np.flatnonzero(items == items.max())[-1]])  # of as many, the larger number
    drawn = drawn_topics(len(assessors.qrels.topics), options.draws, options.seed)
    made = [
        pooled_coefficients(_matrices(assessors, kept, every), drawn, coefficients, options)
        for kept, coefficients in ((several, OF_SEVERAL), (counts == most, OF_AS_MANY))
    ]
    by_topic = np.bincount(assessors.qrels.topic_of[several], minlength=len(assessors.qrels.topics))
    as_many = int(np.count_nonzero(counts == most))
    return Together((*made[0], *made[1]), by_topic, most, as_many, given)


def undefined_for_all(together: Together) -> Iterator[str]:
    """Sentences about coefficients of all assessors without a value."""
    if len(together.levels) == 1:
        yield "all items have one grade: alpha and kappa are undefined"
        return
    without = int(np.count_nonzero(together.items == 0))
    if without:
        have = "topic has" if without == 1 else "topics have"
        yield f"{without:,} of {len(together.items):,} {have} no document that two assessors judge"
    yield from undefined_in_draws(together.coefficients, len(together.items))


def undefined_in_draws(coefficients: Sequence[CoefficientResult], topics: int) -> Iterator[str]:
    """Sentences about coefficients without a value in some draws, or without an interval."""
    lacking = {one.name: one.undefined_draws for one in coefficients if one.undefined_draws}
    if lacking:
        most = max(lacking.values())
        yield f"{listed(list(lacking))}: undefined in up to {most:,} draws, left out of their intervals"
    if topics < FEWEST_TOPICS:
        yield "intervals are over draws of topics, and there is one topic only: there are none"


def _matrices(assessors: Assessors, kept: Bools, levels: Floats) -> TopicMatrices:
    """The coincidence matrix of each topic, over the documents that are kept, (judgment,)."""
    flat = np.zeros((len(assessors.qrels.topics), len(levels) ** 2))
    for topic in np.unique(assessors.qrels.topic_of[kept]).tolist():
        rows = slice(int(assessors.qrels.starts[topic]), int(assessors.qrels.starts[topic + 1]))
        flat[topic] = coincidences(assessors.grades[:, rows][:, kept[rows]].T, levels.tolist()).ravel()
    at = np.flatnonzero(flat.any(axis=0))
    return TopicMatrices(flat[:, at], at, levels)


def every_pair(assessors: Assessors, options: CoefficientOptions) -> Iterator[AssessorPair]:
    """Every two assessors, over the topics that both have, as if each had a file of qrels."""
    judged_by_each, topic_of = assessors.judged, assessors.qrels.topic_of
    for pair in map(list, combinations(range(len(assessors.names)), 2)):
        judged, has = judged_by_each[pair], assessors.has_topic[pair]
        both, topics = judged.all(axis=0), has.all(axis=0)
        first_only, second_only = np.count_nonzero(judged & ~both, axis=1).tolist()
        alone, other = (tuple(compress(assessors.qrels.topics, own)) for own in has & ~topics)
        overlap = JudgmentOverlap(int(both.sum()), first_only, second_only, int(topics.sum()), alone, other)
        agreed = None
        if overlap.both:
            row = np.cumsum(topics) - 1  # of each topic among those that both have
            drawn = drawn_topics(overlap.topics, options.draws, options.seed)
            agreed = judges(assessors.grades[pair][:, both], row[topic_of[both]], drawn, options)
        first, second = (assessors.names[number] for number in pair)
        yield AssessorPair(first, second, overlap, agreed)
