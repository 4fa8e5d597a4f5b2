"""Values of runs: runs in batches, rankings in blocks, measures that share a total at once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, NDArray
from rankscale.data.judged import Judged
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.resources import is_limited, need
from rankscale.data.run import EVERY_RUN, Run, concatenate
from rankscale.errors import ParameterError
from rankscale.evaluation.options import TIES, TIES_ERROR, EvaluationRequest, no_bounds
from rankscale.inputs.options import Reading
from rankscale.inputs.read import iterate_runs
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.ties import RankingView, tied_bounds, tied_mean, tied_range

BATCH_RUNS = 16  # that are measured together, at most: others are read meanwhile
LAST_RUNS = 4  # that are measured together at the end
BATCH_RANKINGS, BATCH_ENTRIES = 1 << 12, 1 << 20  # of these runs, from which on there are enough
TOGETHER = 1 << 16  # entries that make a table large enough
MOSTLY_EMPTY = 100 << 20  # bytes that values may take of which nearly all are of empty rankings
FEW_RANKINGS = 1000  # of a run, from which on it is not nearly empty
LEAST_FILLED = 0.02  # share of rankings that are there, from which on a table is not nearly empty
CELL = 18  # bytes for each value: it is copied once
FEWER = "measure fewer runs or topics at once"
DRAWN = "drawn"  # which values rest on some orders of tied documents
SOME = "some"  # which means leave out orders of tied documents for which the measure is undefined
MANY_RUNS, MANY_ENTRIES = 1024, 1 << 20  # for measures that prefer large batches; entries bound the memory
FEW_TOPICS = 20  # of a collection of which very many runs are measured together, as a file may hold very many


@dataclass(frozen=True)
class OneRun:
    """The values of one run, and what is known of it."""

    name: str
    values: dict[str, Floats]  # (measure, topic) each: the values, then the extra columns
    retrieved: Bools  # (topic,): before `complete` adds the missing ones
    order: str
    depth: int | None
    drawn: Bools  # (measure, topic): where some orders of tied documents were drawn, and not all measured
    some: Bools  # (measure, topic): where the measure is undefined for some orders, which the mean leaves out
    source: str = ""
    unknown_topics: int = 0
    notices: tuple[Notice, ...] = ()
    longest: int = 0  # documents of the longest ranking; 0 where that is not known


def empty_run(name: str, qrels: Qrels, reading: Reading) -> Run:
    """A run without any topic."""
    nothing: dict[str, Any] = dict.fromkeys((*EVERY_RUN, "rows", "length"), np.zeros(0, dtype=np.int32))
    read_as: dict[str, Any] = {"order": reading.order or "score", "depth": reading.depth}
    scores, starts = np.zeros(0) if reading.keep_scores else None, np.zeros(1, dtype=np.int64)
    return Run(name, **nothing, **read_as, starts=starts, qrels=qrels.fingerprint, score=scores)


def batches(
    runs: Iterable[Run], measures: Sequence[Measure], topics: int | None = None, count: int | None = None
) -> Iterator[list[Run]]:
    """A few runs at a time: enough to make formulas worth their call, few enough to stay small.

    `topics` is how many the collection has, where that is known: of very few, more runs are taken at a time. `count` is
    about how many runs there are: the last batches are smaller, since nothing is read while the last one is measured.
    """
    batch: list[Run] = []
    large = prefer_large_batches(measures)
    most, most_entries = (MANY_RUNS, MANY_ENTRIES) if large else (BATCH_RUNS, BATCH_ENTRIES)
    if topics is not None and topics <= FEW_TOPICS:
        most = max(most, min(MANY_RUNS, BATCH_RANKINGS // max(topics, 1)))
    left = count if count is not None and most == BATCH_RUNS else None
    enough = next_batch(left, most)
    entries = rankings = 0
    for run in runs:
        batch.append(run)
        entries += len(run.rank)
        rankings += len(run.rows)
        if len(batch) == enough or entries > most_entries or (rankings > BATCH_RANKINGS and not large):
            yield batch
            left = None if left is None else left - len(batch)
            batch, entries, rankings, enough = [], 0, 0, next_batch(left, most)
    if batch:
        yield batch


def next_batch(left: int | None, most: int) -> int:
    """How many runs to measure together: `most`; near the end half of those left, then all but 4, then 4.

    >>> [next_batch(left, 16) for left in (129, 17, 9, 4)]
    [16, 8, 5, 4]

    Where there are more runs than files, `left` may fall to 0 or below: then `most`.

    >>> next_batch(0, 16)
    16
    """
    if left is None or left <= 0 or left > 2 * most - LAST_RUNS:
        return most
    if left <= LAST_RUNS:
        return left
    return left // 2 if left > 3 * LAST_RUNS else left - LAST_RUNS


def prefer_large_batches(measures: Sequence[Measure]) -> bool:
    """Whether many rankings at once are measured in far less time than a few at a time."""
    return any(measure.prefers_large_batches for measure in measures)


def check_table(runs: int, topics: int, columns: int, rankings: float, instead: str = FEWER) -> None:
    """Raise MemoryLimitError where the values of all runs and topics do not fit, or are nearly all of empty rankings.

    A file whose runs are taken from a wrong column has very many runs of a topic or two each: a megabyte of it would
    fill gigabytes with zeros. Who means it sets a limit of the memory.
    """
    size = runs * topics * columns * CELL
    what = f"a table of {runs} run{'s' * (runs != 1)} and {topics} topic{'s' * (topics != 1)}"
    is_empty = rankings < min(topics * LEAST_FILLED, FEW_RANKINGS) * runs
    if size > MOSTLY_EMPTY and is_empty and not is_limited():
        few = f"{what}, of which runs have {rankings / runs:.3g} on average,"
        need(size, few, f"{instead}, check which column holds the runs (--columns)", MOSTLY_EMPTY)
    need(size, what, instead)


def measured(qrels: Qrels, views: "Views", request: EvaluationRequest, items: Sequence[object]) -> list[OneRun]:
    """The unit of work: the values of some runs by the topics of some qrels; items are runs, or where to read them."""
    given = ([item] if isinstance(item, Run) else iterate_runs(qrels, [item], request.read_as) for item in items)
    runs = [run for of_item in given for run in of_item]  # a file may hold several
    if request.ties != "trec" and any(run.depth is not None for run in runs):
        raise ParameterError("ties are not known of runs that were cut while they were read; read them without a depth")
    topics = len(qrels.topics)
    rankings = sum(len(run.rows) for run in runs)
    check_table(len(runs), topics, len(request.measures) * len(request.columns), rankings)
    whole = [run.completed(topics) if request.complete else run for run in runs]
    values = request.unmeasured(len(runs), topics)
    drawn, some = np.zeros((2, len(request.measures), len(runs), topics), dtype=bool)
    columns: dict[str, NDArray[Any]] = {**values, DRAWN: drawn, SOME: some}
    owner = np.repeat(np.arange(len(whole)), [len(run.rows) for run in whole])
    rows = np.concatenate([run.rows for run in whole])
    for which, place, name, column in measured_rankings(qrels, views, request, whole):
        columns[name][place, owner[which], rows[which]] = column
    return [
        _one(run, {name: of[:, number] for name, of in values.items()}, drawn[:, number], some[:, number], topics)
        for number, run in enumerate(runs)
    ]


def measured_rankings(
    qrels: Qrels, views: "Views", request: EvaluationRequest, runs: Sequence[Run]
) -> Iterator[tuple[Ints, int, str, Floats | Bools]]:
    """Values of the rankings of some runs, a block at a time.

    Each with which of all their rankings these are, place of the measure, name of the column, and values (ranking,).
    """
    together = MANY_ENTRIES if prefer_large_batches(request.measures) else TOGETHER
    all_levels = any(measure.needs_all_levels for measure in request.measures)
    for ignored, groups in views.items() if request.ties != "expected" else ():
        # What a view leaves out is left out first, so that less is put together.
        left_out = np.array(ignored)
        kept = [run.without(left_out, qrels) for run in runs]
        for which, judged in _blocks(kept, qrels, together, all_levels=all_levels):
            for place, column in _values(request, groups, judged if request.cut is None else judged.cut(request.cut)):
                yield which, place, "values", column
    if request.bounds or request.ties != "trec":
        longest = max((int(run.length.max(initial=0)) for run in runs), default=0)
        for which, judged in _blocks(runs, qrels, together, ranks_needed(request, longest)):
            for place, name, extra in _extra(request, judged):
                yield which, place, name, extra


def ranks_needed(request: EvaluationRequest, longest: int) -> int:
    """How many ranks formulas will look at one by one, judged or not, where rankings have at most so many."""
    if request.ties == "trec" and all(measure.as_additive for measure in request.measures):
        return 0  # bounds of sums are sums over judged documents
    return max([longest, *(measure.depth or 0 for measure in request.measures)])


def _blocks(
    runs: Sequence[Run], qrels: Qrels, together: int, ranks: int = 0, *, all_levels: bool = True
) -> Iterator[tuple[Ints, Judged]]:
    """The rankings of several runs in blocks: which of all of them these are, and the rankings.

    Runs are put together until they have `together` entries: formulas are worth their call, and large runs are not
    copied.
    """
    start = above = 0
    while start < len(runs):
        stop, entries = start, 0
        while stop < len(runs) and entries < together:
            entries += len(runs[stop].rank)
            stop += 1
        joined = concatenate(runs[start:stop])
        for which, judged in joined.blocks_by_size(qrels, ranks, all_levels=all_levels):
            yield above + which, judged
        start, above = stop, above + len(joined.rows)


def _values(
    request: EvaluationRequest, groups: Sequence[Sequence[int]], judged: Judged
) -> Iterator[tuple[int, Floats]]:
    """The values of rankings, by place of the measure; `groups` are places of measures that share a total."""
    seen = judged.only_judged() if request.judged_only else judged
    for places in groups:
        first = request.measures[places[0]]
        looked_at = seen.only_judged() if first.judged_only else seen
        if len(places) == 1:
            yield places[0], first.without_running_total(looked_at)
            continue
        values = _read(first.total(looked_at), [request.measures[place] for place in places], looked_at)
        yield from zip(places, values, strict=True)


def _extra(request: EvaluationRequest, judged: Judged) -> Iterator[tuple[int, str, Floats | Bools]]:
    """The extra columns, by place of the measure and name."""
    for place, measure in enumerate(request.measures):
        view = RankingView(request.cut, request.judged_only or measure.judged_only)
        if request.ties != "trec":
            over_orders = tied_mean if request.ties == "expected" else tied_range
            names = ("values", TIES_ERROR) if request.ties == "expected" else TIES
            first, second, complete, some = over_orders(measure, judged, view, request.orders)
            yield from ((place, names[0], first), (place, names[1], second))
            yield from ((place, DRAWN, ~complete), (place, SOME, some))
        if request.bounds and no_bounds(measure, request.ties) is None:
            sums = measure.as_additive if request.ties == "expected" else None
            if sums is None:
                lower, upper = measure.bounds(RankingView(request.cut, request.judged_only).of(judged))
            else:
                lower, upper = tied_bounds(sums, judged, view)
            yield from ((place, "lower", lower), (place, "upper", upper))


def _read(total: Numbers, measures: Sequence[Measure], judged: Judged) -> list[Floats]:
    """The values of measures that differ only in depth, all depths read at once."""
    depths = tuple(measure.depth for measure in measures if measure.depth is not None)
    by_depth = dict(zip(depths, measures[0].read_at(total, judged, depths).T, strict=True)) if depths else {}
    return [measure.read(total, judged) if measure.depth is None else by_depth[measure.depth] for measure in measures]


def _one(run: Run, values: dict[str, Floats], drawn: Bools, some: Bools, topics: int) -> OneRun:
    retrieved = np.zeros(topics, dtype=bool)
    retrieved[run.rows] = True
    about = run.source, run.unknown_topics, run.notices, int(run.length.max(initial=0))
    return OneRun(run.name, values, retrieved, run.order, run.depth, drawn, some, *about)


# By the levels that are ignored: groups of places of measures that share a total.
Views = dict[tuple[bool, ...], list[list[int]]]


def sharing(request: EvaluationRequest, qrels: Qrels) -> Views:
    """Places of measures that differ only in depth, and so share a total; by the levels that they ignore.

    Most measures ignore what is not relevant, which is most of what is judged: leaving it out makes their tables small.
    """
    totals: dict[object, list[int]] = {}
    for place, measure in enumerate(request.measures):
        parameters = tuple(getattr(measure, f.name) for f in fields(measure) if f.name != "depth")
        totals.setdefault((type(measure), parameters), []).append(place)
    views: Views = {}
    for places in totals.values():
        measure = request.measures[places[0]]
        needs_all = _needs_all(measure, qrels, condensed=request.judged_only)
        ignored = np.zeros(len(qrels.levels), dtype=bool) if needs_all else measure.dispensable(qrels.levels)
        views.setdefault(tuple(ignored.tolist()), []).append(places)
    return views


def ignored_by_all(measures: Sequence[Measure], qrels: Qrels, *, condensed: bool) -> Bools:
    """(level,): the grades whose documents change no value of any measure, judged by these qrels or by fewer."""
    ignored = np.ones(len(qrels.levels), dtype=bool)
    for measure in measures:
        ignored &= measure.ignored(qrels.levels) & (not _needs_all(measure, qrels, condensed=condensed))
    return ignored


def _needs_all(measure: Measure, qrels: Qrels, *, condensed: bool) -> bool:
    """Whether a measure has to see every judged document.

    Taking out the unjudged needs to know all that is judged; and the grade that plain measures take need not be the
    best that a sub-topic or assessor gives.
    """
    return condensed or measure.judged_only or bool(measure.looks_at and qrels.hides_grades)
