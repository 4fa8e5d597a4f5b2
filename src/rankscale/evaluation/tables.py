"""Tables and pictures of an evaluation: tidy values by topic, wide means of runs, sparklines, dots."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.names import listed
from rankscale.data.notices import by_key
from rankscale.data.table import GRID_ROWS, Batch, Cell, Column, Names, RunRows, Sparklines, Stream, Table
from rankscale.errors import ParameterError, Setting
from rankscale.outputs.pictures import DotColumn, Dots

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation

NAMES = ("run", "topic", "measure")
RANGES = (("[]", "lower", "upper"), ("()", "ties_lower", "ties_upper"))  # from unjudged documents, from ties
ALL = "all"  # the topic of rows that sum up a run
BRACES = "{}"  # of intervals of means where brackets are taken
MEAN_ENDS = ("mean_lower", "mean_upper")  # columns of these intervals


def values_table(evaluation: "Evaluation", *, per_topic: bool) -> Table:
    """Tidy: run, topic, measure, value and bounds. Text has the rows of topic `all` too, which hold the means.

    Without `per_topic` these are the only rows.
    """
    by_topic = {"value": evaluation.values, **columns_by_topic(evaluation)}
    summary = {"value": evaluation.means().values, **evaluation.extra_means()}
    names = [str(measure) for measure in evaluation.measures]

    def rows(run: int, topics: tuple[str, ...], places: Ints, numbers: dict[str, Floats]) -> Batch:
        """Rows of one run: `numbers` are (topic, measure) each."""
        width, height = len(names), len(places)
        return {
            "run": Names(evaluation.runs, np.full(width * height, run)),
            "topic": Names(topics, np.repeat(places, width)),
            "measure": Names(names, np.tile(np.arange(width), height)),
            **{name: array.ravel() for name, array in numbers.items()},
        }

    def topic_rows(run: int) -> Batch:
        kept = np.flatnonzero(evaluation.retrieved[run])
        return rows(run, evaluation.topics, kept, {name: of[:, run, kept].T for name, of in by_topic.items()})

    def mean_rows(run: int) -> Batch:
        numbers = {name: of[:, run] for name, of in summary.items()}
        return rows(run, (evaluation.mean_name,), np.zeros(1, dtype=np.int64), numbers)

    def batches() -> Iterator[Batch]:
        return map(topic_rows if per_topic else mean_rows, range(len(evaluation.runs)))

    def whole_run(run: int) -> RunRows:
        return RunRows(
            evaluation.runs[run],
            evaluation.runs,
            evaluation.topics,
            tuple(names),
            evaluation.retrieved[run],
            {name: of[:, run] for name, of in by_topic.items()},
            {name: of[:, run] for name, of in summary.items()},
            lambda: (topic_rows(run), mean_rows(run)),
        )

    def text_batches() -> Iterator[Batch | RunRows]:
        runs = range(len(evaluation.runs))
        if not per_topic:
            return map(mean_rows, runs)
        name_of_means(evaluation)  # an error, before anything is written, where a topic has that name
        if evaluation.mean_name == ALL and len(evaluation.topics) * len(names) <= GRID_ROWS:
            return map(whole_run, runs)
        return (make(run) for run in runs for make in (topic_rows, mean_rows))

    kinds = {**dict.fromkeys(NAMES, str), **dict.fromkeys(by_topic, float)}
    of_topics = {name: kind for name, kind in kinds.items() if name not in evaluation.sureness}
    stream = Stream(
        of_topics if per_topic else kinds,
        batches,
        text_batches,
        lambda: run_documents(evaluation, per_topic=per_topic),
        grid=len(names),
        text_kinds=kinds,
    )
    return Table({}, evaluation.provenance, stream=stream)


def name_of_means(evaluation: "Evaluation") -> str:
    """The topic of rows that sum up a run, `all` by default; ParameterError where a topic has that name."""
    if evaluation.mean_name in evaluation.topics:
        raise ParameterError(
            f"a topic is called {evaluation.mean_name}, as rows of means are: give these another name with ",
            Setting("mean_name"),
        )
    return evaluation.mean_name


def columns_by_topic(evaluation: "Evaluation") -> dict[str, Floats]:
    """(measure, run, topic): the extra columns; NaN for those that only means have, such as intervals."""
    nothing = np.broadcast_to(np.nan, evaluation.values.shape)
    return {**evaluation.extra_columns, **dict.fromkeys(evaluation.sureness, nothing)}


def run_documents(evaluation: "Evaluation", *, per_topic: bool) -> Iterator[Mapping[str, object]]:
    """For each run its means, the number of topics behind each, and values by topic."""
    names = [str(measure) for measure in evaluation.measures]
    means = evaluation.means()
    by_topic: dict[str, Floats] = {}
    if per_topic:
        extra = {f"topics_{key}": of for key, of in evaluation.extra_columns.items()}
        by_topic = {"topics": evaluation.values, **extra}
    of_means = {
        key if key in evaluation.sureness else f"means_{key}": of for key, of in evaluation.extra_means().items()
    }
    summaries = {"means": means.values, **of_means}

    def by_measure(values: Floats | Ints) -> dict[str, object]:
        return dict(zip(names, values.tolist(), strict=True))

    for r, run in enumerate(evaluation.runs):
        kept = np.flatnonzero(evaluation.retrieved[r]).tolist()
        yield {
            "run": run,
            **{key: by_measure(of[:, r]) for key, of in summaries.items()},
            "topics_counted": by_measure(means.counted[:, r]),
            **{key: {evaluation.topics[t]: by_measure(of[:, r, t]) for t in kept} for key, of in by_topic.items()},
        }


def means_table(evaluation: "Evaluation") -> Table:
    """Wide: a row for each run, and for each measure a column and those of its bounds and intervals: `AP_lower`."""
    means, extra = evaluation.means(), evaluation.extra_means()
    topics = means.counted.max(axis=0, initial=0).tolist()
    columns: dict[str, list[Cell]] = {"run": [*evaluation.runs], "topics": topics}
    view = [Column("run"), Column("topics", plain=True)]
    for m, name in enumerate(means.measures):
        columns[name] = means.values[m].tolist()
        columns |= {f"{name}_{key}": of[m].tolist() for key, of in extra.items()}
        best = frozenset(np.flatnonzero(means.values[m] == evaluation.best_means()[m]).tolist())
        faint = frozenset(np.flatnonzero(means.values[m] < evaluation.measures[m].doubtful_below).tolist())
        fewer = fewer_topics(means.counted[m].tolist(), topics)
        view.append(measure_column(evaluation, m, extra, fewer, best, faint))
    return Table(columns, evaluation.provenance, notes=table_notes(evaluation), view=view)


def table_notes(evaluation: "Evaluation") -> tuple[str, ...]:
    """What the length of measures is that have one, and what the intervals beside means are, where there are any."""
    brackets = "brackets" if evaluation.lower is None else "braces"
    intervals = () if evaluation.confidence is None else evaluation.confidence.notes(brackets)
    with_depth = (measure for measure in evaluation.measures if measure.assumed_depth is not None)
    by_depth = by_key((measure.assumed_depth, str(measure)) for measure in with_depth)
    lengths = (f"{listed(names)}: N is {depth}, or 2 RB if that is more" for depth, names in by_depth.items())
    return (*lengths, *intervals)


def topics_table(evaluation: "Evaluation") -> Table:
    """Wide: one row for each run and topic, then one for the mean."""
    means, extra = evaluation.means(), evaluation.extra_means()
    rows = [(r, t) for r, kept in enumerate(evaluation.retrieved) for t in [*np.flatnonzero(kept).tolist(), -1]]
    run, topic = np.array(rows, dtype=np.int64).reshape(-1, 2).T

    def column(by_topic: Floats, summary: Floats) -> list[Cell]:
        """(row,): the value of a topic, or the mean where the topic is -1."""
        of_topics = by_topic[run, topic] if by_topic.size else np.nan
        return list(np.where(topic < 0, summary[run], of_topics).tolist())

    columns: dict[str, list[Cell]] = {
        "run": [evaluation.runs[r] for r, _ in rows],
        "topic": [evaluation.topics[t] if t >= 0 else name_of_means(evaluation) for _, t in rows],
    }
    view = [Column("run"), Column("topic", align="right")]
    over = means.counted.max(axis=0, initial=0)
    for m, name in enumerate(means.measures):
        columns[name] = column(evaluation.values[m], means.values[m])
        columns |= {f"{name}_{key}": column(of[m], extra[key][m]) for key, of in columns_by_topic(evaluation).items()}
        fewer = fewer_topics(np.where(topic < 0, means.counted[m][run], over[run]).tolist(), over[run].tolist())
        view.append(measure_column(evaluation, m, extra, fewer))
    return Table(columns, evaluation.provenance, notes=table_notes(evaluation), view=view)


def fewer_topics(counted: list[int], over: list[int]) -> list[str]:
    """The number of topics of a mean, where it is over fewer than others."""
    return [f" ({count})" if count != most else "" for count, most in zip(counted, over, strict=True)]


def measure_column(
    evaluation: "Evaluation",
    m: int,
    extra: Container[str],
    suffixes: list[str],
    best: frozenset[int] = frozenset(),
    faint: frozenset[int] = frozenset(),
) -> Column:
    """How people are shown a measure: values with the bounds, ranges of ties and errors that `extra` has."""
    name = str(evaluation.measures[m])
    intervals = (BRACES if "lower" in extra else "[]", *MEAN_ENDS)
    return Column(
        name,
        align="right",
        plain=True,
        digits=0 if evaluation.measures[m].summary == "sum" else None,
        ranges={
            brackets: (f"{name}_{lower}", f"{name}_{upper}")
            for brackets, lower, upper in (*RANGES, intervals)
            if lower in extra
        },
        errors=f"{name}_ties_error" if "ties_error" in extra else (),
        suffixes=suffixes,
        best=best,
        faint=faint,
    )


BY_TOPIC = "by topic"


def with_sparklines(table: Table, evaluation: "Evaluation") -> Table:
    """A table of means with the values by topic after each mean, and a note that says how they are read.

    Topics are in the order of the mean over all runs, the highest first, which is the same in every row, so that a run
    that does well where others do not stands out. All rows of a measure have the same limits.
    """
    view: list[Column] = []
    notes = []
    measures = {str(measure): m for m, measure in enumerate(evaluation.measures)}
    for column in table.shown():
        view.append(column)
        if (name := column.name) in measures:
            lines = sparklines_of(np.where(evaluation.retrieved, evaluation.values[measures[name]], np.nan))
            view.append(Column(f"{name} {BY_TOPIC}", cells=lines.text(), align="left", sparklines=lines))
            notes.append(f"{name} {lines.lowest:.4g} to {lines.highest:.4g}")
    how = (
        "By topic: values from the topic with the highest mean over all runs to that with the lowest, a block for one "
        f"topic or for the mean of a few; from the lowest to the highest block {', '.join(notes)}."
    )
    return replace(table, view=view, notes=(*table.notes, how))


def sparklines_of(values: Floats) -> Sparklines:
    """Sparklines of one measure.

    Parameters
    ----------
    values : array (run, topic)
        NaN where a run has no value.

    Returns
    -------
    Sparklines
        A row for each run; between 0, or the lowest value where that is below, and the highest.
    """
    finite = np.where(np.isfinite(values), values, np.nan)
    counts = np.count_nonzero(~np.isnan(finite), axis=0)
    means = np.nansum(finite, axis=0) / np.maximum(counts, 1)
    order = np.argsort(np.where(counts > 0, -means, np.inf), kind="stable")
    known = finite[~np.isnan(finite)]
    lowest, highest = min(0.0, float(known.min(initial=0.0))), float(known.max(initial=0.0))
    return Sparklines(finite[:, order].tolist(), lowest, highest)


def dots_of_means(evaluation: "Evaluation") -> Dots:
    """A panel for each of the first measures, a row for each run; intervals are those of `with_confidence`."""
    means, sure = evaluation.means(), evaluation.sureness
    has_ends = MEAN_ENDS[0] in sure
    panels = [
        DotColumn(name, means.values[m].tolist(), *((sure[end][m].tolist() for end in MEAN_ENDS) if has_ends else ()))
        for m, name in enumerate(means.measures)
    ]
    return Dots(evaluation.runs, panels)
