"""Average precision over what was retrieved."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.ap import AP
from rankscale.measures.base.binary import PartedGroup, TiedByCount
from rankscale.measures.base.measure import divide


@dataclass(frozen=True)
class APstar(TiedByCount):
    """Precision at each relevant document, averaged over the relevant documents retrieved; the papers' AP*.

    Eight relevant documents are retrieved (Moffat and Zobel 2008, who give 0.5324):

    >>> from rankscale.data.judged import judged
    >>> APstar().value(judged("1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 1 1 1")).round(4)
    array([0.5324])

    The last three of them lower the value: it is no longer the average over a fixed number of documents.

    Formula
    -------
    (1/c) sum over relevant ranks i <= k of (relevant in the first i) / i, with c relevant in the first k

    User model
    ----------
    stops at one of the relevant documents retrieved, each as likely as the others

    References
    ----------
    Moffat and Zobel, TOIS 27(1), 2008
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "one more relevant document below the others lowers the mean over them",
        "moving_a_relevant_document_up_never_costs": "one that moves up to the depth lowers the mean of those above",
    }

    best_first: ClassVar = "uncut"

    def total(self, judged: Judged) -> Floats:
        """The average down to each entry; it stays where no relevant document is met."""
        return divide(AP(rel=self.rel).total(judged), judged.relevant_so_far(self.rel))

    def given_count(self, group: PartedGroup, met: int) -> Floats:
        """The mean of precision where the group has given so many: on average as in a group that ends at the depth.

        Its place j is relevant in met of m orders, with (j - 1) (met - 1) / (m - 1) others of the group above.
        """
        table, places = group.table, np.maximum(group.drawn, 1.0)
        reciprocals = group.met(np.cumsum(1.0 / table.rank, axis=-1))  # 1 / (above + j), summed over the places
        spread = group.drawn - (group.above + 1) * reciprocals  # (j - 1) / (above + j), summed
        tied = met / places * ((group.before + 1) * reciprocals + divide((met - 1.0) * spread, places - 1))
        return divide(group.at(AP(rel=self.rel).over_ties(table)) + tied, group.before + met)
