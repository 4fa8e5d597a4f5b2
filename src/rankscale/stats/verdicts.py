"""May this be said? What an operation asks of a scale, what scale a measure is on, and what follows.

A statement about values is meaningful if its truth survives every change of numbers that their scale permits: any
increasing map on an ordinal scale, any straight line that rises on an interval scale, any positive factor on a ratio
scale (Stevens 1946). Where a measure uses the recall base, each topic has a scale of its own, and the maps may differ
from topic to topic: what adds or compares values of different topics is then a surrogate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rankscale.measures.base.measure import Measure
from rankscale.stats.tests.base.test import SCALE_TYPES, ScaleType, Test

Kind = Literal["meaningful", "interval version", "surrogate", "not meaningful"]


@dataclass(frozen=True)
class Operation:
    """Something done with values, the scale it asks for, and whether it matters that topics share one scale."""

    name: str
    asks: ScaleType
    across_topics: bool = True  # values of different topics are compared or added


MEAN = Operation("mean", "interval")
SUM = Operation("sum", "interval")
GEOMETRIC_MEAN = Operation("geometric mean", "ratio", across_topics=False)  # factors of topics are those of all runs
MEDIAN = Operation("median", "ordinal")  # the middle value: half way between two middle ones would be a mean
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


def verdict(measure: Measure, operation: Operation | Test, levels: Sequence[float]) -> Verdict:
    """Whether an operation on the values of a measure means anything, in a collection with these grades.

    >>> from rankscale.measures.base.parser import parse
    >>> verdict(parse("P@10"), MEAN, levels=(0, 1)).kind, verdict(parse("nDCG@10"), MEAN, levels=(0, 1)).kind
    ('meaningful', 'interval version')
    """
    name = operation.label if isinstance(operation, Test) else f"the {operation.name}"
    scale = measure.scale_type(levels)
    enough = SCALE_TYPES.index(scale) >= SCALE_TYPES.index(operation.asks)
    mixes = operation.across_topics and measure.topic_scales
    if enough and not mixes:
        return Verdict("meaningful", f"{name} asks for {_a(operation.asks)} scale, and {measure} is on one")
    if enough:
        return Verdict("surrogate", f"{_because(measure)} each topic a scale of its own, and {name} mixes them")
    why = f"{name} asks for {_a(operation.asks)} scale, and {measure} is on {_a(scale)} one"
    if operation.asks != "interval":
        return Verdict("not meaningful", why)
    if not measure.has_interval_version:
        return Verdict("not meaningful", f"{why}, and has no interval version")
    length = "" if measure.depth is not None else f"; rankings need one length for that, as in {measure.at(10)}"
    mixed = f"; even there it is a surrogate, since {_because(measure)} each topic a scale of its own" if mixes else ""
    return Verdict("interval version", why + length + mixed)


def _because(measure: Measure) -> str:
    return "the recall base gives" if measure.uses_recall_base else "what documents there are gives"


def _a(scale: ScaleType) -> str:
    return f"{'an' if scale[0] in 'aeiou' else 'a'} {scale}"
