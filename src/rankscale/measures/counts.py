"""Counts, which are no measures of quality but what measures are made of, and how much of a ranking is judged."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import Binary, NothingMet, SumOfGains
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import rel_param


@dataclass(frozen=True)
class Count(NothingMet):
    """Base of the counts; those that count nothing in the ranking itself keep `total` at 0.

    References
    ----------
    Buckley's trec_eval
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    scale: ClassVar = "ratio"
    summary: ClassVar = "sum"
    best_first: ClassVar = "always"
    takes_depth: ClassVar[bool] = False
    why_unbounded: ClassVar[str] = "no judgment changes what is counted"


@dataclass(frozen=True)
class NumQ(Count):
    """1 for each topic.

    >>> from rankscale.data.judged import judged
    >>> float(NumQ().summarise(NumQ().value(judged("1 0", "0"))))
    2.0

    Formula
    -------
    1 for each topic, summed
    """

    exceptions: ClassVar = {"without_relevant_documents_there_is_nothing": "topics are counted, whatever was retrieved"}
    only_relevant: ClassVar[bool] = True

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """One topic."""
        return np.ones(total.shape)


@dataclass(frozen=True)
class NumRet(Count):
    """How many documents were retrieved.

    >>> from rankscale.data.judged import judged
    >>> NumRet().value(judged("1 0 -", ""))
    array([3., 0.])

    With `rel`, as ir_measures has it, those of at least this grade, which is a measure of its own:

    >>> from rankscale.measures.base.parser import parse
    >>> print(parse("NumRet(rel=2)"))
    NumRelRet(rel=2)

    Formula
    -------
    documents retrieved, summed over topics
    """

    exceptions: ClassVar = {"without_relevant_documents_there_is_nothing": "all retrieved documents are counted"}

    @classmethod
    def from_arguments(cls, given: Mapping[str, object]) -> tuple[type[Measure], dict[str, object]]:
        """With `rel`, the number of relevant documents retrieved."""
        return NumRelRet if "rel" in given else cls, dict(given)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): all of them, since only the length of a ranking counts."""
        return np.ones(len(levels), dtype=bool)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The documents down to these ranks."""
        return rank.astype(float)


@dataclass(frozen=True)
class NumRel(Binary, Count):
    """How many documents of the topic's qrels are relevant (RB).

    >>> from rankscale.data.judged import judged
    >>> NumRel().value(judged("1 0 -", missed="1 2"))
    array([3.])

    Formula
    -------
    relevant documents in the qrels, summed over topics
    """

    uses_recall_base: ClassVar[bool] = True

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The recall base."""
        return np.zeros(total.shape) + judged.recall_base(self.rel)[:, None]


@dataclass(frozen=True)
class NumRelRet(Binary, SumOfGains, Count):
    """How many relevant documents were retrieved.

    >>> from rankscale.data.judged import judged
    >>> NumRelRet(rel=2).value(judged("1 2 - 3", missed="2"))
    array([2.])

    Formula
    -------
    relevant documents retrieved, summed over topics
    """

    bounded: ClassVar[bool] = True


@dataclass(frozen=True)
class NumNonRelJudgedRet(Count):
    """How many retrieved documents were judged not relevant; unjudged ones are not among them.

    >>> from rankscale.data.judged import judged
    >>> NumNonRelJudgedRet().value(judged("1 0 - -1 0"))
    array([2.])

    Formula
    -------
    documents retrieved and judged not relevant, summed over topics
    """

    exceptions: ClassVar = {
        "without_relevant_documents_there_is_nothing": "documents that are not relevant are counted",
        "a_ranking_above_another_is_never_worse": "documents that are not relevant are counted",
    }
    why_unbounded: ClassVar[str] = Measure.why_unbounded

    rel: float = rel_param()

    def total(self, judged: Judged) -> Numbers:
        """Documents met that were judged not relevant."""
        return judged.judged_so_far() - judged.relevant_so_far(self.rel)

    def over_ties(self, judged: Judged) -> Numbers:
        """Each rank has its group's share of them."""
        return np.cumsum(judged.tie_group_mean(judged.is_judged() - judged.relevant(self.rel)), axis=-1)

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """What is counted first."""
        return ((levels >= 0) & (levels < self.rel)).astype(np.float64), 0.0


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
