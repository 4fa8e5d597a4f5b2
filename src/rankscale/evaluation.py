"""The verb and its result: `evaluate(runs, qrels, measures) -> Evaluation`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Self

import numpy as np

from rankscale import __version__
from rankscale.data.arrays import Bools, Floats, Ints, frozen, same
from rankscale.data.judged import Judged
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run, one_after_the_other
from rankscale.data.table import ValueTable
from rankscale.errors import InputError, ParameterError, UnknownNameError
from rankscale.executors import Executor
from rankscale.executors.inline import Inline
from rankscale.formats import text
from rankscale.formats.inputs import iterate_runs, read_qrels, run_sources
from rankscale.formats.trec import distinct_names
from rankscale.measures.base import Measure, Numbers, written
from rankscale.measures.gains import normal_form
from rankscale.measures.parse import parse, parse_all

COMMON = "topics:common|"  # what a signature starts with where topics were left out
SHOWN_TOPICS = 5  # of those that a warning names
BATCH_RUNS, BATCH_ENTRIES = 16, 1 << 20  # runs that are measured together


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All values by measure, run and topic, with what is needed to get them again."""

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  # (measure, run, topic); NaN where undefined or missing
    retrieved: Bools  # (run, topic): whether the topic counts for the run
    signature: str = ""
    sources: tuple[str, ...] = ()  # of the qrels, then of each run
    warnings: tuple[str, ...] = ()

    @cached_property
    def _summaries(self) -> tuple[Floats, Ints]:
        """(measure, run): the one number of each run, and over how many topics it is."""
        kept = np.where(self.retrieved, self.values, np.nan)
        means = [measure.summarise(values) for measure, values in zip(self.measures, kept, strict=True)]
        return np.array(means).reshape(kept.shape[:2]), np.count_nonzero(~np.isnan(kept), axis=-1)

    def means(self) -> "Means":
        """One number for each run and measure, and over how many topics it is."""
        return Means(self.table())

    def by_topic(self, run: str, measure: str | Measure) -> dict[str, float]:
        """The values of one run."""
        row, column = _place(self.runs, run, "run"), self._measure(measure)
        kept = np.flatnonzero(self.retrieved[row]).tolist()
        return {self.topics[t]: float(self.values[column, row, t]) for t in kept}

    def __getitem__(self, measure: str | Measure) -> Self:
        """The same evaluation with one measure."""
        place = self._measure(measure)
        return replace(self, measures=(self.measures[place],), values=self.values[place : place + 1])

    def _measure(self, measure: str | Measure) -> int:
        return _place([str(m) for m in self.measures], str(parse(measure)), "measure")

    @property
    def _whole(self) -> tuple[bool, ...]:
        return tuple(measure.summary == "sum" for measure in self.measures)

    def common(self) -> Self:
        """The same evaluation over the topics that all runs have."""
        if self.signature.startswith(COMMON):
            return self
        everywhere = np.broadcast_to(self.retrieved.all(axis=0), self.retrieved.shape).copy()
        return replace(self, retrieved=frozen(everywhere), signature=COMMON + self.signature)

    def sorted_by(self, measure: str | Measure) -> Self:
        """The same evaluation, the run with the highest mean first."""
        means, _ = self._summaries
        order = np.argsort(-means[self._measure(measure)], kind="stable")
        return replace(
            self,
            runs=tuple(self.runs[r] for r in order.tolist()),
            values=frozen(self.values[:, order]),
            retrieved=frozen(self.retrieved[order]),
            sources=(*self.sources[:1], *(self.sources[1:][r] for r in order.tolist() if self.sources[1:])),
        )

    def table(self) -> ValueTable:
        """Names and values, as writers take them."""
        means, counted = self._summaries
        names = tuple(map(str, self.measures))
        provenance: dict[str, object] = {
            "rankscale": __version__,
            "signature": self.signature,
            "measures": list(names),
            "sources": list(self.sources),
        }
        return ValueTable(
            names, self.runs, self.topics, self.values, self.retrieved, means, counted, self._whole, provenance
        )

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """`{run: {topic: {measure: value}}}`."""
        names = [str(measure) for measure in self.measures]
        return {
            run: {
                self.topics[t]: dict(zip(names, self.values[:, r, t].tolist(), strict=True))
                for t in np.flatnonzero(self.retrieved[r]).tolist()
            }
            for r, run in enumerate(self.runs)
        }

    def to_json(self, *, per_topic: bool = True, places: int | None = None) -> str:
        """One JSON document: provenance, means with their number of topics, and values by topic."""
        return text.json_document(self.table(), per_topic=per_topic, places=places)

    def to_polars(self) -> Any:  # noqa: ANN401  # polars need not be installed
        """A tidy polars data frame: run, topic, measure, value."""
        from rankscale.formats import frames

        return frames.to_polars(self.table())

    def to_pandas(self) -> Any:  # noqa: ANN401  # pandas need not be installed
        """A tidy pandas data frame: run, topic, measure, value."""
        from rankscale.formats import frames

        return frames.to_pandas(self.table())

    def to_arrow(self) -> Any:  # noqa: ANN401  # pyarrow need not be installed
        """A tidy Arrow table, provenance in its metadata."""
        from rankscale.formats import frames

        return frames.to_arrow(self.table())

    def write_parquet(self, path: str) -> None:
        """A tidy Parquet file (zstd), provenance in its metadata."""
        from rankscale.formats import frames

        frames.write_parquet(self.table(), path)

    def to_latex(self, places: int = 4) -> str:
        """The means as a LaTeX table, best in bold, names escaped."""
        from rankscale.formats import latex

        return latex.means_table(self.table(), places)

    def to_markdown(self, places: int = 4) -> str:
        """The means as a Markdown table, best in bold, names escaped."""
        from rankscale.formats import markdown

        return markdown.means_table(self.table(), places)

    def _repr_html_(self) -> str:
        from rankscale.formats import page

        return page.means_table(self.table())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evaluation) and all(
            same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside

    def __repr__(self) -> str:
        return f"<Evaluation: {len(self.measures)} measures, {len(self.runs)} runs, {len(self.topics)} topics>"


def _place(names: Sequence[str], name: str, kind: str) -> int:
    if name not in names:
        raise UnknownNameError(kind, name, names, f"this evaluation has {_listed(list(names))}")
    return list(names).index(name)


class Means:
    """One number for each run and measure, each saying over how many topics it is."""

    def __init__(self, table: ValueTable) -> None:
        self._table = table
        self.measures, self.runs = table.measures, table.runs
        self.values: Floats = table.means  # (measure, run)
        self.counted: Ints = table.counted  # (measure, run)

    def __getitem__(self, run_and_measure: tuple[str, str]) -> float:
        run, measure = run_and_measure
        place = _place(self.measures, str(parse(measure)), "measure"), _place(self.runs, run, "run")
        return float(self.values[place])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """`{run: {measure: value}}`."""
        columns = self.values.T.tolist()
        return {run: dict(zip(self.measures, row, strict=True)) for run, row in zip(self.runs, columns, strict=True)}

    def __str__(self) -> str:
        return text.means_table(self._table, places=4)

    __repr__ = __str__


def evaluate(
    runs: Any,  # noqa: ANN401  # whatever formats.inputs reads
    qrels: Any,  # noqa: ANN401
    measures: str | Measure | Iterable[str | Measure],
    *,
    complete: bool = False,
    judged_only: bool = False,
    depth: int | None = None,
    grades: Mapping[float, float] | Sequence[float] | None = None,
    negative: str = "unjudged",
    order: str | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    max_size: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Measure runs.

    `runs` are paths, patterns, tables, `{topic: {document: score}}` or `{name: run}`; `complete` counts topics that a
    run misses as empty rankings rather than leaving them out of its means; `depth` cuts every ranking first;
    `order` is what orders a ranking ('score' unless a run was read otherwise);
    `judged_only` takes unjudged documents out; `grades` maps grades first; `negative` says whether a negative grade is
    'unjudged' or 'not relevant'; `progress(done, of)` is called after each run.

    >>> qrels = {"301": {"a": 1, "b": 0, "c": 1}}
    >>> print(evaluate({"mine": {"301": {"b": 3.0, "a": 2.0}}}, qrels, ["AP", "P@5"]).means())
    run   topics      AP     P@5
    mine       1  0.2500  0.2000
    """
    wanted = parse_all([measures] if isinstance(measures, str | Measure) else list(measures))
    judgments = _prepared(read_qrels(qrels, max_size=max_size), grades, negative)
    reading: dict[str, Any] = {"order": order, "depth": depth, "max_size": max_size}
    views = _sharing(wanted, judgments.levels, condensed=judged_only)
    work = partial(_measured, judgments, wanted, views, complete=complete, judged_only=judged_only, reading=reading)
    executor = executor or Inline()
    sources = run_sources(runs)
    items: Iterable[Any] = ([source] for source in sources)
    if not executor.reads_elsewhere:
        items = _batches(iterate_runs(sources, judgments, **reading, threads=threads))
    found: list[_OneRun] = []
    for one in chain.from_iterable(executor.map(work, items)):
        found.append(one)
        if progress:
            progress(len(found), len(sources))
    if not found:
        raise InputError("there are no runs to evaluate")
    settings = {
        "order": _one_or_all(run.order for run in found),
        "depth": _one_or_all(run.depth for run in found),
        "missing": "zero" if complete else "left-out",
        "unjudged": "removed" if judged_only else "not-relevant",
        "grades": None if grades is None else written(normal_form(grades)),
        "negative": negative.replace(" ", "-"),
    }
    return _gathered(found, judgments, wanted, complete=complete, signature=_signature(settings))


def _prepared(qrels: Qrels, grades: Mapping[float, float] | Sequence[float] | None, negative: str) -> Qrels:
    if negative not in {"unjudged", "not relevant"}:
        raise ParameterError(f"negative must be 'unjudged' or 'not relevant', got {negative!r}")
    if grades is not None:
        qrels = qrels.conflated(grades)
    return qrels.negatives_as_not_relevant() if negative == "not relevant" else qrels


@dataclass(frozen=True)
class _OneRun:
    """What is known of a run once it is measured."""

    name: str
    source: str
    values: Floats  # (measure, topic)
    retrieved: Bools  # (topic,): before `complete` adds the missing ones
    order: str
    depth: int | None
    unknown_topics: int
    warnings: tuple[str, ...]


def _batches(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """A few runs at a time: enough to make formulas worth their call, few enough to stay small."""
    batch: list[Run] = []
    for run in runs:
        batch.append(run)
        if len(batch) == BATCH_RUNS or sum(len(one.rank) for one in batch) > BATCH_ENTRIES:
            yield batch
            batch = []
    if batch:
        yield batch


def _measured(
    qrels: Qrels,
    measures: tuple[Measure, ...],
    views: "Views",
    items: Sequence[Any],  # Runs, or where to read them
    *,
    complete: bool,
    judged_only: bool,
    reading: dict[str, Any],
) -> list[_OneRun]:
    runs = [
        item if isinstance(item, Run) else next(iterate_runs([item], qrels, **reading, threads=1)) for item in items
    ]
    topics = len(qrels.topics)
    together = one_after_the_other([run.completed(topics) if complete else run for run in runs])
    owner = np.repeat(np.arange(len(runs)), topics if complete else [len(run.rows) for run in runs])
    values = np.full((len(runs), len(measures), topics), np.nan)
    for ignored, groups in views.items():
        for which, judged in together.without(np.array(ignored), qrels).blocks(qrels):
            seen = judged.only_judged() if judged_only else judged
            for places in groups:
                first = measures[places[0]]
                looked_at = seen.only_judged() if first.judged_only else seen
                found = _read(first.total(looked_at), [measures[place] for place in places], looked_at)
                for place, column in zip(places, found, strict=True):
                    values[owner[which], place, together.rows[which]] = column
    return [_one(run, of_run, topics) for run, of_run in zip(runs, values, strict=True)]


def _read(total: Numbers, measures: Sequence[Measure], judged: Judged) -> list[Floats]:
    """The values of measures that differ only in depth, all depths read at once."""
    depths = tuple(measure.depth for measure in measures if measure.depth is not None)
    by_depth = dict(zip(depths, measures[0].read_at(total, judged, depths).T, strict=True)) if depths else {}
    return [measure.read(total, judged) if measure.depth is None else by_depth[measure.depth] for measure in measures]


def _one(run: Run, values: Floats, topics: int) -> _OneRun:
    retrieved = np.zeros(topics, dtype=bool)
    retrieved[run.rows] = True
    return _OneRun(run.name, run.source, values, retrieved, run.order, run.depth, run.unknown_topics, run.warnings)


# By the levels that are ignored: groups of places of measures that share a total.
Views = dict[tuple[bool, ...], list[list[int]]]


def _sharing(measures: Sequence[Measure], levels: Floats, *, condensed: bool) -> Views:
    """Places of measures that differ only in depth, and so share a total; by the levels that they ignore.

    Most measures ignore what is not relevant, which is most of what is judged: leaving it out makes their tables small.
    """
    totals: dict[Any, list[int]] = {}
    for place, measure in enumerate(measures):
        parameters = tuple(getattr(measure, f.name) for f in fields(measure) if f.name != "depth")
        totals.setdefault((type(measure), parameters), []).append(place)
    views: Views = {}
    for places in totals.values():
        measure = measures[places[0]]
        # Taking out the unjudged needs to know all that is judged.
        needs_all = condensed or measure.judged_only
        ignored = np.zeros(len(levels), dtype=bool) if needs_all else measure.ignored(levels)
        views.setdefault(tuple(ignored.tolist()), []).append(places)
    return views


def _gathered(
    found: Sequence[_OneRun], qrels: Qrels, measures: tuple[Measure, ...], *, complete: bool, signature: str
) -> Evaluation:
    names, renamed = distinct_names([one.name for one in found], [one.source for one in found])
    warnings = [*qrels.warnings, *_grade_warnings(qrels, measures), *renamed]
    for name, one in zip(names, found, strict=True):
        warnings += [*one.warnings, *_topic_warnings(name, one, qrels, complete=complete)]
    retrieved = np.stack([one.retrieved for one in found])
    return Evaluation(
        measures=measures,
        runs=tuple(names),
        topics=qrels.topics,
        values=frozen(np.stack([one.values for one in found], axis=1)),
        retrieved=frozen(np.ones_like(retrieved) if complete else retrieved),
        signature=signature,
        sources=(qrels.source, *(one.source or one.name for one in found)),
        warnings=tuple(warnings),
    )


def _topic_warnings(name: str, one: _OneRun, qrels: Qrels, *, complete: bool) -> Iterator[str]:
    where = one.source or name
    missing = [topic for topic, there in zip(qrels.topics, one.retrieved.tolist(), strict=True) if not there]
    if len(missing) == len(qrels.topics):
        raise InputError(
            f"{where} and {qrels.source} have no topic in common; the qrels have {_listed(list(qrels.topics))}\n"
            "check that both files belong to the same collection and spell topics alike"
        )
    if missing:
        one_only = len(missing) == 1
        left_out = f"left out of its means; --complete counts {'it' if one_only else 'them'} as zero"
        treated = "counted as empty rankings" if complete else left_out
        count = f"{len(missing)} of {len(qrels.topics)} topics in {qrels.source} {'is' if one_only else 'are'}"
        yield f"{count} missing from {where} ({_listed(missing)}) and {treated}"
    if one.unknown_topics:
        count = "1 topic" if one.unknown_topics == 1 else f"{one.unknown_topics} topics"
        yield f"{count} of {where} not in {qrels.source}, left out"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:SHOWN_TOPICS]) + (", ..." if len(names) > SHOWN_TOPICS else "")


def _grade_warnings(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[str]:
    per_level = qrels.counts.sum(axis=0)
    for rel in sorted({measure.rel for measure in measures if hasattr(measure, "rel")}):
        between = (qrels.levels > 0) & (qrels.levels < rel)
        if between.any():
            grades = ", ".join(f"{level:g}" for level in qrels.levels[between][:SHOWN_TOPICS])
            count = f"{int(per_level[between].sum())} judgments with grades between 0 and {rel:g} ({grades})"
            yield f"{count} count as not relevant for measures with rel={rel:g}"


def _signature(settings: Mapping[str, object]) -> str:
    """All that is needed to get a number again, in one line."""
    told = [f"{key}:{value}" for key, value in settings.items() if value is not None]
    return "|".join([*told, f"v:{__version__}"])


def _one_or_all(values: Iterable[object]) -> object:
    """The one value that all runs share, or all that there are."""
    distinct = list(dict.fromkeys(values))
    return distinct[0] if len(distinct) == 1 else "/".join(map(str, distinct))
