"""What the verbs `evaluate` and `curves` share: qrels made ready, the signature, and what the user is told."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral

import numpy as np

from rankscale import __version__
from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.qrels import Qrels
from rankscale.errors import BoundsError, InputError, ParameterError, UnknownNameError
from rankscale.measures.base import Measure, written
from rankscale.measures.gains import normal_form

LEFT_OUT = "left out of its means; --complete counts {} as zero"
SHOWN_NAMES = 5  # of those that a message lists

Grades = Mapping[float, float] | Sequence[float] | None


def prepared(qrels: Qrels, grades: Grades, negative: str) -> Qrels:
    """Qrels with grades mapped, and negative ones read as they are meant."""
    if negative not in {"unjudged", "not relevant"}:
        raise ParameterError(f"negative must be 'unjudged' or 'not relevant', got {negative!r}")
    if grades is not None:
        qrels = qrels.conflated(grades)
    return qrels.negatives_as_not_relevant() if negative == "not relevant" else qrels


def check_asked(measures: Sequence[Measure], *, bounds: bool, ties: str, curve: bool = False) -> list[str]:
    """Refuse what cannot be answered at all; say what cannot be answered for some measures."""
    if ties not in {"trec", "expected", "range"}:
        raise ParameterError(f"ties must be 'trec', 'expected' or 'range', got {ties!r}")
    if ties != "trec":
        for measure in measures:
            measure.refuse_ties()
    if not bounds:
        return []
    if ties == "expected":
        raise ParameterError("bounds are those of one order of the documents: ask for them with ties='trec' or 'range'")
    refused = [error for measure in measures if (error := no_bounds(measure, curve=curve)) is not None]
    if len(refused) == len(measures):
        raise refused[0]
    by_reason: dict[str, list[str]] = {}
    for error in refused:
        by_reason.setdefault(error.reason, []).append(error.measure)
    return [
        f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no bounds: {reason}"
        for reason, names in by_reason.items()
    ]


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


def settings(
    orders: Iterable[str],
    depths: Iterable[int | None],
    *,
    complete: bool,
    ties: str,
    judged_only: bool,
    grades: Grades,
    negative: str,
) -> dict[str, object]:
    """What values depend on, by the names that a signature has for it."""
    return {
        "order": one_or_all(orders),
        "depth": one_or_all(depths),
        "missing": "zero" if complete else "left-out",
        "ties": ties,
        "unjudged": "removed" if judged_only else "not-relevant",
        "grades": None if grades is None else written(normal_form(grades)),
        "negative": negative.replace(" ", "-"),
    }


def signature(told: Mapping[str, object]) -> str:
    """All that is needed to get a number again, in one line.

    >>> signature({"order": "score", "depth": None}).startswith("order:score|v:")
    True
    """
    return "|".join([*(f"{key}:{value}" for key, value in told.items() if value is not None), f"v:{__version__}"])


def one_or_all(values: Iterable[object]) -> object:
    """The one value that all runs share, or all that there are.

    >>> one_or_all(["score", "score"]), one_or_all(["score", "file"])
    ('score', 'score/file')
    """
    distinct = list(dict.fromkeys(values))
    return distinct[0] if len(distinct) == 1 else "/".join(map(str, distinct))


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
    if all(measure.odd_above == math.inf for measure in measures) and np.isfinite(values[:, retrieved]).all():
        return  # nearly always
    rankings = np.count_nonzero(retrieved)
    for measure, of_measure in zip(measures, values, strict=True):
        undefined = np.count_nonzero(np.isnan(of_measure) & retrieved)
        if undefined:
            why = f" ({measure.undefined})" if measure.undefined else ""
            yield f"{measure} is undefined for {undefined} of {rankings} rankings{why}, which its means leave out"
        above = np.count_nonzero((of_measure > measure.odd_above) & np.isfinite(of_measure) & retrieved)
        if above:
            yield f"{measure} is above {measure.odd_above:g} for {above} of {rankings} rankings: {measure.no_direction}"
        endless = np.count_nonzero(np.isinf(of_measure) & retrieved)
        if endless:
            yield f"{measure} is infinite for {endless} of {rankings} rankings, and so are the means over them"


def counted_topics(counts: Ints) -> str:
    """How many topics something is over, where that may differ.

    >>> counted_topics(np.array([49, 50, 50])), counted_topics(np.array([1]))
    ('49 to 50 topics', '1 topic')
    """
    least, most = int(counts.min(initial=np.iinfo(np.int64).max)), int(counts.max(initial=0))
    return f"{most} topic{'s' * (most != 1)}" if least >= most else f"{least} to {most} topics"


def listed(names: list[str]) -> str:
    """The first few of some names."""
    return ", ".join(names[:SHOWN_NAMES]) + (", ..." if len(names) > SHOWN_NAMES else "")


def place_of(names: Sequence[str], name: str, kind: str, holder: str) -> int:
    """Where a name stands; one that is not there is an error that tells those that are."""
    if name not in names:
        raise UnknownNameError(kind, name, names, f"{holder} {listed(list(names))}")
    return list(names).index(name)
