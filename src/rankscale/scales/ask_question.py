"""What is asked of a scale, made into a question: levels in order, documents counted, the universe chosen."""

from collections.abc import Sequence
from operator import index

import numpy as np

from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.measure import Measure
from rankscale.scales.question import Question, UniverseName, only_feasible
from rankscale.scales.structure import has_structure


def asked(
    measure: Measure,
    levels: Sequence[float],
    counts: Sequence[int] | int | None,
    universe: UniverseName | None,
    highest: float | None,
    *,
    with_unjudged: bool = False,
) -> Question:
    """The question, with what was left open filled in."""
    grades = tuple(sorted({float(level) for level in levels}))
    if not grades or not np.isfinite(grades).all():
        raise ParameterError(f"levels must be one or more numbers, got {levels!r}")
    if universe not in {None, "all", "feasible"}:
        raise ParameterError(f"universe must be 'all' or 'feasible', got {universe!r}")
    return Question(
        measure,
        grades,
        max(grades) if highest is None else highest,
        _documents(counts, levels, grades),
        feasible(measure, universe),
        by_grade=not has_structure(type(measure)),
        with_unjudged=with_unjudged,
    )


def _documents(
    counts: Sequence[int] | int | None, levels: Sequence[float], grades: tuple[float, ...]
) -> tuple[int, ...] | int | None:
    """How many documents there are: of each grade, in the order of grades, or relevant ones in all."""
    if counts is None:
        return None
    try:
        each = [index(count) for count in counts] if isinstance(counts, Sequence | np.ndarray) else [index(counts)]
    except TypeError:
        raise ParameterError(f"counts must be whole numbers of documents, got {counts!r}") from None
    if min(each, default=0) < 0:
        raise ParameterError(f"counts must be 0 or more, got {counts!r}")
    if not isinstance(counts, Sequence | np.ndarray):
        return each[0]
    if not len(each) == len(levels) == len(grades):
        raise ParameterError(f"counts must have a number for each of the levels {grades}, got {tuple(each)}")
    by_level = dict(zip(map(float, levels), each, strict=True))
    return tuple(by_level[grade] for grade in grades)


def feasible(measure: Measure, universe: UniverseName | None) -> bool:
    """Whether only rankings count that a topic's documents allow."""
    limited = only_feasible(measure) or (measure.uses_recall_base and not has_structure(type(measure)))
    if universe == "all" and limited:
        raise ScaleError(
            f"{measure} makes no sense for rankings with more relevant documents than there are; "
            "ask for universe='feasible'"
        )
    return limited or universe == "feasible"


def shared_by_topics(measure: Measure, universe: UniverseName | None) -> bool:
    """Whether all topics have the same scale: where rankings can hold more than there is, RB only divides."""
    return not feasible(measure, universe)
