"""The best runs of an evaluation: weak ones, often broken, make every measure seem to agree with every other."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Unpack

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.names import listed
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing, Progress
from rankscale.evaluation.result import Evaluation, expected
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse, parse_all


def top(evaluation: Evaluation, share: float, by: str | Measure = "AP") -> Evaluation:
    """Keep the best runs of an evaluation: ceil(share * n) of n runs, and all that tie with the last of them.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the runs, also by the measure `by`.
    share : float
        Share of the runs to keep, above 0 and at most 1.
    by : str or Measure
        The measure whose means decide, rounded to 8 significant digits. An undefined mean is worse than any other.

    Returns
    -------
    Evaluation
        The same values of the best runs, in the order they had.

    Raises
    ------
    ParameterError
        The share is out of range, or the evaluation lacks the measure.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {"301": {"a": 1, "b": 1}}
    >>> rankings = {"good": {"a": 2, "b": 1}, "fair": {"b": 1}, "alike": {"a": 1}, "bad": {"c": 1}}
    >>> runs = {name: {"301": ranking} for name, ranking in rankings.items()}
    >>> rs.top(rs.evaluate(qrels, runs, ["AP"]), share=0.5).runs
    ('good', 'fair', 'alike')
    """
    check_arguments(top, locals())
    expected(evaluation, "top")
    check_share(share)
    place = _place(evaluation, by)
    chosen = evaluation.measures[place]
    means = chosen.comparable(evaluation.means().values[place])
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

    Values of `by` are computed too, and left out again if it is not one of the measures. `missing='common'` takes
    only topics that all runs have, the weak ones too.
    """
    if share is not None:
        check_share(share)
    wanted = parse_all(measures)
    chosen_by = [parse(by)] if share is not None else []
    every = list(dict.fromkeys([*wanted, *chosen_by]))
    evaluation = evaluate(qrels, runs, every, missing=missing, progress=progress, **options)
    return evaluation if share is None else top(evaluation, share, by)[list(wanted)]


def check_share(share: float) -> None:
    """Raise ParameterError unless 0 < share <= 1."""
    if not 0 < share <= 1:
        raise ParameterError(f"the share of runs to keep must be above 0 and at most 1, got {share}; 0.75 is usual")


def _place(evaluation: Evaluation, by: str | Measure) -> int:
    """Index of the measure that runs are chosen by."""
    names = [str(measure) for measure in evaluation.measures]
    name = str(by) if str(by) in names else str(parse(by))
    if name not in names:
        raise ParameterError(
            f"the best runs are chosen by their mean {name}, which this evaluation lacks: evaluate {name} "
            f"too, or choose by a measure that it has ({listed(names)})"
        )
    return names.index(name)
