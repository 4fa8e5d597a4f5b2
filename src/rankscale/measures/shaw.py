"""Shaw's measure."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import TiedByCount
from rankscale.measures.base.measure import Numbers, divide


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
