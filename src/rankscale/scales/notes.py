"""Notes on a scale that readers of its numbers should know."""

from collections.abc import Collection, Iterator
from fractions import Fraction

from rankscale.measures.base.structure import Blended, GradedPrecisions, Precisions, Sums, Weights
from rankscale.scales.question import Question
from rankscale.scales.structure import Powers, Roots, structure

SURROGATE = "surrogate: the recall base makes each topic a scale of its own, and means over topics mix them"
LONG = 30  # rankings longer than this have real ones near the bottom


SIMPLE = 100  # the greatest denominator of a fraction that a long decimal may have been meant for


def notes_on(question: Question) -> Iterator[str]:
    """Yield the notes, sentences without a full stop."""
    measure, known = question.measure, structure(question)
    if measure.uses_recall_base:
        yield SURROGATE
        if question.counts is None:
            yield f"values are shown for {question.depth} relevant documents; ranks do not depend on it"
    if isinstance(known, Sums) and len(question.gains) == 2:
        yield "P, R, F and undiscounted gain share this scale: it counts relevant documents"
    elif isinstance(known, Roots):
        yield "DCG and nDCG with this discount share this scale"
    if isinstance(known, Powers) and known.lexicographic:
        limit = known.lexicographic_limit
        yield f"RBP with any p up to {limit} has this scale: the first rank at which two rankings differ decides"
    yield from measure.scale_notes()
    yield from _decimals(({known.p} if isinstance(known, Powers) else set()) | set(question.gains))
    crowded = isinstance(known, Roots | Weights | Precisions | GradedPrecisions | Blended) or (
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
