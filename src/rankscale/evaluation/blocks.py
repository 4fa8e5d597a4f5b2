"""The verb: `evaluate_blocks(qrels, runs, measures)`, for data sets that are larger than memory.

Blocks of topics are measured as they are read off: written at once, and added up on the way.
"""

import os
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from tempfile import TemporaryFile
from typing import Annotated, Any, cast

import numpy as np

from rankscale.data.arguments import AtLeast, Positive, Seed, check_arguments
from rankscale.data.arrays import Bools, Floats
from rankscale.data.notices import Notice
from rankscale.data.orders import ORDERS
from rankscale.data.resources import need
from rankscale.data.table import Batch, RunRows, Stream, Table, readable
from rankscale.errors import InputError, ParameterError
from rankscale.evaluation.block_result import ALL_VALUES, BlockEvaluation, means_of_sums, memory_of
from rankscale.evaluation.block_work import BlockSums, BlockWork, TopicBlock, look_at_block
from rankscale.evaluation.gathering import Tally, assembled
from rankscale.evaluation.notices import missing_error, requested, skipped
from rankscale.evaluation.options import TIES_ERROR, EvaluationRequest, GradeMap, Missing, Progress, Ties
from rankscale.evaluation.result import Evaluation, in_bytes
from rankscale.evaluation.tables import name_of_means, values_table
from rankscale.executors import Executor, Inline
from rankscale.inputs.files import distinct_names
from rankscale.inputs.partitioned import MANIFEST, DataSet, find_data_set
from rankscale.inputs.read import QrelsFile, QrelsLike, RunFile, RunsLike
from rankscale.measures.base.parser import AnyMeasure
from rankscale.outputs.files import write_chunks
from rankscale.outputs.frames import write_parquet
from rankscale.outputs.text import tidy_text

FORMS = {".parquet": "parquet", ".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl"}


