"""Tables of means by group of topics, and of values by topic with the group of each."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.table import Batch, Cell, Cells, Column, Names, Stream, Table
from rankscale.evaluation.tables import (
    NAMES,
    columns_by_topic,
    fewer_topics,
    measure_column,
    run_documents,
    table_notes,
)

if TYPE_CHECKING:
    from rankscale.evaluation.group_means import GroupMeans

GROUP = "group"


def group_rows(about: "GroupMeans") -> Table:
    """Tidy: one row for each run, group and measure; the topic is `all`, as in rows that sum up a run."""
    runs, rows, names = about.runs, about.rows, about.measures
    each = [(m, g, r) for r in range(len(runs)) for g in range(len(rows)) for m in range(len(names))]
    columns: dict[str, Sequence[Cell]] = {
        "run": [runs[r] for _, _, r in each],
        "topic": [about.evaluation.mean_name] * len(each),
        "measure": [names[m] for m, _, _ in each],
    }
    for name, numbers in {"value": about.values, **about.extra}.items():
        columns[name] = [float(numbers[place]) for place in each]
    columns[GROUP] = [rows[g] for _, g, _ in each]
    columns["topics"] = [int(about.counted[place]) for place in each]
    columns["sd"] = [_or_nothing(float(about.deviations[place])) for place in each]
    return Table(columns, about.provenance)


def _or_nothing(number: float) -> float | None:
    return None if np.isnan(number) else number


def group_means_table(about: "GroupMeans") -> Table:
    """A row for each group and run, a column for each measure, its bounds and ranges; the best of a group is bold."""
    columns = _names_of_rows(about)
    most = about.counted.max(axis=0, initial=0).ravel().tolist()
    view = [Column(GROUP, align="left"), Column("run", align="left"), Column("topics", plain=True)]
    for m, name in enumerate(about.measures):
        columns[name] = about.values[m].ravel().tolist()
        columns |= {f"{name}_{key}": of[m].ravel().tolist() for key, of in about.extra.items()}
        fewer = fewer_topics(about.counted[m].ravel().tolist(), most)
        view.append(measure_column(about.evaluation, m, about.extra, fewer, _best(about, m)))
    return Table(columns, about.provenance, notes=_notes(about), view=view)


def _notes(about: "GroupMeans") -> tuple[str, ...]:
    return (*about.grouping.notes(about.evaluation.measures), *table_notes(about.evaluation))


def _names_of_rows(about: "GroupMeans") -> dict[str, Sequence[Cell]]:
    """Group, run and number of topics of each row, group by group."""
    return {
        GROUP: [name for name in about.rows for _ in about.runs],
        "run": [*about.runs] * len(about.rows),
        "topics": about.counted.max(axis=0, initial=0).ravel().tolist(),
    }


def _best(about: "GroupMeans", m: int) -> frozenset[int]:
    """Rows with the best mean of their group; none where neither high nor low is better."""
    measure, values = about.evaluation.measures[m], about.values[m]
    if measure.direction_note:
        return frozenset()
    sign = -1.0 if measure.low_is_good else 1.0
    best = np.nanmax(sign * values, axis=1, initial=-np.inf, keepdims=True)
    return frozenset(np.flatnonzero((sign * values == best).ravel()).tolist())


def _group_of_topics(about: "GroupMeans") -> Ints:
    """(topic,): the place of its group; those that count for no run are in none, and in no row."""
    places: Ints = about.members.argmax(axis=0)
    return places


def values_by_group(about: "GroupMeans") -> Table:
    """Tidy: values by topic as in an evaluation, and the group of each; in text the means of groups, too."""
    evaluation, names = about.evaluation, about.measures
    by_topic = {"value": evaluation.values, **columns_by_topic(evaluation)}
    summary = {"value": about.values, **about.extra}
    group_of = _group_of_topics(about)
    rows = np.arange(len(about.rows))

    def batch(run: int, topics: Names, groups: Names, numbers: dict[str, Floats]) -> Batch:
        """Rows of one run: `numbers` are (row, measure) each."""
        width, height = len(names), len(topics.codes)
        columns: dict[str, Cells] = {
            "run": Names(evaluation.runs, np.full(width * height, run)),
            "topic": Names(topics.names, np.repeat(topics.codes, width)),
            "measure": Names(names, np.tile(np.arange(width), height)),
        }
        columns |= {name: np.ascontiguousarray(array).ravel() for name, array in numbers.items()}
        return {**columns, GROUP: Names(groups.names, np.repeat(groups.codes, width))}

    def topic_rows(run: int) -> Batch:
        kept = np.flatnonzero(evaluation.retrieved[run])
        numbers = {name: of[:, run, kept].T for name, of in by_topic.items()}
        return batch(run, Names(evaluation.topics, kept), Names(about.rows, group_of[kept]), numbers)

    def mean_rows(run: int) -> Batch:
        numbers = {name: of[:, :, run].T for name, of in summary.items()}
        return batch(run, Names((evaluation.mean_name,), np.zeros_like(rows)), Names(about.rows, rows), numbers)

    def batches() -> Iterator[Batch]:
        return map(topic_rows, range(len(evaluation.runs)))

    def text_batches() -> Iterator[Batch]:
        return (make(run) for run in range(len(evaluation.runs)) for make in (topic_rows, mean_rows))

    kinds = {**dict.fromkeys(NAMES, str), **dict.fromkeys(by_topic, float), GROUP: str}
    kept = {name: kind for name, kind in kinds.items() if name not in evaluation.sureness}
    of_topics = {
        topic: about.groups[group_of[t]] for t, topic in enumerate(evaluation.topics) if about.members[:, t].any()
    }
    head = {"groups_of_topics": of_topics, "by_group": group_rows(about)}
    stream = Stream(
        kept, batches, text_batches, lambda: run_documents(evaluation, per_topic=True), head, text_kinds=kinds
    )
    return Table({}, about.provenance, stream=stream)


def topics_by_group(about: "GroupMeans") -> Table:
    """For people: one row for each run and topic with its group, then one for the mean of each group."""
    evaluation, group_of = about.evaluation, _group_of_topics(about)
    rows = [
        place
        for r, kept in enumerate(evaluation.retrieved)
        for place in [
            *((r, t, int(group_of[t])) for t in np.flatnonzero(kept).tolist()),
            *((r, -1, g) for g in range(len(about.rows))),
        ]
    ]
    columns: dict[str, Sequence[Cell]] = {
        "run": [evaluation.runs[r] for r, _, _ in rows],
        "topic": [evaluation.topics[t] if t >= 0 else evaluation.mean_name for _, t, _ in rows],
        GROUP: [about.rows[g] for _, _, g in rows],
    }
    view = [Column("run"), Column("topic", align="right"), Column(GROUP, align="left")]
    most = about.counted.max(axis=0, initial=0)

    def column(by_topic: Floats, summary: Floats) -> list[float]:
        """(row,): the value of a topic, or the mean of a group."""
        return [float(by_topic[r, t] if t >= 0 else summary[g, r]) for r, t, g in rows]

    for m, name in enumerate(about.measures):
        columns[name] = column(evaluation.values[m], about.values[m])
        columns |= {
            f"{name}_{key}": column(of[m], about.extra[key][m]) for key, of in columns_by_topic(evaluation).items()
        }
        counted = [int(most[g, r] if t >= 0 else about.counted[m, g, r]) for r, t, g in rows]
        fewer = fewer_topics(counted, [int(most[g, r]) for r, _, g in rows])
        view.append(measure_column(evaluation, m, about.extra, fewer))
    return Table(columns, about.provenance, notes=_notes(about), view=view)
