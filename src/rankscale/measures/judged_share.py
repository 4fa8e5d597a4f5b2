"""How much of a ranking is judged: the share of documents that have a judgment, and of ranks that hold one without."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Measure, Numbers


@dataclass(frozen=True)
class CountsJudged(Measure):
    """A measure of how many documents are judged, whatever their grades."""

    scale: ClassVar = "interval"
    best_first: ClassVar = "always"

    def total(self, judged: Judged) -> Numbers:
        """Judged documents met."""
        return judged.judged_so_far()

    def over_ties(self, judged: Judged) -> Numbers:
        """Each rank has its group's share of judged documents."""
        return np.cumsum(judged.tie_group_mean(judged.is_judged()), axis=-1)

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """What is judged first."""
        return (levels >= 0).astype(np.float64), 0.0


@dataclass(frozen=True)
class Hole(CountsJudged):
    """The share of the first k ranks that hold a document without a judgment for the topic. Low is good.

    Where the ranking has k documents it is 1 - Judged@k. BEIR, which has the name, counts a document as judged where
    it is judged for any topic, so that its values are the same or lower.

    >>> from rankscale.data.judged import judged
    >>> Hole(depth=5).value(judged("1 - 0 -1"))
    array([0.4])

    Formula
    -------
    (unjudged in the first k) / k

    References
    ----------
    Thakur, Reimers, Rücklé, Srivastava and Gurevych, BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of
    Information Retrieval Models, NeurIPS Datasets and Benchmarks 2021
    """

    exceptions: ClassVar = {
        "without_relevant_documents_there_is_nothing": "unjudged documents count",
        "a_longer_ranking_never_costs": "documents that nobody judged raise the share",
    }
    low_is_good: ClassVar[bool] = True
    needs_depth: ClassVar[bool] = True
    why_unbounded: ClassVar[str] = "the value tells how much is unjudged, whatever assessors would say"

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The documents there are down to these ranks that are not among the judged, over the ranks."""
        return (np.minimum(rank, judged.length[:, None]) - total) / rank


@dataclass(frozen=True)
class JudgedRate(CountsJudged):
    """The share of the first k documents that have a judgment, of those there are where the ranking is shorter.

    Printed as `Judged`; the class has another name because the table of judged rankings is called that. A negative
    grade, pooled but unjudged, is no judgment.

    >>> from rankscale.data.judged import judged
    >>> JudgedRate(depth=10).value(judged("1 - 0 -1"))
    array([0.5])

    Formula
    -------
    (judged in the first k) / min(k, retrieved)

    References
    ----------
    MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, ECIR 2022
    """

    name: ClassVar[str] = "Judged"
    doubtful_below: ClassVar[float] = 0.5
    exceptions: ClassVar = {
        "without_relevant_documents_there_is_nothing": "judged documents count, relevant or not",
        "a_longer_ranking_never_costs": "documents that nobody judged lower the share",
    }
    divided_by_length: ClassVar[bool] = True
    why_unbounded: ClassVar[str] = "the value tells how much is judged, whatever assessors would say"

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The documents there are down to these ranks."""
        return np.minimum(rank, judged.length[:, None])
