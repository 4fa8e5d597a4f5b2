"""The verb: `evaluate(qrels, runs, measures) -> Evaluation`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from rankscale.data.arrays import frozen
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError, ParameterError
from rankscale.evaluation.batches import EvaluationRequest, OneRun, batches, measured, sharing
from rankscale.evaluation.notices import grade_notices, topic_notices, value_notices
from rankscale.evaluation.options import Missing, check_asked, check_cut, check_missing, prepared
from rankscale.evaluation.result import Evaluation, counting
from rankscale.evaluation.signature import settings, signature
from rankscale.executors import Executor
from rankscale.executors.inline import Inline
from rankscale.formats.read.inputs import iterate_runs, read_qrels, run_sources
from rankscale.formats.read.trec import distinct_names
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_all


def evaluate(
    qrels: Any,  # noqa: ANN401
    runs: Any,  # noqa: ANN401  # whatever formats.inputs reads
    measures: str | Measure | Iterable[str | Measure],
    *,
    missing: Missing = "zero",
    judged_only: bool = False,
    depth: int | None = None,
    grades: Mapping[float, float] | Sequence[float] | None = None,
    negative: str = "unjudged",
    order: str | None = None,
    bounds: bool = False,
    ties: str = "trec",
    executor: Executor | None = None,
    threads: int | None = None,
    max_size: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Measure runs.

    `runs` are paths, patterns, tables, `{topic: {document: score}}` or `{name: run}`; `missing` is the rule for topics
    of the qrels that a run lacks ('zero': an empty ranking, 'skip': left out of its means, 'common': only topics that
    all runs have count, 'error'); `depth` cuts every ranking first;
    `order` is what orders a ranking ('score' unless a run was read otherwise);
    `judged_only` takes unjudged documents out; `grades` maps grades first; `negative` says whether a negative grade is
    'unjudged' or 'not relevant'; `progress(done, of)` is called after each run.

    `bounds` adds how far unjudged documents could move each value, as `lower` and `upper`. `ties` says what becomes of
    documents with equal scores: 'trec' orders them by name as trec_eval does, 'expected' gives the mean over all their
    orders, and 'range' adds the lowest and highest value over their orders, as `ties_lower` and `ties_upper`.

    >>> qrels = {"301": {"a": 1, "b": 0, "c": 1}}
    >>> print(evaluate(qrels, {"mine": {"301": {"b": 3.0, "a": 2.0}}}, ["AP", "P@5"]).means())
    run   topics      AP     P@5
    mine       1  0.2500  0.2000
    """
    wanted = parse_all(measures)
    if not wanted:
        raise ParameterError("no measure is requested; name one, as in evaluate(qrels, runs, 'AP')")
    check_missing(missing)
    judgments = prepared(read_qrels(qrels, max_size=max_size), grades, negative)
    unanswered = check_asked(wanted, bounds=bounds, ties=ties)
    check_cut(wanted, depth, ties=ties, judged_only=judged_only)
    # Groups of tied documents are formed before any cut, so rankings are then cut here and not while they are read.
    reading: dict[str, Any] = {"order": order, "depth": depth if ties == "trec" else None, "max_size": max_size}
    reading["keep_scores"] = any(measure.needs_scores for measure in wanted)
    cut = depth if ties != "trec" else None
    request = EvaluationRequest(wanted, missing in {"zero", "error"}, judged_only, bounds, ties, cut)
    views = sharing(wanted, judgments.levels, condensed=judged_only)
    work = partial(measured, judgments, views, request, reading=reading)
    executor = executor or Inline()
    sources = run_sources(runs)
    items: Iterable[Any] = ([source] for source in sources)
    if not executor.reads_elsewhere:
        items = batches(iterate_runs(judgments, sources, **reading, threads=threads), wanted)
    found: list[OneRun] = []
    for one in chain.from_iterable(executor.map(work, items)):
        found.append(one)
        if progress:
            progress(len(found), len(sources))
    if not found:
        raise InputError("there are no runs to evaluate")
    told = settings(
        (run.order for run in found),
        (depth if cut else run.depth for run in found),
        missing=missing,
        ties=ties,
        judged_only=judged_only,
        grades=grades,
        negative=negative,
    )
    notices = (*_notices(found, judgments, wanted, missing), *unanswered)
    gathered = _gathered(found, judgments, wanted, missing, signature=signature(told), notices=notices)
    odd = tuple(value_notices(wanted, gathered.values, gathered.retrieved, judgments))
    return replace(gathered, notices=(*notices, *odd)) if odd else gathered


def _notices(
    found: Sequence[OneRun], qrels: Qrels, measures: tuple[Measure, ...], missing: Missing
) -> Iterator[Notice]:
    names, renamed = distinct_names([one.name for one in found], [one.source for one in found])
    yield from (*qrels.notices, *grade_notices(qrels, measures), *renamed)
    for name, one in zip(names, found, strict=True):
        yield from one.notices
        yield from topic_notices(one.source or name, qrels, one.retrieved, one.unknown_topics, missing)


def _gathered(
    found: Sequence[OneRun],
    qrels: Qrels,
    measures: tuple[Measure, ...],
    missing: Missing,
    *,
    signature: str,
    notices: tuple[Notice, ...],
) -> Evaluation:
    names, _ = distinct_names([one.name for one in found], [one.source for one in found])
    retrieved = np.stack([one.retrieved for one in found])
    return Evaluation(
        measures=measures,
        runs=tuple(names),
        topics=qrels.topics,
        **{name: frozen(np.stack([one.values[name] for one in found], axis=1)) for name in found[0].values},
        retrieved=frozen(counting(retrieved, missing)),
        topics_rule=missing,
        signature=signature,
        sources=(qrels.source, *(one.source or one.name for one in found)),
        notices=notices,
        levels=tuple(qrels.levels.tolist()),
    )
