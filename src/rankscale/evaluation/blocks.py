"""The verb: `evaluate_blocks(qrels, runs, measures)`, for data sets that are larger than memory."""

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from rankscale.data.checking import check_arguments
from rankscale.data.declared import Positive
from rankscale.data.orders import TieOrders
from rankscale.data.table import readable
from rankscale.errors import InputError, ParameterError
from rankscale.evaluation.batches import EvaluationRequest
from rankscale.evaluation.block_result import BlockEvaluation
from rankscale.evaluation.block_work import BlockWork
from rankscale.evaluation.options import GradeMap, Judging, Missing, Progress, check_missing
from rankscale.evaluation.signature import settings, signature
from rankscale.evaluation.streaming import Streaming
from rankscale.executors import Executor, Inline
from rankscale.inputs.files import distinct_names
from rankscale.inputs.options import Reading
from rankscale.inputs.partitioned import MANIFEST, DataSet, find_data_set
from rankscale.inputs.read import QrelsFile, QrelsLike, RunFile, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all
from rankscale.outputs.files import write_chunks
from rankscale.outputs.frames import write_parquet
from rankscale.outputs.text import tidy_text

FORMS = {".parquet": "parquet", ".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl"}


def evaluate_blocks(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: AnyMeasure | Iterable[AnyMeasure],
    *,
    values: str | os.PathLike[str] | None = None,
    pairs: bool = False,
    missing: Missing = "zero",
    judged_only: bool = False,
    depth: Positive | None = None,
    grades: GradeMap | None = None,
    negative: str = "unjudged",
    order: str | None = None,
    executor: Executor | None = None,
    max_size: Positive | None = None,
    progress: Progress | None = None,
) -> BlockEvaluation:
    """Measure data sets that are partitioned by topic, one block of topics at a time.

    Memory depends on the largest block, not on the collection. Means, and tests computed from sums over topics, are
    the same to the last bit as those of `evaluate`, for any partitioning and any executor.

    Parameters
    ----------
    qrels
        Folder or address of a data set of qrels, as `partition` or `rankscale convert --partition-by topic` writes it.
    runs
        One or several data sets of runs, partitioned like the qrels (`like=`), or `{name: data set}`.
    measures
        As in `evaluate`.
    values
        File for the values by topic, written block by block: .parquet, .tsv, .csv or .jsonl. By default none.
    pairs
        Whether to keep the sums over pairs of runs that `compare` needs for the tests 'student', 'sign', 'one-way',
        'two-way' and 'dunnett'.
    missing, judged_only, depth, grades, negative, order, max_size
        As in `evaluate`.
    executor
        Where blocks are measured: `Inline()`, the default, `Processes(count)`, `Dask(...)`, or another executor.
    progress
        Called as `progress(done, of)` after each block, with the numbers of blocks.

    Returns
    -------
    BlockEvaluation
        Means, and with `pairs=True` the sums that `compare` takes.

    Raises
    ------
    InputError
        If a run or the qrels are not a data set, or a run is not partitioned like the qrels; the message has the
        command that partitions it.
    FormatError
        If a file of a data set is not what its manifest says.
    ParameterError
        If an option has a value that it cannot take.
    """
    check_arguments(evaluate_blocks, locals())
    options: dict[str, Any] = {"judged_only": judged_only, "depth": depth, "grades": grades, "negative": negative}
    options |= {"order": order, "max_size": max_size, "missing": missing, "pairs": pairs}
    streaming = stream_blocks(qrels, runs, parse_all(measures), executor=executor, progress=progress, **options)
    if values is None:
        return streaming.finish()
    path = os.fspath(values)
    form = FORMS.get(os.path.splitext(path)[1].lower())
    if form is None:
        raise ParameterError(f"{readable(path)}: values by topic are written as {' '.join(FORMS)}, by the ending")
    if form == "parquet":
        write_parquet(streaming.table(), path)
    else:
        write_chunks(path, tidy_text(streaming.table(), form))
    return streaming.result(path)


