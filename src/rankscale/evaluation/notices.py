"""Notices about qrels, topics, grades and values, and the errors where nothing can be measured."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import empty_rankings
from rankscale.data.names import SHOWN_NAMES, listed
from rankscale.data.notices import SUBTOPICS, Notice, by_key, notes
from rankscale.data.orders import TieOrders
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError, ParameterError, Setting
from rankscale.evaluation.options import Missing
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all


def no_common_topic(where: str, source: str, topics: Sequence[str]) -> InputError:
    """The error about a run without any topic of the qrels."""
    return InputError(
        f"{where} and {source} have no topic in common; the qrels have {listed(list(topics))}\n"
        "check that both files belong to the same collection and spell topics alike"
    )


def missing_error(where: str, source: str, topics: Sequence[str], how_many: str = "") -> InputError:
    """The error about a run without some topics of the qrels, where all have to be there."""
    return InputError(
        f"{how_many}topics in {source} missing from {where} ({listed(list(topics))}); ",
        Setting("missing", "zero"),
        " counts them as empty rankings",
    )


def requested(measures: AnyMeasure | Iterable[AnyMeasure], example: str) -> tuple[Measure, ...]:
    """The measures requested; raise ParameterError, with a call as an example, where there are none."""
    wanted = parse_all(measures)
    if not wanted:
        raise ParameterError(f"no measure is requested; name one, as in {example}")
    return wanted


def skipped(bad: Sequence[str], kept: Sequence[object]) -> tuple[Notice, ...]:
    """Notices of runs that are left out, and why; raise InputError where none is kept."""
    if not kept:
        raise InputError(f"no run can be measured; of the first: {bad[0]}")
    return notes((f"left out: {words}" for words in bad), "skipped")


def topic_notices(
    where: str, qrels: Qrels, lacking: Ints, unknown_topics: int, missing_rule: Missing
) -> Iterator[Notice]:
    """Notices of topics that a run lacks, which have these rows in the qrels, and of those that the qrels lack."""
    missing = tuple(qrels.topics[row] for row in lacking.tolist())
    sizes = len(missing), len(qrels.topics), unknown_topics
    return counted_topics(where, qrels.source, missing, sizes, missing_rule)


def counted_topics(
    where: str, source: str, names: Sequence[str], sizes: tuple[int, int, int], rule: Missing
) -> Iterator[Notice]:
    """The same, given how many topics are missing, all there are, and unknown; of the missing ones some names, or all.

    Raise InputError where the run has no topic of the qrels, or lacks some and may not.
    """
    missing, of, unknown = sizes
    if missing == of:
        raise no_common_topic(where, source, names)
    if missing and rule == "error":
        raise missing_error(where, source, names, f"{missing} of {of} ")
    if missing:
        yield Notice.of("missing topics", where=where, qrels=source, **_named(names, missing), of=of, rule=rule)
    if unknown:
        yield Notice.of("unknown topics", where=where, qrels=source, count=unknown)


def _named(topics: Sequence[str], number: int) -> dict[str, Any]:
    """Topics as a notice has them, with their number where these are the first few of them."""
    return {"topics": tuple(topics)} | ({} if number == len(topics) else {"number": number})


def why_undefined(measure: Measure, values: Floats, qrels: Qrels, rows: Ints | None = None) -> str | None:
    """Why a measure has no value on any topic (of these rows, or of all), where it has none and says so."""
    if not np.isnan(values).all():
        return None
    counts = qrels.counts if rows is None else qrels.counts_of(rows)
    return measure.why_undefined(empty_rankings(counts, qrels.levels, qrels.highest)) or None


def check_defined(measure: Measure, why: str | None, topics: str) -> None:
    """Raise ParameterError where a measure has no value on any topic and knows why."""
    if why is not None:
        raise ParameterError(f"{measure} is undefined on every topic {topics}: {why}")


def tie_notices(
    measures: Sequence[Measure], drawn: Ints, of: int, orders: TieOrders, errors: Floats | None
) -> Iterator[Notice]:
    """Notices of means and ranges over seeded orders of tied documents.

    Parameters
    ----------
    measures
        The measures.
    drawn, of
        (measure,): of how many rankings orders were drawn, of so many in all.
    orders
        The orders.
    errors
        (measure, run): standard errors of the means of runs; None for ranges.
    """
    by_number = by_key((number, place) for place, number in enumerate(drawn.tolist()) if number)
    for number, places in by_number.items():
        yield Notice.of(
            "drawn ties",
            measures=tuple(str(measures[place]) for place in places),
            orders=str(orders),
            rule="range" if errors is None else "expected",
            rankings=number,
            of=of,
            error=None if errors is None else float(np.nanmax(errors[places], initial=0.0)),
        )


def length_notices(measures: Sequence[Measure], runs: Sequence[str], longest: Sequence[int]) -> Iterator[Notice]:
    """Notices of runs whose rankings are all shorter than what measures pad them to, or go beyond where they are cut.

    `longest` has the length of each run's longest ranking, 0 where it is not known.
    """
    lengths = {run: length for run, length in zip(runs, longest, strict=True) if length}
    by_depth = by_key((one.assumed_depth, one) for one in measures if one.assumed_depth is not None)
    for depth, several in by_depth.items():
        shorter = {run: length for run, length in lengths.items() if length < depth}
        longer = {run: length for run, length in lengths.items() if length > depth}
        for odd in (shorter, longer):
            if odd:
                yield Notice.of(
                    "length",
                    measures=tuple(map(str, several)),
                    depth=depth,
                    runs=tuple(odd),
                    of=len(runs),
                    longest=max(odd.values()),
                    instead=str(several[0].at(max(odd.values()))),
                )


def ideal_notices(
    measures: Sequence[Measure],
    topics: Sequence[tuple[str, ...]],
    numbers: Sequence[int],
    of: int,
    option: tuple[str, str] = ("topics", "FILE"),
) -> Iterator[Notice]:
    """Notices of topics on which the ideal ranking gains nothing: one notice for all measures with the same topics.

    For each measure the topics, or some, and how many, of so many; `option` and its value choose topics.
    """
    given = zip(measures, topics, numbers, strict=True)
    alike = by_key(((names, number), str(measure)) for measure, names, number in given if number)
    for (names, number), several in alike.items():
        yield Notice.of("no ideal", measures=tuple(several), **_named(names, number), of=of, option=option)


def without_ideal(measures: Sequence[Measure], qrels: Qrels, rows: Ints) -> list[tuple[str, ...]]:
    """For each measure the topics, among these rows, on which not even the ideal ranking gains anything."""
    concerned = [measure.some_gain_nothing(qrels.levels, qrels.highest) for measure in measures]
    rankings = empty_rankings(qrels.counts_of(rows if any(concerned) else rows[:0]), qrels.levels, qrels.highest)
    nothing = [
        rows[measure.gains_nothing(rankings)].tolist() if is_concerned else []
        for measure, is_concerned in zip(measures, concerned, strict=True)
    ]
    return [tuple(qrels.topics[row] for row in of) for of in nothing]


def undefined_orders(measures: Sequence[Measure], some: Ints, of: int, what: str = "mean") -> Iterator[Notice]:
    """Notices of means, or ranges, over the orders of tied documents that have a value, where `some` have none.

    `some` (measure,) counts rankings, of so many in all.
    """
    for measure, number in zip(measures, some.tolist(), strict=True):
        if number:
            where = f"for some orders of the tied documents of {number} of {of} rankings"
            yield from notes([f"{measure}: undefined {where}, whose {what} is over the other orders"])


def value_notices(measures: Sequence[Measure], values: Floats, retrieved: Bools, qrels: Qrels) -> Iterator[Notice]:
    """Notices of values that are undefined or not finite, and the cautions of the measures themselves."""
    yield from odd_notices(measures, odd_values(measures, values, retrieved), int(np.count_nonzero(retrieved)))
    yield from caution_notices(cautions_of(measures, values, retrieved, qrels))


def cautions_of(
    measures: Sequence[Measure], values: Floats, retrieved: Bools, qrels: Qrels
) -> Iterator[tuple[str, str]]:
    """The cautions of the measures themselves about these values, each with the name of the measure."""
    for measure, of_measure in zip(measures, values, strict=True):
        of = np.where(retrieved, of_measure, np.nan)
        yield from ((str(measure), caution) for caution in measure.cautions(of, qrels.levels, qrels.highest))


def caution_notices(cautions: Iterable[tuple[str, str]], where: str = "") -> Iterator[Notice]:
    """Notices of cautions, one for measures that share it."""
    by_caution = by_key((caution, name) for name, caution in cautions)
    yield from notes((f"{listed(names)}: {where}{caution}" for caution, names in by_caution.items()), "caution")


def odd_values(measures: Sequence[Measure], values: Floats, retrieved: Bools) -> Ints:
    """(measure, 3): how many values are undefined, above what is usual, and infinite."""
    if all(measure.warn_above == math.inf for measure in measures) and np.isfinite(values[:, retrieved]).all():
        return np.zeros((len(measures), 3), dtype=np.int64)  # nearly always
    counts = [
        (
            np.count_nonzero(np.isnan(of_measure) & retrieved),
            np.count_nonzero((of_measure > measure.warn_above) & np.isfinite(of_measure) & retrieved),
            np.count_nonzero(np.isinf(of_measure) & retrieved),
        )
        for measure, of_measure in zip(measures, values, strict=True)
    ]
    return np.array(counts, dtype=np.int64).reshape(-1, 3)


def odd_notices(measures: Sequence[Measure], odd: Ints, rankings: int) -> Iterator[Notice]:
    """Notices of undefined, unusual and infinite values, given how many there are of each, (measure, 3)."""
    sentences = []
    for measure, (undefined, above, endless) in zip(measures, odd.tolist(), strict=True):
        if undefined:
            sentences.append(undefined_words(measure, f"for {undefined} of {rankings} rankings"))
        if above:
            note = measure.direction_note
            sentences.append(f"{measure} is above {measure.warn_above:g} for {above} of {rankings} rankings: {note}")
        if endless:
            sentences.append(
                f"{measure} is infinite for {endless} of {rankings} rankings, and so are the means over them"
            )
    yield from notes(sentences, "odd values")


def undefined_words(measure: Measure, where: str) -> str:
    """The sentence about a measure that has no value on some rankings."""
    why = f" ({measure.undefined})" if measure.undefined else ""
    return f"{measure} is undefined {where}{why}, which its means leave out"


def qrels_notices(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Notice]:
    """All notices about qrels and measures, before any run is looked at."""
    one_grade = any(not measure.looks_at for measure in measures)
    yield from (notice for notice in qrels.notices if one_grade or notice.kind != "aspects")
    yield from grade_notices(qrels, measures)
    yield from subtopic_notices(qrels, [measure for measure in measures if measure.by_subtopic])
    yield from assessor_notices(qrels, [measure for measure in measures if measure.by_assessor])


def grade_notices(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Notice]:
    """Notices of positive grades that count as not relevant."""
    per_level = qrels.level_counts
    for rel in sorted({measure.threshold for measure in measures if measure.threshold is not None}):
        between = (qrels.levels > 0) & (qrels.levels < rel)
        if between.any():
            grades = ", ".join(f"{level:g}" for level in qrels.levels[between][:SHOWN_NAMES])
            number = int(per_level[between].sum())
            count = f"{number} judgment{'s' * (number > 1)} with grades between 0 and {rel:g} ({grades})"
            text = f"{count} count{'s' * (number == 1)} as not relevant for measures with rel={rel:g}"
            yield Notice.of("grades below rel", text=text)


def subtopic_notices(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Notice]:
    """Notices of what measures of sub-topics take for sub-topics, and of topics that they cannot tell apart."""
    if not measures:
        return
    names, aspects = listed([str(measure) for measure in measures]), qrels.aspects
    if aspects is None:
        yield from notes(
            [f"{names}: {qrels.source} names no sub-topics, and each topic is taken as one"], "no sub-topics"
        )
        return
    yield Notice.of(SUBTOPICS, measures=names, source=qrels.source, column=_column(qrels))
    if aspects.most == 1:
        text = (
            f"{names}: no topic of {qrels.source} has more than one sub-topic; check that its second column names them"
        )
        yield Notice.of("one sub-topic", text=text)
    yield from caution_notices(
        (str(measure), text) for measure in measures for text in measure.aspect_cautions(aspects, qrels.topics)
    )


def assessor_notices(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Notice]:
    """A notice of what measures of assessors take for them; preferences say it by their form."""
    if not measures or qrels.aspects is None or qrels.aspects.lists is not None:
        return
    names = listed([str(measure) for measure in measures])
    yield Notice.of(SUBTOPICS, measures=names, source=qrels.source, column=_column(qrels), what="assessors")


def _column(qrels: Qrels) -> str:
    """The column that names sub-topics: a file that is no TREC file says its name."""
    form = next((notice["columns"] for notice in qrels.notices if notice.kind == "form"), ())
    named = dict(form) if isinstance(form, tuple) else {}
    return f"the column {named['subtopic']}" if named.get("subtopic") else "the second column"
