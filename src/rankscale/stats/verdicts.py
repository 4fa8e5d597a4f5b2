"""May this be said? What an operation asks of a scale, what scale a measure is on, and what follows.

A statement about values is meaningful if its truth survives every change of numbers that their scale permits: any
increasing map on an ordinal scale, any straight line that rises on an interval scale, any positive factor on a ratio
scale (Stevens 1946). Where a measure uses the recall base, each topic has a scale of its own, and the maps may differ
from topic to topic: what adds or compares values of different topics is then a surrogate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Literal

import numpy as np

from rankscale.data.judged import judged
from rankscale.errors import ScaleError
from rankscale.measures.base.discounted import Discounted
from rankscale.measures.base.measure import Measure
from rankscale.measures.cg import CG
from rankscale.measures.f import F
from rankscale.measures.gp import gP
from rankscale.measures.gr import gR
from rankscale.measures.judgedrate import JudgedRate
from rankscale.measures.ncg import nCG
from rankscale.measures.p import P
from rankscale.measures.rbp import RBP
from rankscale.measures.relp import RelP
from rankscale.measures.rprec import Rprec
from rankscale.measures.success import Success
from rankscale.scales.ask_question import shared_by_topics
from rankscale.scales.exact_gains import as_written, exact_gain
from rankscale.scales.interval import Interval
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
LENGTH_DIVIDES = (P, F, RelP, JudgedRate)  # without a depth by the length of the ranking, which is any
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

    >>> from rankscale.measures.base.parser import parse
    >>> [scale_type(parse(text)) for text in ("P@10", "RBP(p=0.5)@10", "RBP(p=0.8)@10", "DCG(base=10)@10", "nDCG@10")]
    ['interval', 'interval', 'ordinal', 'interval', 'ordinal']
    """
    if isinstance(measure, Interval):
        return "ordinal" if measure.form == "mid" else "interval"
    if isinstance(measure, Success | Rprec):  # two values have one step between them; P at one depth for each topic
        return "interval"
    if isinstance(measure, LENGTH_DIVIDES) and measure.depth is None:
        return "ordinal"
    if isinstance(measure, RBP | CG | nCG | gP | Discounted):
        return "interval" if _evenly_graded(measure, levels) else "ordinal"
    return measure.scale


def _evenly_graded(measure: Measure, levels: Sequence[float]) -> bool:
    """Whether sums of gains are one step apart."""
    try:
        gains = {exact_gain(measure, level, max(levels, default=1)) for level in levels}
    except ScaleError:  # irrational ones
        return False
    gains |= {as_written(measure.unjudged_gain)}
    if isinstance(measure, RBP):
        return not measure.conditional and _even(sorted(gains)) and as_written(measure.p) == Fraction(1, len(gains))
    # More than two gains add up to something only if grades are on a ratio scale, which nobody can see from here.
    return len(gains) == 2 and not _discounted(measure) and not _over_any_length(measure)


def _even(gains: Sequence[Fraction]) -> bool:
    return len({after - before for before, after in pairwise(gains)}) == 1


def _discounted(measure: Measure) -> bool:
    """Whether lower ranks count for less."""
    if not isinstance(measure, Discounted) or measure.discount == "none":
        return False
    return measure.base is None or measure.depth is None or measure.depth > measure.base


def _over_any_length(measure: Measure) -> bool:
    return isinstance(measure, gP) and not isinstance(measure, gR) and measure.depth is None


def own_scales(measure: Measure) -> bool:
    """Whether each topic has a scale of its own: it depends on the topic's documents."""
    if isinstance(measure, Interval) and not shared_by_topics(measure.of, measure.universe):
        return True
    return measure.uses_recall_base


def verdict(measure: Measure, operation: Operation | Test, levels: Sequence[float] = (0, 1)) -> Verdict:
    """Whether an operation on the values of a measure means anything."""
    name = operation.label if isinstance(operation, Test) else f"the {operation.name}"
    found = scale_type(measure, levels)
    enough = SCALE_TYPES.index(found) >= SCALE_TYPES.index(operation.asks)
    mixes = operation.across_topics and own_scales(measure)
    if enough and not mixes:
        return Verdict("meaningful", f"{name} asks for {_a(operation.asks)} scale, and {measure} is on one")
    if enough:
        return Verdict("surrogate", f"{_because(measure)} each topic a scale of its own, and {name} mixes them")
    why = f"{name} asks for {_a(operation.asks)} scale, and {measure} is on {_a(found)} one"
    if operation.asks != "interval":
        return Verdict("not meaningful", why)
    if not _can_be_spaced(measure):
        return Verdict("not meaningful", f"{why}, and has no interval version")
    length = "" if measure.depth is not None else f"; rankings need one length for that, as in {measure.at(10)}"
    mixed = f"; even there it is a surrogate, since {_because(measure)} each topic a scale of its own" if mixes else ""
    return Verdict("interval version", why + length + mixed)


def _because(measure: Measure) -> str:
    return "the recall base gives" if measure.uses_recall_base else "what documents there are gives"


@cache
def _can_be_spaced(measure: Measure) -> bool:
    """Whether there is an interval version, or would be with a depth: a ranking without gain must have a value."""
    if not measure.takes_depth or measure.needs_scores:
        return False
    nothing = judged("0 0 0 0 0 0", missed=f"{measure.threshold or 1:g}")
    return bool(np.isfinite(measure.at(6).value(nothing)).all())


def _a(scale: ScaleType) -> str:
    return f"{'an' if scale[0] in 'aeiou' else 'a'} {scale}"
