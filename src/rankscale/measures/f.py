"""The F measure."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.additive import Counting
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import param


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
    scale: ClassVar = "interval"
    divided_by_length: ClassVar[bool] = True
    needs_depth: ClassVar[bool] = True

    beta: float = param(1, ge=0, help="how much recall (in Q: gain) counts relative to precision")

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The weighted harmonic mean of precision and recall at these ranks."""
        precision = divide(total, rank)
        recall = divide(total, judged.recall_base(self.rel)[:, None])
        weight = self.beta**2
        return divide((weight + 1.0) * precision * recall, weight * precision + recall)
