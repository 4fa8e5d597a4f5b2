"""The verb: `evaluate(qrels, runs, measures) -> Evaluation`."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Annotated

import numpy as np

from rankscale.data.arguments import AtLeast, Positive, Seed, check_arguments
from rankscale.data.names import is_remote
from rankscale.data.notices import Notice
from rankscale.data.orders import ORDERS
from rankscale.data.qrels import Qrels
from rankscale.data.resources import available_cores
from rankscale.errors import FormatError, InputError
from rankscale.evaluation.batches import OneRun, batches, check_table, measured, sharing
from rankscale.evaluation.gathering import gathered
from rankscale.evaluation.notices import requested, skipped
from rankscale.evaluation.options import EvaluationRequest, GradeMap, Missing, Progress, Summary, Ties
from rankscale.evaluation.result import Evaluation
from rankscale.executors import Executor, Inline
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import readable_twice
from rankscale.inputs.read import QrelsFile, QrelsLike, RunFile, RunsLike, iterate_runs, read_qrels, run_sources
from rankscale.measures.base.parser import AnyMeasure

MANIFEST = "_rankscale.json"  # as in rankscale.inputs.partitioned, which imports much
Sources = list[tuple[str | None, object]]  # names and sources of runs
CHECKED = 16  # runs after which the room for all values so far is looked at again


def measurable(qrels: Qrels, sources: Sources, reading: Reading) -> tuple[Sources, tuple[Notice, ...]]:
    """The runs that can be read and share a topic with the qrels, and a notice of each other one.

    They are read twice, once here; what can be read only once is kept in memory. Raise InputError where none can be
    measured, with what is wrong with the first.
    """
    from concurrent.futures import ThreadPoolExecutor

    def why_not(source: tuple[str | None, object]) -> str | None:
        """Why a run cannot be measured; None if it can."""
        try:
            runs = list(iterate_runs(qrels, [source], reading))
        except FormatError as error:
            return str(error)
        bare = [run for run in runs if not len(run.rows)]
        return f"{bare[0].source or bare[0].name}: no topic in common with {qrels.source}" if bare else None

    sources = [(name, readable_twice(source)) for name, source in sources]
    with ThreadPoolExecutor(reading.threads or available_cores()) as pool:
        read = list(pool.map(why_not, sources))
    bad = [words for words in read if words is not None]
    kept = [source for source, words in zip(sources, read, strict=True) if words is None]
    return kept, skipped(bad, kept)


# Keywords are written out here and in `evaluate_blocks` and `curves`, which share most of them, for editors and help().
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
        differ. Data sets that are partitioned like those of the qrels are read one block of topics at a time.
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
    given = locals()
    check_arguments(evaluate, given, choices=("summary",))
    request = EvaluationRequest.of(requested(measures, "evaluate(qrels, runs, 'AP')"), given)
    made = evaluated(request, qrels, runs, skip_bad=skip_bad, executor=executor, progress=progress)
    return replace(made, summary=summary)


def evaluated(
    request: EvaluationRequest,
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    skip_bad: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure runs as a request says; data sets that are partitioned alike are measured block by block."""
    sources, reading = run_sources(runs), request.read_as
    if not sources:
        raise InputError("there are no runs to evaluate")
    request.without_bounds()  # refused before any work where no measure has any
    if is_data_set(qrels) and partitioned_alike(qrels, sources):
        from rankscale.evaluation.blocks import stream_blocks

        return stream_blocks(request, qrels, sources, skip_bad=skip_bad, executor=executor, progress=progress).whole()
    judgments = request.judging.regraded(read_qrels(qrels, max_size=reading.max_size))
    left_out: tuple[Notice, ...] = ()
    if skip_bad:
        sources, left_out = measurable(judgments, sources, reading)
    work = partial(measured, judgments, sharing(request, judgments), request.of_work)
    executor = executor or Inline()
    items: Iterable[Sequence[object]] = handed_over(judgments, sources, reading)
    if not executor.reads_elsewhere:
        items = batches(
            iterate_runs(judgments, sources, reading), request.measures, len(judgments.topics), len(sources)
        )
    values: list[OneRun] = []
    rankings = 0
    for one in chain.from_iterable(executor.map(work, items)):
        values.append(one)
        rankings += _rankings(one)
        if len(values) % CHECKED == 0:  # a file may hold very many runs
            check_room(values, rankings, request)
        if progress:
            progress(len(values), len(sources))
    check_room(values, rankings, request)
    return gathered(request, judgments, values, left_out)


def _rankings(run: OneRun) -> int:
    """How many topics a run has."""
    return int(np.count_nonzero(run.retrieved))


def check_room(runs: Sequence[OneRun], rankings: int, request: EvaluationRequest) -> None:
    """Raise MemoryLimitError where the values of these runs, which have so many rankings together, do not fit."""
    check_table(len(runs), len(runs[0].retrieved), len(request.measures) * len(runs[0].values), rankings)


def is_data_set(source: object, *, or_address: bool = False) -> bool:
    """Whether a source is a folder of this machine with the manifest of a data set, or an address that has one."""
    place = source.source if isinstance(source, QrelsFile | RunFile) else source
    if or_address and "://" in str(place):
        from rankscale.inputs.partitioned import find_data_set

        return find_data_set(place) is not None
    return isinstance(place, str | os.PathLike) and os.path.isfile(os.path.join(os.fsdecode(place), MANIFEST))


def partitioned_alike(qrels: object, runs: Sources) -> bool:
    """Whether data sets are qrels and runs in the same partitions, read in one way; others are read as any table is."""
    from rankscale.inputs.partitioned import find_data_set

    files = [source if isinstance(source, RunFile) else RunFile(source) for _, source in runs]
    file = qrels if isinstance(qrels, QrelsFile) else QrelsFile(qrels)
    if file.intents is not None or any(replace(one, source=None) != replace(files[0], source=None) for one in files):
        return False
    judged_by, found = find_data_set(file.source), [find_data_set(one.source) for one in files]
    if judged_by is None or judged_by.kind != "qrels":
        return False
    return all(one is not None and (one.kind, one.split) == ("run", judged_by.split) for one in found)


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
