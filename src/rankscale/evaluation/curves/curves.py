"""Measure runs at every rank: `curves(qrels, runs, measures) -> Curves`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Any

import numpy as np

from rankscale.data.arguments import AtLeast, Positive, Seed, check_arguments, of_ir_measures
from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.names import place_of
from rankscale.data.notices import Notice, notes
from rankscale.data.orders import ORDERS
from rankscale.data.qrels import Qrels
from rankscale.data.resources import need
from rankscale.data.run import Run
from rankscale.errors import InputError, ParameterError, Setting
from rankscale.evaluation.batches import check_table
from rankscale.evaluation.curves.result import Curves
from rankscale.evaluation.curves.tracer import SHORTER, Tracer
from rankscale.evaluation.notices import (
    check_defined,
    ideal_notices,
    qrels_notices,
    topic_notices,
    undefined_words,
    why_undefined,
    without_ideal,
)
from rankscale.evaluation.options import TIES_ERROR, EvaluationRequest, GradeMap, Missing, Progress, Ties
from rankscale.evaluation.result import counting
from rankscale.executors import Executor, Inline
from rankscale.inputs.files import distinct_names
from rankscale.inputs.options import whole_number
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, read_with_progress, run_sources
from rankscale.measures.base.measure import Measure, MeasureType
from rankscale.measures.base.parser import AnyMeasure, as_iterable, parse, parse_all
from rankscale.measures.base.register import find, known_name, separated
from rankscale.measures.base.register_table import CLASSES

DEEPEST = 1000  # where curves end unless a depth is given
MOST_VALUES, VALUES_OF_DOCUMENT = 1 << 22, 8  # of curves that are not given a depth: so many, or 8 for each document
CELL = 24  # bytes for each value of a curve, of which tables are made
IDEAL = "ideal"  # the name of the run that could not be better


@dataclass(frozen=True)
class CurveRequest:
    """A measure whose curve is requested."""

    measure: Measure
    open_ended: bool = False  # P alone: the depth it needs is that of the curve


AnyCurve = AnyMeasure | CurveRequest


def curve_requests(measures: AnyCurve | Iterable[AnyCurve]) -> list[CurveRequest]:
    """The measures that texts name. One that needs a depth and has none is taken at every rank of the curve.

    >>> [(str(one.measure), one.open_ended) for one in curve_requests(["P", "P@10", "map"])]
    [('P@1', True), ('P@10', False), ('AP', False)]
    """
    is_one = isinstance(measures, CurveRequest | str | Measure | MeasureType) or of_ir_measures(measures)
    several: Iterable[Any] = [measures] if is_one else as_iterable(measures)  # type: ignore[arg-type]  # as `is_one` says
    return list(dict.fromkeys(request for text in several for request in _requests(text)))


def _requests(text: AnyCurve) -> Iterator[CurveRequest]:
    if isinstance(text, CurveRequest):
        yield text
        return
    text = text.name if isinstance(text, MeasureType) else str(text) if of_ir_measures(text) else text
    if isinstance(text, str) and len(several := separated(text)) > 1:
        yield from (request for one in several for request in _requests(one))
    elif isinstance(text, str) and _lacks_depth(text):
        yield CurveRequest(parse(f"{text}@1"), open_ended=True)
    else:
        yield from map(CurveRequest, parse_all([text]))


def _lacks_depth(text: str) -> bool:
    """Whether a text names a measure that needs a depth, and gives none."""
    known = None if "@" in text else known_name(text.partition("(")[0].strip())
    return known in CLASSES and find(known).needs_depth


def default_depth(runs: Sequence[Run], topics: int) -> tuple[int, int]:
    """Where curves end unless a depth is given, and where they would end if all rankings were about as long.

    One long ranking among very many short ones does not make the curves of all long.
    """
    longest = max(int(run.length.max(initial=0)) for run in runs)
    documents = sum(int(run.length.sum()) for run in runs)
    affordable = max(MOST_VALUES, VALUES_OF_DOCUMENT * documents) // max(1, len(runs) * topics)
    wanted = max(1, min(longest, DEEPEST))
    return max(1, min(wanted, affordable)), wanted


def with_depths(requests: Sequence[CurveRequest], depth: int | None, deepest: int) -> list[tuple[Measure, int]]:
    """Each measure, and the rank at which its curve ends: `depth` if it is given, `deepest` otherwise."""
    deepest = depth or deepest
    ended = []
    for one in requests:
        own = None if one.open_ended else one.measure.depth
        ends = deepest if own is None else own if depth is None else min(own, depth)
        ended.append((one.measure.at(ends) if one.open_ended else one.measure, ends))
    return list(dict.fromkeys(ended))


# Keywords are written out here and in `evaluate` and `evaluate_blocks`, which share most of them, for editors.
def curves(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: AnyCurve | Iterable[AnyCurve],
    *,
    depth: Positive | None = None,
    topics: str | Iterable[str] | None = None,
    ideal: bool = False,
    bounds: bool = False,
    ties: Ties = "trec",
    tie_orders: Annotated[int, AtLeast(2)] = ORDERS,
    seed: Seed = 0,
    missing: Missing = "zero",
    judged_only: bool = False,
    grades: GradeMap | None = None,
    negative: str = "unjudged",
    order: str | None = None,
    executor: Executor | None = None,
    threads: Positive | None = None,
    max_size: Positive | None = None,
    progress: Progress | None = None,
) -> Curves:
    """Measure runs at every rank.

    Where a ranking ends its curve continues as if unjudged documents came; that of a measure which takes no depth, such
    as SetP, stays where it is.

    Parameters
    ----------
    qrels, runs
        Judgments and runs, as in `evaluate`.
    measures
        One measure or several. P is P at every rank; P@10 has a curve down to rank 10.
    depth
        Rank at which curves end; by default the end of the longest ranking, but at most 1000, and less
        where one ranking is long among very many short ones.
    topics
        Names of the topics to trace; by default all.
    ideal
        Whether to add a run called 'ideal': the topic's documents with a positive gain, best first, then, where those
        that are not relevant cost something, documents that cost least.
    bounds
        Whether to add the values if unjudged documents were judged, at worst and at best; NaN for measures without
        bounds.
    ties
        'trec': documents with equal scores are ordered by name; 'expected': values are means over all their orders;
        'range': as 'trec', with the lowest and highest value over all orders.
    tie_orders, seed
        As in `evaluate`: the orders that are drawn of rankings without an exact mean or range over all of them.
    missing, judged_only, grades, negative, order, executor, threads, max_size, progress
        As in `evaluate`; runs are read here, and their curves made where the executor does it.

    Returns
    -------
    Curves
        `values` has an array (run, topic, rank) for each measure, `by_topic(run, measure)` is `{topic: array}`, and
        `to_frame()` has the columns run, topic, measure, rank and value, and lower, upper, ties_lower and ties_upper
        if requested.

    Raises
    ------
    InputError
        If there are no runs, or a run and the qrels share no topic.
    FormatError
        If the content of a file or table is not as it should be; the message says where.
    FileNotFoundError
        If there is no such file, or no file matches a pattern.
    ParameterError
        If an option has a value that it cannot take.
    UnknownNameError
        If there is no measure or topic of that name.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {"301": {"a": 1, "b": 0, "c": 1}}
    >>> drawn = rs.curves(qrels, {"mine": {"301": {"b": 3.0, "a": 2.0}}}, ["RR", "P"], depth=4)
    >>> drawn.by_topic("mine", "RR")["301"].tolist()
    [0.0, 0.5, 0.5, 0.5]
    >>> drawn.by_topic("mine", "P")["301"].round(2).tolist()
    [0.0, 0.5, 0.33, 0.25]
    """
    given = locals()
    check_arguments(curves, given)
    requests = curve_requests(measures)
    _check(requests, ideal=ideal)
    # Rankings are read whole: the depth is that of the curves.
    request = EvaluationRequest.of(tuple(one.measure for one in requests), {**given, "depth": None})
    depth = whole_number("depth", depth)
    without_bounds, sources = request.without_bounds(curve=True), run_sources(runs)
    judgments = request.judging.regraded(read_qrels(qrels, max_size=request.reading.max_size))
    chosen = _rows(judgments, topics)
    read = read_with_progress(judgments, sources, request.reading, progress)
    if not read:
        raise InputError("there are no runs to draw curves of")
    deepest, longest = default_depth(read, len(chosen))
    wanted = with_depths(requests, depth, deepest)
    traced = [measure for measure, _ in wanted]
    size, rankings = sum(ends for _, ends in wanted), sum(len(run.rows) for run in read)
    check_table(len(read), len(chosen), size, rankings, SHORTER)
    names, renamed = distinct_names([run.name for run in read], [run.source for run in read])
    notices = [*qrels_notices(judgments, traced), *renamed]
    if depth is None and deepest < longest and any(ends == deepest for _, ends in wanted):
        of_all = len(read) * len(chosen)
        notices.append(Notice.of("short curves", depth=deepest, longest=longest, rankings=of_all))
    counted = chosen[np.isin(chosen, np.concatenate([run.rows for run in read]))] if missing == "skip" else chosen
    no_ideal = without_ideal(traced, judgments, counted)
    notices += ideal_notices(traced, no_ideal, list(map(len, no_ideal)), len(counted), ("topic", "TOPIC"))
    for name, run in zip(names, read, strict=True):
        lacking = np.setdiff1d(chosen, run.rows)
        notices += run.notices
        notices += topic_notices(run.source or name, judgments, lacking, run.unknown_topics, missing)
    tracer = Tracer(judgments, wanted, chosen, request.of_work)
    cells = len(request.columns) * (len(read) + ideal) * len(chosen) * size
    need(cells * CELL, f"a table of {cells} values of curves", SHORTER)
    made = tracer.untraced(len(read) + ideal)
    groups = tracer.together(read)
    firsts = accumulate(map(len, groups), initial=0)
    for first, trace in zip(firsts, (executor or Inline()).map(tracer, groups), strict=False):
        made.put(first, trace)
    if ideal:
        tracer.add_ideal(made, len(read))
        names = [*names, IDEAL if IDEAL not in names else f"{IDEAL} of the qrels"]
    topics_named = f"of {judgments.source}" if len(chosen) == len(judgments.topics) else "requested"
    for measure, of_measure in zip(traced, made.columns["values"], strict=True):
        check_defined(measure, why_undefined(measure, of_measure, judgments, chosen), topics_named)
        notices += _curve_notices(measure, of_measure[: len(read)], made.retrieved[: len(read)], judgments)
    orders, depths = (run.order for run in read), (run.depth for run in read)
    retrieved, drawn = counting(made.retrieved, missing), bool(made.drawn.any())
    notices += tracer.notices(made, retrieved)
    topics_traced = tuple(judgments.topics[row] for row in chosen.tolist())
    some_topics = None if len(chosen) == len(judgments.topics) else ",".join(topics_traced)
    columns = {name: tuple(map(frozen, arrays)) for name, arrays in made.columns.items() if drawn or name != TIES_ERROR}
    return Curves(
        measures=tuple(traced),
        runs=tuple(names),
        topics=topics_traced,
        retrieved=frozen(retrieved),
        topics_rule=missing,
        levels=tuple(judgments.levels.tolist()),
        length=frozen(made.length),
        ideal=names[-1] if ideal else "",
        signature=request.signature(orders, depths, drawn=drawn, topics=some_topics),
        sources=(judgments.source, *(run.source or run.name for run in read), *([judgments.source] if ideal else [])),
        notices=(*notices, *without_bounds),
        **columns,
    )


def _check(requests: Sequence[CurveRequest], *, ideal: bool) -> None:
    """Raise ParameterError before any file is read."""
    if not requests:
        raise ParameterError("no measure is requested; name one, as in curves(qrels, runs, 'nDCG')")
    scored = [one.measure for one in requests if one.measure.needs_scores]
    if ideal and scored:
        raise ParameterError(f"{scored[0]} looks at scores, and the ideal has none; leave out ideal=True")
    several = [one for one in requests if one.measure.looks_at]
    if ideal and several:
        first = several[0]
        named = str(first.measure).removesuffix("@1") if first.open_ended else str(first.measure)
        raise ParameterError(
            f"{named} looks at {first.measure.looks_at}, and the ideal run has its documents by grade: leave out ",
            Setting("ideal"),
            ", and ratio and reach without a run",
        )


def _rows(qrels: Qrels, topics: Iterable[str] | None) -> Ints:
    """(topic,): rows of the topics of these names in the qrels, ascending."""
    if topics is None:
        return np.arange(len(qrels.topics))
    names = [topics] if isinstance(topics, str) else list(topics)
    return np.unique([place_of(qrels.topics, str(name), "topic", f"{qrels.source} has") for name in names]).astype(int)


def _curve_notices(measure: Measure, values: Floats, retrieved: Bools, qrels: Qrels) -> Iterator[Notice]:
    """Notices of curves, (run, topic, rank), that end without a value, or are above their greedy ideal at some rank."""
    there, of = int(np.count_nonzero(np.isnan(values[..., -1]) & retrieved)), int(np.count_nonzero(retrieved))
    if there:
        where = f"at rank {values.shape[-1]} for {there} of {of} rankings"
        yield from notes([undefined_words(measure, where)], "odd values")
    if measure.by_subtopic and values.size:
        cautions = measure.cautions(np.max(values, axis=-1), qrels.levels, qrels.highest)
        yield from notes((f"{measure}: {text}" for text in cautions), "caution")
