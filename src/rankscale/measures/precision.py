"""How many documents are relevant, of those read and of those there are: precision, recall and what is made of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.additive import EqualWeights
from rankscale.measures.base.binary import Binary, OfRelevance, OverRecallBase, SumOfGains, TiedByCount
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import needed, param, rel_param
from rankscale.measures.base.structure import AnyRelevant, GainSums, Structure


@dataclass(frozen=True)
class Counting(Binary, EqualWeights):
    """Relevant documents counted down to a depth, each as much as any other."""

    scale: ClassVar = "interval"
    needs_depth: ClassVar[bool] = True


@dataclass(frozen=True)
class P(Counting):
    """The share of the first k documents that are relevant; a shorter ranking is filled with not relevant ones.

    >>> from rankscale.data.judged import judged
    >>> P(depth=5).value(judged("1 1 0"))
    array([0.4])

    Formula
    -------
    (relevant in the first k) / k

    References
    ----------
    van Rijsbergen, Information Retrieval, Butterworths, 1979
    """

    aliases: ClassVar[tuple[str, ...]] = ("Precision",)
    divided_by_length: ClassVar[bool] = True

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The number of documents read."""
        return rank


@dataclass(frozen=True)
class R(OverRecallBase, Counting):
    """The share of the topic's relevant documents that stand among the first k.

    Two of the three relevant documents are retrieved:

    >>> from rankscale.data.judged import judged
    >>> R(depth=5).value(judged("1 1 0", missed="1")).round(4)
    array([0.6667])

    Formula
    -------
    (relevant in the first k) / RB

    References
    ----------
    van Rijsbergen, Information Retrieval, Butterworths, 1979
    """

    aliases: ClassVar[tuple[str, ...]] = ("Recall",)


@dataclass(frozen=True)
class RelP(Counting):
    """Precision over the highest precision possible at this depth: precision down to RB, recall from there on.

    >>> from rankscale.data.judged import judged
    >>> RelP(depth=4).value(judged("1 0 0 0", missed="1"))
    array([0.5])

    Formula
    -------
    (relevant in the first k) / min(k, RB)

    References
    ----------
    Buckley's trec_eval, relative_P
    """

    aliases: ClassVar[tuple[str, ...]] = ("RelativeP",)
    uses_recall_base: ClassVar[bool] = True
    divided_by_length: ClassVar[bool] = True
    feasible_only: ClassVar[bool] = True

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """How many relevant documents could have been met."""
        return np.minimum(rank, judged.recall_base(self.rel)[:, None])


