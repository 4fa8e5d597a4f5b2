"""The function for an engine, `evaluate_batches(qrels, measures)(batches)`, and the columns of what it gives back."""

import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.arrays import Floats, Ints, NDArray
from rankscale.data.qrels import Qrels
from rankscale.data.resources import library
from rankscale.data.run import EVERY_RUN, Run, concatenate
from rankscale.data.table import readable
from rankscale.errors import InputError, ParameterError
from rankscale.evaluation.batches import Views, measured_rankings, sharing
from rankscale.evaluation.engine.blocks import REPARTITION, BlockCutter, RowBlock, topic_that_comes_back
from rankscale.evaluation.notices import requested
from rankscale.evaluation.options import BOUNDS, EvaluationRequest, JudgingOptions
from rankscale.inputs.options import ROLES, Columns
from rankscale.inputs.read import QrelsLike, naming_file, read_qrels
from rankscale.inputs.tabular import ArrowTable, runs_from
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure

if TYPE_CHECKING:
    import pyarrow as pa

NAMES = ("run", "topic")  # columns of text, before the measure
MAX_ROWS = 1 << 19  # rows held at once
MAX_VALUES = 1 << 19  # values measured at once, and rows of a batch that is given back
PLACE = "the record batches"  # in messages
EXAMPLE = "evaluate_batches(qrels, 'AP')"  # of a call, in messages
KEPT_QRELS = 2  # of those that came with a function, so that the next task need not unpack them again
_QRELS: OrderedDict[bytes, Qrels] = OrderedDict()  # by digest, those used last at the end


class ValueOptions(JudgingOptions, total=False):
    """Keywords of both functions, as in `rs.evaluate`."""

    depth: Positive | None
    order: str | None
    bounds: bool


def columns_of(measures: tuple[Measure, ...], *, wide: bool, bounds: bool) -> dict[str, str]:
    """Names of the output columns, and whether each holds 'string' or 'double'."""
    numbers = ("value", *BOUNDS * bounds)
    if not wide:
        return {**dict.fromkeys((*NAMES, "measure"), "string"), **dict.fromkeys(numbers, "double")}
    names = [str(measure) for measure in measures]
    extra = [f"{name}_{column}" for name in names for column in numbers[1:]]
    return {**dict.fromkeys(NAMES, "string"), **dict.fromkeys((*names, *extra), "double")}


def output_schema(
    measures: AnyMeasure | Iterable[AnyMeasure], *, wide: bool = False, bounds: bool = False
) -> "pa.Schema":
    """Arrow schema of the batches that `evaluate_batches` with the same options gives.

    Parameters
    ----------
    measures
        One measure or several, as in `rs.evaluate`.
    wide
        Whether there is one row for each run and topic with a column for each measure, rather than a row for each
        value.
    bounds
        Whether there are columns `lower` and `upper`, or `nDCG@10_lower` and so on in wide rows.

    Returns
    -------
    pyarrow.Schema
        `run`, `topic`, `measure` (string), `value` (double), and the bounds.

    Examples
    --------
    >>> output_schema(["AP", "nDCG@10"]).names
    ['run', 'topic', 'measure', 'value']
    >>> output_schema(["AP", "nDCG@10"], wide=True).names
    ['run', 'topic', 'AP', 'nDCG@10']
    """
    check_arguments(output_schema, locals())
    arrow = library("pyarrow", "record batches")
    types = {"string": arrow.string(), "double": arrow.float64()}
    return arrow.schema(
        [(name, types[of]) for name, of in columns_of(requested(measures, EXAMPLE), wide=wide, bounds=bounds).items()]
    )


