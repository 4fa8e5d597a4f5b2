"""Scaled discounted cumulated gain."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.scaled import Scaled
from rankscale.measures.base.structure import Logarithms, Structure


@dataclass(frozen=True)
class SDCG(Scaled, Additive):
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
