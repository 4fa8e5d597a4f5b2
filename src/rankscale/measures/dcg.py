"""Discounted cumulated gain: as it is, that of the best ranking, and one over the other."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.binary import NothingMet
from rankscale.measures.base.gains import Cumulated, Graded, ScaledGains, unjudged_param
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import param
from rankscale.measures.base.structure import GainSums, Logarithms, Structure, as_written, of_weights
from rankscale.measures.cg import CostingDocuments, OverIdeal

EXACT = {2.0: np.log2, 10.0: np.log10}  # a quotient of logarithms would miss log2(8) = 3 by a digit


@dataclass(frozen=True)
class Discounted(Cumulated):
    """Gain discounted by log2(rank + 1), unless a base or another discount is given.

    `base` selects the discount of Järvelin and Kekäläinen: none above rank `base`, then the logarithm of the rank to
    that base. `discount='log'` is base=2, 'rank' divides by the rank, and 'none' by nothing.
    """

    base: Fraction | float | None = param(
        None, gt=1, help="that of the logarithm that discounts; ranks above it are not discounted"
    )
    discount: str | None = param(
        None,
        choices=(None, "none", "rank", "log"),
        help="'none', 'rank' to divide by the rank, or 'log', which is base=2; log2(rank + 1) unless given",
    )

    def check(self) -> None:
        """Raise ParameterError for a base without a logarithm; spell discount='log' as a base."""
        super().check()
        if self.discount in ("none", "rank") and self.base is not None:
            raise ParameterError(f"{self.name}: a base is that of a logarithm, got discount={self.discount!r} as well")
        if self.discount == "log":
            object.__setattr__(self, "base", 2 if self.base is None else self.base)
            object.__setattr__(self, "discount", None)

    def divisor(self, rank: Ints) -> Floats:
        """Divisor of the gain at each rank."""
        if self.discount == "none":
            return np.ones(rank.shape)
        if self.discount == "rank":
            return rank.astype(np.float64)
        if self.base is None:
            return super().divisor(rank)
        base = float(self.base)
        logarithm = EXACT[base](rank) if base in EXACT else np.log(rank) / math.log(base)
        return np.maximum(logarithm, 1.0)  # ranks below the base have a logarithm below 1

    @property
    def discounting(self) -> object:
        """Key of the discount, under which sums are cached."""
        return super().discounting if self.base is None and self.discount is None else (self.base, self.discount)

    def structure(self, depth: int | None) -> Structure:
        """A sum of gains, where ranks are discounted over the discount."""
        if self.discount == "none":
            return GainSums()
        if self.discount == "rank":
            return of_weights(None if depth is None else tuple(Fraction(1, rank) for rank in range(1, depth + 1)))
        if self.base is None:
            return Logarithms(Fraction(2), shift=1)
        base = as_written(self.base)
        return GainSums() if depth is not None and depth <= base else Logarithms(base, shift=0)


@dataclass(frozen=True)
class DCG(CostingDocuments, Discounted, Additive):
    """Gain met down the ranking, discounted by the rank.

    As trec_eval discounts, 2 / log2(2) + 3 / log2(4):

    >>> from rankscale.data.judged import judged
    >>> DCG().value(judged("2 0 3"))
    array([3.5])

    As Järvelin and Kekäläinen do, who print 3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61:

    >>> DCG(base=2).curve(judged("3 2 3 0 0 1 2 2 3 0")).round(2).tolist()[0]
    [3.0, 5.0, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]

    Formula
    -------
    sum over ranks i <= k of gain / log2(i + 1), or with a base gain / max(1, log_base(i))

    User model
    ----------
    gains less from a document the more had to be read before it

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002; discount of Burges et al., ICML 2005
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)

    unjudged: float | None = unjudged_param()

    def remark(self) -> str:
        """Where nothing is discounted, gains are merely added."""
        if self.base is None or self.depth is None or self.depth > self.base:
            return ""
        return f"down to rank {self.base:g} nothing is discounted: values are on an interval scale where gains are"

    def scale_notes(self) -> Iterator[str]:
        """Where nothing is discounted, the scale is that of precision."""
        if self.base is not None and self.depth is not None and self.depth <= self.base:
            yield f"down to rank {self.base:g} nothing is discounted, and so this is the scale of P"

    def weight(self, rank: Ints) -> Floats:
        """The discount at each rank."""
        return 1.0 / self.divisor(rank)


