"""What readers of the numbers of a scale should know: notes on it, and the floor effect.

The floor effect: on long rankings nearly every real one is near the bottom of the scale, and one topic decides.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.measures.base.structure import Blended, GainSums, GradedPrecisions, Precisions, RankWeights
from rankscale.scales.question import Question
from rankscale.scales.structure import Powers, Roots, structure

SURROGATE = "surrogate: the recall base makes each topic a scale of its own, and means over topics mix them"
LONG = 30  # rankings longer than this have real ones near the bottom
SIMPLE = 100  # the greatest denominator of a fraction that a long decimal may have been meant for
FLOOR = 0.01  # values below this are on the floor
CROWDED = 0.5  # share of values there from which a warning is given
SOME = 0.25  # share of values there without which a decisive topic is one among few, and no floor
DECISIVE = 0.5  # share of a run's sum that one topic has, from which it decides the mean


def notes_on(question: Question) -> Iterator[str]:
    """Yield the notes, sentences without a full stop."""
    measure, known = question.measure, structure(question)
    if measure.uses_recall_base:
        yield SURROGATE
        if question.counts is None:
            yield f"values are shown for {question.depth} relevant documents; ranks do not depend on it"
    if isinstance(known, GainSums) and len(question.gains) == 2:
        yield "P, R, F and undiscounted gain share this scale: it counts relevant documents"
    elif isinstance(known, Roots):
        yield "DCG and nDCG with this discount share this scale"
    if isinstance(known, Powers) and known.lexicographic:
        limit = known.lexicographic_limit
        yield f"RBP with any p up to {limit} has this scale: the first rank at which two rankings differ decides"
    yield from measure.scale_notes()
    yield from _decimals(({known.p} if isinstance(known, Powers) else set()) | set(question.gains))
    crowded = isinstance(known, Roots | RankWeights | Precisions | GradedPrecisions | Blended) or (
        isinstance(known, Powers) and not known.lexicographic
    )
    if question.depth > LONG and crowded:
        yield (
            f"in nearly all possible rankings of {question.depth} documents about half are relevant; real runs have "
            "far fewer, so that their values are near 0 and one good topic decides the mean"
        )


def _decimals(numbers: Collection[Fraction]) -> Iterator[str]:
    """Of decimals that are the nearest double to a simple fraction, and are taken as they are written."""
    for number in sorted(numbers):
        simple = Fraction(float(number)).limit_denominator(SIMPLE)
        if simple != number and float(simple) == float(number):
            fraction = f"for {simple} write {simple}, or Fraction('{simple}') in Python"
            yield f"{float(number)} is taken as this decimal; {fraction}"


@dataclass(frozen=True)
class Floor:
    """How many values lie on the floor, and how much of the means hangs on one topic.

    A rank counts all rankings that are no better, and nearly all rankings of a length have half of their documents
    relevant. The few relevant documents of a real ranking of 100 put it below a share of 1e-8 of them. A run's mean
    over topics is then about the value of its best topic, over the number of topics.
    """

    share: float  # of values below FLOOR
    leverage: float  # median over runs of the share of the sum that the run's best topic has
    topics: int

    @property
    def warning(self) -> str:
        """The warning to show; empty where there is none."""
        if self.topics > 2 and self.leverage >= DECISIVE and self.share >= SOME:
            return (
                f"one topic decides the mean of a run: in half of the runs that with the highest value has "
                f"{self.leverage:.0%} of the sum or more, and {self.share:.0%} of the values lie below {FLOOR}; "
                "a smaller depth would separate the runs better"
            )
        if self.share >= CROWDED:
            return f"{self.share:.0%} of the values lie below {FLOOR}: nearly all rankings of this length are better"
        return ""


def floor_effect(values: Floats) -> Floor | None:
    """The floor effect of normalised values (run, topic), NaN where undefined; None if all are."""
    defined = ~np.isnan(values)
    if not defined.any():
        return None
    filled = np.where(defined, values, 0.0)
    sums = filled.sum(axis=-1)
    some = sums > 0
    leverage = float(np.median(filled[some].max(axis=-1) / sums[some])) if some.any() else 0.0
    share = float((filled[defined] < FLOOR).mean())
    return Floor(share, leverage, int(np.count_nonzero(defined.any(axis=0))))
