"""How far two assessors agree on the items that both judged: pooled over topics, and topic by topic."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ParameterError
from rankscale.stats.agreement.by_grade import Bias, Specific, TwoByTwo, bias, specific_agreement, two_by_two
from rankscale.stats.agreement.coefficients import COEFFICIENTS
from rankscale.stats.agreement.weights import Spacing
from rankscale.stats.topic_draws import FEWEST_TOPICS, counts_of, interval

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


@dataclass(frozen=True, eq=False)
class _Cells:
    """The matrix of each topic, as counts of the pairs of grades that occur."""

    counts: Floats  # (topic, cell)
    at: Ints  # (cell,): place in the flat matrix
    levels: int

    def matrices(self, weights: Floats) -> Floats:
        """(row, level, level): sums of topics' matrices, each topic so often, (row, topic)."""
        flat = np.zeros((len(weights), self.levels**2))
        flat[:, self.at] = weights @ self.counts
        return flat.reshape(len(weights), self.levels, self.levels)


def judges(
    grades: Floats,
    topic_of: Ints,
    drawn: Ints,
    *,
    rel: float = 1,
    levels: Sequence[float] = (),
    spacing: Spacing = "value",
    confidence: float = 0.95,
) -> Judges:
    """Agreement of two assessors, given their grades (assessor, item) and the topic of each item.

    `drawn` (draw, topic) are the topics of each draw, as places; `levels` are grades besides those given.
    """
    if not all(math.isfinite(level) and level >= 0 for level in levels):
        raise ParameterError(f"levels must be finite grades from 0 on, got {', '.join(f'{one:g}' for one in levels)}")
    every, codes = np.unique(
        np.concatenate([grades.ravel(), np.asarray(levels, dtype=np.float64)]), return_inverse=True
    )
    first, second = codes[: grades.size].reshape(grades.shape)
    topics, size = drawn.shape[1], len(every)
    at, cell = np.unique(first * size + second, return_inverse=True)
    counts = np.bincount(topic_of * len(at) + cell, minlength=topics * len(at)).reshape(topics, len(at))
    cells = _Cells(counts.astype(np.float64), at, size)
    pooled = _values(cells, np.ones((1, topics), dtype=np.float64), every, spacing)[:, 0]
    by_topic = _values(cells, np.eye(topics), every, spacing)
    over_draws = _over_draws(cells, drawn, every, spacing)
    made = tuple(
        _result(name, float(pooled[place]), by_topic[place], over_draws[place], confidence)
        for place, name in enumerate(COEFFICIENTS)
    )
    items = counts.sum(axis=1)
    return Judges(every, cells.matrices(np.ones((1, topics)))[0], items, rel, made)


def _over_draws(cells: _Cells, drawn: Ints, levels: Floats, spacing: Spacing) -> Floats:
    """(coefficient, draw); draws of the same topics are computed once."""
    if drawn.shape[1] < FEWEST_TOPICS:
        return np.full((len(COEFFICIENTS), 0), np.nan)
    distinct, place = np.unique(counts_of(drawn), axis=0, return_inverse=True)
    values: Floats = _values(cells, distinct, levels, spacing)[:, place.ravel()]
    return values


def _values(cells: _Cells, weights: Floats, levels: Floats, spacing: Spacing) -> Floats:
    """(coefficient, row): all coefficients of sums of topics' matrices, as many rows at a time as fit."""
    step = max(1, AT_ONCE // cells.levels**2)
    grades = tuple(levels.tolist())
    parts = []
    for start in range(0, len(weights), step):
        matrices = cells.matrices(weights[start : start + step])
        empty: Bools = matrices.sum(axis=(1, 2)) == 0
        values = np.stack([one.compute(matrices, grades, spacing) for one in COEFFICIENTS.values()])
        parts.append(np.where(empty, np.nan, values))
    return np.concatenate(parts, axis=1)


def _result(name: str, pooled: float, by_topic: Floats, over_draws: Floats, confidence: float) -> CoefficientResult:
    defined = by_topic[~np.isnan(by_topic)].tolist()
    mean = math.fsum(defined) / len(defined) if defined else math.nan
    lower, upper = interval(over_draws, confidence)
    undefined = int(np.count_nonzero(np.isnan(over_draws)))
    return CoefficientResult(name, pooled, lower, upper, mean, by_topic, undefined)
