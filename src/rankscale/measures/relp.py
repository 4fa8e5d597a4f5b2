"""Relative precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.additive import Counting
from rankscale.measures.base.measure import Numbers


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
    scale: ClassVar = "interval"
    divided_by_length: ClassVar[bool] = True
    feasible_only: ClassVar[bool] = True
    needs_depth: ClassVar[bool] = True

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """How many relevant documents could have been met."""
        return np.minimum(rank, judged.recall_base(self.rel)[:, None])
