"""From values of an image to values of the measure: images leave out constant factors, which change no order."""

from collections.abc import Callable

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.structure import (
    FirstDifference,
    FirstRelevant,
    GradedPrecisions,
    MixOfGains,
    Precisions,
    Sums,
    Weights,
    equal_steps,
)
from rankscale.scales.question import Question
from rankscale.scales.structure import Powers, Roots, structure

AT_ONCE = 1 << 17  # ranks of rankings that are measured at a time


def equally_spaced(question: Question) -> bool:
    """Whether values are known to be equally spaced: ranks, or sums with the weights of the digits of a number."""
    known = question.measure.structure(question.depth)
    if isinstance(known, MixOfGains | FirstDifference):
        return True
    return not question.feasible and equal_steps(known, question.gains, question.depth)


def measure_values(question: Question) -> Callable[[Floats], Floats]:
    """Function from values of the image (value,) to values of the measure (value,)."""
    known, value_of, depth = structure(question), question.value_of, question.depth
    if len(question.gains) == 1:
        return lambda values: value_of(np.zeros((len(values), depth), dtype=np.int64))
    if isinstance(known, Sums) and len(question.gains) == 2:
        low, high = map(float, question.gains)
        return _in_blocks(
            lambda sums: value_of((np.arange(depth) < np.rint((sums[:, None] - low * depth) / (high - low))) + 0), depth
        )
    if isinstance(known, FirstRelevant):
        return _in_blocks(lambda reciprocals: value_of(_first_at(reciprocals, depth)), depth)
    if isinstance(known, Powers) and (known.lexicographic or known.tied):
        return lambda values: values
    if isinstance(known, Sums | Roots | Powers | Weights | Precisions | GradedPrecisions) and len(question.gains) > 1:
        ends = value_of(np.array([[0] * depth, [len(question.gains) - 1] + [0] * (depth - 1)]))
        weight = float(known.weights[0]) if isinstance(known, Weights) else 1.0
        factor = float(ends[1] - ends[0]) / (float(question.gains[-1] - question.gains[0]) * weight)
        return lambda values: values * factor
    return lambda values: values


def _in_blocks(function: Callable[[Floats], Floats], depth: int) -> Callable[[Floats], Floats]:
    """The same function, on few values at a time: it makes a ranking of each."""
    block = max(1, AT_ONCE // depth)

    def applied(values: Floats) -> Floats:
        return np.concatenate([function(values[at : at + block]) for at in range(0, max(len(values), 1), block)])

    return applied


def _first_at(reciprocals: Floats, depth: int) -> Ints:
    """(ranking, rank): rankings with these reciprocal ranks of the first relevant document; 0 for none."""
    first = np.rint(np.divide(1.0, reciprocals, out=np.zeros(len(reciprocals)), where=reciprocals > 0))
    places: Ints = (np.arange(1, depth + 1) == first[:, None]).astype(np.int64)
    return places
