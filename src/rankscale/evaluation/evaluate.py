"""The verb: `evaluate(qrels, runs, measures) -> Evaluation`."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Annotated, Any

import numpy as np

from rankscale.data.arguments import AtLeast, Positive, Seed, check_arguments
from rankscale.data.arrays import frozen
from rankscale.data.names import is_remote
from rankscale.data.notices import Notice
from rankscale.data.orders import ORDERS, TieOrders
from rankscale.data.qrels import Qrels
from rankscale.errors import FormatError, InputError, ParameterError
from rankscale.evaluation.batches import EvaluationRequest, OneRun, batches, check_table, measured, sharing
from rankscale.evaluation.notices import (
    check_defined,
    ideal_notices,
    length_notices,
    qrels_notices,
    tie_notices,
    topic_notices,
    undefined_orders,
    value_notices,
)
from rankscale.evaluation.options import (
    GradeMap,
    Judging,
    Missing,
    Progress,
    Summary,
    Ties,
    check_missing,
    check_request,
    check_summary,
    drawn_orders,
    settings,
    signature,
)
from rankscale.evaluation.result import TIES_ERROR, Evaluation, counting
from rankscale.executors import Executor, Inline
from rankscale.inputs.files import distinct_names
from rankscale.inputs.options import Reading, available_cores
from rankscale.inputs.rankings import readable_twice
from rankscale.inputs.read import QrelsLike, RunFile, RunsLike, iterate_runs, read_qrels, run_sources
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all

SKIPPED = "skipped"  # kind of the notices
Sources = list[tuple[str | None, object]]  # names and sources of runs
CHECKED = 16  # runs after which the room for all values so far is looked at again


def measurable(qrels: Qrels, sources: Sources, reading: Reading) -> tuple[Sources, tuple[Notice, ...]]:
    """The runs that can be read and share a topic with the qrels, and a notice of each other one.

    They are read twice, once here; what can be read only once is kept in memory. Raise InputError where none can be
    measured, with what is wrong with the first.
    """
    from concurrent.futures import ThreadPoolExecutor

    sources = [(name, readable_twice(source)) for name, source in sources]
    with ThreadPoolExecutor(reading.threads or available_cores()) as pool:
        read = list(pool.map(lambda source: _read(qrels, source, reading), sources))
    kept = [source for source, words in zip(sources, read, strict=True) if words is None]
    bad = [words for words in read if words is not None]
    if not kept:
        raise InputError(f"no run can be measured; of the first: {bad[0]}")
    return kept, tuple(Notice.of(SKIPPED, text=f"left out: {words}") for words in bad)


def _read(qrels: Qrels, source: tuple[str | None, object], reading: Reading) -> str | None:
    """Why a run cannot be measured; None if it can."""
    try:
        runs = list(iterate_runs(qrels, [source], reading))
    except FormatError as error:
        return str(error)
    bare = [run for run in runs if not len(run.rows)]
    return f"{bare[0].source or bare[0].name}: no topic in common with {qrels.source}" if bare else None


def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: AnyMeasure | Iterable[AnyMeasure],
    *,
    missing: Missing = "zero",
    judged_only: bool = False,
    depth: Positive | None = None,
    grades: GradeMap | None = None,
    negative: str = "unjudged",
    order: str | None = None,
    bounds: bool = False,
    ties: Ties = "trec",
    tie_orders: Annotated[int, AtLeast(2)] = ORDERS,
    seed: Seed = 0,
    summary: Summary = "mean",
    skip_bad: bool = False,
    executor: Executor | None = None,
    threads: Positive | None = None,
    max_size: Positive | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure runs.

    Parameters
    ----------
    qrels
        Judgments, in any form that `read_qrels` takes.
    runs
        One run, a list of runs, or `{name: run}`. A run is a path, a table, `{topic: {document: score}}`, or what
        `read_runs` gives; a folder or a pattern such as `runs/*.gz` stands for several. Names are the tags in files;
        without a tag 'run', or of several 'run 1', 'run 2'. Swapped qrels and runs are noticed only where their forms
        differ.
    measures
        One measure or several: names such as 'nDCG@10', measures such as `rs.nDCG @ 10`, or their classes. Names are
        taken in any case, and so are those of other tools: trec_eval's (where 'P' is P at nine depths), 'mrr@10',
        'ndcg_at_10'. `rankscale measures` lists all.
    missing
        Rule for topics of the qrels that a run lacks. 'zero': an empty ranking; 'skip': left out of its means;
        'common': only topics that all runs have count; 'error': raise InputError.
    judged_only
        Whether unjudged documents are removed from rankings first.
    depth
        Rank at which every ranking is cut first.
    grades
        New grades: `{4: 3}` maps grade 4 to 3 and leaves the others; `[0, 0, 1, 1]` are those of grades 0 to 3.
    negative
        What a negative grade means: 'unjudged' or 'not relevant'.
    order
        What orders a ranking. 'score' (the default): scores, highest first, in single precision as in trec_eval;
        'score64': in double precision; 'rank': the rank column of files; 'file': the order of lines or dict entries.
    bounds
        Whether to add how far unjudged documents could move each value, as `lower` and `upper`; NaN for measures that
        have no such bounds, such as AP.
    ties
        How documents with equal scores are ordered. 'trec': by name, as in trec_eval; 'expected': values are means
        over all orders; 'range': as 'trec', with the lowest and highest value over all orders as `ties_lower` and
        `ties_upper`.
    tie_orders, seed
        Where there is no exact mean or range over all orders, how many orders of each ranking are drawn instead, and
        the seed of the random numbers. Then `ties_error` has the standard errors of the means, and a notice says so.
    summary
        What tables for people show of each run: 'mean', 'median' (with its sign-test interval) or 'quantiles'. Medians
        and quantiles are observed values, and so need only an ordinal scale.
    skip_bad
        Whether runs that cannot be read, or share no topic with the qrels, are left out, with a notice of kind
        'skipped' for each; otherwise they are errors.
    executor
        Where runs are measured: `rs.executors.Inline()`, the default; `Processes(count)`, which starts new interpreters
        and so is called under `if __name__ == "__main__":` in scripts; `Dask()`; or one of them `Checkpointed`.
    threads
        How many threads read files; by default as many as there are cores.
    max_size
        The most bytes that a file may unpack to; by default 40 times its packed size.
    progress
        Called as `progress(done, of)` after each run.

    Returns
    -------
    Evaluation
        Values by measure, run and topic.

    Raises
    ------
    InputError
        If there are no runs, if a run and the qrels share no topic, or if qrels and runs are seen to be swapped.
    FormatError
        If the content of a file or table is not as it should be; the message says where.
    FileNotFoundError
        If there is no such file, or no file matches a pattern.
    ParameterError
        If an option has a value that it cannot take.
    UnknownNameError
        If there is no measure of that name.
    BoundsError
        If `bounds` are requested and no measure has any.
    WorkerError
        If a run ends its worker process three times, or no worker can be started.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {"301": {"a": 1, "b": 0, "c": 1}}
    >>> print(rs.evaluate(qrels, {"mine": {"301": {"b": 3.0, "a": 2.0}}}, ["AP", "P@5"]).means())
    run   topics      AP     P@5
    mine       1  0.2500  0.2000
    """
    check_arguments(evaluate, locals())
    wanted = parse_all(measures)
    if not wanted:
        raise ParameterError("no measure is requested; name one, as in evaluate(qrels, runs, 'AP')")
    check_missing(missing)
    check_summary(summary)
    judging, sources = Judging(judged_only, grades, negative), run_sources(runs)
    reading = Reading(order, threads, max_size, depth, keep_scores=any(measure.needs_scores for measure in wanted))
    if not sources:
        raise InputError("there are no runs to evaluate")
    judgments = judging.regraded(read_qrels(qrels, max_size=max_size))
    skipped: tuple[Notice, ...] = ()
    if skip_bad:
        sources, skipped = measurable(judgments, sources, reading)
    without_bounds = check_request(wanted, bounds=bounds, ties=ties)
    drawing = drawn_orders(ties, tie_orders, seed)
    cut = None
    if ties != "trec":  # groups of tied documents are formed before any cut, so not while runs are read
        reading, cut = replace(reading, depth=None), reading.depth
    request = EvaluationRequest(wanted, missing in {"zero", "error"}, judged_only, bounds, ties, drawing, cut)
    views = sharing(wanted, judgments, condensed=judged_only)
    work = partial(measured, judgments, views, request, reading=replace(reading, threads=1))
    executor = executor or Inline()
    items: Iterable[Sequence[object]] = handed_over(judgments, sources, reading)
    if not executor.reads_elsewhere:
        items = batches(iterate_runs(judgments, sources, reading), wanted, len(judgments.topics), len(sources))
    values: list[OneRun] = []
    rankings = 0
    for one in chain.from_iterable(executor.map(work, items)):
        values.append(one)
        rankings += _rankings(one)
        if len(values) % CHECKED == 0:  # a file may hold very many runs
            _check_table(values, rankings, judgments, wanted)
        if progress:
            progress(len(values), len(sources))
    return gathered(
        values,
        judgments,
        wanted,
        judging,
        missing=missing,
        ties=ties,
        drawing=drawing,
        cut=cut,
        summary=summary,
        notices=(skipped, without_bounds),
    )


