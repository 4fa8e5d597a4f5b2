"""Measures of the retrieved documents as a set: their order and a depth mean nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import OverRecallBase
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.f import F
from rankscale.measures.p import P
from rankscale.measures.r import R
from rankscale.measures.relp import RelP

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

    def over_ties(self, judged: Judged) -> Floats:
        """The mean square: of c + x, x of the r relevant documents of a group of n being among its first m.

        The mean of x is m r / n, and that of x (x - 1) is m (m - 1) r (r - 1) / (n (n - 1)).
        """
        above, size, drawn = self.relevant_above_ties(judged), judged.tie_group_size, judged.rank - judged.first + 1
        share = judged.tie_group_mean(judged.relevant(self.rel))
        met = drawn * share
        pairs = divide(met * (drawn - 1) * (share * size - 1), size - 1)
        return above.astype(np.float64) ** 2 + (2 * above + 1) * met + pairs
