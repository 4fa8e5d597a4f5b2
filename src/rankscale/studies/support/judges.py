"""How far two assessors agree on the items that both judged: pooled over topics, and topic by topic."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError
from rankscale.stats.agreement.by_grade import Bias, Specific, TwoByTwo, bias, specific_agreement, two_by_two
from rankscale.stats.agreement.coefficients import COEFFICIENTS
from rankscale.stats.agreement.weights import Spacing
from rankscale.studies.support.pooled_coefficients import CoefficientResult, TopicMatrices, pooled_coefficients


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


@dataclass(frozen=True)
class CoefficientOptions:
    """What coefficients depend on besides grades."""

    rel: float = 1  # lowest relevant grade
    levels: Sequence[float] = ()  # grades besides those given
    spacing: Spacing = "value"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not all(math.isfinite(level) and level >= 0 for level in self.levels):
            given = ", ".join(f"{one:g}" for one in self.levels)
            raise ParameterError(f"levels must be finite grades from 0 on, got {given}")


def judges(grades: Floats, topic_of: Ints, drawn: Ints, options: CoefficientOptions) -> Judges:
    """Agreement of two assessors, given their grades (assessor, item) and the topic of each item.

    `drawn` (draw, topic) are the topics of each draw, as places.
    """
    every, codes = np.unique(
        np.concatenate([grades.ravel(), np.asarray(options.levels, dtype=np.float64)]), return_inverse=True
    )
    first, second = codes[: grades.size].reshape(grades.shape)
    topics, size = drawn.shape[1], len(every)
    at, cell = np.unique(first * size + second, return_inverse=True)
    counts = np.bincount(topic_of * len(at) + cell, minlength=topics * len(at)).reshape(topics, len(at))
    cells = TopicMatrices(counts.astype(np.float64), at, size)
    made = pooled_coefficients(cells, drawn, every, COEFFICIENTS, options.spacing, options.confidence)
    items = counts.sum(axis=1)
    return Judges(every, cells.summed(np.ones((1, topics)))[0], items, options.rel, made)
