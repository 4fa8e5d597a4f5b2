"""Interpolated precision."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.best_precision import LARGE, few_enough, interpolated_over_ties
from rankscale.measures.base.binary import TiedAtRanks
from rankscale.measures.base.parameters import needed, param, rel_param

TREC_EVAL_9, TREC_EVAL_10 = 9, 10


@dataclass(frozen=True)
class IPrec(TiedAtRanks):
    """The best precision at any rank where the recall is at least this high; written IPrec@0.1.

    How many relevant documents a recall level asks for is rounded as `version` 9 or 10 of trec_eval does. Recall 1/2
    of three relevant documents asks for two of them; precision is 1/2 at the second, 3/5 at the third:

    >>> from rankscale.data.judged import judged
    >>> IPrec(recall=0.5).value(judged("1 0 0 1 1"))
    array([0.6])

    Formula
    -------
    max of P@i over ranks i that have int(recall * RB + 0.9) relevant documents; in version 10 round(recall * RB)

    References
    ----------
    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005
    """

    uses_recall_base: ClassVar[bool] = True
    takes_depth: ClassVar[bool] = False
    at_parameter: ClassVar[str] = "recall"
    only_relevant: ClassVar[bool] = True
    drawn_ties: ClassVar[str] = LARGE

    recall: float = field(metadata=needed("the level of recall", ge=0, le=1))
    rel: float = rel_param()
    version: Literal[9, 10] = param(9, help="the version of trec_eval whose recall levels are met, 9 or 10")

    def total(self, judged: Judged) -> Floats:
        """The best precision so far, 0 until enough relevant documents are met."""
        return interpolated(judged, self.recall, self.rel, self.version)

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where no group of ties is too large; curves draw orders of all groups."""
        return few_enough(table, self.rel, every_rank=every_rank)

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the mean of the best precision."""
        return interpolated_over_ties(table, rank, wanted(table, self.recall, self.rel, self.version), self.rel)


def interpolated(judged: Judged, recall: float, rel: float, version: int) -> Floats:
    """(topic, entry): interpolated precision at this recall, as if the ranking ended at each entry.

    Precision only rises at relevant documents, so no other rank can hold its highest value.
    """
    precision = judged.memo(
        ("precision", rel), lambda: judged.relevant(rel) * judged.relevant_so_far(rel) / judged.rank
    )
    enough = judged.relevant_so_far(rel) >= wanted(judged, recall, rel, version)
    return np.maximum.accumulate(np.where(enough, precision, 0.0), axis=-1)


def wanted(judged: Judged, recall: float, rel: float, version: int) -> Floats:
    """(topic, 1): how many relevant documents a level of recall asks for."""
    share = recall * judged.recall_base(rel)[:, None].astype(np.float64)
    if version == TREC_EVAL_9:
        return np.floor(share + 0.9)
    whole = np.floor(share)
    return whole + (share - whole >= 0.5)  # halves go up, as in C's lround; numpy's go to even
