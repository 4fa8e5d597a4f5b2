"""GroupMeans: means of runs by group of topics, over topics (micro) and over groups (macro)."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats, Ints, frozen
from rankscale.data.names import place_of
from rankscale.data.notices import Notice, Noticed, notes
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.group_tables import (
    group_means_table,
    group_rows,
    topics_by_group,
    values_by_group,
)
from rankscale.evaluation.groups import MACRO, MICRO, disagreements, grouping
from rankscale.measures.base.measure import Measure
from rankscale.outputs.results import TabularResult

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation

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
                "evaluate with summary='mean'"
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
        self.notices: tuple[Notice, ...] = notes([*made.warnings(), *self._disagreements()])

    def _disagreements(self) -> Iterator[str]:
        pairs = np.triu_indices(len(self.runs), k=1)
        for m, measure in enumerate(self.measures):
            overall = {MICRO: self.values[m, -2], MACRO: self.values[m, -1]}
            yield from disagreements(measure, self.runs, pairs, self.values[m, : self.grouping.tested], overall)

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
        shown = place_of(TABLES, name or TABLES[0], "table", HOLDER)
        return [topics_by_group(self) if TABLES[shown] == "values" else group_means_table(self)]

    __repr__ = TabularResult.__str__


def _over_groups(means: Floats, tested: int, *, errors: bool = False) -> Floats:
    """(measure, 1, run): the mean over groups that have a value; of standard errors that of such a mean."""

    def summed_up(of_groups: Floats) -> float:
        defined = of_groups[~np.isnan(of_groups)].tolist()
        if not defined:
            return np.nan
        return (math.hypot(*defined) if errors else _total(defined)) / len(defined)

    made: Floats = np.apply_along_axis(summed_up, 1, means[:, :tested])
    return made[:, None]


def _total(numbers: list[float]) -> float:
    """The sum, correctly rounded where it is finite."""
    return math.fsum(numbers) if all(map(math.isfinite, numbers)) else sum(numbers)


def _deviations(evaluation: "Evaluation") -> Floats:
    """(measure, run): standard deviations over topics; NaN for fewer than two."""
    kept = np.where(evaluation.retrieved, evaluation.values, np.nan)
    made = [[_deviation(run[~np.isnan(run)]) for run in of_measure] for of_measure in kept]
    return np.array(made).reshape(kept.shape[:2])


def _deviation(values: Floats) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 and np.isfinite(values).all() else np.nan