def gathered(
    runs: Sequence[OneRun],
    qrels: Qrels,
    measures: tuple[Measure, ...],
    judging: Judging,
    *,
    missing: Missing,
    ties: Ties,
    drawing: TieOrders,
    cut: int | None,
    summary: Summary,
    notices: tuple[tuple[Notice, ...], tuple[Notice, ...]],
) -> Evaluation:
    """The values of runs as one evaluation, with its notices between those given; raise where no topic is shared."""
    orders, depths = (run.order for run in runs), (cut or run.depth for run in runs)
    drawn = np.stack([run.drawn for run in runs], axis=1)
    used = drawing if drawn.any() else None
    options = settings(orders, depths, missing=missing, ties=ties, judging=judging, drawing=used)
    noted = dict.fromkeys(_notices(runs, qrels, measures, missing))  # runs of one file share that of its form
    first, last = notices
    every = (*first, *noted, *last)
    evaluation = _stacked(runs, qrels, measures, missing, summary=summary, signature=signature(options), notices=every)
    for measure, of_measure in zip(measures, evaluation.values, strict=True):
        check_defined(measure, of_measure, qrels)
    if used is None:
        evaluation = replace(evaluation, ties_error=None)
    some = np.stack([run.some for run in runs], axis=1)
    odd = (
        *tie_notices(measures, drawn & evaluation.retrieved, used, evaluation.extra_means().get(TIES_ERROR)),
        *undefined_orders(measures, some & evaluation.retrieved, "range" if ties == "range" else "mean"),
        *length_notices(measures, evaluation.runs, [min(run.longest, cut or run.longest) for run in runs]),
        *ideal_notices(measures, qrels, np.flatnonzero(evaluation.retrieved.any(axis=0))),
        *value_notices(measures, evaluation.values, evaluation.retrieved, qrels),
    )
    return replace(evaluation, notices=(*every, *odd)) if odd else evaluation


