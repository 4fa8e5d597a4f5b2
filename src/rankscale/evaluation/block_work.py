"""A block of topics: the rows of one partition of the qrels and of each run, measured by themselves."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.exact_sums import ExactSums, PairSums
from rankscale.data.judged import empty_rankings
from rankscale.data.names import SHOWN_NAMES
from rankscale.data.qrels import Qrels
from rankscale.data.resources import library
from rankscale.data.run import Run
from rankscale.errors import FormatError, ParameterError
from rankscale.evaluation.batches import EvaluationRequest, OneRun, measured, sharing
from rankscale.evaluation.notices import odd_values, without_ideal
from rankscale.evaluation.options import Judging, Missing
from rankscale.evaluation.result import counting
from rankscale.inputs.options import Reading
from rankscale.inputs.partitioned import MANIFEST, DataSet
from rankscale.inputs.read import QrelsFile, RunFile, read_qrels
from rankscale.measures.base.measure import Measure


@dataclass(frozen=True)
class BlockSums:
    """What is known of a block once its values are written; adding two is exact, so that their order is no matter."""

    sums: ExactSums  # (measure, run): of what topics add to the means
    counted: Ints  # (measure, run)
    pairs: tuple[PairSums, ...]  # of each measure, where pairs of runs will be compared
    missing: Ints  # (run,): topics of the qrels that the run lacks
    missing_names: tuple[tuple[str, ...], ...]  # of each run, the first few
    unknown: Ints  # (run,): topics that the qrels lack
    odd: Ints  # (measure, 3): values that are undefined, above what is usual, infinite
    rankings: int  # that count
    defined: tuple[bool, ...]  # of each measure: whether it has a value on some topic
    undefined: tuple[str, ...]  # of each measure: why it has none, where it says so
    cautions: tuple[tuple[str, str], ...]  # measure and caution
    longest: Ints  # (run,): documents of the longest ranking
    without_ideal: Ints  # (measure,): topics on which not even the ideal ranking gains anything
    without_ideal_names: tuple[tuple[str, ...], ...]  # of each measure, the first few

    def __add__(self, other: "BlockSums") -> "BlockSums":
        return BlockSums(
            self.sums + other.sums,
            self.counted + other.counted,
            tuple(one + another for one, another in zip(self.pairs, other.pairs, strict=True)),
            self.missing + other.missing,
            _first(self.missing_names, other.missing_names),
            self.unknown + other.unknown,
            self.odd + other.odd,
            self.rankings + other.rankings,
            tuple(one or another for one, another in zip(self.defined, other.defined, strict=True)),
            tuple(one or another for one, another in zip(self.undefined, other.undefined, strict=True)),
            (*self.cautions, *(one for one in other.cautions if one[0] not in dict(self.cautions))),
            np.maximum(self.longest, other.longest),
            self.without_ideal + other.without_ideal,
            _first(self.without_ideal_names, other.without_ideal_names),
        )


def _first(names: tuple[tuple[str, ...], ...], more: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """The first few names of each."""
    return tuple((*one, *another)[:SHOWN_NAMES] for one, another in zip(names, more, strict=True))


@dataclass(frozen=True)
class Block:
    """The values of a block of topics, and what is added up."""

    topics: tuple[str, ...]
    values: Floats  # (measure, run, topic)
    retrieved: Bools  # (run, topic): whether the topic counts for the run
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
    judging: Judging
    reading: Reading
    missing: Missing
    pairs: bool  # whether sums of pairs of runs are made
    qrels_file: QrelsFile
    run_file: RunFile

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures requested."""
        return self.request.measures

    def items(self) -> Iterator[BlockItem]:
        """The blocks, in the order of their numbers."""
        for number in range(self.qrels.split.count):
            yield BlockItem(number, tuple(about.file(number) for about in (self.qrels, *self.runs)))

    def __call__(self, item: BlockItem) -> Block:
        """The values of a block, and what is added up."""
        number = item.number
        with ExitStack() as stack:
            if not self.qrels.parts[number].topics:
                return self._without_topics(number)
            qrels = self._qrels(number, stack)
            views = sharing(self.measures, qrels, condensed=self.judging.judged_only)
            runs = [self._run(place, number, qrels, views, stack) for place in range(len(self.runs))]
        return self._measured(qrels, runs)

    def _without_topics(self, number: int) -> Block:
        """A block for which the qrels have no topic: all that runs have there is unknown."""
        shape = (len(self.measures), len(self.runs))
        nothing = np.empty((*shape, 0))
        added = BlockSums(
            ExactSums.zeros(shape),
            np.zeros(shape, dtype=np.int64),
            tuple(PairSums.of(of.T) for of in nothing) if self.pairs else (),
            np.zeros(len(self.runs), dtype=np.int64),
            ((),) * len(self.runs),
            np.array([run.parts[number].topics for run in self.runs], dtype=np.int64),
            np.zeros((len(self.measures), 3), dtype=np.int64),
            0,
            (False,) * len(self.measures),
            ("",) * len(self.measures),
            (),
            np.zeros(len(self.runs), dtype=np.int64),
            np.zeros(len(self.measures), dtype=np.int64),
            ((),) * len(self.measures),
        )
        return Block((), nothing, np.empty((len(self.runs), 0), dtype=bool), added)

    def _qrels(self, number: int, stack: ExitStack) -> Qrels:
        """The judgments of the block, with the levels of the whole collection."""
        part, where = self.qrels.parts[number], f"{self.qrels.where}/{self.qrels.parts[number].file}"
        file = stack.enter_context(self.qrels.opened(number))
        qrels = replace(read_qrels(replace(self.qrels_file, source=file)), source=self.qrels.where)
        self._check_topics(self.qrels, number, qrels.index.topics, len(qrels.topics))
        try:
            whole = qrels.within(self.qrels.levels)
        except ParameterError as error:
            raise FormatError(f"{where}: {error} of {MANIFEST}; write the data set again") from error
        return self.judging.regraded(whole) if part.topics else whole

    def _run(self, place: int, number: int, qrels: Qrels, views: Any, stack: ExitStack) -> OneRun:  # noqa: ANN401  # what sharing() gives
        about = self.runs[place]
        if about.parts[number].rows:
            file = stack.enter_context(about.opened(number))
            item: object = (self.names[place], replace(self.run_file, source=file))
        else:
            item = _empty_run(self.names[place], qrels, self.reading)
        (one,) = measured(qrels, views, self.request, [item], reading=self.reading)
        topics = int(np.count_nonzero(one.retrieved)) + one.unknown_topics
        if topics != about.parts[number].topics or one.unknown_topics:
            self._check_topics(about, number, _topics_of(about, number), topics)
        return one

    def _check_topics(self, data_set: DataSet, number: int, names: Sequence[bytes], count: int) -> None:
        """Raise FormatError where topics belong to another partition, or their number is not that of the manifest."""
        part = data_set.parts[number]
        where = f"{data_set.where}/{part.file}"
        strange = [name for name, of in zip(names, data_set.split.places(names), strict=True) if of != number]
        if strange:
            raise FormatError(
                f"{where}: topic {strange[0].decode('utf-8', 'replace')!r} belongs to another partition; write the "
                "data set again: rankscale convert IN OUT --partition-by topic"
            )
        if count != part.topics:
            raise FormatError(
                f"{where}: has {count} topics, and {MANIFEST} says {part.topics}; write the data set again"
            )

    def _measured(self, qrels: Qrels, runs: Sequence[OneRun]) -> Block:
        there = np.stack([run.retrieved for run in runs])
        retrieved = counting(there, self.missing)
        values = np.stack([run.values["values"] for run in runs], axis=1)
        kept = np.where(retrieved, values, np.nan)
        together = retrieved.any(axis=0)
        lacking = [np.flatnonzero(~of_run) for of_run in there]
        no_ideal = without_ideal(self.measures, qrels, np.flatnonzero(together))
        added = BlockSums(
            _sums(self.measures, kept),
            np.count_nonzero(~np.isnan(kept), axis=-1),
            tuple(_pair_sums(measure, of[:, together]) for measure, of in zip(self.measures, kept, strict=True))
            if self.pairs
            else (),
            np.array([len(of_run) for of_run in lacking], dtype=np.int64),
            tuple(tuple(qrels.topics[t] for t in of_run[:SHOWN_NAMES].tolist()) for of_run in lacking),
            np.array([run.unknown_topics for run in runs], dtype=np.int64),
            odd_values(self.measures, values, retrieved),
            int(np.count_nonzero(retrieved)),
            tuple(not np.isnan(of).all() for of in values),
            tuple(_why_undefined(measure, of, qrels) for measure, of in zip(self.measures, values, strict=True)),
            tuple(
                (str(measure), caution)
                for measure, of in zip(self.measures, kept, strict=True)
                for caution in measure.cautions(of, qrels.levels, qrels.highest)
            ),
            np.array([run.longest for run in runs], dtype=np.int64),
            np.array(list(map(len, no_ideal)), dtype=np.int64),
            tuple(topics[:SHOWN_NAMES] for topics in no_ideal),
        )
        return Block(qrels.topics, frozen(values), frozen(retrieved), added)


