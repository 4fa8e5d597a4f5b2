"""The runs and topics that a study looks at: the best runs, and the topics on which all measures are defined.

Weak runs, often broken, make every measure seem to agree with every other. Measures can be compared over the same
topics only.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.arrays import Bools, Floats, frozen
from rankscale.data.names import listed
from rankscale.data.notices import Notice, notes
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing, Progress
from rankscale.evaluation.result import Evaluation, expected
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse, parse_all
from rankscale.stats.compare import retrieved_by_all


@dataclass(frozen=True, eq=False)
class SharedTopics:
    """Values on the topics where every run has one by every measure."""

    values: Floats  # (measure, run, topic)
    topics: tuple[str, ...]
    notices: tuple[Notice, ...]


def check_topics(evaluation: Evaluation) -> None:
    """Raise ParameterError if no topic is shared by all runs."""
    if not evaluation.retrieved.all(axis=0).any():
        raise ParameterError(
            "there is no topic that all runs have; ",
            Setting("missing", "zero"),
            " counts missing ones as empty rankings",
        )


def on_shared_topics(evaluation: Evaluation) -> SharedTopics:
    """Values on the topics where all measures are defined for all runs, with notices about the other topics.

    Means of the values are in the order of the runs' summaries: geometric means are those of logarithms.
    """
    there = retrieved_by_all(evaluation)
    undefined: Bools = (np.count_nonzero(np.isnan(evaluation.values), axis=1) > 0) & there  # (measure, topic)
    kept = there & ~undefined.any(axis=0)
    if not kept.any():
        reasons = "; ".join(_left_out(evaluation, undefined)) or "there is none"
        raise ParameterError(f"measures are compared over topics on which all are defined for every run: {reasons}")
    values = [measure.averaged(of[:, kept]) for measure, of in zip(evaluation.measures, evaluation.values, strict=True)]
    topics = tuple(evaluation.topics[place] for place in np.flatnonzero(kept).tolist())
    notices = notes((*_left_out(evaluation, undefined), *in_logarithms(evaluation.measures)))
    return SharedTopics(frozen(np.stack(values)), topics, notices)


def _left_out(evaluation: Evaluation, undefined: Bools) -> Iterator[str]:
    of = np.count_nonzero(evaluation.retrieved.any(axis=0))
    for measure, lacking in zip(evaluation.measures, undefined, strict=True):
        if lacking.any():
            topics = [evaluation.topics[place] for place in np.flatnonzero(lacking).tolist()]
            count = f"{len(topics)} of {of} topics {'is' if len(topics) == 1 else 'are'} left out for all measures"
            yield f"{count}: {measure} is undefined there for some run ({listed(topics)})"


def in_logarithms(measures: tuple[Measure, ...]) -> Iterator[str]:
    """A notice of measures with geometric means: differences are those of logarithms."""
    names = [str(measure) for measure in measures if measure.compared_by_ratio]
    if names:
        yield f"{listed(names)}: logarithms of the values are averaged and compared, as geometric means ask for"


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
