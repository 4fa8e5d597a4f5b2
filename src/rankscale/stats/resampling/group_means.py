"""GroupMeans: means of runs by group of topics, over topics (micro) and over groups (macro)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats, Ints, frozen
from rankscale.data.exact_sums import rounded_sums
from rankscale.data.names import place_of
from rankscale.data.notices import Notice, Noticed, notes
from rankscale.data.table import Batch, Cell, Column, Names, Stream, Table
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.tables import (
    columns_by_topic,
    fewer_topics,
    measure_column,
    table_notes,
    values_table,
)
from rankscale.measures.base.measure import Measure
from rankscale.outputs.results import TabularResult
from rankscale.stats.resampling.groups import MACRO, MICRO, disagreements, grouping

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation

GROUP = "group"
TABLES = ("means", "values", "wide")
HOLDER = "means by group have"
TIES_ERROR = "ties_error"


class GroupMeans(Noticed, TabularResult):
    """Means of each run and measure by group of topics, as `Evaluation.by_group` makes them.

    Attributes
    ----------
    evaluation
        The values.
    groups
        Names of groups; last '(none)', if topics have no group.
    members
        (group, topic): which topics are in each group.
    rows
        Names of what is summed up: the groups, then '(micro)', the mean over all topics that have a group, and
        '(macro)', the mean of the means of groups, each with the same weight.
    values, counted
        (measure, row, run): means, and over how many topics.
    deviations
        (measure, row, run): standard deviations over topics; NaN for fewer than two, and for '(macro)'.
    extra
        (measure, row, run): bounds, tie ranges, errors of means over ties and intervals, by name, where the evaluation
        has them; '(macro)' has no interval.
    notices
        Groups without topics, and pairs of runs that micro and macro means or all groups put in opposite orders.

    Examples
    --------
    >>> import rankscale as rs
    >>> values = rs.read_values({"bm25": {"301": {"AP": 0.25}, "302": {"AP": 0.75}, "303": {"AP": 0.5}}})
    >>> print(values.by_group({"301": "short", "302": "long", "303": "long"}))
    group    run   topics      AP
    short    bm25       1  0.2500
    long     bm25       2  0.6250
    (micro)  bm25       3  0.5000
    (macro)  bm25       3  0.4375
    <BLANKLINE>
    (micro) is the mean over topics, (macro) the mean of the means of groups.
    """

    def __init__(self, evaluation: "Evaluation", groups: object, column: str | None = None) -> None:
        if evaluation.summary != "mean":
            raise ParameterError(
                f"groups of topics are summed up by means, and the evaluation has summary={evaluation.summary!r}; "
                "evaluate with ",
                Setting("summary", "mean"),
            )
        self.evaluation = evaluation
        self.grouping = made = grouping(evaluation, groups, column)
        self.groups, self.members = made.names, made.members
        self.rows: tuple[str, ...] = (*made.names, MICRO, MACRO)
        self.measures, self.runs = tuple(map(str, evaluation.measures)), evaluation.runs
        parts = [replace(evaluation, retrieved=evaluation.retrieved & one) for one in (*made.members, made.grouped)]
        means = np.stack([part.means().values for part in parts], axis=1)
        self.values: Floats = frozen(np.concatenate([means, _over_groups(means, made.tested)], axis=1))
        counted = np.stack([part.means().counted for part in parts], axis=1)
        self.counted: Ints = frozen(np.concatenate([counted, counted[:, -1:]], axis=1))
        deviations = np.stack([_deviations(part) for part in parts], axis=1)
        self.deviations: Floats = frozen(np.pad(deviations, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan))
        self.extra: dict[str, Floats] = {}
        extra = [part.extra_means() for part in parts]
        for name in extra[0]:
            of = np.stack([part[name] for part in extra], axis=1)
            macro = _over_groups(of, made.tested, errors=name == TIES_ERROR)
            if name in evaluation.sureness:  # the interval of a mean of means is not the mean of their intervals
                macro[:] = np.nan
            self.extra[name] = frozen(np.concatenate([of, macro], axis=1))
        warnings, pairs = made.warnings(), np.triu_indices(len(self.runs), k=1)
        for m, measure in enumerate(self.measures):
            overall = {MICRO: self.values[m, -2], MACRO: self.values[m, -1]}
            warnings += disagreements(measure, self.runs, pairs, self.values[m, : made.tested], overall)
        self.notices: tuple[Notice, ...] = notes(warnings)

    def __getitem__(self, key: tuple[str, str, str | Measure]) -> float:
        """The mean of a run on a group by a measure; the group may be '(micro)' or '(macro)'."""
        run, group, measure = key
        places = (
            place_of(self.measures, str(measure), "measure", HOLDER),
            place_of(self.rows, group, "group", HOLDER),
            place_of(self.runs, run, "run", HOLDER),
        )
        return float(self.values[places])

    @property
    def provenance(self) -> dict[str, object]:
        """What is needed to get the means again: that of the values, the source of groups and their sizes."""
        sizes = dict(zip(self.groups, self.members.sum(axis=1).tolist(), strict=True))
        return {**self.evaluation.provenance, "groups_from": self.grouping.where, "groups": sizes}

    def table(self, name: str | None = None) -> Table:
        """Tidy rows: `means` of groups, whose topic is called all; `values` of topics, with their group; `wide`.

        `wide` has one row for each group and run, with a column for each measure.
        """
        shown = place_of(TABLES, name or TABLES[0], "table", HOLDER)
        return (group_rows, values_by_group, group_means_table)[shown](self)

    def views(self, name: str | None = None) -> list[Table]:
        """One row for each group and run; `values` has one for each run and topic, too."""
        place_of(TABLES, name or TABLES[0], "table", HOLDER)
        return [topics_by_group(self) if name == "values" else group_means_table(self)]

    __repr__ = TabularResult.__str__


def _over_groups(means: Floats, tested: int, *, errors: bool = False) -> Floats:
    """(measure, 1, run): the mean over groups that have a value; of standard errors that of such a mean."""

    def summed_up(of_groups: Floats) -> float:
        defined = of_groups[~np.isnan(of_groups)]
        if not len(defined):
            return np.nan
        return (math.hypot(*defined) if errors else float(rounded_sums(defined))) / len(defined)

    made: Floats = np.apply_along_axis(summed_up, 1, means[:, :tested])
    return made[:, None]


def _deviations(evaluation: "Evaluation") -> Floats:
    """(measure, run): standard deviations over topics; NaN for fewer than two, and for infinite values."""
    kept = np.where(evaluation.retrieved, evaluation.values, np.nan)
    made = np.full(kept.shape[:2], np.nan)
    for place in np.ndindex(made.shape):
        values = kept[place][~np.isnan(kept[place])]
        if len(values) > 1 and np.isfinite(values).all():
            made[place] = np.std(values, ddof=1)
    return made


def group_rows(about: "GroupMeans") -> Table:
    """Tidy: one row for each run, group and measure; the topic is `all`, as in rows that sum up a run."""
    runs, rows, measures = about.runs, about.rows, about.measures
    deviations = about.deviations.T.ravel().tolist()
    columns: dict[str, Sequence[Cell]] = {
        "run": [run for run in runs for _ in range(len(rows) * len(measures))],
        "topic": [about.evaluation.mean_name] * len(deviations),
        "measure": [*measures] * (len(runs) * len(rows)),
        **{name: numbers.T.ravel().tolist() for name, numbers in {"value": about.values, **about.extra}.items()},
        GROUP: [row for row in rows for _ in measures] * len(runs),
        "topics": about.counted.T.ravel().tolist(),
        "sd": [None if math.isnan(deviation) else deviation for deviation in deviations],
    }
    return Table(columns, about.provenance)


def group_means_table(about: "GroupMeans") -> Table:
    """A row for each group and run, a column for each measure, its bounds and ranges; the best of a group is bold."""
    most = about.counted.max(axis=0, initial=0).ravel().tolist()
    columns: dict[str, Sequence[Cell]] = {
        GROUP: [name for name in about.rows for _ in about.runs],
        "run": [*about.runs] * len(about.rows),
        "topics": most,
    }
    view = [Column(GROUP, align="left"), Column("run", align="left"), Column("topics", plain=True)]
    for m, name in enumerate(about.measures):
        columns[name] = about.values[m].ravel().tolist()
        columns |= {f"{name}_{key}": of[m].ravel().tolist() for key, of in about.extra.items()}
        fewer = fewer_topics(about.counted[m].ravel().tolist(), most)
        view.append(measure_column(about.evaluation, m, about.extra, fewer, _best(about, m)))
    return Table(columns, about.provenance, notes=_notes(about), view=view)


def _notes(about: "GroupMeans") -> tuple[str, ...]:
    return (*about.grouping.notes(about.evaluation.measures), *table_notes(about.evaluation))


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
    evaluation, group_of = about.evaluation, _group_of_topics(about)
    plain = values_table(evaluation, per_topic=True).stream
    assert plain is not None  # noqa: S101
    means = group_rows(about)
    size = len(about.rows) * len(about.measures)  # rows of one run

    def with_groups(batch: Batch) -> Batch:
        topics = batch["topic"]
        assert isinstance(topics, Names)  # noqa: S101
        return {**batch, GROUP: Names(about.rows, group_of[topics.codes])}

    def mean_rows(run: int) -> Batch:
        """Rows of one run: the means of groups, by measure."""
        return {name: means.columns[name][run * size : (run + 1) * size] for name in text_kinds}

    def batches() -> Iterator[Batch]:
        return map(with_groups, plain.batches())

    def text_batches() -> Iterator[Batch]:
        return (of_run for run, batch in enumerate(batches()) for of_run in (batch, mean_rows(run)))

    of_topics = {
        topic: about.groups[group_of[t]] for t, topic in enumerate(evaluation.topics) if about.members[:, t].any()
    }
    head = {"groups_of_topics": of_topics, "by_group": means}
    kinds, text_kinds = ({**of, GROUP: str} for of in (plain.kinds, plain.text_kinds or plain.kinds))
    stream = Stream(kinds, batches, text_batches, plain.documents, head, text_kinds=text_kinds)
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