def _sums(measures: Sequence[Measure], kept: Floats) -> ExactSums:
    """(measure, run): exact sums of what topics add to each mean."""
    return ExactSums.of(np.stack([measure.terms(of) for measure, of in zip(measures, kept, strict=True)]))


def _pair_sums(measure: Measure, values: Floats) -> PairSums:
    """Exact sums for tests of all pairs of runs, given values (run, topic): of what is averaged."""
    return PairSums.of(np.ascontiguousarray(measure.averaged(values).T))


def _why_undefined(measure: Measure, values: Floats, qrels: Qrels) -> str:
    if not np.isnan(values).all():
        return ""
    return measure.why_undefined(empty_rankings(qrels.counts, qrels.levels, qrels.highest))


def _empty_run(name: str, qrels: Qrels, reading: Reading) -> Run:
    """A run without any topic of the block."""
    nothing = np.zeros(0, dtype=np.int32)
    return Run(
        name,
        rows=nothing,
        length=nothing,
        starts=np.zeros(1, dtype=np.int64),
        rank=nothing,
        document=nothing,
        first=nothing,
        last=nothing,
        qrels=qrels.fingerprint,
        order=reading.sorted_by,
        depth=reading.depth,
        score=np.zeros(0) if reading.keep_scores else None,
    )


def _topics_of(data_set: DataSet, number: int) -> list[bytes]:
    """The topics of a partition, read by themselves: only where something is odd about them."""
    parquet, compute = library("pyarrow.parquet", "Parquet files"), library("pyarrow.compute", "Parquet files")
    if not data_set.parts[number].rows:
        return []
    with data_set.opened(number) as file:
        table = parquet.read_table(file if isinstance(file, str) else file.path, columns=["topic"])
    return [name.encode() for name in compute.unique(table.column("topic")).to_pylist()]