@dataclass
class Streaming:
    """Blocks that are measured when they are read off, once; `total` is the sum of those that were."""

    work: BlockWork
    executor: Executor
    progress: Progress | None = None
    first: tuple[Notice, ...] = ()  # of its notices
    mean_name: str = "all"  # the topic of rows that sum up a run, in text
    total: BlockSums | None = None

    def blocks(self) -> Iterator[TopicBlock]:
        """Each block once, in the order of their numbers; raise at the end where the whole makes no sense."""
        for done, block in enumerate(self.executor.map(self.work, self.work.items()), start=1):
            tally = block.added.tally
            if self.work.request.missing == "error" and tally.missing.any():  # before all others are measured
                place = int(np.flatnonzero(tally.missing)[0])
                raise missing_error(self.work.runs[place].where, self.work.qrels.where, tally.missing_names[place])
            self.total = block.added if self.total is None else self.total + block.added
            if self.progress:
                self.progress(done, self.work.qrels.split.count)
            yield block
        self._tally.check_defined(self.work.request, self.work.qrels.where)
        self.notices()

    @property
    def _tally(self) -> Tally:
        return cast("BlockSums", self.total).tally

    @property
    def signature(self) -> str:
        """The options that the values depend on; with orders of ties once all blocks are measured."""
        request, drawn = self.work.request, self.total is not None and self._tally.any_drawn
        used = [request.reading.order or ("score" if "score" in run.columns else "rank") for run in self.work.runs]
        return request.signature(used, [request.reading.depth], drawn=drawn)

    @property
    def sources(self) -> tuple[str, ...]:
        """Folders of the qrels and of the runs."""
        return (self.work.qrels.where, *(run.where for run in self.work.runs))

    def finish(self) -> BlockEvaluation:
        """Measure all blocks, and keep what is added up."""
        for _ in self.blocks():
            pass
        return self.result()

    def whole(self) -> Evaluation:
        """Measure all blocks, and keep all values; refused before any work where they take too much memory."""
        request, runs, topics = self.work.request, len(self.work.runs), self.work.qrels.topics
        size = memory_of(topics, runs, len(request.measures) * len(request.columns))
        need(size, f"a table of the values of {topics} topics", ALL_VALUES)
        columns = request.unmeasured(runs, topics)
        there = np.zeros((runs, topics), dtype=bool)
        names: list[str] = []
        for block in self.blocks():
            at = slice(len(names), len(names) + len(block.topics))
            for name, values in block.columns.items():
                columns[name][..., at] = values
            there[:, at] = block.there
            names += block.topics
        order = sorted(range(topics), key=lambda place: in_bytes(names[place]))
        for values in columns.values():
            for row in values.reshape(-1, topics):  # one by one, so that nothing is copied whole
                row[:] = row[order]
        ordered = tuple(names[place] for place in order)
        return self._evaluation(ordered, columns, there[:, order], notices=self.notices())

    def table(self) -> Table:
        """Values by topic as a table that is measured while it is written; in text, means come last."""
        blocks = self.blocks()
        if self.work.request.ties != "trec":  # whether orders were drawn, on which columns depend, is known at the end
            blocks = spooled(blocks)
        request, runs = self.work.request, len(self.work.runs)
        nothing = self._part((), request.unmeasured(runs, 0), np.empty((runs, 0), dtype=bool))
        whole = values_table(nothing, per_topic=True)

        def tables() -> Iterator[Evaluation]:
            return (self._part(block.topics, block.columns, block.there) for block in blocks if block.topics)

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

    def _part(self, topics: tuple[str, ...], columns: Mapping[str, Floats], there: Bools) -> Evaluation:
        """The values of a block, as tables take them: what comes first in a file is written before all are read."""
        return self._evaluation(topics, columns, there, present_known=False, mean_name=self.mean_name)

    def _evaluation(
        self,
        topics: tuple[str, ...],
        columns: Mapping[str, Floats],
        there: Bools,
        **about: Any,  # noqa: ANN401
    ) -> Evaluation:
        """The values of some topics, or of all, as an evaluation."""
        return assembled(
            self.work.request,
            topics,
            columns,
            there,
            drawn=self.total is not None and self._tally.any_drawn,
            runs=self.work.names,
            levels=self.work.qrels.levels,
            signature=self.signature,
            sources=self.sources,
            **about,
        )

    def result(self, values: str | None = None) -> BlockEvaluation:
        """What was added up; `values` is the file that values by topic were written to."""
        work, total = self.work, cast("BlockSums", self.total)
        return BlockEvaluation(
            measures=work.request.measures,
            runs=work.names,
            topics=work.qrels.topics,
            sums=total.columns["values"].sums,
            counted=total.columns["values"].counted,
            pairs=total.pairs,
            missing=total.tally.missing,
            levels=work.qrels.levels,
            topics_rule=work.request.missing,
            signature=self.signature,
            sources=self.sources,
            values=values,
            notices=self.notices(),
            extra=self._extra_means(),
        )

    def _extra_means(self) -> dict[str, Floats]:
        """(measure, run): the means of extra columns; NaN where a measure has none of this kind."""
        measures, total = self.work.request.measures, cast("BlockSums", self.total)
        return {
            name: np.where(of.known, means_of_sums(measures, of.sums, of.counted, errors=name == TIES_ERROR), np.nan)
            for name, of in total.columns.items()
            if name != "values" and (name != TIES_ERROR or total.tally.any_drawn)
        }

    def notices(self) -> tuple[Notice, ...]:
        """What a reader of the values should know; raise InputError where a run has no topic of the qrels."""
        request, source = self.work.request, self.work.qrels.where
        of_runs = (
            notice
            for place, run in enumerate(self.work.runs)
            for notice in self._tally.of_run(place, run.where, source, request.missing)
        )
        errors = self._extra_means().get(TIES_ERROR) if self._tally.any_drawn else None
        of_values = self._tally.of_values(request, self.work.names, errors)
        return (*self.first, *of_runs, *request.without_bounds(), *of_values)


def spooled(blocks: Iterable[TopicBlock]) -> Iterator[TopicBlock]:
    """Blocks again, once all of them are there: kept in a file meanwhile."""
    file = TemporaryFile()  # noqa: SIM115  # closed when its blocks are read off
    sizes = [file.write(pickle.dumps(block, protocol=pickle.HIGHEST_PROTOCOL)) for block in blocks]
    file.seek(0)

    def again() -> Iterator[TopicBlock]:
        with file:
            for size in sizes:
                yield pickle.loads(file.read(size))  # noqa: S301  # what was written above

    return again()


# Keywords are written out here and in `evaluate` and `curves`, which share most of them, for editors and help().
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
    bounds: bool = False,
    ties: Ties = "trec",
    tie_orders: Annotated[int, AtLeast(2)] = ORDERS,
    seed: Seed = 0,
    skip_bad: bool = False,
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
    missing, judged_only, depth, grades, negative, order, bounds, ties, tie_orders, seed, max_size
        As in `evaluate`.
    skip_bad
        As in `evaluate`; all blocks are then read twice.
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
    given = locals()
    check_arguments(evaluate_blocks, given)
    request = EvaluationRequest.of(requested(measures, "evaluate_blocks(qrels, runs, 'AP')"), given)
    streaming = stream_blocks(
        request, qrels, runs, pairs=pairs, skip_bad=skip_bad, executor=executor, progress=progress
    )
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
    request: EvaluationRequest,
    qrels: object,
    runs: object,
    *,
    pairs: bool = False,
    skip_bad: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Streaming:
    """Blocks that are measured when they are read off; `evaluate_blocks` says what the options are."""
    request.without_bounds()  # refused before any work where no measure has any
    judged_by, qrels_file = _qrels_of(qrels)
    given = _given(runs)
    found: list[tuple[str | None, DataSet]] = []
    bad: list[str] = []  # why runs cannot be measured
    for name, file in given:
        try:
            found.append((name, _run_of(file, judged_by)))
        except InputError as error:
            if not skip_bad or _is_nowhere(file.source):
                raise
            bad.append(str(error))
    files = replace(qrels_file, source=None), replace(given[0][1], source=None)
    made = BlockWork(judged_by, tuple(run for _, run in found), _names(found)[0], request, pairs, *files)
    executor = executor or Inline()
    if skip_bad:
        found, more = _measurable(made, found, executor)
        bad += more
    left_out = skipped(bad, found)
    names, renamed = _names(found)
    work = replace(made, runs=tuple(run for _, run in found), names=names)
    return Streaming(work, executor, progress, (*left_out, *renamed))