def stream_blocks(
    qrels: object,
    runs: object,
    measures: tuple[Measure, ...],
    *,
    pairs: bool = False,
    missing: Missing = "zero",
    judged_only: bool = False,
    depth: int | None = None,
    grades: GradeMap | None = None,
    negative: str = "unjudged",
    order: str | None = None,
    executor: Executor | None = None,
    max_size: int | None = None,
    progress: Progress | None = None,
) -> Streaming:
    """Blocks that are measured when they are read off; `evaluate_blocks` says what the options are."""
    if not measures:
        raise ParameterError("no measure is requested; name one, as in evaluate_blocks(qrels, runs, 'AP')")
    check_missing(missing)
    judged_by, qrels_file = _qrels_of(qrels)
    of_runs, given_names, run_file = _runs_of(runs, judged_by)
    names, renamed = distinct_names(
        [name or run.name or "run" for name, run in zip(given_names, of_runs, strict=True)],
        [run.where for run in of_runs],
    )
    judging = Judging(judged_only, grades, negative)
    scores = any(measure.needs_scores for measure in measures)
    work = BlockWork(
        judged_by,
        of_runs,
        tuple(names),
        EvaluationRequest(
            measures, missing in {"zero", "error"}, judged_only, bounds=False, ties="trec", orders=TieOrders(), cut=None
        ),
        judging,
        Reading(order, 1, max_size, depth, keep_scores=scores),
        missing,
        pairs,
        replace(qrels_file, source=None),
        replace(run_file, source=None),
    )
    used = [order or ("score" if "score" in run.columns else "rank") for run in of_runs]
    options = settings(used, [depth], missing=missing, ties="trec", judging=judging)
    return Streaming(work, executor or Inline(), signature(options), progress, tuple(renamed))


def data_set_of(source: object) -> DataSet | None:
    """The data set of a source, or of one with options of its file; None where it is none."""
    return find_data_set(source.source if isinstance(source, QrelsFile | RunFile) else source)


def _qrels_of(source: object) -> tuple[DataSet, QrelsFile]:
    file = source if isinstance(source, QrelsFile) else QrelsFile(source)
    if file.intents is not None:
        raise ParameterError(
            "intents (probabilities of sub-topics) cannot be used with data sets: evaluate files with evaluate()"
        )
    data_set = find_data_set(file.source)
    if data_set is None:
        raise InputError(_unpartitioned(file.source, ""))
    if data_set.kind != "qrels":
        raise InputError(f"{data_set.where}: expected qrels, found a run; qrels come first, then runs")
    return data_set, file


def _runs_of(runs: object, qrels: DataSet) -> tuple[tuple[DataSet, ...], list[str | None], RunFile]:
    """The data sets of runs, their names where given, and the options of their files."""
    if isinstance(runs, dict):
        given: list[tuple[str | None, Any]] = list(runs.items())
    elif isinstance(runs, list | tuple):
        given = [cast("Any", one) if isinstance(one, tuple) else (None, one) for one in runs]
    else:
        given = [(None, runs)]
    if not given:
        raise InputError("there are no runs to evaluate")
    files = [source if isinstance(source, RunFile) else RunFile(source) for _, source in given]
    made = []
    for file in files:
        data_set = find_data_set(file.source)
        if data_set is None:
            raise InputError(_unpartitioned(file.source, f" --like {qrels.where}"))
        if data_set.kind != "run":
            raise InputError(f"{data_set.where}: expected a run, found qrels; qrels come first, then runs")
        if data_set.split != qrels.split:
            raise InputError(
                f"{data_set.where} has {data_set.split}, and {qrels.where} has {qrels.split}"
                f"{' with other borders' * (str(data_set.split) == str(qrels.split))}: a topic must be in files of the "
                f"same number; split the run like the qrels: rankscale convert {data_set.where} OUT "
                f"--partition-by topic --like {qrels.where}"
            )
        made.append(data_set)
    return tuple(made), [name for name, _ in given], files[0]


def _unpartitioned(source: object, like: str) -> str:
    shown = readable(os.fspath(source)) if isinstance(source, str | os.PathLike) else type(source).__name__
    if isinstance(source, str | os.PathLike) and not os.path.exists(source) and "://" not in shown:
        return f"{shown}: there is no such folder; expected a data set that is partitioned by topic"
    folder = f"a folder without {MANIFEST}, in which topics may be scattered"
    kind = folder if os.path.isdir(shown) else "a file" if os.path.isfile(shown) else "none"
    return (
        f"{shown}: expected a data set that is partitioned by topic, found {kind}; partition it first: "
        f"rankscale convert {shown} OUT --partition-by topic{like}"
    )
