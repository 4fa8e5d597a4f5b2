"""May this be said? What an operation asks of a scale, what scale a measure is on, and what follows.

A statement about values is meaningful if its truth survives every change of numbers that their scale permits: any
increasing map on an ordinal scale, any straight line that rises on an interval scale, any positive factor on a ratio
scale (Stevens 1946). Where a measure uses the recall base, each topic has a scale of its own, and the maps may differ
from topic to topic: what adds or compares values of different topics is then a surrogate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from rankscale.measures.base import Measure
from rankscale.measures.cg import CG
from rankscale.measures.dcg import DCG
from rankscale.measures.discounted import Discounted
from rankscale.measures.gp import gP
from rankscale.measures.rbp import RBP
from rankscale.scales.exact_gains import as_written, exact_gain
from rankscale.stats.significance import SCALE_TYPES, ScaleType, Test

Kind = Literal["meaningful", "interval version", "surrogate", "not meaningful"]


@dataclass(frozen=True)
class Operation:
    """Something done with values, the scale it asks for, and whether values of different topics meet in it."""

    name: str
    asks: ScaleType
    across_topics: bool = True


MEAN = Operation("mean", "interval")
SUM = Operation("sum", "interval")
GEOMETRIC_MEAN = Operation("geometric mean", "ratio")
MEDIAN = Operation("median", "ordinal")
WINS = Operation("wins and losses", "ordinal", across_topics=False)
SUMMARIES = {"mean": MEAN, "sum": SUM, "geometric": GEOMETRIC_MEAN}  # by how a measure sums up topics


@dataclass(frozen=True)
class Verdict:
    """Whether something may be said, and why."""

    kind: Kind
    why: str  # a sentence, without a full stop

    @property
    def meaningful(self) -> bool:
        """Whether it may be said as it is."""
        return self.kind == "meaningful"

    def __str__(self) -> str:
        head = {"interval version": "meaningful only on the interval version"}.get(self.kind, self.kind)
        return f"{head}: {self.why}"


def scale_type(measure: Measure, levels: Sequence[float] = (0, 1)) -> ScaleType:
    """The scale that a measure's values are on, for a fixed depth and recall base, with grades such as these.

    >>> from rankscale.measures.parse import parse
    >>> [scale_type(parse(text)) for text in ("P@10", "RBP(p=0.5)@10", "RBP(p=0.8)@10", "DCG(base=10)@10", "nDCG@10")]
    ['interval', 'interval', 'ordinal', 'interval', 'ordinal']
    """
    highest = max(levels, default=1)
    if isinstance(measure, RBP) and not measure.conditional:
        gains = sorted({exact_gain(measure, level, highest) for level in levels})
        return "interval" if _even(gains) and as_written(measure.p) == Fraction(1, len(gains)) else "ordinal"
    if isinstance(measure, CG | gP | DCG | Discounted):
        undiscounted = not isinstance(measure, Discounted) or measure.discount == "none" or _before_base(measure)
        gains = sorted({exact_gain(measure, level, highest) for level in levels})
        # More than two gains add up to something only if grades are on a ratio scale, which nobody can see from here.
        return "interval" if undiscounted and len(gains) <= 2 and measure.depth is not None else "ordinal"
    return measure.scale


def _even(gains: Sequence[Fraction]) -> bool:
    return len({after - before for before, after in pairwise(gains)}) == 1


def _before_base(measure: Discounted) -> bool:
    return measure.base is not None and measure.depth is not None and measure.depth <= measure.base


def verdict(measure: Measure, operation: Operation | Test, levels: Sequence[float] = (0, 1)) -> Verdict:
    """Whether an operation on the values of a measure means anything."""
    name = operation.words if isinstance(operation, Test) else f"the {operation.name}"
    found = scale_type(measure, levels)
    enough = SCALE_TYPES.index(found) >= SCALE_TYPES.index(operation.asks)
    own_scales = operation.across_topics and measure.uses_recall_base
    if enough and not own_scales:
        return Verdict("meaningful", f"{name} asks for {_a(operation.asks)} scale, and {measure} is on one")
    if enough:
        return Verdict("surrogate", f"the recall base gives each topic a scale of its own, and {name} mixes them")
    if operation.asks == "interval":
        mixed = "; even there it is a surrogate, since the recall base gives each topic a scale of its own"
        return Verdict(
            "interval version",
            f"{name} asks for {_a(operation.asks)} scale, and {measure} is on {_a(found)} one"
            + (mixed if measure.uses_recall_base else ""),
        )
    return Verdict("not meaningful", f"{name} asks for {_a(operation.asks)} scale, and {measure} is on {_a(found)} one")


def _a(scale: ScaleType) -> str:
    return f"{'an' if scale[0] in 'aeiou' else 'a'} {scale}"
