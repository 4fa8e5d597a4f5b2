"""The verb: `evaluate_blocks(qrels, runs, measures)`, for data sets that are larger than memory.

Blocks of topics are measured as they are read off: written at once, and added up on the way.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.arrays import Bools, Floats
from rankscale.data.names import listed
from rankscale.data.notices import Notice, notes
from rankscale.data.orders import TieOrders
from rankscale.data.table import Batch, RunRows, Stream, Table, readable
from rankscale.errors import InputError, ParameterError
from rankscale.evaluation.batches import EvaluationRequest
from rankscale.evaluation.block_result import BlockEvaluation
from rankscale.evaluation.block_work import Block, BlockSums, BlockWork
from rankscale.evaluation.notices import length_notices, odd_words
from rankscale.evaluation.options import GradeMap, Judging, Missing, Progress, check_missing, settings, signature
from rankscale.evaluation.result import Evaluation
from rankscale.evaluation.tables import name_of_means, values_table
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


@dataclass
class Streaming:
    """Blocks that are measured when they are read off, once; `total` is the sum of those that were."""

    work: BlockWork
    executor: Executor
    signature: str
    progress: Progress | None = None
    renamed: tuple[Notice, ...] = ()
    mean_name: str = "all"  # the topic of rows that sum up a run, in text
    total: BlockSums | None = None

    def blocks(self) -> Iterator[Block]:
        """Each block once, in the order of their numbers; raise at the end where the whole makes no sense."""
        for done, block in enumerate(self.executor.map(self.work, self.work.items()), start=1):
            self._refuse_missing(block.added)
            self.total = block.added if self.total is None else self.total + block.added
            if self.progress:
                self.progress(done, self.work.qrels.split.count)
            yield block
        self._check()

    def _refuse_missing(self, added: BlockSums) -> None:
        if self.work.missing == "error" and added.missing.any():
            place = int(np.flatnonzero(added.missing)[0])
            raise InputError(
                f"topics in {self.work.qrels.where} missing from {self.work.runs[place].where} "
                f"({listed(list(added.missing_names[place]))}); missing='zero' counts them as empty rankings"
            )

    def _check(self) -> None:
        """Raise where a run has no topic of the qrels, or a measure no value."""
        total, qrels = self._total, self.work.qrels
        for run, lacking in zip(self.work.runs, total.missing.tolist(), strict=True):
            if lacking == qrels.topics:
                raise InputError(
                    f"{run.where} and {qrels.where} have no topic in common\n"
                    "check that both belong to the same collection and spell topics alike"
                )
        for measure, is_defined, why in zip(self.work.measures, total.defined, total.undefined, strict=True):
            if why and not is_defined:
                raise ParameterError(f"{measure} is undefined on every topic of {qrels.where}: {why}")

    @property
    def _total(self) -> BlockSums:
        return cast("BlockSums", self.total)

    @property
    def sources(self) -> tuple[str, ...]:
        """Folders of the qrels and of the runs."""
        return (self.work.qrels.where, *(run.where for run in self.work.runs))

    def finish(self) -> BlockEvaluation:
        """Measure all blocks, and keep what is added up."""
        for _ in self.blocks():
            pass
        return self.result()

    def table(self) -> Table:
        """Values by topic as a table that is measured while it is written; in text, means come last."""
        nothing = np.empty((len(self.work.measures), len(self.work.names), 0))
        whole = values_table(self._evaluation((), nothing, nothing[0].astype(bool)), per_topic=True)

        def tables() -> Iterator[Evaluation]:
            for block in self.blocks():
                if block.topics:
                    yield self._evaluation(block.topics, block.values, block.retrieved)

        def batches() -> Iterator[Batch]:
            for made in tables():
                yield from cast("Stream", values_table(made, per_topic=True).stream).batches()

        def text_batches() -> Iterator[Batch | RunRows]:
            for made in tables():
                name_of_means(made)  # an error where a topic of the block has that name
                yield from cast("Stream", values_table(made, per_topic=True).stream).batches()
            summed_up = replace(self.result().summarised, mean_name=self.mean_name)
            yield from cast("Stream", summed_up.table("means").stream).text_batches()

        stream = replace(cast("Stream", whole.stream), batches=batches, text_batches=text_batches)
        return replace(whole, stream=stream)

    def _evaluation(self, topics: tuple[str, ...], values: Floats, retrieved: Bools) -> Evaluation:
        """The values of a block, as tables of values take them."""
        return Evaluation(
            measures=self.work.measures,
            runs=self.work.names,
            topics=topics,
            values=values,
            retrieved=retrieved,
            present_known=False,  # what comes first in a file is written before all blocks are read
            signature=self.signature,
            sources=self.sources,
            mean_name=self.mean_name,
        )

    def result(self, values: str | None = None) -> BlockEvaluation:
        """What was added up; `values` is the file that values by topic were written to."""
        work, total = self.work, self._total
        return BlockEvaluation(
            measures=work.measures,
            runs=work.names,
            topics=work.qrels.topics,
            sums=total.sums,
            counted=total.counted,
            pairs=total.pairs,
            missing=total.missing,
            levels=work.qrels.levels,
            topics_rule=work.missing,
            signature=self.signature,
            sources=self.sources,
            values=values,
            notices=(*self.renamed, *self._notices()),
        )

    def _notices(self) -> Iterator[Notice]:
        total, qrels = self._total, self.work.qrels
        for place, run in enumerate(self.work.runs):
            about = {"where": run.where, "qrels": qrels.where}
            if total.missing[place]:
                yield Notice.of(
                    "missing topics",
                    **about,
                    topics=total.missing_names[place],
                    number=int(total.missing[place]),
                    of=qrels.topics,
                    rule=self.work.missing,
                )
            if total.unknown[place]:
                yield Notice.of("unknown topics", **about, count=int(total.unknown[place]))
        yield from length_notices(self.work.measures, self.work.names, total.longest.tolist())
        yield from self._without_ideal()
        for measure, counts in zip(self.work.measures, total.odd.tolist(), strict=True):
            yield from notes(odd_words(measure, counts, total.rankings), "odd values")
        yield from notes((f"{name}: in a block of topics, {caution}" for name, caution in total.cautions), "caution")

    def _without_ideal(self) -> Iterator[Notice]:
        """Notices of topics on which not even the ideal ranking gains anything, one for measures that share them."""
        total, work = self._total, self.work
        alike: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        for measure, number, names in zip(
            work.measures, total.without_ideal.tolist(), total.without_ideal_names, strict=True
        ):
            if number:
                alike.setdefault((number, names), []).append(str(measure))
        for (number, names), measures in alike.items():
            about = {"measures": tuple(measures), "topics": names, "number": number, "of": work.qrels.topics}
            yield Notice.of("no ideal", **about, option=("topics", "FILE"))


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
