"""Inferred average precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import OverRecallBase
from rankscale.measures.base.measure import divide
from rankscale.measures.base.ties import mean_over_count

SMOOTHING = 0.00001  # as in trec_eval: keeps the share of relevant documents defined where none was judged


@dataclass(frozen=True)
class infAP(OverRecallBase):
    """Average precision estimated from a pool of which only a sample was judged.

    A negative grade marks a document that was pooled and not judged: it is taken to be relevant as often as the judged
    ones above. With everything judged it is average precision, but for the smoothing: (1 + 2/3) / 2 here.

    >>> from rankscale.data.judged import judged
    >>> infAP().value(judged("1 0 1")).round(4)
    array([0.8333])

    Formula
    -------
    (1/RB) sum over relevant ranks i of 1/i + ((i-1)/i) (pooled above/(i-1)) (relevant above/judged above)

    References
    ----------
    Yilmaz and Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006
    """

    best_first: ClassVar = "never"  # what is pooled and unjudged helps above a relevant document
    only_relevant: ClassVar[bool] = False  # pooled documents count as well

    def total(self, judged: Judged) -> Floats:
        """Expected precision at the relevant entries, summed down the ranking."""
        above = judged.rank - 1.0
        relevant_above = judged.relevant_so_far(self.rel) - 1
        judged_above = judged.judged_so_far() - 1
        pooled_above = np.cumsum(judged.code >= 0, axis=-1) - 1
        share_pooled = pooled_above / np.maximum(above, 1.0)  # at rank 1 the product below is 0
        share_relevant = (relevant_above + SMOOTHING) / (judged_above + 2 * SMOOTHING)
        expected = 1.0 / judged.rank + above / (above + 1.0) * share_pooled * share_relevant
        return np.cumsum(np.where(judged.relevant(self.rel) > 0, expected, 0.0), axis=-1)

    def over_ties(self, judged: Judged) -> Floats:
        """The mean over how many of the group's other judged documents stand above a relevant one.

        Of these the relevant ones are the same share as in the group, and so are pooled ones of the others above.
        """
        relevant, is_judged, pooled = judged.relevant(self.rel), judged.is_judged(), (judged.code >= 0).astype(float)
        size, place = judged.tie_group_size, judged.rank - judged.first
        share = judged.tie_group_mean(relevant)
        tied = np.where(share > 0, np.rint(judged.tie_group_sum(is_judged)) - 1, 0)
        part = divide(np.rint(share * size) - 1, tied).ravel()
        unjudged = np.where(share > 0, np.rint(judged.tie_group_sum(pooled - is_judged)), 0)
        pooled_part = divide(unjudged, size - 1 - tied).ravel()
        above, judged_above, pooled_above = (
            judged.above_tie_group(np.cumsum(column, axis=-1)).ravel() for column in (relevant, is_judged, pooled)
        )
        places = place.ravel()

        def expected(where: Ints, met: int) -> Floats:
            in_pool = pooled_above[where] + met + (places[where] - met) * pooled_part[where]
            rate = (above[where] + met * part[where] + SMOOTHING) / (judged_above[where] + met + 2 * SMOOTHING)
            return 1.0 + in_pool * rate

        mean = mean_over_count(size - 1, tied, place, expected)
        return np.cumsum(share * mean / judged.rank, axis=-1)