@dataclass(frozen=True)
class Rprec(OfRelevance):
    """Precision at the depth where a perfect ranking has found all relevant documents, or at a multiple of it.

    RB = 3, and two of the first three documents are relevant:

    >>> from rankscale.data.judged import judged
    >>> Rprec().value(judged("1 0 1 0", missed="1")).round(4)
    array([0.6667])

    Formula
    -------
    P at k = int(multiple * RB + 0.9), which is RB for multiple = 1

    References
    ----------
    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005
    """

    aliases: ClassVar[tuple[str, ...]] = ("RPrec",)
    uses_recall_base: ClassVar[bool] = True
    takes_depth: ClassVar[bool] = False
    scale: ClassVar = "interval"
    feasible_only: ClassVar[bool] = True
    values_follow_gains: ClassVar[bool] = True

    multiple: float = param(1, gt=0, help="how many times RB documents are looked at")
    rel: float = rel_param()

    def structure(self, depth: int | None) -> Structure:
        """A number of relevant documents."""
        return GainSums()

    def ranking_length(self, recall_base: Callable[[], int]) -> int:
        """Down to the cut."""
        return int(self.multiple * recall_base() + 0.9)

    def total(self, judged: Judged) -> Floats:
        """Relevant documents met down to the cut."""
        return np.cumsum(judged.relevant(self.rel) * (judged.rank <= self._cut(judged)), axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The depth of the cut, also for a shorter ranking."""
        return self._cut(judged)

    def _cut(self, judged: Judged) -> Floats:
        cut: Floats = np.floor(self.multiple * judged.recall_base(self.rel)[:, None] + 0.9)
        return cut

    def over_ties(self, judged: Judged) -> Floats:
        """Each rank down to the cut has its group's share of relevant documents."""
        share = judged.tie_group_mean(judged.relevant(self.rel))
        return np.cumsum(share * (judged.rank <= self._cut(judged)), axis=-1)


@dataclass(frozen=True)
class F(Counting):
    """Precision and recall at depth k in one number: their harmonic mean, recall counting beta times as much.

    P@4 = 1/2 and R@4 = 2/3, so F = 2 * (1/3) / (7/6):

    >>> from rankscale.data.judged import judged
    >>> F(depth=4).value(judged("1 0 1 0", missed="1")).round(4)
    array([0.5714])

    Formula
    -------
    (1 + beta^2) P R / (beta^2 P + R), P and R at depth k

    References
    ----------
    van Rijsbergen, Information Retrieval, Butterworths, 1979
    """

    uses_recall_base: ClassVar[bool] = True
    divided_by_length: ClassVar[bool] = True

    beta: float = param(1, ge=0, help="how much recall (in Q: gain) counts relative to precision")

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The weighted harmonic mean of precision and recall at these ranks."""
        precision = divide(total, rank)
        recall = divide(total, judged.recall_base(self.rel)[:, None])
        weight = self.beta**2
        return divide((weight + 1.0) * precision * recall, weight * precision + recall)


@dataclass(frozen=True)
class Shaw(TiedByCount):
    """Of the documents that were read or are relevant, the share that is both: precision and recall in one number.

    1/P + 1/R - 1 is (k + RB - c)/c with c relevant documents in the first k. P@4 = 1/2 and R@4 = 2/3 here, so that
    the value is 1 / (2 + 3/2 - 1):

    >>> from rankscale.data.judged import judged
    >>> Shaw(depth=4).value(judged("1 0 1 0", missed="1"))
    array([0.4])

    Formula
    -------
    1 / (1/P + 1/R - 1), P and R at depth k; 0 where one of them is 0

    References
    ----------
    Shaw, On the Foundation of Evaluation, JASIS 37(5), 1986
    """

    uses_recall_base: ClassVar[bool] = True
    needs_depth: ClassVar[bool] = True

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """Both, over either."""
        return divide(total, 0.0 + rank + judged.recall_base(self.rel)[:, None] - total)


@dataclass(frozen=True)
class Fallout(Binary, SumOfGains):
    """The share of the collection's documents that are not relevant which stand among the first k. Low is good.

    The collection has 10 documents, 2 of them relevant, and two of the other 8 are retrieved:

    >>> from rankscale.data.judged import judged
    >>> Fallout(collection=10).value(judged("1 0 -", missed="1"))
    array([0.25])

    Formula
    -------
    (not relevant in the first k) / (N - RB), N being the number of documents of the collection

    References
    ----------
    van Rijsbergen, Information Retrieval, Butterworths, 1979
    """

    uses_recall_base: ClassVar[bool] = True
    scale: ClassVar = "interval"
    low_is_good: ClassVar[bool] = True
    example: ClassVar[str] = "Fallout(collection=528155)"
    exceptions: ClassVar = {
        "without_relevant_documents_there_is_nothing": "documents that are not relevant are counted",
        "a_longer_ranking_never_costs": "documents that are not relevant are counted",
    }

    collection: int = field(metadata=needed("how many documents the collection has", ge=1), kw_only=True)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The documents down to these ranks that are not relevant, over all that are not."""
        others = np.minimum(rank, judged.length[:, None]) - total
        there = self.collection - judged.recall_base(self.rel)[:, None]
        if (others > there).any():
            raise ParameterError(
                f"{self}: rankings have up to {int(judged.length.max())} documents, more than a collection of "
                f"{self.collection} has; give the size of the collection"
            )
        return divide(others, there)


@dataclass(frozen=True)
class Success(Binary):
    """1 if a relevant document stands among the first k, else 0.

    >>> from rankscale.data.judged import judged
    >>> Success(depth=2).value(judged("0 1 0", "0 0 1"))
    array([1., 0.])

    Formula
    -------
    1 if (relevant in the first k) > 0, else 0

    User model
    ----------
    is content with one relevant document among the first k

    References
    ----------
    Tomlinson; documented in Buckley's trec_eval
    """

    needs_depth: ClassVar[bool] = True
    values_follow_gains: ClassVar[bool] = True
    bounded: ClassVar[bool] = True
    scale: ClassVar = "interval"  # two values have one gap

    def structure(self, depth: int | None) -> Structure:
        """Whether anything is relevant."""
        return AnyRelevant()

    def total(self, judged: Judged) -> Floats:
        """1 from the first relevant document on."""
        return np.minimum(judged.relevant_so_far(self.rel), 1.0)

    def over_ties(self, judged: Judged) -> Floats:
        """1 less the probability that no relevant document has been met.

        Where none of a group has been met, all of its relevant documents are among those of it still to come.
        """
        relevant = judged.tie_group_mean(judged.relevant(self.rel)) * (judged.last - judged.first + 1)
        met_now = np.minimum(relevant / (judged.last - judged.rank + 1), 1.0)
        return 1.0 - np.cumprod(1.0 - met_now, axis=-1)
