"""Reciprocal rank."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base import Measure


@dataclass(frozen=True)
class RR(Measure):
    """One over the rank of the first relevant document.

    A sceptical user asks for the `n`-th one; for a cautious user `damping` makes the top ranks differ less.

    >>> from rankscale.data.judged import judged
    >>> RR(n=2).value(judged("0 - 1 1", "0 1 0"))
    array([0.25, 0.  ])
    """

    name: ClassVar[str] = "RR"
    aliases: ClassVar[tuple[str, ...]] = ("MRR",)
    formula: ClassVar[str] = "1 / (damping + rank of the n-th relevant document), 0 if there is none in the first k"
    paper: ClassVar[str] = "Voorhees, The TREC-8 Question Answering Track Report, TREC-8, 1999"
    only_relevant: ClassVar[bool] = True

    rel: float = 1
    n: int = 1
    damping: float = 0

    def check(self) -> None:
        """Refuse what would lead out of the limits 0 and 1."""
        if self.n < 1:
            raise ParameterError(f"{self.name}: n must be a whole number from 1, got {self.n}")
        if self.damping < 0:
            raise ParameterError(f"{self.name}: damping must be 0 or more, got {self.damping}")

    def total(self, judged: Judged) -> Floats:
        """0 above the n-th relevant document, its reciprocal rank from there on."""
        wanted = judged.relevant(self.rel) * (judged.found(self.rel) == self.n)
        return np.cumsum(wanted / (float(self.damping) + judged.rank), axis=-1)