def _measurable(
    work: BlockWork, runs: Sequence[tuple[str | None, DataSet]], executor: Executor
) -> tuple[list[tuple[str | None, DataSet]], list[str]]:
    """The runs that can be read and share a topic with the qrels, and why the others cannot be measured."""
    looked = list(
        zip(*executor.map(partial(look_at_block, work), work.items()), strict=True)
    )  # of each run, its blocks
    kept, bad = [], []
    for (name, run), blocks in zip(runs, looked, strict=False):
        words = next((words for words, _ in blocks if words), "")
        if not words and not any(topics for _, topics in blocks):
            words = f"{run.where}: no topic in common with {work.qrels.where}"
        if words:
            bad.append(words)
        else:
            kept.append((name, run))
    return kept, bad


def _names(runs: Sequence[tuple[str | None, DataSet]]) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    """Names of runs, and notices of those that were told apart."""
    names, renamed = distinct_names([name or run.name or "run" for name, run in runs], [run.where for _, run in runs])
    return tuple(names), tuple(renamed)


def _qrels_of(source: object) -> tuple[DataSet, QrelsFile]:
    file = source if isinstance(source, QrelsFile) else QrelsFile(source)
    if file.intents is not None:
        raise ParameterError(
            "intents (probabilities of sub-topics) cannot be used with data sets: evaluate files with evaluate()"
        )
    return _data_set(file.source, "qrels"), file


def _data_set(source: object, kind: str, like: str = "") -> DataSet:
    """The data set of this kind; raise InputError, which says how to make one, where it is none."""
    data_set = find_data_set(source)
    if data_set is None:
        raise InputError(_unpartitioned(source, like))
    if data_set.kind != kind:
        expected, found = ("qrels", "a run") if kind == "qrels" else ("a run", "qrels")
        raise InputError(f"{data_set.where}: expected {expected}, found {found}; qrels come first, then runs")
    return data_set


def _given(runs: object) -> list[tuple[str | None, RunFile]]:
    """The runs, with their names where these are given."""
    if isinstance(runs, dict):
        given: list[tuple[str | None, Any]] = list(runs.items())
    elif isinstance(runs, list | tuple):
        given = [cast("Any", one) if isinstance(one, tuple) else (None, one) for one in runs]
    else:
        given = [(None, runs)]
    if not given:
        raise InputError("there are no runs to evaluate")
    return [(name, source if isinstance(source, RunFile) else RunFile(source)) for name, source in given]


def _run_of(file: RunFile, qrels: DataSet) -> DataSet:
    """The data set of a run; InputError where it is none that is partitioned like the qrels."""
    data_set = _data_set(file.source, "run", f" --like {qrels.where}")
    if data_set.split != qrels.split:
        raise InputError(
            f"{data_set.where} has {data_set.split}, and {qrels.where} has {qrels.split}"
            f"{' with other borders' * (str(data_set.split) == str(qrels.split))}: a topic must be in files of the "
            f"same number; split the run like the qrels: rankscale convert {data_set.where} OUT "
            f"--partition-by topic --like {qrels.where}"
        )
    return data_set


def _is_nowhere(source: object) -> bool:
    """Whether a source is a path of this machine where nothing is."""
    if not isinstance(source, str | os.PathLike):
        return False
    return "://" not in os.fspath(source) and not os.path.exists(source)


def _unpartitioned(source: object, like: str) -> str:
    shown = readable(os.fspath(source)) if isinstance(source, str | os.PathLike) else type(source).__name__
    if _is_nowhere(source):
        return f"{shown}: there is no such folder; expected a data set that is partitioned by topic"
    folder = f"a folder without {MANIFEST}, in which topics may be scattered"
    kind = folder if os.path.isdir(shown) else "a file" if os.path.isfile(shown) else "none"
    return (
        f"{shown}: expected a data set that is partitioned by topic, found {kind}; partition it first: "
        f"rankscale convert {shown} OUT --partition-by topic{like}"
    )
