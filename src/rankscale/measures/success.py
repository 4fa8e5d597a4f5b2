"""Success."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import Binary
from rankscale.measures.base.structure import AnyRelevant, Structure


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
