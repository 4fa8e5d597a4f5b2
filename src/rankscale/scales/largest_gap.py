"""The largest gap between neighbouring values of a weighted sum, in closed form for any length.

Let w_1 <= w_2 <= ... <= w_n be the weights of the ranks in ascending order, and let gains be one step apart, the
highest of them D steps above the lowest. Consider values above that of the lowest ranking, in steps of gain.

Values that use only the first k - 1 weights reach up to s_k = D (w_1 + ... + w_(k-1)); values that use any other weight
are w_k or more. So wherever w_k > s_k, these two are neighbours. No gap is larger than the largest of these: with one
weight more, the values are D + 1 copies of the values so far, w_k apart. Copies that overlap have no larger gap than
each has by itself, and copies that do not are w_k - s_k apart.
"""

from itertools import pairwise

import numpy as np

from rankscale.measures.base.structure import Sums, Weights
from rankscale.scales.question import Question
from rankscale.scales.structure import Powers, Roots, structure

DEEPEST = 2000  # ranks up to which the weights are read off the measure


def largest_gap_of_sums(question: Question) -> tuple[float, float] | None:
    """The two neighbouring values that are farthest apart, for sums of weights times gains that are one step apart.

    None for other measures, for gains that are not equally spaced, for feasible rankings, and beyond depth 2000.

    >>> from rankscale.measures.base.parser import parse
    >>> from rankscale.scales.question import make_question
    >>> rbp = make_question(parse("RBP(p=0.3)@4"), (0, 1), None, None, None)
    >>> [round(value, 4) for value in largest_gap_of_sums(rbp)]
    [0.2919, 0.7]
    """
    steps = {after - before for before, after in pairwise(question.gains)}
    additive = isinstance(structure(question), Sums | Weights | Roots | Powers)
    if not additive or len(steps) != 1 or question.feasible or question.depth > DEEPEST:
        return None
    depth, best = question.depth, len(question.gains) - 1
    lowest = float(question.value_of(np.zeros((1, depth), dtype=np.int64))[0])
    step_at_each_rank = question.value_of(np.eye(depth, dtype=np.int64)) - lowest
    by_weight = np.argsort(step_at_each_rank, kind="stable")
    weights = step_at_each_rank[by_weight]
    if weights[0] <= 0:
        return None
    reached = best * (np.cumsum(weights) - weights)  # by the lighter ranks together
    lower, upper = np.zeros((2, depth), dtype=np.int64)
    heaviest = int(np.argmax(weights - reached))
    lower[by_weight[:heaviest]], upper[by_weight[heaviest]] = best, 1
    below, above = question.value_of(np.stack([lower, upper])).tolist()
    return below, above
