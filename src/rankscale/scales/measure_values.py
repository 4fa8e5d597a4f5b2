"""Values as the measure gives them: images leave out constant factors, which change no order."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.structure import FirstRelevant, Precisions, Sums, Weights
from rankscale.scales.question import Question
from rankscale.scales.structure import Powers, Roots, structure


def equally_spaced(question: Question) -> bool:
    """Whether values are known to be equally spaced: weights of ranks are then those of the digits of a number."""
    found = structure(question)
    if not isinstance(found, Powers):
        return False
    steps = {after - before for before, after in pairwise(found.gains)}
    return len(steps) == 1 and found.p == Fraction(1, len(found.gains))


def shown_by(question: Question) -> Callable[[Floats], Floats]:
    """What makes values of the measure from those of its image."""
    found, value_of, depth = structure(question), question.value_of, question.depth
    if len(question.gains) == 1:
        return lambda values: value_of(np.zeros((len(values), depth), dtype=np.int64))
    if isinstance(found, Sums) and len(question.gains) == 2:
        low, high = map(float, question.gains)
        return lambda sums: value_of((np.arange(depth) < np.rint((sums[:, None] - low * depth) / (high - low))) + 0)
    if isinstance(found, FirstRelevant):
        return lambda reciprocals: value_of(_first_at(reciprocals, depth))
    if isinstance(found, Powers) and (found.lexicographic or found.tied):
        return lambda values: values
    if isinstance(found, Sums | Roots | Powers | Weights | Precisions) and len(question.gains) > 1:
        ends = value_of(np.array([[0] * depth, [len(question.gains) - 1] + [0] * (depth - 1)]))
        weight = float(found.weights[0]) if isinstance(found, Weights) else 1.0
        factor = float(ends[1] - ends[0]) / (float(question.gains[-1] - question.gains[0]) * weight)
        return lambda values: values * factor
    return lambda values: values


def _first_at(reciprocals: Floats, depth: int) -> Ints:
    """Rankings whose first relevant document is where these reciprocals say; 0 for none."""
    first = np.rint(np.divide(1.0, reciprocals, out=np.zeros(len(reciprocals)), where=reciprocals > 0))
    places: Ints = (np.arange(1, depth + 1) == first[:, None]).astype(np.int64)
    return places
