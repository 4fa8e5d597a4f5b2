"""The best runs of an evaluation: weak ones, often broken, make every measure seem to agree with every other."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Unpack

import numpy as np

from rankscale.data.names import listed
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing, Progress
from rankscale.evaluation.result import Evaluation, expected
from rankscale.formats.read.inputs import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse, parse_all
from rankscale.stats.correlation.kendall import MEAN_DIGITS


def top(evaluation: Evaluation, share: float, by: str | Measure = "AP") -> Evaluation:
    """The same evaluation of the best runs alone: ceil(share n) of n by the mean of `by`, and all tied with the last.

    Means are compared to 8 decimal places, as where tau is taken of them. Runs stay in their order; one whose mean is
    undefined is behind all others.

    >>> qrels = {"301": {"a": 1, "b": 1}}
    >>> rankings = {"good": {"a": 2, "b": 1}, "fair": {"b": 1}, "alike": {"a": 1}, "bad": {"c": 1}}
    >>> runs = {name: {"301": ranking} for name, ranking in rankings.items()}
    >>> top(evaluate(qrels, runs, ["AP"]), share=0.5).runs
    ('good', 'fair', 'alike')
    """
    expected(evaluation, "top")
    check_share(share)
    place = _place(evaluation, by)
    chosen = evaluation.measures[place]
    means = np.round(evaluation.means().values[place], MEAN_DIGITS)
    goodness = np.where(np.isnan(means), -np.inf, -means if chosen.low_is_good else means)
    count = max(1, math.ceil(share * len(goodness) - 1e-9))  # 0.07 * 100 is a little over 7
    kept = np.flatnonzero(goodness >= np.sort(goodness)[-count]).tolist()
    return replace(evaluation.of_runs(kept), signature=f"{evaluation.signature}|top:{share}|by:{chosen}")


def evaluate_top(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure],
    share: float | None,
    *,
    by: str | Measure = "AP",
    missing: Missing = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> Evaluation:
    """Evaluate runs, with topics that they miss as empty rankings, and keep the best of them: all, if share is None.

    `by` is measured beside the measures requested, and left out again if it is none of them. `missing='common'` takes
    only topics that all runs have, the weak ones too.
    """
    if share is not None:
        check_share(share)
    wanted = parse_all(measures)
    chosen_by = [parse(by)] if share is not None else []
    every = list(dict.fromkeys([*wanted, *chosen_by]))
    result = evaluate(qrels, runs, every, missing=missing, progress=progress, **options)
    if share is None:
        return result
    return top(result, share, by)[list(wanted)]


def check_share(share: float) -> None:
    """Refuse a share of runs that is none."""
    if not 0 < share <= 1:
        raise ParameterError(f"the share of runs to keep must be above 0 and at most 1, got {share}; 0.75 is usual")


def _place(evaluation: Evaluation, by: str | Measure) -> int:
    """Where the measure stands that runs are chosen by."""
    names = [str(measure) for measure in evaluation.measures]
    requested = str(by) if str(by) in names else str(parse(by))
    if requested not in names:
        raise ParameterError(
            f"the best runs are chosen by their mean {requested}, which this evaluation lacks: evaluate {requested} "
            f"too, or choose by a measure that it has ({listed(names)})"
        )
    return names.index(requested)
