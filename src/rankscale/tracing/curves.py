"""Measure runs at every rank: `curves(qrels, runs, measures) -> Curves`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from rankscale.data.arrays import Ints, frozen
from rankscale.data.names import place_of
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import InputError, ParameterError
from rankscale.evaluation.notices import grade_notices, topic_notices
from rankscale.evaluation.options import Grades, Missing, check_asked, check_missing, check_whole, prepared
from rankscale.evaluation.result import counting
from rankscale.evaluation.signature import settings, signature
from rankscale.formats.read.inputs import iterate_runs, read_qrels, run_sources
from rankscale.formats.read.trec import distinct_names
from rankscale.measures.base.measure import Measure
from rankscale.tracing.request import CurveAsked, asked_for, with_depths
from rankscale.tracing.result import Curves
from rankscale.tracing.tracer import Traced, only

IDEAL = "ideal"  # the name of the run that could not be better


def curves(
    qrels: Any,  # noqa: ANN401
    runs: Any,  # noqa: ANN401  # whatever formats.inputs reads
    measures: "str | Measure | CurveAsked | Iterable[str | Measure | CurveAsked]",
    *,
    depth: int | None = None,
    topics: Iterable[str] | None = None,
    ideal: bool = False,
    bounds: bool = False,
    ties: Literal["trec", "expected", "range"] = "trec",
    missing: Missing = "zero",
    judged_only: bool = False,
    grades: Grades = None,
    negative: str = "unjudged",
    order: str | None = None,
    threads: int | None = None,
    max_size: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Curves:
    """Measure runs at every rank.

    Curves go down to `depth`; without one to the end of the longest ranking, but not beyond rank 1000. Where a ranking
    ends its curve goes on as if unjudged documents came; that of a measure which takes no depth, such as SetP, stays.
    A measure with a depth, such as P@10, has a curve down to it; P alone is P at every rank. `topics` are those wanted,
    of all that the qrels have.

    `ideal` adds a run called 'ideal': the topic's documents with a positive gain, best first. `bounds` adds what the
    values could be if unjudged documents were judged, at worst and at best; NaN for measures that have no bounds.
    `ties` is 'trec' for the order of trec_eval, 'expected' for the mean over all orders of tied documents, 'range' for
    the order of trec_eval with the lowest and highest value over all orders. Other options are those of `evaluate`.

    >>> qrels = {"301": {"a": 1, "b": 0, "c": 1}}
    >>> drawn = curves(qrels, {"mine": {"301": {"b": 3.0, "a": 2.0}}}, ["RR", "P"], depth=4)
    >>> drawn.by_topic("301", measure="RR")["mine"].tolist()
    [0.0, 0.5, 0.5, 0.5]
    >>> drawn.by_topic("301", measure="P")["mine"].round(2).tolist()
    [0.0, 0.5, 0.33, 0.25]
    """
    asked = asked_for(measures)
    check_missing(missing)
    unanswered = _check(asked, depth, bounds=bounds, ties=ties, ideal=ideal)
    judgments = prepared(read_qrels(qrels, max_size=max_size), grades, negative)
    chosen = _rows(judgments, topics)
    sources = run_sources(runs)
    found: list[Run] = []
    keep_scores = any(one.measure.needs_scores for one in asked)
    reading: dict[str, Any] = {"order": order, "keep_scores": keep_scores, "max_size": max_size, "threads": threads}
    for run in iterate_runs(judgments, sources, **reading):
        found.append(run)
        if progress:
            progress(len(found), len(sources))
    if not found:
        raise InputError("there are no runs to draw curves of")
    wanted = with_depths(asked, depth, found)
    names, renamed = distinct_names([run.name for run in found], [run.source for run in found])
    notices = [*judgments.notices, *grade_notices(judgments, [measure for measure, _ in wanted]), *renamed]
    for name, run in zip(names, found, strict=True):
        notices += [*run.notices, *_topic_notices(name, run, judgments, chosen, missing)]
    complete = missing in {"zero", "error"}
    whole = [run.completed(len(judgments.topics)) if complete else run for run in found]
    traced = Traced(wanted, len(found) + ideal, chosen, bounds=bounds, ties=ties, judged_only=judged_only)
    for row, run in enumerate(whole):
        traced.add(row, only(run, chosen), judgments)
    if ideal:
        traced.add_ideal(len(found), judgments)
        names = [*names, IDEAL if IDEAL not in names else f"{IDEAL} of the qrels"]
    told = settings(
        (run.order for run in found),
        (run.depth for run in found),
        missing=missing,
        ties=ties,
        judged_only=judged_only,
        grades=grades,
        negative=negative,
    )
    columns = {name: tuple(map(frozen, arrays)) for name, arrays in traced.columns.items()}
    return Curves(
        measures=tuple(measure for measure, _ in wanted),
        runs=tuple(names),
        topics=tuple(judgments.topics[row] for row in chosen.tolist()),
        retrieved=frozen(counting(traced.retrieved, missing)),
        topics_rule=missing,
        levels=tuple(judgments.levels.tolist()),
        length=frozen(traced.length),
        ideal=names[-1] if ideal else "",
        signature=signature({**told, "topics": _chosen(judgments, chosen)}),
        sources=(judgments.source, *(run.source or run.name for run in found), *([judgments.source] if ideal else [])),
        notices=(*notices, *unanswered),
        **columns,
    )


def _check(
    asked: Sequence[CurveAsked], depth: int | None, *, bounds: bool, ties: str, ideal: bool
) -> tuple[Notice, ...]:
    """Refuse what cannot be before any file is read; say what cannot be answered for some measures."""
    if not asked:
        raise ParameterError("no measure is asked for; name one, as in curves(qrels, runs, 'nDCG')")
    check_whole(depth)
    scored = [one.measure for one in asked if one.measure.needs_scores]
    if ideal and scored:
        raise ParameterError(f"{scored[0]} looks at scores, and the ideal has none; ask for it without ideal")
    return check_asked([one.measure for one in asked], bounds=bounds, ties=ties, curve=True)


def _rows(qrels: Qrels, topics: Iterable[str] | None) -> Ints:
    """The rows of the topics that are wanted, as the qrels have them."""
    if topics is None:
        return np.arange(len(qrels.topics))
    names = [topics] if isinstance(topics, str) else list(topics)
    return np.unique([place_of(qrels.topics, str(name), "topic", f"{qrels.source} has") for name in names]).astype(int)


def _chosen(qrels: Qrels, chosen: Ints) -> str | None:
    """The topics by name, where not all are wanted."""
    return None if len(chosen) == len(qrels.topics) else ",".join(qrels.topics[row] for row in chosen.tolist())


def _topic_notices(name: str, run: Run, qrels: Qrels, chosen: Ints, missing: Missing) -> Iterator[Notice]:
    there = np.ones(len(qrels.topics), dtype=bool)
    there[chosen] = np.isin(chosen, run.rows)
    return topic_notices(run.source or name, qrels, there, run.unknown_topics, missing)
