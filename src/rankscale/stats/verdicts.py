"""Verdicts: whether a mean or a test of a measure's values is meaningful on the scale of the measure.

A statement about values is meaningful if its truth survives every change of numbers that their scale permits: any
increasing map on an ordinal scale, any straight line that rises on an interval scale, any positive factor on a ratio
scale (Stevens 1946). Where a measure uses the recall base, each topic has a scale of its own, and the maps may differ
from topic to topic: what adds or compares values of different topics is then a surrogate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rankscale.errors import Spelling, in_python
from rankscale.measures.base.measure import Measure
from rankscale.stats.tests.base.test import SCALE_TYPES, NeededScale, Test

VerdictKind = Literal["meaningful", "conditional", "interval version", "surrogate", "not meaningful", "unknown"]


@dataclass(frozen=True)
class Operation:
    """A summary of values: the scale it requires, and whether it needs one scale for all topics."""

    name: str
    asks: NeededScale
    across_topics: bool = True  # values of different topics are compared or added


MEAN = Operation("mean", "interval")
SUM = Operation("sum", "interval")
GEOMETRIC_MEAN = Operation("geometric mean", "ratio", across_topics=False)  # factors of topics are those of all runs
MEDIAN = Operation("median", "ordinal")  # the middle value: half way between two middle ones would be a mean
SUMMARIES = {"mean": MEAN, "sum": SUM, "geometric": GEOMETRIC_MEAN}  # by how a measure sums up topics


@dataclass(frozen=True)
class Verdict:
    """Whether an operation on the values of a measure is meaningful; sentences have no full stop."""

    kind: VerdictKind
    why: str  # the reason in full
    text: str  # the short form: a caution, or why none is needed
    order_only: bool = False  # whether the operation asks for more than the order of values, which is all there is

    @property
    def meaningful(self) -> bool:
        """Whether the operation needs no caution."""
        return self.kind == "meaningful"

    @property
    def equal_steps(self) -> bool:
        """Whether the interval version cannot change the outcome: it is the measure itself, but for a linear map."""
        return self.kind in {"meaningful", "conditional"}

    def way_out(self, spelling: Spelling = in_python) -> str:
        """What an ordinal measure supports in place of the operation; empty where that is meaningful.

        >>> from rankscale.measures.base.parser import parse
        >>> verdict(parse("RR@10"), MEAN, levels=(0, 1)).way_out()
        "medians need only the order of values: summary='median'"
        """
        return f"medians need only the order of values: {spelling('summary', 'median')}" if self.order_only else ""

    def __str__(self) -> str:
        return self.text


def verdict(measure: Measure, operation: Operation | Test, levels: Sequence[float]) -> Verdict:
    """Whether an operation on the values of a measure is meaningful, in a collection with these grades.

    >>> from rankscale.measures.base.parser import parse
    >>> verdict(parse("P@10"), MEAN, levels=(0, 1)).kind
    'meaningful'
    >>> print(verdict(parse("nDCG@10"), MEAN, levels=(0, 1)))
    Caution: nDCG@10 is an ordinal measure, so its mean assumes equal steps
    >>> print(verdict(parse("CG@10"), MEAN, levels=(0, 1, 2)))
    Caution: CG@10 is an interval measure only if gains are on a ratio scale
    """
    scale, asks = measure.scale_type(levels), operation.asks
    if isinstance(operation, Test) and asks == "interval" and measure.summary == "geometric":
        asks = "ratio"  # tests of geometric means compare ratios of values, not differences
    name = operation.label if isinstance(operation, Test) else f"the {operation.name}"
    name += " of geometric means" if asks != operation.asks else ""
    if not measure.scale_known and (asks != "ordinal" or operation.across_topics):
        return Verdict(
            "unknown",
            f"not known: {name} asks for {_a(asks)} scale, and that of {measure} is not known",
            f"Caution: the scale of {measure} is not known, {_assumption(measure, operation, asks)}",
            order_only=asks != "ordinal",
        )
    mixes = operation.across_topics and measure.topic_scales
    if SCALE_TYPES.index(scale) >= SCALE_TYPES.index(asks):
        condition = "" if asks == "ordinal" else measure.scale_condition(levels)
        return _of_enough(measure, name, (scale, asks), condition, mixes=mixes)
    order_only = scale == "ordinal"
    why = f"{name} asks for {_a(asks)} scale, and {measure} is on {_a(scale)} one"
    text = f"Caution: {measure} is {_a(scale)} measure, {_assumption(measure, operation, asks)}"
    if asks != "interval":
        return Verdict("not meaningful", f"not meaningful: {why}", text, order_only)
    if not measure.has_interval_version:
        return Verdict("not meaningful", f"not meaningful: {why}, and has no interval version", text, order_only)
    length = "" if measure.depth is not None else f"; rankings need one length for that, as in {measure.at(10)}"
    mixed = f"; even there it is a surrogate, since {_because(measure)} each topic a scale of its own" if mixes else ""
    full = f"meaningful only on the interval version: {why}{length}{mixed}"
    return Verdict("interval version", full, text, order_only)


def _of_enough(
    measure: Measure, name: str, scales: tuple[NeededScale, NeededScale], condition: str, *, mixes: bool
) -> Verdict:
    """The verdict where the measure has the scale that is asked for, if `condition` holds."""
    scale, asks = scales
    if mixes:
        only_if = f"; it is {_a(scale)} scale only if {condition}" if condition else ""
        return Verdict(
            "surrogate",
            f"surrogate: {_because(measure)} each topic a scale of its own, and {name} mixes them{only_if}",
            f"Caution: each topic has its own scale of {measure}, and {name} mixes them{only_if}",
        )
    if condition:
        return Verdict(
            "conditional",
            f"meaningful only if {condition}: {name} asks for {_a(asks)} scale, and {measure} is then on one",
            f"Caution: {measure} is {_a(scale)} measure only if {condition}",
        )
    text = f"{name} uses only the order of values" if asks == "ordinal" else f"{measure} is {_a(scale)} measure"
    return Verdict(
        "meaningful",
        f"meaningful: {name} asks for {_a(asks)} scale, and {measure} is on one",
        f"Meaningful: {text}",
    )


def _assumption(measure: Measure, operation: Operation | Test, asks: NeededScale) -> str:
    """What is assumed of the scale of a measure; a test that assumes equal steps is shown next to such a mean."""
    if asks == "ratio":
        return f"and a {GEOMETRIC_MEAN.name} needs a ratio scale"
    order = "an order" if measure.scale_known else "one order for all topics"
    what = {"ordinal": order, "interval": "equal steps"}[asks]
    if isinstance(operation, Test):
        return f"so its {measure.summed_up} and {operation.label} assume {what}"
    return f"so its {operation.name} assumes {what}"


def _because(measure: Measure) -> str:
    return "the recall base gives" if measure.uses_recall_base else "what documents there are gives"


def _a(scale: NeededScale) -> str:
    return f"{'an' if scale[0] in 'aeiou' else 'a'} {scale}"