def spark_schema(measures: AnyMeasure | Iterable[AnyMeasure], *, wide: bool = False, bounds: bool = False) -> str:
    """The same columns as Spark spells a schema, for `DataFrame.mapInArrow(function, schema)`.

    Examples
    --------
    >>> spark_schema("nDCG@10")
    '`run` string, `topic` string, `measure` string, `value` double'
    >>> spark_schema("nDCG@10", wide=True)
    '`run` string, `topic` string, `nDCG@10` double'
    """
    check_arguments(spark_schema, locals())
    columns = columns_of(requested(measures, EXAMPLE), wide=wide, bounds=bounds)
    return ", ".join(f"`{name.replace('`', '``')}` {of}" for name, of in columns.items())


def evaluate_batches(
    qrels: QrelsLike,
    measures: AnyMeasure | Iterable[AnyMeasure],
    *,
    run: str | None = None,
    columns: Columns | None = None,
    wide: bool = False,
    max_rows: Positive = MAX_ROWS,
    **options: Unpack[ValueOptions],
) -> "BatchEvaluator":
    """Return a function that measures rankings in record batches, for engines that split tables into partitions.

    Its input is an iterator of Arrow record batches with columns of topics, documents and scores, and of runs if there
    are several; its output is an iterator of record batches with columns `run`, `topic`, `measure` and `value`. Values
    are those of `rs.evaluate`, bit by bit, however rows are cut into batches. It can be pickled, with the qrels.

    All rows of a topic must be in one partition. A partition of at most `max_rows` rows may have them in any order; in
    a larger one the rows of each topic, or of each run and topic, must be adjacent. Topics of the qrels for which a run
    has no rows are added by `summarise`, since one partition does not show which topics the others have. Topics that
    the qrels lack are left out.

    Parameters
    ----------
    qrels
        Judgments, in any form that `read_qrels` takes.
    measures
        One measure or several, as in `rs.evaluate`.
    run
        Name of the run, if no column holds one; 'run' by default.
    columns
        Which column holds what, as in `read_run`: `{"topic": "qid", "document": "pid", "score": "sim"}`. By default
        columns are recognised by their usual names.
    wide
        Whether to return one row for each run and topic, with a column for each measure, not one for each value.
    max_rows
        Most rows held at once, which bounds the memory; the default, 524,288 rows, takes about 80 MB.
    **options
        `judged_only`, `depth`, `grades`, `negative`, `order` and `bounds`, as in `rs.evaluate`, with
        the same defaults; `bounds` adds the columns `lower` and `upper`.

    Returns
    -------
    BatchEvaluator
        The function. Its `schema` and `spark_schema` are those of its output.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.
    BoundsError
        If `bounds` are requested and no measure has any.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rankscale import engine
    >>> evaluate = engine.evaluate_batches({"301": {"a": 1, "b": 0}, "302": {"c": 1}}, ["AP", "P@1"], run="bm25")
    >>> batch = pa.record_batch({"topic": ["301", "301"], "document": ["b", "a"], "score": [2.0, 1.0]})
    >>> for values in evaluate([batch]):
    ...     print(values.to_pydict())
    {'run': ['bm25', 'bm25'], 'topic': ['301', '301'], 'measure': ['AP', 'P@1'], 'value': [0.5, 0.0]}
    """
    check_arguments(evaluate_batches, locals())
    if max_rows < 1:
        raise ParameterError(f"max_rows must be a whole number from 1, got {max_rows}")
    wanted = requested(measures, EXAMPLE)
    request = EvaluationRequest.of(wanted, {**options, "missing": "skip"})
    request.without_bounds()
    request = replace(request, reading=replace(request.reading, threads=1, columns=columns))
    return BatchEvaluator(request.judging.regraded(read_qrels(qrels)), request, run, wide, max_rows)


