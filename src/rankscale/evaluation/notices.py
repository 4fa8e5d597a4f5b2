"""What users are told about topics, grades and values."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.names import SHOWN_NAMES, listed
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError
from rankscale.measures.base.measure import Measure

LEFT_OUT = "left out of its means; --complete counts {} as zero"


def topic_warnings(where: str, qrels: Qrels, retrieved: Bools, unknown_topics: int, *, complete: bool) -> Iterator[str]:
    """What to tell of the topics that a run lacks, and of those that the qrels lack."""
    missing = [topic for topic, there in zip(qrels.topics, retrieved.tolist(), strict=True) if not there]
    if len(missing) == len(qrels.topics):
        raise InputError(
            f"{where} and {qrels.source} have no topic in common; the qrels have {listed(list(qrels.topics))}\n"
            "check that both files belong to the same collection and spell topics alike"
        )
    if missing:
        one_only = len(missing) == 1
        left_out = LEFT_OUT.format("it" if one_only else "them")
        treated = "counted as empty rankings" if complete else left_out
        count = f"{len(missing)} of {len(qrels.topics)} topics in {qrels.source} {'is' if one_only else 'are'}"
        yield f"{count} missing from {where} ({listed(missing)}) and {treated}"
    if unknown_topics:
        count = "1 topic" if unknown_topics == 1 else f"{unknown_topics} topics"
        yield f"{count} of {where} not in {qrels.source}, left out"


def of_common_topics(warning: str) -> str:
    """What was told of topics that a run misses, where these are left out for all runs."""
    for pronoun in ("it", "them"):
        warning = warning.replace(LEFT_OUT.format(pronoun), "left out for all runs")
    return warning


def grade_warnings(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[str]:
    """What to tell of positive grades that count as not relevant."""
    per_level = qrels.counts.sum(axis=0)
    for rel in sorted({measure.threshold for measure in measures if measure.threshold is not None}):
        between = (qrels.levels > 0) & (qrels.levels < rel)
        if between.any():
            grades = ", ".join(f"{level:g}" for level in qrels.levels[between][:SHOWN_NAMES])
            number = int(per_level[between].sum())
            count = f"{number} judgment{'s' * (number > 1)} with grades between 0 and {rel:g} ({grades})"
            yield f"{count} count{'s' * (number == 1)} as not relevant for measures with rel={rel:g}"


def value_warnings(measures: Sequence[Measure], values: Floats, retrieved: Bools, qrels: Qrels) -> Iterator[str]:
    """What to tell of values: those that are none or not finite, and what measures say of their own."""
    yield from _odd_values(measures, values, retrieved)
    by_caution: dict[str, list[str]] = {}
    for measure, of_measure in zip(measures, values, strict=True):
        for caution in measure.cautions(np.where(retrieved, of_measure, np.nan), qrels.levels, qrels.highest):
            by_caution.setdefault(caution, []).append(str(measure))
    yield from (f"{listed(names)}: {caution}" for caution, names in by_caution.items())


def _odd_values(measures: Sequence[Measure], values: Floats, retrieved: Bools) -> Iterator[str]:
    if all(measure.warn_above == math.inf for measure in measures) and np.isfinite(values[:, retrieved]).all():
        return  # nearly always
    rankings = np.count_nonzero(retrieved)
    for measure, of_measure in zip(measures, values, strict=True):
        undefined = np.count_nonzero(np.isnan(of_measure) & retrieved)
        if undefined:
            why = f" ({measure.undefined})" if measure.undefined else ""
            yield f"{measure} is undefined for {undefined} of {rankings} rankings{why}, which its means leave out"
        above = np.count_nonzero((of_measure > measure.warn_above) & np.isfinite(of_measure) & retrieved)
        if above:
            note = measure.direction_note
            yield f"{measure} is above {measure.warn_above:g} for {above} of {rankings} rankings: {note}"
        endless = np.count_nonzero(np.isinf(of_measure) & retrieved)
        if endless:
            yield f"{measure} is infinite for {endless} of {rankings} rankings, and so are the means over them"
