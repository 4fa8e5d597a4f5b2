"""Coefficients of agreement pooled over topics, topic by topic, and over draws of topics."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.stats.agreement.coefficients import Coefficient
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
class TopicMatrices:
    """A matrix (level, level) of each topic, as the cells that occur in any."""

    counts: Floats  # (topic, cell)
    at: Ints  # (cell,): place in the flat matrix
    levels: int

    def summed(self, weights: Floats) -> Floats:
        """(row, level, level): sums of topics' matrices, each topic so often, (row, topic)."""
        flat = np.zeros((len(weights), self.levels**2))
        flat[:, self.at] = weights @ self.counts
        return flat.reshape(len(weights), self.levels, self.levels)


def pooled_coefficients(
    matrices: TopicMatrices,
    drawn: Ints,
    levels: Floats,
    coefficients: Mapping[str, Coefficient],
    spacing: Spacing,
    confidence: float,
) -> tuple[CoefficientResult, ...]:
    """Each coefficient, in their order; `drawn` (draw, topic) are the topics of each draw, as places."""
    topics = len(matrices.counts)
    pooled = _values(matrices, np.ones((1, topics)), levels, coefficients, spacing)[:, 0]
    by_topic = _values(matrices, np.eye(topics), levels, coefficients, spacing)
    over_draws = np.full((len(coefficients), 0), np.nan)
    if topics >= FEWEST_TOPICS:  # draws of the same topics are computed once
        distinct, place = np.unique(counts_of(drawn), axis=0, return_inverse=True)
        over_draws = _values(matrices, distinct, levels, coefficients, spacing)[:, place.ravel()]
    return tuple(
        _result(name, float(pooled[place]), by_topic[place], over_draws[place], confidence)
        for place, name in enumerate(coefficients)
    )


def _values(
    matrices: TopicMatrices, weights: Floats, levels: Floats, coefficients: Mapping[str, Coefficient], spacing: Spacing
) -> Floats:
    """(coefficient, row): all coefficients of sums of topics' matrices, as many rows at a time as fit."""
    step = max(1, AT_ONCE // matrices.levels**2)
    grades = tuple(levels.tolist())
    parts = []
    for start in range(0, len(weights), step):
        sums = matrices.summed(weights[start : start + step])
        empty: Bools = sums.sum(axis=(1, 2)) == 0
        values = np.stack([one.compute(sums, grades, spacing) for one in coefficients.values()])
        parts.append(np.where(empty, np.nan, values))
    return np.concatenate(parts, axis=1)


def _result(name: str, pooled: float, by_topic: Floats, over_draws: Floats, confidence: float) -> CoefficientResult:
    defined = by_topic[~np.isnan(by_topic)].tolist()
    mean = math.fsum(defined) / len(defined) if defined else math.nan
    lower, upper = interval(over_draws, confidence)
    undefined = int(np.count_nonzero(np.isnan(over_draws)))
    return CoefficientResult(name, pooled, lower, upper, mean, by_topic, undefined)
