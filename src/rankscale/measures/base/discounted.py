"""Discounted: measures of cumulated gain that can be given a discount."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError
from rankscale.measures.base.gains import Cumulated
from rankscale.measures.base.parameters import param
from rankscale.measures.base.structure import Logarithms, Structure, Sums, as_written, of_weights

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
            return Sums()
        if self.discount == "rank":
            return of_weights(None if depth is None else tuple(Fraction(1, rank) for rank in range(1, depth + 1)))
        if self.base is None:
            return Logarithms(Fraction(2), shift=1)
        base = as_written(self.base)
        return Sums() if depth is not None and depth <= base else Logarithms(base, shift=0)