@dataclass(frozen=True)
class nDCG(Discounted, OverIdeal):
    """DCG over the DCG of the best ranking there could be, as trec_eval computes it.

    Verbs take it as `rs.nDCG @ 10`, `rs.nDCG(base=2) @ 10` or 'nDCG@10'. `gains` are 'linear' (the grade, negatives 0;
    the default), 'exp' (2^grade - 1), a list for grades 0, 1, 2 and so on, or `{grade: gain}`; `base` and `discount`
    ('none', 'rank' or 'log') choose other discounts; `judged_only` removes unjudged documents first.

    The ideal ranking is cut at the depth. Without a depth it has all relevant documents, even if the run has fewer;
    `rs.curves` gives nDCG@k at each rank k. DCG is 2 + 1/2 here, and the ideal's 2 + 1/log2(3):

    >>> from rankscale.data.judged import judged
    >>> nDCG().value(judged("2 0 1")).round(4)
    array([0.9502])

    In text, `dcg` is taken as ir_measures writes it: 'log2' for the grade, 'exp-log2' for gains='exp':

    >>> from rankscale.measures.base.parser import parse
    >>> print(parse("nDCG(dcg='exp-log2')@10"))
    nDCG(gains='exp')@10

    With a base, the discount of Järvelin and Kekäläinen 2002; this is the ranking of their example:

    >>> nDCG(base=2, depth=5).value(judged("3 2 3 0 0 1 2 2 3 0", missed="1 1 1")).round(4)
    array([0.7067])

    Where documents that are not relevant cost something, they cost the ideal ranking as well: below its last relevant
    document its curve falls, and a perfect ranking has nDCG 1 at every depth. With `unjudged=0` the ideal goes on with
    unjudged documents, which cost nothing:

    >>> perfect = judged("3 2 1 0 0")
    >>> nDCG(base=2, gains=[-1, 1, 2, 3], depth=5).value(perfect)
    array([1.])
    >>> nDCG(base=2, gains=[-1, 1, 2, 3], unjudged=0, depth=5).value(perfect).round(4)
    array([0.8347])

    Formula
    -------
    DCG@k / (DCG@k of the ideal ranking), gains divided by log2(i + 1), or with a base by max(1, log_base(i))

    User model
    ----------
    gains less from a document the more had to be read, and compares with what was possible

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002; discount of Burges et al., ICML 2005
    """

    aliases: ClassVar[tuple[str, ...]] = ("NDCG",)

    unjudged: float | None = unjudged_param()

    @classmethod
    def from_arguments(cls, given: Mapping[str, object]) -> tuple[type[Measure], dict[str, object]]:
        """With `dcg`, as ir_measures has it, the gains are 'exp' or the grade."""
        ours = {"gains": "exp"} if given.get("dcg") == "exp-log2" else {}
        if given.get("dcg", "log2") not in ("log2", "exp-log2"):
            raise ParameterError(f"{cls.name}: dcg must be 'log2' or 'exp-log2', got {given['dcg']!r}")
        if ours and given.get("gains", "exp") != "exp":
            raise ParameterError(f"{cls.name}: give gains or dcg='exp-log2', not both")
        return cls, {name: value for name, value in given.items() if name != "dcg"} | ours


@dataclass(frozen=True)
class IDCG(Graded, NothingMet):
    """DCG of the best ranking of the topic's judged documents; it says nothing of the run.

    >>> from rankscale.data.judged import judged
    >>> IDCG(depth=2).value(judged("0 2 0", missed="1")).round(4)  # 2 / log2(2) + 1 / log2(3)
    array([2.6309])

    Formula
    -------
    DCG of the positive gains of the topic's qrels, best first

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002; discount of Burges et al., ICML 2005
    """

    uses_recall_base: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0, math.inf)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The ideal down to these ranks."""
        return total + self.ideal(judged, rank)

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """Without a depth, all gain there is."""
        return self.ideal(judged)[:, 0]


@dataclass(frozen=True)
class SDCG(ScaledGains, Additive):
    """DCG over the DCG of k documents of the highest grade, whether or not there are so many.

    What cwl_eval calls NDCG-k; its ideal is not the topic's, and no recall base is used. One document at half the
    scale on top of two: 1/2 over 1 + 1/log2(3):

    >>> from rankscale.data.judged import judged
    >>> SDCG(depth=2).value(judged("1 0", missed="2")).round(4)
    array([0.3066])

    Formula
    -------
    (sum over ranks i <= k of gain / log2(i + 1)) / (sum over ranks i <= k of 1 / log2(i + 1))

    User model
    ----------
    looks at k documents, at each the less the deeper it stands

    References
    ----------
    Moffat, Bailey, Scholer and Thomas, Incorporating User Expectations, TOIS 35(3), 2017
    """

    needs_depth: ClassVar[bool] = True

    @classmethod
    def from_arguments(cls, given: Mapping[str, object]) -> tuple[type[Measure], dict[str, object]]:
        """With `dcg`, as ir_measures has it, which has one value only."""
        if given.get("dcg", "log2") != "log2":
            raise ParameterError(f"{cls.name}: dcg must be 'log2', got {given['dcg']!r}")
        return cls, {name: value for name, value in given.items() if name != "dcg"}

    def weight(self, rank: Ints) -> Floats:
        """The discount at each rank."""
        weight: Floats = 1.0 / np.log2(rank + 1.0)
        return weight

    def structure(self, depth: int | None) -> Structure:
        """A sum of gains over their discounts."""
        return Logarithms(Fraction(2), shift=1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """All discounts down to these ranks."""
        return self.weight_down_to(np.where(rank < BEYOND, rank, 1))
