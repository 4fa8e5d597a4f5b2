"""The interval version of a measure, and its values; or why there are none."""

from dataclasses import dataclass
from typing import Unpack

from rankscale.errors import ScaleError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.scales.interval import Interval


class VersionOptions(EvaluateOptions, total=False):
    """Keywords of `evaluate` that decide which values are measured."""

    missing: Missing


@dataclass(frozen=True)
class NotKnown:
    """Why there are no values on an interval scale."""

    reason: str


def interval_version(measure: str | Measure) -> Interval | None:
    """The interval version of a measure; None if it is one, takes no depth here, or looks at more than grades."""
    requested = parse(measure)
    looks_at_more = requested.needs_scores or requested.looks_at
    if requested.interval_of is not None or requested.depth is None or looks_at_more:
        return None
    return Interval(requested)


def interval_evaluation(
    qrels: QrelsLike, runs: RunsLike, measure: str | Measure, **options: Unpack[VersionOptions]
) -> Evaluation | NotKnown:
    """Measure the interval version of a measure; NotKnown where there is none or it cannot be counted."""
    version = interval_version(measure)
    if version is None:
        return NotKnown(why_no_version(parse(measure)))
    try:
        return evaluate(qrels, runs, version, **options)
    except ScaleError as error:
        return NotKnown(str(error))


def why_no_version(measure: Measure) -> str:
    """Why a measure has no interval version that can be evaluated."""
    if measure.interval_of is not None:
        return f"{measure} is on one itself"
    if measure.needs_scores:
        return "it looks at scores"
    if measure.looks_at:
        return f"it looks at {measure.looks_at}"
    return "no length is fixed" if measure.takes_depth else "it takes no length"
