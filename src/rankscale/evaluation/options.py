"""Options that `evaluate` and `curves` share, checked before anything is read."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Literal, get_args

from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.errors import BoundsError, ParameterError
from rankscale.measures.base.measure import Measure

Grades = Mapping[float, float] | Sequence[float] | None
Missing = Literal["zero", "skip", "common", "error"]  # the rule for topics of the qrels that a run lacks


def check_missing(missing: str, *, compared: bool = False) -> None:
    """Raise ParameterError for a rule that does not exist, or that cannot be used where runs are compared."""
    if missing not in get_args(Missing):
        raise ParameterError(f"missing must be 'zero', 'skip', 'common' or 'error', got {missing!r}")
    if compared and missing == "skip":
        raise ParameterError(
            "runs are compared over the same topics: give missing='zero', which counts missing ones as empty rankings, "
            "or missing='common', rather than missing='skip'"
        )


def prepared(qrels: Qrels, grades: Grades, negative: str) -> Qrels:
    """Qrels with grades mapped, and negative ones read as they are meant."""
    if negative not in {"unjudged", "not relevant"}:
        raise ParameterError(f"negative must be 'unjudged' or 'not relevant', got {negative!r}")
    if grades is not None:
        qrels = qrels.conflated(grades)
    return qrels.negatives_as_not_relevant() if negative == "not relevant" else qrels


def check_asked(measures: Sequence[Measure], *, bounds: bool, ties: str, curve: bool = False) -> tuple[Notice, ...]:
    """Raise for options that no measure can answer; notices of those that some measures cannot."""
    if ties not in {"trec", "expected", "range"}:
        raise ParameterError(f"ties must be 'trec', 'expected' or 'range', got {ties!r}")
    if ties != "trec":
        for measure in measures:
            measure.refuse_ties()
    if not bounds:
        return ()
    if ties == "expected":
        raise ParameterError("bounds are those of one order of the documents: ask for them with ties='trec' or 'range'")
    refused = [error for measure in measures if (error := no_bounds(measure, curve=curve)) is not None]
    if len(refused) == len(measures):
        raise refused[0]
    by_reason: dict[str, list[str]] = {}
    for error in refused:
        by_reason.setdefault(error.reason, []).append(error.measure)
    return notes(
        (
            f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no bounds: {reason}"
            for reason, names in by_reason.items()
        ),
        "no bounds",
    )


def check_whole(depth: int | None) -> None:
    """Refuse a depth that is none."""
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, Integral) or depth < 1):
        raise ParameterError(f"the depth must be a whole number from 1, got {depth!r}")


def check_cut(measures: Sequence[Measure], depth: int | None, *, ties: str, judged_only: bool) -> None:
    """Refuse a depth that rankings cannot be cut at, where they are not cut while they are read."""
    if depth is None or ties == "trec":
        return
    check_whole(depth)
    if judged_only or any(measure.judged_only for measure in measures):
        raise ParameterError(
            "a depth cuts rankings before unjudged documents are taken out, and which are cut off depends on the order "
            "of tied ones; give the depth to the measure, as in P@10, or ask for ties='trec'"
        )


def no_bounds(measure: Measure, *, curve: bool = False) -> BoundsError | None:
    """Why a measure has no bounds, if it has none."""
    try:
        measure.refuse_bounds(curve=curve)
    except BoundsError as error:
        return error
    return None