def handed_over(qrels: Qrels, sources: Sequence[tuple[str | None, object]], reading: Reading) -> Iterator[list[object]]:
    """Sources of runs one by one: files and addresses to be read elsewhere, all others as runs that are read here."""
    for name, source in sources:
        inner = source.source if isinstance(source, RunFile) else source
        yield [(name, source)] if _is_elsewhere(inner) else list(iterate_runs(qrels, [(name, source)], reading))


def _is_elsewhere(source: object) -> bool:
    """Whether another process can read a source as this one does, any number of times: a file, a folder, an address."""
    if not isinstance(source, str | os.PathLike) or source == "-":
        return False
    path = os.fsdecode(source)
    return (
        is_remote(path)
        or os.path.isfile(path)
        or os.path.isdir(path)
        or not (os.path.exists(path) or path.startswith("irds:"))
    )


def _notices(runs: Sequence[OneRun], qrels: Qrels, measures: tuple[Measure, ...], missing: Missing) -> Iterator[Notice]:
    names, renamed = distinct_names([run.name for run in runs], [run.source for run in runs])
    yield from (*qrels_notices(qrels, measures), *renamed)
    files = Counter(run.source for run in runs)
    for name, run in zip(names, runs, strict=True):
        yield from run.notices
        where = name if not run.source else run.source if files[run.source] == 1 else f"run {name} of {run.source}"
        yield from topic_notices(where, qrels, run.retrieved, run.unknown_topics, missing)


def _rankings(run: OneRun) -> int:
    """How many topics a run has."""
    return int(np.count_nonzero(run.retrieved))


def _check_table(runs: Sequence[OneRun], rankings: int, qrels: Qrels, measures: tuple[Measure, ...]) -> None:
    """Raise MemoryLimitError where the values of these runs, which have so many rankings together, do not fit."""
    check_table(len(runs), len(qrels.topics), len(measures) * len(runs[0].values), rankings)


def _stacked(
    runs: Sequence[OneRun],
    qrels: Qrels,
    measures: tuple[Measure, ...],
    missing: Missing,
    *,
    summary: Summary,
    signature: str,
    notices: tuple[Notice, ...],
) -> Evaluation:
    names, _ = distinct_names([run.name for run in runs], [run.source for run in runs])
    _check_table(runs, sum(map(_rankings, runs)), qrels, measures)
    retrieved = np.stack([run.retrieved for run in runs])
    arrays: dict[str, Any] = {
        name: frozen(np.stack([run.values[name] for run in runs], axis=1)) for name in runs[0].values
    }
    return Evaluation(
        measures=measures,
        runs=tuple(names),
        topics=qrels.topics,
        **arrays,
        retrieved=frozen(counting(retrieved, missing)),
        present=None if retrieved.all() else frozen(retrieved),
        topics_rule=missing,
        summary=summary,
        signature=signature,
        sources=(qrels.source, *(run.source or run.name for run in runs)),
        notices=notices,
        levels=tuple(qrels.levels.tolist()),
    )
