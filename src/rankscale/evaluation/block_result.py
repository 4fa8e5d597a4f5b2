"""BlockEvaluation: means and sums of an evaluation that was made block by block; values by topic are in a file."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.arrays import Floats, Ints, frozen
from rankscale.data.exact_sums import ExactSums, PairSums
from rankscale.data.notices import Notice, Noticed
from rankscale.data.resources import library, need
from rankscale.data.table import Table
from rankscale.errors import FormatError, InputError, ParameterError
from rankscale.evaluation.options import Missing
from rankscale.evaluation.result import Evaluation, Means, in_bytes, measure_place, shared_fields
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure
from rankscale.outputs.results import Page, TabularResult

if TYPE_CHECKING:
    import pyarrow as pa

ALL_VALUES = (
    "request only what needs no values of all topics at once (means, and the tests student, sign, one-way, two-way and "
    "dunnett)"
)
CELL = 9  # bytes of a value in memory, and whether its topic counts
NAME = 80  # bytes of the name of a topic


@dataclass(frozen=True, eq=False)
class BlockEvaluation(Noticed, TabularResult):
    """Result of `evaluate_blocks`: means over all topics and sums that tests rest on, without the values themselves.

    Attributes
    ----------
    measures
        `Measure` objects, in the order of the sums.
    runs
        Names, in the order of the sums.
    topics
        How many topics the qrels have.
    sums, counted
        (measure, run): exact sums of what topics add to each mean, and over how many topics.
    pairs
        Exact sums of pairs of runs, one for each measure; empty without `pairs=True`.
    extra
        (measure, run): means of bounds and ranges of ties, by name, where they are requested.
    missing
        (run,): topics of the qrels that each run lacks.
    values
        File of the values by topic; None where none was written.
    levels, topics_rule, signature, sources, notices
        As in `Evaluation`.

    Examples
    --------
    >>> import rankscale as rs
    >>> from tempfile import TemporaryDirectory
    >>> qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"c": 2.0, "b": 1.0}}
    >>> with TemporaryDirectory() as folder:
    ...     rs.write_qrels(qrels, f"{folder}/qrels.txt")
    ...     rs.write_run(run, f"{folder}/bm25.txt", name="bm25")
    ...     _ = rs.partition(f"{folder}/qrels.txt", f"{folder}/qrels")
    ...     _ = rs.partition(f"{folder}/bm25.txt", f"{folder}/bm25", like=f"{folder}/qrels")
    ...     print(rs.evaluate_blocks(f"{folder}/qrels", f"{folder}/bm25", ["AP", "P@1"]).means())
    run   topics      AP     P@1
    bm25       2  0.7500  0.5000
    """

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    topics: int
    sums: ExactSums
    counted: Ints
    pairs: tuple[PairSums, ...]
    missing: Ints
    levels: tuple[float, ...]
    topics_rule: Missing
    signature: str
    sources: tuple[str, ...]
    values: str | None = None
    notices: tuple[Notice, ...] = ()
    extra: Mapping[str, Floats] = field(default_factory=dict)

    @cached_property
    def summarised(self) -> Evaluation:
        """An evaluation that knows its means and no topic: what tables of means are made from."""
        nothing: Any = np.empty((len(self.measures), len(self.runs), 0))
        return _Summarised(
            **shared_fields(self),
            topics=(),
            retrieved=np.empty((len(self.runs), 0), dtype=bool),
            **dict.fromkeys(("values", *self.extra), nothing),
            of_blocks=(self._means, self.counted),
            extra_of_blocks=self.extra,
        )

    @cached_property
    def _means(self) -> Floats:
        """(measure, run)."""
        return means_of_sums(self.measures, self.sums, self.counted)

    def means(self) -> Means:
        """Means over topics, the same to the last bit as `evaluate` has them."""
        return self.summarised.means()

    def sorted_by(self, measure: AnyMeasure) -> Self:
        """The same result, the best run first by its mean."""
        place = measure_place([str(one) for one in self.measures], measure)
        order = np.argsort(self._means[place] * (1 if self.measures[place].low_is_good else -1), kind="stable")
        return self._taken(
            (slice(None), order),
            runs=tuple(self.runs[r] for r in order.tolist()),
            pairs=tuple(one.in_order(order) for one in self.pairs),
            missing=frozen(self.missing[order]),
            sources=(self.sources[0], *(self.sources[1:][r] for r in order.tolist())),
        )

    def __getitem__(self, measures: AnyMeasure | list[AnyMeasure]) -> Self:
        """The same result with one measure, or with those of a list."""
        names = [str(one) for one in self.measures]
        places = [measure_place(names, one) for one in (measures if isinstance(measures, list) else [measures])]
        return self._taken(
            places,
            measures=tuple(self.measures[place] for place in places),
            pairs=tuple(self.pairs[place] for place in places if self.pairs),
        )

    def _taken(self, index: Any, **about: Any) -> Self:  # noqa: ANN401  # other fields
        """The same result at some places of its sums, (measure, run)."""
        extra = {name: frozen(of[index]) for name, of in self.extra.items()}
        return replace(self, sums=self.sums[index], counted=frozen(self.counted[index]), extra=extra, **about)

    @property
    def memory(self) -> int:
        """Bytes that the values of all topics would take in memory, about."""
        return memory_of(self.topics, len(self.runs), len(self.measures) * (1 + len(self.extra)))

    def read(self, max_memory: Positive | None = None) -> Evaluation:
        """All values by topic, read back from the Parquet file that they were written to.

        Parameters
        ----------
        max_memory
            Bytes that they may take; by default what `set_max_memory` allows, or half of what is free.

        Raises
        ------
        ParameterError
            If no values were written.
        MemoryLimitError
            If they would take more memory.
        """
        check_arguments(BlockEvaluation.read, locals())
        need(self.memory, f"a table of the values of {self.topics} topics", ALL_VALUES, max_memory)
        if self.values is None or not self.values.endswith(".parquet"):
            raise ParameterError(
                "values by topic are read back from a Parquet file, and none was written: give "
                "values='values.parquet' to evaluate_blocks"
            )
        return Evaluation(**shared_fields(self), **_read(self))

    def table(self, name: str | None = None) -> Table:
        """Tidy rows of means, whose topic is called all; `name` can be 'means'."""
        if name not in {None, "means"}:
            raise ParameterError(f"there is no table {name!r}: values by topic are in the file they were written to")
        return self.summarised.table("means")

    def views(self, name: str | None = None) -> Sequence[Table]:
        """The means, as people read them."""
        self.table(name)
        return self.summarised.views("means")

    def page(self) -> Page:
        """What a notebook shows: the means."""
        return replace(self.summarised.page(), heading=f"{len(self.runs)} runs over {self.topics} topics")

    def __repr__(self) -> str:
        return f"<BlockEvaluation: {len(self.measures)} measures, {len(self.runs)} runs, {self.topics} topics>"


@dataclass(frozen=True, eq=False)
class _Summarised(Evaluation):
    """An evaluation whose means were added up elsewhere."""

    of_blocks: tuple[Floats, Ints] = (np.empty(0), np.empty(0, dtype=np.int64))
    extra_of_blocks: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def _summaries(self) -> tuple[Floats, Ints]:
        return self.of_blocks

    def extra_means(self) -> dict[str, Floats]:
        """(measure, run): the extra columns summed up over topics."""
        return dict(self.extra_of_blocks)


def means_of_sums(measures: Sequence[Measure], sums: ExactSums, counted: Ints, *, errors: bool = False) -> Floats:
    """(measure, run): the means over topics, or their standard errors, from sums over so many topics."""
    totals = sums.rounded()
    made = [
        (measure.of_squares if errors else measure.of_total)(total, count)
        for measure, total, count in zip(measures, totals, counted, strict=True)
    ]
    return np.array(made).reshape(totals.shape)


def memory_of(topics: int, runs: int, columns: int) -> int:
    """Bytes that values by topic take in memory, about: so many columns for each run."""
    return topics * (runs * columns * CELL + NAME)


def _read(result: BlockEvaluation) -> dict[str, Any]:
    """Values (measure, run, topic) by column, topics in byte order, and which count for which run, (run, topic)."""
    parquet = library("pyarrow.parquet", "Parquet files")
    runs = {name: place for place, name in enumerate(result.runs)}
    measures = {str(measure): place for place, measure in enumerate(result.measures)}
    topics: defaultdict[str, int] = defaultdict(lambda: len(topics))  # each name has the next place
    shape = (len(measures), len(runs), result.topics)
    columns = {name: np.full(shape, np.nan) for name in ("value", *result.extra)}
    retrieved = np.zeros(shape[1:], dtype=bool)
    try:
        file = parquet.ParquetFile(result.values)
        for batch in file.iter_batches(columns=["run", "topic", "measure", *columns], use_threads=False):
            run = _places(batch.column("run"), lambda name: runs.get(name, -1))
            topic = _places(batch.column("topic"), topics.__getitem__)
            measure = _places(batch.column("measure"), lambda name: measures.get(name, -1))
            kept = measure >= 0  # others were measured, too
            for name, values in columns.items():
                values[measure[kept], run[kept], topic[kept]] = np.asarray(batch.column(name))[kept]
            retrieved[run, topic] = True
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise FormatError(
            f"{result.values}: expected the values that were written here; evaluate again ({error})"
        ) from error
    names = sorted(topics, key=in_bytes)
    if not names:
        raise InputError(f"{result.values}: there are no values")
    order = np.array([topics[name] for name in names], dtype=np.int64)
    ordered = {name: frozen(values[..., order]) for name, values in columns.items()}
    ordered["values"] = ordered.pop("value")
    return {**ordered, "topics": tuple(names), "retrieved": frozen(retrieved[:, order])}


def _places(column: "pa.StringArray", place_of: Callable[[str], int]) -> Ints:
    """(row,): the place of each name."""
    coded = column.dictionary_encode()
    places = np.array(list(map(place_of, coded.dictionary.to_pylist())), dtype=np.int64)
    by_row: Ints = places[np.asarray(coded.indices)]
    return by_row
