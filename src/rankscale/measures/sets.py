"""Measures of the retrieved documents as a set: their order and a depth mean nothing."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.binary import OfRelevance, OverRecallBase, SumOfGains
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.base.parameters import param, rel_param
from rankscale.measures.base.structure import as_written
from rankscale.measures.precision import F, P, R, RelP

LARGEST_WEIGHT = 1 << 16  # of recall and precision in F, as whole numbers
LESS_PRECISE = {"a_longer_ranking_never_costs": "a set that grows by documents that are not relevant is less precise"}


@dataclass(frozen=True)
class OfSet(Measure):
    """A measure of all documents retrieved, in whatever order."""

    needs_depth: ClassVar[bool] = False
    takes_depth: ClassVar[bool] = False


@dataclass(frozen=True)
class SetP(OfSet, P):
    """The share of the retrieved documents that are relevant.

    >>> from rankscale.data.judged import judged
    >>> SetP().value(judged("1 0 - 1"))
    array([0.5])

    `relative`, as ir_measures has it, is a measure of its own:

    >>> from rankscale.measures.base.parser import parse
    >>> print(parse("SetP(relative=True)"))
    SetRelP

    Formula
    -------
    (relevant retrieved) / retrieved
    """

    exceptions: ClassVar = LESS_PRECISE

    @classmethod
    def from_arguments(cls, given: Mapping[str, object]) -> tuple[type[Measure], dict[str, object]]:
        """With `relative`, precision over the highest that is possible."""
        relative = given.get("relative", False)
        if not isinstance(relative, bool):
            raise ParameterError(f"{cls.name}: relative must be True or False, got {relative!r}")
        return SetRelP if relative else cls, {name: value for name, value in given.items() if name != "relative"}

    def set_ratio(self, relevant: Ints, length: Ints, recall_base: Ints) -> tuple[Ints, Ints]:
        """Relevant documents over retrieved ones."""
        return relevant, length


@dataclass(frozen=True)
class SetRelP(OfSet, RelP):
    """The relevant documents retrieved, over the most that a set of this size could hold.

    >>> from rankscale.data.judged import judged
    >>> SetRelP().value(judged("1 0 - 1", missed="1")).round(4)
    array([0.6667])

    Formula
    -------
    (relevant retrieved) / min(retrieved, RB)
    """

    def set_ratio(self, relevant: Ints, length: Ints, recall_base: Ints) -> tuple[Ints, Ints]:
        """Relevant documents over the most that there could be."""
        return relevant, np.minimum(length, recall_base)


@dataclass(frozen=True)
class SetR(OfSet, R):
    """The share of the topic's relevant documents that were retrieved.

    >>> from rankscale.data.judged import judged
    >>> SetR().value(judged("1 0 - 1", missed="1 1"))
    array([0.5])

    Formula
    -------
    (relevant retrieved) / RB
    """

    def set_ratio(self, relevant: Ints, length: Ints, recall_base: Ints) -> tuple[Ints, Ints]:
        """Relevant documents over all that there are."""
        return relevant, recall_base


@dataclass(frozen=True)
class SetF(OfSet, F):
    """Set precision and set recall in one number; trec_eval's set_F_x is SetF(beta=sqrt(x)).

    Both are 1/2 here, and so is their mean:

    >>> from rankscale.data.judged import judged
    >>> SetF(beta=2).value(judged("1 0 - 1", missed="1 1"))
    array([0.5])

    Formula
    -------
    (1 + beta^2) P R / (beta^2 P + R), P and R of the retrieved set
    """

    exceptions: ClassVar = LESS_PRECISE

    def set_ratio(self, relevant: Ints, length: Ints, recall_base: Ints) -> tuple[Ints, Ints]:
        """(1 + beta^2) r / (n + beta^2 RB), with beta^2 as a fraction."""
        weight, whole = (as_written(self.beta) ** 2).as_integer_ratio()
        if weight + whole > LARGEST_WEIGHT:
            raise ScaleError(f"{self}: values are compared as fractions, which takes a beta of few digits, such as 0.5")
        return (weight + whole) * relevant, whole * length + weight * recall_base


@dataclass(frozen=True)
class SetAP(OfSet, OverRecallBase):
    """Set precision times set recall: average precision if each relevant document retrieved had the set's precision.

    >>> from rankscale.data.judged import judged
    >>> SetAP().value(judged("1 0 - 1", missed="1 1"))
    array([0.25])

    Formula
    -------
    (relevant retrieved)^2 / (retrieved * RB)

    References
    ----------
    Buckley's trec_eval, set_map
    """

    exceptions: ClassVar = LESS_PRECISE

    def total(self, judged: Judged) -> Numbers:
        """The square of the relevant documents met."""
        return judged.relevant_so_far(self.rel).astype(np.float64) ** 2

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """Documents retrieved times relevant documents."""
        return rank.astype(np.float64) * judged.recall_base(self.rel)[:, None]

    def set_ratio(self, relevant: Ints, length: Ints, recall_base: Ints) -> tuple[Ints, Ints]:
        """The square of the relevant documents over retrieved ones times all relevant ones."""
        return relevant**2, length * recall_base

    def over_ties(self, judged: Judged) -> Floats:
        """The mean square: of c + x, x of the r relevant documents of a group of n being among its first m.

        The mean of x is m r / n, and that of x (x - 1) is m (m - 1) r (r - 1) / (n (n - 1)).
        """
        above, size, drawn = self.relevant_above_ties(judged), judged.tie_group_size, judged.rank - judged.first + 1
        share = judged.tie_group_mean(judged.relevant(self.rel))
        met = drawn * share
        pairs = divide(met * (drawn - 1) * (share * size - 1), size - 1)
        return above.astype(np.float64) ** 2 + (2 * above + 1) * met + pairs


@dataclass(frozen=True)
class Utility(OfRelevance, SumOfGains):
    """What the retrieved set is worth when each document, by whether it is relevant and retrieved, has a price.

    Two relevant and two not relevant documents retrieved, one relevant missed: 2*3 - 2 - 1/2.

    >>> from rankscale.data.judged import judged
    >>> Utility(a=3, c=-0.5).value(judged("1 0 - 1", missed="1"))
    array([3.5])

    Formula
    -------
    a * relevant retrieved + b * not relevant retrieved + c * relevant missed + d * not relevant not retrieved

    References
    ----------
    Robertson and Hull, The TREC-9 Filtering Track Final Report, 2000
    """

    exceptions: ClassVar = {
        "without_relevant_documents_there_is_nothing": "documents that are not relevant have their price",
        "a_longer_ranking_never_costs": "documents that are not relevant have their price",
    }
    uses_recall_base: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    scale: ClassVar = "interval"
    takes_depth: ClassVar[bool] = False

    a: float = param(1, help="what a relevant document retrieved is worth")
    b: float = param(-1, help="what another document retrieved is worth")
    c: float = param(0, help="what a relevant document missed is worth")
    d: float = param(0, help="what another document not retrieved is worth")
    collection: int | None = param(None, ge=0, help="how many documents the collection has")
    rel: float = rel_param()

    def check(self) -> None:
        """Raise ParameterError for d without the size of the collection."""
        if self.d != 0 and self.collection is None:
            raise ParameterError(
                f"{self.name}: with d the size of the collection is needed, as in Utility(d=1,collection=528155)"
            )

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The four counts, each at its price."""
        recall_base = judged.recall_base(self.rel)[:, None]
        relevant, retrieved = total.astype(np.float64), rank.astype(np.float64)
        others, missed = retrieved - relevant, recall_base - relevant
        elsewhere = (self.collection or 0) + relevant - retrieved - recall_base
        return self.a * relevant + self.b * others + self.c * missed + self.d * elsewhere
