"""A block of topics: the rows of one partition of the qrels and of each run, measured by themselves."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.exact_sums import ExactSums, PairSums
from rankscale.data.qrels import Qrels
from rankscale.data.resources import library
from rankscale.data.run import Run
from rankscale.errors import FormatError, ParameterError
from rankscale.evaluation.batches import OneRun, Views, empty_run, measured, sharing
from rankscale.evaluation.gathering import Tally, stacked
from rankscale.evaluation.options import TIES_ERROR, EvaluationRequest
from rankscale.evaluation.result import counting
from rankscale.inputs.partitioned import MANIFEST, DataSet
from rankscale.inputs.read import QrelsFile, RunFile, iterate_runs, read_qrels
from rankscale.measures.base.measure import Measure


@dataclass(frozen=True)
class ColumnSums:
    """What the topics of a block add to the means of a column, or to their standard errors; adding two is exact."""

    sums: ExactSums  # (measure, run)
    counted: Ints  # (measure, run): over how many topics
    known: Bools  # (measure, run): whether there is a value, of a topic that counts or not

    @classmethod
    def of(cls, measures: Sequence[Measure], values: Floats, retrieved: Bools, *, errors: bool) -> "ColumnSums":
        """Of values (measure, run, topic), or of standard errors, and where topics count, (run, topic)."""
        kept = np.where(retrieved, values, np.nan)
        if errors:
            sums = ExactSums.of(np.where(np.isnan(kept), 0.0, kept) ** 2)
        else:
            sums = ExactSums.of(np.stack([measure.terms(of) for measure, of in zip(measures, kept, strict=True)]))
        known = np.count_nonzero(~np.isnan(values), axis=-1) > 0
        return cls(sums, np.count_nonzero(~np.isnan(kept), axis=-1), known)

    def __add__(self, other: "ColumnSums") -> "ColumnSums":
        return ColumnSums(self.sums + other.sums, self.counted + other.counted, self.known | other.known)


@dataclass(frozen=True)
class BlockSums:
    """What is known of a block once its values are written; adding two is exact, so that their order is no matter."""

    tally: Tally
    columns: Mapping[str, ColumnSums]  # of the values and of each extra column
    pairs: tuple[PairSums, ...]  # of each measure, where pairs of runs will be compared

    def __add__(self, other: "BlockSums") -> "BlockSums":
        return BlockSums(
            self.tally + other.tally,
            {name: of + other.columns[name] for name, of in self.columns.items()},
            tuple(one + another for one, another in zip(self.pairs, other.pairs, strict=True)),
        )


@dataclass(frozen=True)
class TopicBlock:
    """The values of a block of topics, and what is added up."""

    topics: tuple[str, ...]
    columns: Mapping[str, Floats]  # (measure, run, topic) each: the values, then the extra columns
    there: Bools  # (run, topic): whether the run has the topic
    added: BlockSums


@dataclass(frozen=True)
class BlockItem:
    """Which block is measured, and the files of it, by which a job that is resumed knows it."""

    number: int
    files: tuple[str, ...]


@dataclass(frozen=True)
class BlockWork:
    """What is done with a block: read, judge, measure, add up. It pickles, and holds no rows."""

    qrels: DataSet
    runs: tuple[DataSet, ...]
    names: tuple[str, ...]  # of runs
    request: EvaluationRequest
    pairs: bool  # whether sums of pairs of runs are made
    qrels_file: QrelsFile
    run_file: RunFile

    def items(self) -> Iterator[BlockItem]:
        """The blocks, in the order of their numbers."""
        for number in range(self.qrels.split.count):
            yield BlockItem(number, tuple(about.file(number) for about in (self.qrels, *self.runs)))

    def __call__(self, item: BlockItem) -> TopicBlock:
        """The values of a block, and what is added up."""
        number, measures, runs = item.number, len(self.request.measures), len(self.runs)
        if not self.qrels.parts[number].topics:
            tally = Tally.without_topics(measures, [run.parts[number].topics for run in self.runs])
            return self._block((), self.request.unmeasured(runs, 0), np.empty((runs, 0), dtype=bool), tally)
        with ExitStack() as stack:
            qrels = self.judged(number, stack)
            views = sharing(self.request, qrels)
            each = [self._run(place, number, qrels, views, stack) for place in range(runs)]
        columns = stacked(each)
        tally = Tally.of(self.request, qrels, each, columns["values"])
        return self._block(qrels.topics, columns, np.stack([run.retrieved for run in each]), tally)

    def _block(self, topics: tuple[str, ...], columns: Mapping[str, Floats], there: Bools, tally: Tally) -> TopicBlock:
        """A block with its sums: what of its topics counts for each run."""
        measures, retrieved = self.request.measures, counting(there, self.request.missing)
        sums = {name: ColumnSums.of(measures, of, retrieved, errors=name == TIES_ERROR) for name, of in columns.items()}
        pairs: tuple[PairSums, ...] = ()
        if self.pairs:  # of what is averaged
            together, kept = retrieved.any(axis=0), np.where(retrieved, columns["values"], np.nan)
            averaged = (measure.averaged(of[:, together]) for measure, of in zip(measures, kept, strict=True))
            pairs = tuple(PairSums.of(np.ascontiguousarray(of.T)) for of in averaged)
        return TopicBlock(
            topics, {name: frozen(of) for name, of in columns.items()}, frozen(there), BlockSums(tally, sums, pairs)
        )

    def judged(self, number: int, stack: ExitStack) -> Qrels:
        """The judgments of the block, with the levels of the whole collection."""
        where = f"{self.qrels.where}/{self.qrels.parts[number].file}"
        file = stack.enter_context(self.qrels.opened(number))
        qrels = replace(read_qrels(replace(self.qrels_file, source=file)), source=self.qrels.where)
        _check_topics(self.qrels, number, qrels.index.topics, len(qrels.topics))
        try:
            whole = qrels.within(self.qrels.levels)
        except ParameterError as error:
            raise FormatError(f"{where}: {error} of {MANIFEST}; write the data set again") from error
        return self.request.judging.regraded(whole)

    def rankings(self, place: int, number: int, qrels: Qrels, stack: ExitStack) -> object:
        """Where to read the rankings of a run in the block; a run without any where it has none."""
        about = self.runs[place]
        if not about.parts[number].rows:
            return empty_run(self.names[place], qrels, self.request.read_as)
        file = stack.enter_context(about.opened(number))
        return self.names[place], replace(self.run_file, source=file)

    def _run(self, place: int, number: int, qrels: Qrels, views: Views, stack: ExitStack) -> OneRun:
        about = self.runs[place]
        item = self.rankings(place, number, qrels, stack)
        (one,) = measured(qrels, views, self.request.of_work, [item])
        self.check_run(about, number, int(np.count_nonzero(one.retrieved)), one.unknown_topics)
        return one

    @staticmethod
    def check_run(about: DataSet, number: int, known: int, unknown: int) -> None:
        """Raise FormatError where a run has other topics in a block than its manifest says, or such of other blocks."""
        if known + unknown != about.parts[number].topics or unknown:
            _check_topics(about, number, _topics_of(about, number), known + unknown)


def look_at_block(work: BlockWork, item: BlockItem) -> list[tuple[str, int]]:
    """Of each run why its part of a block cannot be read, empty if it can, and how many topics are there.

    All is read, and nothing measured.
    """
    if not work.qrels.parts[item.number].topics:
        return [("", 0)] * len(work.runs)
    with ExitStack() as stack:
        qrels = work.judged(item.number, stack)
        return [_look_at_run(work, place, item.number, qrels) for place in range(len(work.runs))]


def _look_at_run(work: BlockWork, place: int, number: int, qrels: Qrels) -> tuple[str, int]:
    try:
        with ExitStack() as stack:
            ranked = work.rankings(place, number, qrels, stack)
            if isinstance(ranked, Run):
                return "", 0
            (run,) = iterate_runs(qrels, [ranked], replace(work.request.read_as, threads=1))
            work.check_run(work.runs[place], number, len(run.rows), run.unknown_topics)
    except FormatError as error:
        return str(error), 0
    return "", len(run.rows)


def _check_topics(data_set: DataSet, number: int, names: Sequence[bytes], count: int) -> None:
    """Raise FormatError where topics belong to another partition, or their number is not that of the manifest."""
    part = data_set.parts[number]
    where = f"{data_set.where}/{part.file}"
    strange = [name for name, of in zip(names, data_set.split.places(names), strict=True) if of != number]
    if strange:
        raise FormatError(
            f"{where}: topic {strange[0].decode('utf-8', 'replace')!r} belongs to another partition; write the data "
            "set again: rankscale convert IN OUT --partition-by topic"
        )
    if count != part.topics:
        raise FormatError(f"{where}: has {count} topics, and {MANIFEST} says {part.topics}; write the data set again")


def _topics_of(data_set: DataSet, number: int) -> list[bytes]:
    """The topics of a partition, read by themselves: only where something is odd about them."""
    parquet, compute = library("pyarrow.parquet", "Parquet files"), library("pyarrow.compute", "Parquet files")
    if not data_set.parts[number].rows:
        return []
    with data_set.opened(number) as file:
        table = parquet.read_table(file if isinstance(file, str) else file.path, columns=["topic"])
    return [name.encode() for name in compute.unique(table.column("topic")).to_pylist()]
