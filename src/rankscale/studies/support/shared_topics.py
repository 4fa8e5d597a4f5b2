"""The topics on which all measures are defined: measures can be compared over the same topics only."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats, frozen
from rankscale.data.names import listed
from rankscale.data.notices import Notice, notes
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.stats.compare import retrieved_by_all


@dataclass(frozen=True, eq=False)
class Shared:
    """Values on the topics where every run has one by every measure."""

    values: Floats  # (measure, run, topic)
    topics: tuple[str, ...]
    notices: tuple[Notice, ...]


def check_topics(evaluation: Evaluation) -> None:
    """Raise ParameterError if no topic is shared by all runs."""
    if not evaluation.retrieved.all(axis=0).any():
        raise ParameterError(
            "there is no topic that all runs have; missing='zero' counts missing ones as empty rankings"
        )


def on_shared_topics(evaluation: Evaluation) -> Shared:
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
    return Shared(frozen(np.stack(values)), topics, notices)


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