@dataclass(frozen=True, eq=False)
class BatchEvaluator:
    """Measures the rankings in record batches; made by `evaluate_batches`, called by an engine.

    Attributes
    ----------
    qrels
        The judgments, with the grades they are taken as.
    schema
        Arrow schema of the output.
    spark_schema
        The same as Spark spells it.
    """

    qrels: Qrels
    request: EvaluationRequest
    run: str | None
    wide: bool
    max_rows: int

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """The values of the rankings in the batches of one partition; one batch without rows where there are none.

        A table or a single batch stands for a list of its batches.

        Raises
        ------
        FormatError
            If columns lack or rows are not what they should be; the message says which row of the partition.
        DuplicateError
            If a document stands in a ranking twice.
        InputError
            If the rows of a topic do not stand together in a partition of more than `max_rows` rows.
        """
        arrow = library("pyarrow", "record batches")
        if isinstance(batches, arrow.RecordBatch):
            batches = [batches]
        elif isinstance(batches, arrow.Table):
            batches = batches.to_batches()
        done, is_empty = TopicsDone(self.qrels), True
        for block in BlockCutter(self.request.reading, self.max_rows).blocks(batches):
            with naming_file(PLACE):
                runs = self._judged(block)
            done.add(runs)
            for values in self._values(runs):
                is_empty = False
                yield values
        if is_empty:
            yield arrow.RecordBatch.from_pylist([], schema=self.schema)

    def of_table(self, table: "pa.Table") -> "pa.Table":
        """The values of a whole partition that is one table, for engines that hand over such: Ray Data, Daft."""
        arrow = library("pyarrow", "record batches")
        return arrow.Table.from_batches(self(table.to_batches()), schema=self.schema)

    @cached_property
    def schema(self) -> "pa.Schema":
        """Arrow schema of the output."""
        return output_schema(self.request.measures, wide=self.wide, bounds=self.request.bounds)

    @property
    def spark_schema(self) -> str:
        """Schema of the output for `DataFrame.mapInArrow(function, schema)` of Spark."""
        return spark_schema(self.request.measures, wide=self.wide, bounds=self.request.bounds)

    def _judged(self, block: RowBlock) -> list[Run]:
        """The runs in a block, judged; raise InputError where more rows follow and topics are scattered."""
        if self.run is not None and block.columns.part is not None:
            raise ParameterError(
                f"the column {block.columns.part} names runs, and run={self.run!r} is for batches without such a "
                "column; leave out one of them"
            )
        table = ArrowTable(tuple(block.rows.schema.names), lambda _: block.rows, first_row=block.first_row)
        named = tuple((role, name) for role, name in block.columns.described if role in ROLES)
        reading = replace(self.request.reading, columns=named)
        runs = runs_from(self.qrels, table, self.run or "run", reading)
        if not block.is_last and any(run.is_scattered for run in runs):
            topic = topic_that_comes_back(block.rows.column(block.columns.topic))
            if topic is not None:
                raise InputError(
                    f"the rows of topic {topic} do not stand together, in a partition of more than {self.max_rows} "
                    f"rows, which is the most that are held at once (max_rows=); {REPARTITION}"
                )
        return [run for run in runs if len(run.rows)]

    def _values(self, runs: Sequence[Run]) -> "Iterator[pa.RecordBatch]":
        """Values of the rankings of some runs, a bounded number at a time."""
        if not runs:
            return
        together = concatenate(runs)
        owner = np.repeat(np.arange(len(runs)), [len(run.rows) for run in runs])
        names = [readable(run.name) for run in runs]
        step = max(1, MAX_VALUES // len(self.request.measures))
        for start in range(0, len(owner), step):
            part = together if step >= len(owner) else rankings_of(together, start, start + step)
            columns = self.request.unmeasured(len(part.rows))
            for which, place, name, values in measured_rankings(self.qrels, self._views, self.request, [part]):
                columns[name][place, which] = values
            yield self._batch(names, owner[start : start + step], part.rows, columns)

    def _batch(self, names: list[str], owner: Ints, rows: Ints, columns: dict[str, Floats]) -> "pa.RecordBatch":
        """Rows of the output; `owner` and `rows` (ranking,) are the run and the topic, `columns` (measure, ranking)."""
        arrow = library("pyarrow", "record batches")
        width = 1 if self.wide else len(self.request.measures)
        runs = arrow.array(names, arrow.string()).take(arrow.array(np.repeat(owner, width)))
        topics = self._topics.take(arrow.array(np.repeat(rows, width)))
        if self.wide:
            values, *extra = columns.values()
            by_measure = [one for of_measure in zip(*extra, strict=True) for one in of_measure]
            numbers = [*values, *by_measure]
        else:
            codes = arrow.array(np.tile(np.arange(width), len(rows)))
            measures = arrow.array([str(measure) for measure in self.request.measures], arrow.string()).take(codes)
            numbers = [of.T.ravel() for of in columns.values()]
        text = [runs, topics] if self.wide else [runs, topics, measures]
        return arrow.RecordBatch.from_arrays([*text, *map(arrow.array, numbers)], schema=self.schema)

    @cached_property
    def _views(self) -> Views:
        return sharing(self.request, self.qrels)

    @cached_property
    def _topics(self) -> "pa.Array":
        """Names of the topics of the qrels."""
        arrow = library("pyarrow", "record batches")
        return arrow.array([readable(topic) for topic in self.qrels.topics], arrow.string())

    @cached_property
    def _packed(self) -> tuple[bytes, bytes]:
        """The qrels, pickled once for all engines and tasks, and a digest that tells them from others."""
        packed = pickle.dumps(self.qrels, protocol=pickle.HIGHEST_PROTOCOL)
        return blake2b(packed, digest_size=16).digest(), packed

    def __reduce__(self) -> tuple[Callable[..., "BatchEvaluator"], tuple[object, ...]]:
        """Pickled with the qrels as bytes, which a process that has them already does not unpack again."""
        return unpacked, (*self._packed, self.request, self.run, self.wide, self.max_rows)

    def __repr__(self) -> str:
        return f"<BatchEvaluator of {', '.join(map(str, self.request.measures))} with {self.qrels!r}>"


def unpacked(digest: bytes, packed: bytes, *settings: Any) -> BatchEvaluator:  # noqa: ANN401  # of the constructor
    """The function again, in a process of the engine."""
    qrels = _QRELS.get(digest)
    if qrels is None:
        qrels = _QRELS[digest] = pickle.loads(packed)  # noqa: S301  # engines pickle the function and all it holds
        while len(_QRELS) > KEPT_QRELS:
            _QRELS.popitem(last=False)
    _QRELS.move_to_end(digest)
    return BatchEvaluator(qrels, *settings)


class TopicsDone:
    """Which topics of each run were measured: one bit for each topic of the qrels."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.bits: dict[str, NDArray[np.uint8]] = {}

    def add(self, runs: Iterable[Run]) -> None:
        """Mark the topics of some runs; raise InputError for one that was measured before."""
        for run in runs:
            bits = self.bits.setdefault(run.name, np.zeros(len(self.qrels.topics) // 8 + 1, dtype=np.uint8))
            places, bit = run.rows >> 3, np.left_shift(1, run.rows & 7).astype(np.uint8)
            again = np.flatnonzero(bits[places] & bit)
            if len(again):
                topic = readable(self.qrels.topics[int(run.rows[again[0]])])
                raise InputError(
                    f"topic {topic} of run {readable(run.name)} comes again after other topics, and was measured "
                    f"already; {REPARTITION}"
                )
            np.bitwise_or.at(bits, places, bit)


def rankings_of(run: Run, start: int, stop: int) -> Run:
    """Some of the rankings of a run."""
    starts = run.starts[start : stop + 1]
    kept = slice(int(starts[0]), int(starts[-1]))
    columns: dict[str, Any] = {name: run.derive(name, itemgetter(kept)) for name in EVERY_RUN}
    return replace(
        run,
        **columns,
        rows=run.rows[start:stop],
        length=run.length[start:stop],
        starts=starts - starts[0],
        score=None if run.score is None else run.score[kept],
        judged_so_far=None if run.judged_so_far is None else run.judged_so_far[kept],
    )
