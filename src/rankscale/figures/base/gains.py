"""Discounted gains of a ranking and of the ideal one, rank by rank."""

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.evaluation.curves.tracer import ideal_rankings
from rankscale.measures.base.additive import Additive

IDEAL_DASH = (1, 2)  # of the curve of the ideal ranking


def discounted_gains(dcg: Additive, judged: Judged, last: int) -> tuple[Floats, Floats]:
    """(rank,) twice: discounted gains of the ranking, and of the ideal ranking, down to a rank."""
    best = ideal_rankings(dcg.of_ideal, judged.counts, judged.levels, judged.highest)
    per_level, weight = dcg.gain(judged.levels, judged.highest), dcg.weight(np.arange(1, last + 1))
    own, ideal = (
        weight * table.every_rank(last).worth(per_level, unjudged)[0]
        for table, unjudged in ((judged, dcg.unjudged_gain), (best, dcg.of_ideal.unjudged_gain))
    )
    return own, ideal
