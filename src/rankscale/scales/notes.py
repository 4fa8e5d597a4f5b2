"""What is worth knowing of a scale before its numbers are used."""

from collections.abc import Iterator

from rankscale.measures.base.structure import Precisions, Sums, Weights
from rankscale.scales.question import Question
from rankscale.scales.structure import Powers, Roots, structure

SURROGATE = "surrogate: the recall base makes each topic a scale of its own, and means over topics mix them"
LONG = 30  # rankings longer than this have real ones near the bottom


def notes_on(question: Question) -> Iterator[str]:
    """Sentences, without a full stop."""
    measure, found = question.measure, structure(question)
    if measure.uses_recall_base:
        yield SURROGATE
        if question.counts is None:
            yield f"values are shown for {question.depth} relevant documents; ranks do not depend on it"
    if isinstance(found, Sums) and len(question.gains) == 2:
        yield "P, R, F and undiscounted gain share this scale: it counts relevant documents"
    elif isinstance(found, Roots):
        yield "DCG and nDCG with this discount share this scale"
    if isinstance(found, Powers) and found.lexicographic:
        limit = found.lexicographic_limit
        yield f"RBP with any p up to {limit} has this same scale: the first difference decides, and p vanishes"
    yield from measure.scale_notes()
    crowded = isinstance(found, Roots | Weights | Precisions) or (isinstance(found, Powers) and not found.lexicographic)
    if question.depth > LONG and crowded:
        yield (
            f"nearly all rankings of {question.depth} documents are half relevant: real ones lie near 0, "
            f"and means hang on the best topic"
        )
